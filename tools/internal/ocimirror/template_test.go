package ocimirror_test

import (
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/cliconfig"
	"rules_tf_mirror/tools/internal/ocimirror"
)

// TestTemplate is R-NET-18: each part must be used unless include pins it; nothing else is known; the result is a repository.
func TestTemplate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, include string // include: patterns, separated by blanks
		source, want  string // repository of source
		err           string
	}{
		{"r.example/${hostname}/${namespace}/${type}", "", "registry.acme.dev/acme/widget", "r.example/registry.acme.dev/acme/widget", ""},
		{"r.example:8443/a-${namespace}-${hostname}/${type}", "", "registry.acme.dev/acme/widget", "r.example:8443/a-acme-registry.acme.dev/widget", ""},
		{"r.example/${namespace}/${type}", "registry.acme.dev/*/*", "registry.acme.dev/acme/widget", "r.example/acme/widget", ""},
		{"r.example/widget", "registry.acme.dev/acme/widget", "registry.acme.dev/acme/widget", "r.example/widget", ""},
		{"r.example/${namespace}/${type}", "*/*", "acme/widget", "r.example/acme/widget", ""}, // two parts name the default host
		{`r.example/${hostname == "registry.acme.dev" ? "a" : "b"}/${namespace}/${type}`, "", "registry.acme.dev/acme/widget", "r.example/a/acme/widget", ""},
		{"r.example/${namespace}/${type}", "", "", "", "does not use ${hostname}"},
		{"r.example/${namespace}/${type}", "a.example/*/* b.example/*/*", "", "", "does not use ${hostname}"},
		{"r.example/${hostname}/${type}", "", "", "", "does not use ${namespace}"},
		{"r.example/${hostname}/${namespace}", "", "", "", "does not use ${type}"},
		{"r.example/${hostname}/${namespace}/${type}/${version}", "", "", "", "uses ${version}"},
		{"r.example/${hostname}/${namespace}/${type", "", "", "", "is no template"},
		{"r.example/${upper(hostname)}/${namespace}/${type}", "", "", "", "Functions may not be called"},
		{"r.example/${hostname}/${namespace}/${type}:1.0", "", "", "", "without tag"},
		{"${hostname}${namespace}${type}", "", "", "", "no address of a repository"},
		{"https://r.example/${hostname}/${namespace}/${type}", "", "", "", "no address of a repository"},
		{"", "", "", "", "0 bytes"},
		{strings.Repeat("(", 5000), "", "", "", "5000 bytes"},
	} {
		t.Run(test.text[:min(len(test.text), 60)], func(t *testing.T) {
			t.Parallel()
			var include []cliconfig.Pattern
			for _, text := range strings.Fields(test.include) {
				pattern, err := cliconfig.ParsePattern(text, addrs.OpenTofu)
				if err != nil {
					t.Fatal(err)
				}
				include = append(include, pattern)
			}
			template, err := ocimirror.ParseTemplate(test.text, include)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			p, err := addrs.Parse(test.source, addrs.OpenTofu)
			if err != nil {
				t.Fatal(err)
			}
			reference, err := template.Repository(p)
			if err != nil || reference.String() != test.want {
				t.Errorf("repository %q, %v; want %q", reference, err, test.want)
			}
		})
	}
}

// FuzzTemplate: no text makes the parser panic.
func FuzzTemplate(f *testing.F) {
	f.Add("r.example/${hostname}/${namespace}/${type}")
	f.Add("%{ if true }x%{ endif }")
	f.Add("${[for x in y : x]}")
	p, err := addrs.Parse("a.example/b/c", addrs.OpenTofu)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		template, err := ocimirror.ParseTemplate(text, nil)
		if err != nil {
			return
		}
		if reference, err := template.Repository(p); err == nil && (reference.Host() == "" || reference.Repository == "" || reference.Reference != "") {
			t.Errorf("%q makes %q", text, reference)
		}
	})
}
