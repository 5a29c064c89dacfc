package addrs_test

import (
	"errors"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/problem"
)

// accepted has every example of the spec's §1 that names a provider, with the form that keys and lock files use.
var accepted = []struct {
	rule   string
	source string
	tool   addrs.Tool
	want   string // String()
}{
	{"R-ADDR-1", "random", addrs.Terraform, "registry.terraform.io/hashicorp/random"},
	{"R-ADDR-1", "hashicorp/random", addrs.Terraform, "registry.terraform.io/hashicorp/random"},
	{"R-ADDR-1", "registry.acme.dev/acme/widget", addrs.Terraform, "registry.acme.dev/acme/widget"},
	{"R-ADDR-2", "random", addrs.OpenTofu, "registry.opentofu.org/hashicorp/random"},
	{"R-ADDR-2", "acme/widget", addrs.OpenTofu, "registry.opentofu.org/acme/widget"},
	{"R-ADDR-2", "registry.terraform.io/acme/widget", addrs.OpenTofu, "registry.terraform.io/acme/widget"},
	{"R-ADDR-3", "terraform", addrs.Terraform, "registry.terraform.io/hashicorp/terraform"},
	{"R-ADDR-3", "hashicorp/terraform", addrs.OpenTofu, "registry.opentofu.org/hashicorp/terraform"},
	{"R-ADDR-6", "Foo/BAR", addrs.Terraform, "registry.terraform.io/foo/bar"},
	{"R-ADDR-6", "ｆｕｌｌ/ｆｕｌｌ", addrs.Terraform, "registry.terraform.io/full/full"},
	{"R-ADDR-6", "a/İx", addrs.Terraform, "registry.terraform.io/a/i̇x"},
	{"R-ADDR-6", "straße/ß", addrs.Terraform, "registry.terraform.io/straße/ß"},
	{"R-ADDR-6", "123/456", addrs.Terraform, "registry.terraform.io/123/456"},
	{"R-ADDR-6", "a/" + strings.Repeat("x", 300), addrs.Terraform, "registry.terraform.io/a/" + strings.Repeat("x", 300)},
	{"R-ADDR-7", "my_team/x", addrs.Terraform, "registry.terraform.io/my_team/x"},
	{"R-ADDR-7", "my__team/x", addrs.Terraform, "registry.terraform.io/my__team/x"},
	{"R-ADDR-10", "localhost:8443/a/b", addrs.Terraform, "localhost:8443/a/b"},
	{"R-ADDR-10", "acme.dev:443/a/b", addrs.Terraform, "acme.dev/a/b"},
	{"R-ADDR-10", "acme.dev:0443/a/b", addrs.Terraform, "acme.dev/a/b"},
	{"R-ADDR-10", "acme.dev:080/a/b", addrs.Terraform, "acme.dev:80/a/b"},
	{"R-ADDR-10", "acme.dev:0/a/b", addrs.Terraform, "acme.dev:0/a/b"},
	{"R-ADDR-10", "acme.dev:+8443/a/b", addrs.Terraform, "acme.dev:8443/a/b"},
	{"R-ADDR-10", "acme.dev:-1/a/b", addrs.Terraform, "acme.dev:-1/a/b"},
	{"R-ADDR-10", "acme.dev:65535/a/b", addrs.Terraform, "acme.dev:65535/a/b"},
	{"R-ADDR-11", "XN--BCHER-KVA.example/a/b", addrs.Terraform, "bücher.example/a/b"},
	{"R-ADDR-12", "acme.dev./a/b", addrs.Terraform, "acme.dev./a/b"},
	{"R-ADDR-12", "127.0.0.1:8080/a/b", addrs.Terraform, "127.0.0.1:8080/a/b"},
	{"R-ADDR-12", "localhost/a/b", addrs.Terraform, "localhost/a/b"},
	{"R-ADDR-13", "BÜCHER.example:8443/Plain/Thing", addrs.Terraform, "bücher.example:8443/plain/thing"},
	{"R-ADDR-16", "hashicorp/provider-x", addrs.Terraform, "registry.terraform.io/hashicorp/provider-x"},
	{"R-ADDR-16", "hashicorp/myterraform-x", addrs.Terraform, "registry.terraform.io/hashicorp/myterraform-x"},
	{"R-ADDR-17", "a/opentofu-x", addrs.Terraform, "registry.terraform.io/a/opentofu-x"},
	{"R-ADDR-17", "a/opentofu", addrs.OpenTofu, "registry.opentofu.org/a/opentofu"},
	{"R-ADDR-19", "opentofu.org/builtin/terraform", addrs.Terraform, "opentofu.org/builtin/terraform"},
	{"R-ADDR-19", "builtin/terraform", addrs.Terraform, "registry.terraform.io/builtin/terraform"},
}

