package explain_test

import (
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/explain"
)

// TestSuccessor is R-ADDR-23: `moved_to` wins over `id`, the type must be the same, and nothing else of the answer gets any further.
func TestSuccessor(t *testing.T) {
	t.Parallel()
	asked := parse(t, "datadog")[0]
	const host = "registry.terraform.io/"
	for _, test := range []struct{ name, body, want string }{
		{"id", `{"id":"DataDog/datadog"}`, host + "datadog/datadog"},
		{"moved_to wins", `{"id":"terraform-providers/datadog","moved_to":"DataDog/datadog"}`, host + "datadog/datadog"},
		{"moved_to null", `{"id":"DataDog/datadog","moved_to":null}`, host + "datadog/datadog"},
		{"moved_to empty", `{"id":"DataDog/datadog","moved_to":""}`, host + "datadog/datadog"},
		{"other type in moved_to", `{"id":"DataDog/datadog","moved_to":"DataDog/dog"}`, ""},
		{"other type", `{"id":"DataDog/dog"}`, ""},
		{"a list without them", `{"versions":[]}`, ""},
		{"itself", `{"id":"hashicorp/datadog"}`, ""},
		{"legacy", `{"id":"-/datadog"}`, ""},
		{"with a host", `{"id":"evil.example/x/datadog"}`, ""},
		{"no namespace", `{"id":"datadog"}`, ""},
		{"not an address", `{"id":"x y\u001b[31m/datadog"}`, ""},
		{"long", `{"id":"` + strings.Repeat("x", 200) + `/datadog"}`, ""},
		{"mistyped", `{"id":7}`, ""},
		{"mistyped moved_to", `{"id":"DataDog/datadog","moved_to":{}}`, ""},
		{"null", `null`, ""},
		{"HTML", `<html>`, ""},
		{"empty", ``, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, ok := explain.Successor([]byte(test.body), asked, addrs.Terraform)
			if got.String() != test.want || ok != (test.want != "") {
				t.Errorf("%q, %v; want %q", got, ok, test.want)
			}
		})
	}
}

// TestHasSuccessor is R-ADDR-23: only the tool's own default host is asked, and only about the namespace of sources without one.
func TestHasSuccessor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		source string
		tool   addrs.Tool
		want   bool
	}{
		{"datadog", addrs.Terraform, true},
		{"acme/datadog", addrs.Terraform, false},
		{"registry.acme.dev/hashicorp/datadog", addrs.Terraform, false},
		{"registry.terraform.io/hashicorp/datadog", addrs.OpenTofu, false},
		{"registry.opentofu.org/hashicorp/datadog", addrs.OpenTofu, true},
	} {
		p := parse(t, test.source)[0]
		if got := explain.HasSuccessor(p, test.tool); got != test.want {
			t.Errorf("%s with %s: %v, want %v", test.source, test.tool, got, test.want)
		}
	}
	if got, want := explain.Legacy(parse(t, "datadog")[0]), (addrs.Provider{Host: "registry.terraform.io", Namespace: "-", Type: "datadog"}); got != want {
		t.Errorf("Legacy = %+v, want %+v", got, want)
	}
}

// FuzzSuccessor: whatever a registry answers, the result is an address of the asked host and type that parses again.
func FuzzSuccessor(f *testing.F) {
	for _, seed := range []string{`{"id":"a/datadog","moved_to":"b/datadog"}`, `{"id":"a/b/c"}`, `{"moved_to":"\u202e/datadog"}`, `[`, `null`, `{"id":"İ/DATADOG"}`} {
		f.Add([]byte(seed))
	}
	asked := parse(f, "datadog")[0]
	f.Fuzz(func(t *testing.T, body []byte) {
		got, ok := explain.Successor(body, asked, addrs.Terraform)
		if !ok {
			if got != (addrs.Provider{}) {
				t.Errorf("%v without ok", got)
			}
			return
		}
		if again, err := addrs.Parse(got.String(), addrs.Terraform); err != nil || again != got || got.Host != asked.Host || got.Type != asked.Type || got == asked {
			t.Errorf("%v, read again %v, %v", got, again, err)
		}
	})
}
