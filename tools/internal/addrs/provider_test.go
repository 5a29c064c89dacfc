package addrs_test

import (
	"slices"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
)

func mustParse(t *testing.T, source string) addrs.Provider {
	t.Helper()
	p, err := addrs.Parse(source, addrs.Terraform)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// R-ADDR-13: URLs take the punycode host, people and paths the Unicode one.
func TestHostForms(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "BÜCHER.example:0443/plain/thing")
	if want := "xn--bcher-kva.example"; p.Host != want {
		t.Errorf("Host = %q, want %q", p.Host, want)
	}
	if got, want := p.DisplayHost(), "bücher.example"; got != want {
		t.Errorf("DisplayHost() = %q, want %q", got, want)
	}
	p = mustParse(t, "Bücher.Example:8443/plain/thing")
	if want := "xn--bcher-kva.example:8443"; p.Host != want {
		t.Errorf("Host = %q, want %q", p.Host, want)
	}
	if got, want := p.DisplayHost(), "bücher.example:8443"; got != want {
		t.Errorf("DisplayHost() = %q, want %q", got, want)
	}
	// The tools' display of a host that went through comparison keeps what a transitional mapping would lose.
	p = mustParse(t, "faß.example/a/b")
	if got, want := p.DisplayHost(), "faß.example"; got != want {
		t.Errorf("DisplayHost() = %q, want %q", got, want)
	}
	if got := (addrs.Provider{}).String(); got != "" {
		t.Errorf("the zero value prints as %q", got)
	}
}

// R-ADDR-13: spellings of one provider are one map key.
func TestEquality(t *testing.T) {
	t.Parallel()
	seen := map[addrs.Provider]string{}
	for _, source := range []string{
		"hashicorp/random", "random", "HashiCorp/Random", "registry.terraform.io/hashicorp/random",
		"Registry.Terraform.IO:443/hashicorp/random", "registry.terraform.io:0443/hashicorp/ｒandom",
	} {
		seen[mustParse(t, source)] = source
	}
	if len(seen) != 1 {
		t.Errorf("%d providers, want 1: %v", len(seen), seen)
	}
	if mustParse(t, "registry.terraform.io./hashicorp/random") == mustParse(t, "random") {
		t.Error("R-ADDR-12: a trailing dot makes a different host")
	}
}

// R-ADDR-14: the host sorts by its comparison form, in which bücher comes after cedar.
func TestLess(t *testing.T) {
	t.Parallel()
	want := []string{
		"acme.dev/a/b", "acme.dev/a/c", "acme.dev/b/a", "acme.dev:8443/a/a", "cedar.example/a/a",
		"registry.terraform.io/hashicorp/random", "bücher.example/a/a", "bücher.example/ä/a",
	}
	var list []addrs.Provider
	for _, source := range slices.Backward(want) {
		list = append(list, mustParse(t, source))
	}
	slices.SortFunc(list, func(p, q addrs.Provider) int {
		switch {
		case p.Less(q):
			return -1
		case q.Less(p):
			return 1
		}
		return 0
	})
	for i, p := range list {
		if p.String() != want[i] {
			t.Errorf("position %d: %s, want %s", i, p, want[i])
		}
		if p.Less(p) {
			t.Errorf("%s sorts before itself", p)
		}
	}
}
