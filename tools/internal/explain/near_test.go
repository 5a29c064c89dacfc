package explain_test

import (
	"slices"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/explain"
)

func parse(t testing.TB, list ...string) []addrs.Provider {
	t.Helper()
	var parsed []addrs.Provider
	for _, text := range list {
		p, err := addrs.Parse(text, addrs.Terraform)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, p)
	}
	return parsed
}

// bothOrders calls a suggestion with the candidates forwards and backwards: the order of a manifest must not matter.
func bothOrders(t *testing.T, p addrs.Provider, others []addrs.Provider, suggest func(addrs.Provider, []addrs.Provider) (addrs.Provider, bool), want string) {
	t.Helper()
	for range 2 {
		got, ok := suggest(p, others)
		if got.String() != want || ok != (want != "") {
			t.Errorf("%s among %v: %q, %v; want %q", p, others, got, ok, want)
		}
		others = slices.Clone(others)
		slices.Reverse(others)
	}
}

// TestSameType is the first choice of R-ADDR-23, without its arbitrary order.
func TestSameType(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ source, others, want string }{
		{"datadog", "DataDog/datadog hashicorp/random", "registry.terraform.io/datadog/datadog"},
		{"datadog", "hashicorp/datadog hashicorp/random", ""},
		{"datadog", "", ""},
		{"datadog", "z/datadog a/datadog", "registry.terraform.io/a/datadog"},
		{"acme/widget", "registry.acme.dev/acme/widget other/widget", "registry.acme.dev/acme/widget"},
		{"acme/widget", "registry.acme.dev/other/widget other/widget", "registry.terraform.io/other/widget"},
	} {
		bothOrders(t, parse(t, test.source)[0], parse(t, strings.Fields(test.others)...), explain.SameType, test.want)
	}
}

// TestNearSource: a slip of the finger is found in namespace and type, by their length; another name is no slip.
func TestNearSource(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ source, others, want string }{
		{"hashicorp/randon", "hashicorp/random hashicorp/null", "registry.terraform.io/hashicorp/random"},
		{"hashicopr/random", "hashicorp/random", "registry.terraform.io/hashicorp/random"},
		{"hashicrop/randm", "hashicorp/random", "registry.terraform.io/hashicorp/random"},
		{"acme/widgets", "registry.acme.dev/acme/widget", ""},
		{"registry.acme.dev/acme/widgets", "registry.acme.dev/acme/widget", "registry.acme.dev/acme/widget"},
		{"acme/widgets", "registry.acme.dev/acme/widget acme/widget", "registry.terraform.io/acme/widget"},
		{"acme/widgets", "acme/widgetz acme/widgeta", "registry.terraform.io/acme/widgeta"},
		{"hashicorp/awz", "hashicorp/aws", "registry.terraform.io/hashicorp/aws"},
		{"acem/widget", "acme/widget", "registry.terraform.io/acme/widget"},
		{"hashicorp/asw", "hashicorp/aws", "registry.terraform.io/hashicorp/aws"},
		{"hashicorp/saw", "hashicorp/aws", ""},
		{"hashicorp/gcp", "hashicorp/aws", ""},
		{"a/b", "c/b", ""},
		{"acme/ab", "acme/ac", ""},
		{"acme/kubernetes", "acme/kubernetes", ""},
		{"acme/kubernetes", "acme/terminal", ""},
		{"acme/" + strings.Repeat("x", 300), "acme/" + strings.Repeat("x", 299), ""},
		{"acme/бьюикс", "acme/бьюик", "registry.terraform.io/acme/бьюик"},
	} {
		bothOrders(t, parse(t, test.source)[0], parse(t, strings.Fields(test.others)...), explain.NearSource, test.want)
	}
}

func TestNearHost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ host, others, want string }{
		{"registry.terraform.com", "registry.opentofu.org registry.terraform.io", "registry.terraform.io"},
		{"registry.terrafrom.io", "registry.terraform.io", "registry.terraform.io"},
		{"registry.terraform.io", "registry.terraform.io", ""},
		{"registry.acme.dve", "registry.terraform.io registry.acme.dev", "registry.acme.dev"},
		{"registry.acme.dev", "registry.acme.dev:8443", "registry.acme.dev:8443"},
		{"registry.acme.dev:8443", "registry.acme.dev", "registry.acme.dev"},
		{"registry.acme.dev:8444", "registry.acme.dev:8443 registry.acme.dev:8445", "registry.acme.dev:8443"},
		{"terraform.io", "registry.terraform.io", ""},
		{"github.com", "registry.terraform.io registry.opentofu.org", ""},
		{"xn--bcher-kva.example", "xn--bchr-kva.example", "xn--bchr-kva.example"},
	} {
		others := strings.Fields(test.others)
		for range 2 {
			if got, ok := explain.NearHost(test.host, others); got != test.want || ok != (test.want != "") {
				t.Errorf("%s among %s: %q, %v; want %q", test.host, others, got, ok, test.want)
			}
			slices.Reverse(others)
		}
	}
}
