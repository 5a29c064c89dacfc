package cliconfig_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl"
	svchost "github.com/hashicorp/terraform-svchost"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/cliconfig"
)

// FuzzLoad reads anything as a configuration file. It must not crash, its positions must lie in the file, and where it finds no defect its
// tokens are those of the library's own decoder, which the tools use for the whole file at once.
func FuzzLoad(f *testing.F) {
	for _, test := range oracleCases {
		for _, content := range test.files {
			f.Add(content, false)
		}
	}
	for _, text := range []string{
		"", "{", "{}", "{\"credentials\":\n[{\"a.b\":[{\"token\":\"x\"}]}]}", `credentials = { "a" = { token = "x" } }`, `credentials "a" { token = <<E` + "\nx\nE\n}",
		`credentials { a { token = "${x}" } }`, `credentials "a" "b" { token = "x" }`, `{"credentials":{"a":{"token":null}},"host":{"a":null}}`,
		`provider_installation { direct { include = ["*/*"] } dev_overrides { a/b = "/x" } }`, `{"provider_installation":[{"direct":[{}]},{"oci_mirror":[{"repository_template":"x"}]}]}`,
		`credentials_helper "x" { args = ["\xff", 1, true] }`, `registry_protocols { retry_count = 1e3 }`, "plugin_cache_dir = \"$X\"", "\ufeffx = 1",
	} {
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, tofu bool) {
		tool, path := addrs.Terraform, rc
		if tofu {
			tool, path = addrs.OpenTofu, "/home/u/.tofurc"
		}
		c := cliconfig.Load(tool, linux(files{path: text}))
		lines := strings.Count(text, "\n") + 1
		for _, p := range append(append([]cliconfig.Problem{}, c.Errors...), c.Warnings...) {
			if p.Position.Line < 0 || p.Position.Line > lines || p.Message == "" {
				t.Fatalf("problem %+v of a file with %d lines", p, lines)
			}
		}
		if c.Installation != nil {
			for _, m := range c.Installation.Methods {
				if m.Kind == cliconfig.NetworkMirror && (m.URL == nil || m.URL.Scheme != "https") || m.Kind == cliconfig.FilesystemMirror && m.Path == "" {
					t.Fatalf("unusable method %+v", m)
				}
			}
		}
		for host := range c.Hosts {
			if _, configured, _ := c.ServiceURL(host); !configured {
				t.Fatalf("host %s is lost", host)
			}
		}
		if want, ok := libraryTokens(text); ok && len(c.Errors) == 0 {
			if len(want) != len(c.Credentials) {
				t.Fatalf("found %d credentials, the library %d", len(c.Credentials), len(want))
			}
			for host, token := range want {
				if got, ok := c.Credentials[host]; !ok || got.Reveal() != token {
					t.Fatalf("host %q: found %q, %t; the library %q", host, got.Reveal(), ok, token)
				}
			}
		}
	})
}

// libraryTokens decodes a whole file at once; ok is false where that fails, or where two spellings of one host make it a matter of chance.
func libraryTokens(text string) (tokens map[string]string, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	var out struct {
		Credentials map[string]map[string]any `hcl:"credentials"`
	}
	root, err := hcl.Parse(text)
	if err != nil || hcl.DecodeObject(&out, root) != nil {
		return nil, false
	}
	tokens = map[string]string{}
	for name, settings := range out.Credentials {
		host, err := svchost.ForComparison(name)
		if err != nil {
			return nil, false
		}
		if _, twice := tokens[string(host)]; twice {
			return nil, false
		}
		tokens[string(host)], _ = settings["token"].(string)
	}
	return tokens, true
}

// FuzzParsePattern: a pattern never matches what its parts do not say, and reads back as itself.
func FuzzParsePattern(f *testing.F) {
	for _, text := range []string{"a/b", "*/*", "h.example/a/*", "*/*/*", "bücher.example/a/b", "A/B", "a//b", "h:080/a/b", "a/*b"} {
		f.Add(text, "h.example/a/b")
	}
	f.Fuzz(func(t *testing.T, text, source string) {
		pattern, err := cliconfig.ParsePattern(text, addrs.Terraform)
		if err != nil {
			return
		}
		if again, err := cliconfig.ParsePattern(pattern.String(), addrs.Terraform); !strings.Contains(pattern.String(), "xn--") && (err != nil || again != pattern) {
			t.Fatalf("%q is %s, which reads as %s, %v", text, pattern, again, err)
		}
		p, err := addrs.Parse(source, addrs.Terraform)
		if err != nil {
			return
		}
		if !cliconfig.Only(p).Matches(p) {
			t.Fatalf("%s does not match itself", p)
		}
		if !strings.Contains(text, "*") && pattern.Matches(p) != (pattern == cliconfig.Only(p)) {
			t.Fatalf("%q and %s", text, p)
		}
	})
}
