package addrs_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	tfaddr "github.com/hashicorp/terraform-registry-address"
	otaddr "github.com/opentofu/registry-address/v2"
	"github.com/opentofu/svchost"

	"rules_tf_mirror/tools/internal/addrs"
)

// FuzzParse holds Parse against the tools' own libraries: the same addresses are read, to the same parts, except for what the package
// refuses on purpose. Whatever is read survives a round through its printed form, because fact keys are read back.
func FuzzParse(f *testing.F) {
	for _, test := range accepted {
		f.Add(test.source, test.tool == addrs.OpenTofu)
	}
	for _, test := range refused {
		f.Add(test.source, test.tool == addrs.OpenTofu)
	}
	f.Fuzz(func(t *testing.T, source string, tofu bool) {
		tool, oracle := addrs.Terraform, terraformOracle
		if tofu {
			tool, oracle = addrs.OpenTofu, tofuOracle
		}
		got, err := addrs.Parse(source, tool)
		want, ok := oracle(source)
		if err != nil {
			if ok && utf8.ValidString(source) && !refusedOnPurpose(want, tool) {
				t.Fatalf("Parse(%q, %s) = %v, the library reads %v", source, tool, err, want)
			}
			return
		}
		if !ok || got != want {
			t.Fatalf("Parse(%q, %s) = %#v, the library: %#v, %t", source, tool, got, want, ok)
		}
		if display := svchost.Hostname(got.Host).ForDisplay(); got.DisplayHost() != display {
			t.Fatalf("Parse(%q, %s) shows the host as %q, the library as %q", source, tool, got.DisplayHost(), display)
		}
		again, err := addrs.Parse(got.String(), tool)
		if err != nil || again != got {
			t.Fatalf("Parse(%q, %s) prints as %q, which is read as %#v, %v", source, tool, got, again, err)
		}
	})
}

// refusedOnPurpose reports whether the package may refuse what the library read as p: legacy (R-ADDR-18), built-in (R-ADDR-19), with a
// tool's prefix (R-ADDR-16), which the library overlooks in an address of one part although it refuses the same provider written
// in full, or in a form that the library itself would not read again (R-ADDR-8 is the known case).
func refusedOnPurpose(p addrs.Provider, tool addrs.Tool) bool {
	builtin := p.Namespace == "builtin" && (p.Host == "terraform.io" || tool == addrs.OpenTofu && p.Host == "opentofu.org")
	prefix := strings.HasPrefix(p.Type, "terraform-") || tool == addrs.OpenTofu && strings.HasPrefix(p.Type, "opentofu-")
	if p.Namespace == "-" || builtin || prefix {
		return true
	}
	oracle := terraformOracle
	if tool == addrs.OpenTofu {
		oracle = tofuOracle
	}
	again, ok := oracle(p.String())
	return !ok || again != p
}

func terraformOracle(source string) (addrs.Provider, bool) {
	p, err := tfaddr.ParseProviderSource(source)
	return oracle(p.Hostname.String(), p.Namespace, p.Type, err)
}

func tofuOracle(source string) (addrs.Provider, bool) {
	p, err := otaddr.ParseProviderSource(source)
	return oracle(p.Hostname.String(), p.Namespace, p.Type, err)
}

// oracle fills in the namespace of an address of one part, which the libraries leave open for their callers.
func oracle(host, namespace, typ string, err error) (addrs.Provider, bool) {
	if err != nil {
		return addrs.Provider{}, false
	}
	if namespace == tfaddr.UnknownProviderNamespace {
		namespace = "hashicorp"
	}
	return addrs.Provider{Host: host, Namespace: namespace, Type: typ}, true
}
