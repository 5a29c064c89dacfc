package facts_test

import (
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
)

var linux = platforms.Platform{OS: "linux", Arch: "amd64"}

func provider(t testing.TB, source string) addrs.Provider {
	t.Helper()
	p, err := addrs.Parse(source, addrs.Terraform)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Design §3.1: Starlark makes the same keys from a tag's text.
func TestKeys(t *testing.T) {
	t.Parallel()
	random, widget := provider(t, "random"), provider(t, "localhost:8443/acme/widget")
	for _, test := range []struct{ got, want string }{
		{facts.ResolveKey(random, "~> 3.1.0"), "resolve/registry.terraform.io/hashicorp/random/~> 3.1.0"},
		{facts.ResolveKey(random, " >=1.0 ,\n< 2\t"), "resolve/registry.terraform.io/hashicorp/random/>=1.0 ,\n< 2"},
		{facts.ResolveKey(random, ""), "resolve/registry.terraform.io/hashicorp/random/latest"},
		{facts.ResolveKey(widget, ""), "resolve/localhost:8443/acme/widget/latest"},
		{facts.PackageKey(random, "3.1.3", linux), "package/registry.terraform.io/hashicorp/random/3.1.3/linux_amd64"},
		{facts.PackageKey(widget, "1.0.0-rc.1+m", linux), "package/localhost:8443/acme/widget/1.0.0-rc.1+m/linux_amd64"},
		{facts.ToolKey(addrs.Terraform, "1.9.5", linux), "tool/terraform/1.9.5/linux_amd64"},
		{facts.ToolKey(addrs.OpenTofu, "1.12.6", linux), "tool/tofu/1.12.6/linux_amd64"},
	} {
		if test.got != test.want {
			t.Errorf("key %q, want %q", test.got, test.want)
		}
		k, err := facts.ParseKey(test.want)
		if err != nil || k.String() != test.want {
			t.Errorf("ParseKey(%q) = %q, %v", test.want, k, err)
		}
	}
}

func TestParseKeyParts(t *testing.T) {
	t.Parallel()
	k, err := facts.ParseKey("package/localhost:8443/acme/widget/1.0.0-rc.1/darwin_arm64")
	if err != nil {
		t.Fatal(err)
	}
	if k.Kind != facts.KindPackage || k.Provider != provider(t, "localhost:8443/acme/widget") || k.Version.String() != "1.0.0-rc.1" || k.Platform.String() != "darwin_arm64" {
		t.Errorf("package key: %#v", k)
	}
	k, err = facts.ParseKey("resolve/acme.dev/acme/widget/~> 1.0")
	if err != nil || k.Kind != facts.KindResolve || k.Constraint.String() != "~> 1.0" {
		t.Errorf("resolve key: %#v, %v", k, err)
	}
	k, err = facts.ParseKey("resolve/acme.dev/acme/widget/latest")
	if err != nil || k.Constraint.String() != "" {
		t.Errorf("latest: %#v, %v", k, err)
	}
	k, err = facts.ParseKey("tool/tofu/1.12.6/linux_amd64")
	if err != nil || k.Tool != addrs.OpenTofu || k.ToolVersion != "1.12.6" || k.Platform != linux {
		t.Errorf("tool key: %#v, %v", k, err)
	}
}

// badKeys are keys that no function of this package makes, with the reason that the error gives.
var badKeys = []struct{ key, reason string }{
	{"", "begins with"},
	{"verified/acme.dev/acme/widget/1.0.0", `not "verified"`},
	{"resolve", "resolve/<host>"},
	{"resolve/acme/widget/~> 1.0", "resolve/<host>"},
	{"resolve/acme.dev/acme/widget/", "empty"},
	{"resolve/acme.dev/acme/widget/^1", "not an operator"},
	{"resolve/acme.dev/acme/widget/~> 1.0/x", "~> 1.0/x"},
	{"resolve/acme.dev/acme/widget/~> 1.0 ", `is written "resolve/acme.dev/acme/widget/~> 1.0"`},
	{"resolve/Acme.dev/acme/widget/latest", `is written "resolve/acme.dev/acme/widget/latest"`},
	{"resolve/acme.dev:443/acme/widget/latest", `is written "resolve/acme.dev/acme/widget/latest"`},
	{"resolve/acme.dev/-/widget/latest", "legacy"},
	{"package/acme.dev/acme/widget/1.0.0", "package/<host>"},
	{"package/acme.dev/acme/widget/1.0.0/linux_amd64/x", "package/<host>"},
	{"package/acme.dev/acme/widget/1.0/linux_amd64", `is written "package/acme.dev/acme/widget/1.0.0/linux_amd64"`},
	{"package/acme.dev/acme/widget/v1.0.0/linux_amd64", "prefix"},
	{"package/acme.dev/acme/widget/99999999999999999999.0.0/linux_amd64", "too large"},
	{"package/acme.dev/acme/widget/1.0.0/linux", "<os>_<arch>"},
	{"package/acme.dev/ac.me/widget/1.0.0/linux_amd64", "namespace"},
	{"tool/opentofu/1.0.0/linux_amd64", "tofu"},
	{"tool/terraform/linux_amd64", "tool/<"},
	{"tool/terraform//linux_amd64", "tool/<"},
	{"tool/terraform/1.0.0/LINUX_amd64", "<os>_<arch>"},
}

func TestParseKeyRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range badKeys {
		k, err := facts.ParseKey(test.key)
		if err == nil {
			t.Errorf("ParseKey(%q) = %#v, want an error", test.key, k)
			continue
		}
		for _, part := range []string{test.reason, "bazel mod deps", "MODULE.bazel.lock"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("ParseKey(%q): %v; want it to say %q", test.key, err, part)
			}
		}
		if problem.KindOf(err) != problem.Response {
			t.Errorf("ParseKey(%q): kind %s, want response", test.key, problem.KindOf(err))
		}
	}
}

// FuzzParseKey: a key that is read is printed as it was, so that facts can be looked up by what was read.
func FuzzParseKey(f *testing.F) {
	for _, test := range badKeys {
		f.Add(test.key)
	}
	for _, key := range []string{
		"resolve/registry.terraform.io/hashicorp/random/~> 3.1.0", "resolve/localhost:8443/a/b/latest",
		"package/registry.terraform.io/hashicorp/random/3.1.3/linux_amd64", "tool/tofu/1.12.6/linux_amd64",
	} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		k, err := facts.ParseKey(key)
		if err == nil && k.String() != key {
			t.Fatalf("ParseKey(%q) prints as %q", key, k)
		}
	})
}
