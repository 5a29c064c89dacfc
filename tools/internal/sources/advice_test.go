package sources_test

import (
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/manifest"
)

// TestAdviceAndSources: for a message nobody asks a registry that is no source of the provider (B17), nor one whose patterns may exclude the
// address that knows the successor (R-ADDR-23).
func TestAdviceAndSources(t *testing.T) {
	t.Parallel()
	const tfHost = "registry.terraform.io"
	const suggestion = `did you mean "registry.terraform.io/datadog/datadog`
	direct := func(include, exclude string) manifest.Source {
		return manifest.Source{Kind: "direct", Include: strings.Fields(include), Exclude: strings.Fields(exclude)}
	}
	for _, test := range []struct {
		name, entry string
		sources     func(mirror string) []manifest.Source
		suggested   bool
		requests    map[string]int
	}{
		{"direct", "hashicorp/datadog:~> 1.0", func(string) []manifest.Source { return []manifest.Source{direct("", "")} }, true,
			map[string]int{tfHost + " versions": 2}},
		{"direct, exact", "hashicorp/datadog:1.0.0", func(string) []manifest.Source { return []manifest.Source{direct("", "")} }, true,
			map[string]int{tfHost + " versions": 2, tfHost + " download": 1}},
		{"direct after a mirror", "hashicorp/datadog:~> 1.0", func(m string) []manifest.Source { return []manifest.Source{network(m), direct("", "")} }, true,
			map[string]int{tfHost + " versions": 2, mirrorHost + " index": 1, mirrorHost + " other": 1, mirrorHost + " discovery": 1}},
		{"patterns without the legacy address", "hashicorp/datadog:~> 1.0", func(string) []manifest.Source { return []manifest.Source{direct("hashicorp/*", "")} }, false,
			map[string]int{tfHost + " versions": 1}},
		{"patterns of the whole host", "hashicorp/datadog:~> 1.0", func(string) []manifest.Source { return []manifest.Source{direct(tfHost+"/*/*", "")} }, true,
			map[string]int{tfHost + " versions": 2}},
		{"B17 a mirror alone", "hashicorp/datadog:~> 1.0", func(m string) []manifest.Source { return []manifest.Source{network(m)} }, false, nil},
		{"B17 a mirror alone, exact", "hashicorp/datadog:1.0.0", func(m string) []manifest.Source { return []manifest.Source{network(m)} }, false, nil},
		{"B17 direct for others", "hashicorp/datadog:~> 1.0", func(m string) []manifest.Source { return []manifest.Source{network(m), direct("acme/*", "")} }, false, nil},
		{"no place at all", "hashicorp/datadog:~> 1.0", func(string) []manifest.Source { return []manifest.Source{direct("", "hashicorp/*")} }, false, map[string]int{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Host(tfHost).Provider("-/datadog").ListRaw(`{"id":"DataDog/datadog"}`)
			row := only(t, w.resolve(from(test.sources(w.mirror().URL()), test.entry)))
			if row.Error == nil && row.Packages[linux].Error == nil {
				t.Fatalf("%+v, want an error", row)
			}
			text := ""
			if row.Error != nil {
				text = row.Error.Message
			}
			if strings.Contains(text, suggestion) != test.suggested {
				t.Errorf("message %q, suggestion wanted: %v", text, test.suggested)
			}
			if test.requests == nil {
				w.wantNoConnection(tfHost)
				return
			}
			w.wantCounts(test.requests)
		})
	}
}

// TestEchoInAdvice: a token that the registry repeats in what is only read for messages stays out of them.
func TestEchoInAdvice(t *testing.T) {
	t.Parallel()
	const token = "s3crett0ken"
	w := newWorld(t)
	w.environ = append(w.environ, "TF_TOKEN_registry_terraform_io="+token)
	h := w.Host("registry.terraform.io")
	h.Provider("-/datadog").ListRaw(`{"id":"` + token + `/datadog"}`)
	h.Provider("hashicorp/other").ListRaw(`{"versions":[{"version":"1.0.0","platforms":[{"os":"\u00733crett0ken","arch":"amd64"}]},
		{"version":"1.1.0-` + token + `","platforms":[{"os":"linux","arch":"386"}]}]}`)
	for _, p := range w.resolve(request("hashicorp/datadog:~> 1.0", "hashicorp/other:1.0.0", "hashicorp/other:1.1.0")).Providers {
		if p.Error == nil || strings.Contains(p.Error.Message, token) {
			t.Errorf("%s: %v, want an error without the token", p.Source, p.Error)
		}
	}
	if n := w.Count(fixture.Filter{Endpoint: fixture.EndpointVersions}); n != 3 {
		t.Errorf("%d lists, want 3", n)
	}
}