func TestParseAccepts(t *testing.T) {
	t.Parallel()
	for _, test := range accepted {
		p, err := addrs.Parse(test.source, test.tool)
		if err != nil {
			t.Errorf("%s: Parse(%q, %s): %v", test.rule, test.source, test.tool, err)
			continue
		}
		if got := p.String(); got != test.want {
			t.Errorf("%s: Parse(%q, %s) = %s, want %s", test.rule, test.source, test.tool, got, test.want)
		}
	}
}

// refused has every example of the spec's §1 that is an error, with the part of the message that helps.
var refused = []struct {
	rule   string
	source string
	tool   addrs.Tool
	text   string
}{
	{"R-ADDR-1", "", addrs.Terraform, "the source is empty"},
	{"R-ADDR-1", "a/b/c/d", addrs.Terraform, "has 4 parts"},
	{"R-ADDR-1", "a//b", addrs.Terraform, "empty part"},
	{"R-ADDR-1", "/b", addrs.Terraform, "empty part"},
	{"R-ADDR-1", "a/", addrs.Terraform, "empty part"},
	{"R-ADDR-1", "https://acme.dev/a/b", addrs.Terraform, `write "acme.dev/a/b"`},
	{"R-ADDR-4", "a..b/-/x_y", addrs.Terraform, `the type "x_y"`},
	{"R-ADDR-4", "a..b/n.s/ok", addrs.Terraform, `the namespace "n.s"`},
	{"R-ADDR-4", "a..b/-/terraform-x", addrs.Terraform, `the host "a..b"`},
	{"R-ADDR-4", "acme.dev/-/terraform-x", addrs.Terraform, "legacy"},
	{"R-ADDR-5", "a/b.c", addrs.Terraform, "dots are not allowed"},
	{"R-ADDR-5", "a/b--c", addrs.Terraform, "consecutive dashes"},
	{"R-ADDR-5", "a/xn--bcher-kva", addrs.Terraform, "consecutive dashes"},
	{"R-ADDR-5", "a/-b", addrs.Terraform, "leading or trailing dashes"},
	{"R-ADDR-5", "a/b-", addrs.Terraform, "leading or trailing dashes"},
	{"R-ADDR-5", "a/b c", addrs.Terraform, "letters, digits"},
	{"R-ADDR-5", " a/b", addrs.Terraform, "letters, digits"},
	{"R-ADDR-5", "a/b\n", addrs.Terraform, "letters, digits"},
	{"R-ADDR-7", "a/my_type", addrs.Terraform, "letters, digits"},
	{"R-ADDR-7", "_team/x", addrs.Terraform, "underscores"},
	{"R-ADDR-7", "team_/x", addrs.Terraform, "underscores"},
	{"R-ADDR-7", "my_team/x", addrs.OpenTofu, `the namespace "my_team"`},
	{"R-ADDR-8", "a/b。c", addrs.Terraform, "which is not allowed"},
	{"R-ADDR-8", "a。b/c", addrs.Terraform, "which is not allowed"},
	{"R-ADDR-8", "a。b/c", addrs.OpenTofu, "which is not allowed"},
	{"R-ADDR-8", "a/\u00ad", addrs.Terraform, `it becomes ""`},
	{"R-ADDR-8", "a/b-\u00ad-c", addrs.Terraform, `it becomes "b--c"`},
	{"R-ADDR-8", "\u00ad/c", addrs.Terraform, `it becomes ""`},
	{"R-ADDR-9", "a/*", addrs.Terraform, `the type "*"`},
	{"R-ADDR-9", "?/b", addrs.Terraform, `the namespace "?"`},
	{"R-ADDR-9", "a/-", addrs.Terraform, `the type "-"`},
	{"R-ADDR-10", "acme.dev:/a/b", addrs.Terraform, "port"},
	{"R-ADDR-10", "acme.dev:x/a/b", addrs.Terraform, "port"},
	{"R-ADDR-10", "acme.dev:65536/a/b", addrs.Terraform, "65535"},
	{"R-ADDR-10", "a:1:2/a/b", addrs.Terraform, "port"},
	{"R-ADDR-11", "xn--bcher-kva.example/a/b", addrs.Terraform, "punycode"},
	{"R-ADDR-12", "a..b/a/b", addrs.Terraform, "empty label"},
	{"R-ADDR-12", ".a/a/b", addrs.Terraform, "empty label"},
	{"R-ADDR-12", "a_b.dev/a/b", addrs.Terraform, `the host "a_b.dev"`},
	{"R-ADDR-12", "a b.dev/a/b", addrs.Terraform, `the host "a b.dev"`},
	{"R-ADDR-12", "[::1]/a/b", addrs.Terraform, `the host "[::1]"`},
	{"R-ADDR-12", "::1/a/b", addrs.Terraform, `the host "::1"`},
	{"R-ADDR-16", "hashicorp/terraform-provider-random", addrs.Terraform, `did you mean "hashicorp/random"?`},
	{"R-ADDR-16", "Acme.dev:80/acme/Terraform-Provider-X", addrs.Terraform, `did you mean "acme.dev:80/acme/x"?`},
	{"R-ADDR-16", "registry.terraform.io/a/terraform-provider-x", addrs.OpenTofu, `did you mean "registry.terraform.io/a/x"?`},
	{"R-ADDR-16", "hashicorp/terraform-x", addrs.Terraform, `must not begin with "terraform-"`},
	{"R-ADDR-16", "terraform-provider-random", addrs.Terraform, `did you mean "hashicorp/random"?`},
	{"R-ADDR-17", "a/opentofu-provider-x", addrs.OpenTofu, `did you mean "a/x"?`},
	{"R-ADDR-17", "a/opentofu-x", addrs.OpenTofu, `must not begin with "opentofu-"`},
	{"R-ADDR-18", "-/aws", addrs.Terraform, `write the publisher's namespace, for example "hashicorp/aws"`},
	{"R-ADDR-18", "acme.dev/-/aws", addrs.Terraform, "legacy"},
	{"R-ADDR-18", "-/aws", addrs.OpenTofu, "legacy"},
	{"R-ADDR-19", "terraform.io/builtin/terraform", addrs.Terraform, "built into terraform: there is no package to install"},
	{"R-ADDR-19", "terraform.io/builtin/other", addrs.Terraform, "built into terraform"},
	{"R-ADDR-19", "terraform.io/builtin/terraform", addrs.OpenTofu, "built into tofu"},
	{"R-ADDR-19", "opentofu.org/builtin/terraform", addrs.OpenTofu, "built into tofu"},
	{"R-ADDR-12", "Xn--/a/b", addrs.Terraform, "no host name"},
	{"R-ADDR-12", "a。。b/a/b", addrs.Terraform, "no host name"},
	{"UTF-8", "hashicorp/rand\x80om", addrs.Terraform, "not UTF-8"},
	{"hint", "hashicorp/random:~> 3.1", addrs.Terraform, `write it as the version, here "~> 3.1"`},
	{"hint", "registry.acme.dev/widget", addrs.Terraform, "the namespace is missing"},
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range refused {
		p, err := addrs.Parse(test.source, test.tool)
		if err == nil {
			t.Errorf("%s: Parse(%q, %s) = %s, want an error with %q", test.rule, test.source, test.tool, p, test.text)
			continue
		}
		var e *problem.Error
		if !errors.As(err, &e) || e.Kind != problem.Address {
			t.Errorf("%s: Parse(%q): error of type %T, want a problem.Error of kind address", test.rule, test.source, err)
		}
		if !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: Parse(%q): %q lacks %q", test.rule, test.source, err, test.text)
		}
		if p != (addrs.Provider{}) {
			t.Errorf("%s: Parse(%q) returns %v beside the error", test.rule, test.source, p)
		}
	}
}

func TestParseTool(t *testing.T) {
	t.Parallel()
	for name, host := range map[string]string{"terraform": "registry.terraform.io", "tofu": "registry.opentofu.org"} {
		tool, err := addrs.ParseTool(name)
		if err != nil || tool.DefaultHost() != host {
			t.Errorf("ParseTool(%q) = %q with host %q, %v; want host %q", name, tool, tool.DefaultHost(), err, host)
		}
	}
	for _, name := range []string{"", "opentofu", "Terraform", "tofu "} {
		if tool, err := addrs.ParseTool(name); err == nil || !strings.Contains(err.Error(), `"tofu"`) {
			t.Errorf("ParseTool(%q) = %q, %v; want an error that names the tools", name, tool, err)
		}
	}
}
