package resolve_test

import (
	"fmt"
	"strings"
	"testing"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/addrs"
)

const tofuHost = "registry.opentofu.org"

// TestSuggestedSource: what is suggested for a provider that no registry knows, and at the cost of which requests. The version list is the
// question of the failure itself, for an exact version one more than without it; the legacy address is asked once and only where R-ADDR-23 says.
func TestSuggestedSource(t *testing.T) {
	t.Parallel()
	moved := func(w *world) {
		w.Host(tfHost).Provider("-/datadog").ListRaw(`{"id":"terraform-providers/datadog","moved_to":"DataDog/datadog","versions":[]}`)
	}
	for _, test := range []struct {
		name      string
		tool      addrs.Tool
		entries   []string // the first is not known
		setup     func(w *world)
		kind      string
		want      string // "" none
		lists     int
		downloads int
	}{
		{"A18 R-ADDR-23 moved_to", addrs.Terraform, []string{"datadog:~> 2.19"}, moved, "not_found",
			`did you mean "registry.terraform.io/datadog/datadog:~> 2.19"? The registry knows`, 2, 0},
		{"A18 R-ADDR-23 exact", addrs.Terraform, []string{"datadog:2.19.1"}, moved, "platform",
			`did you mean "registry.terraform.io/datadog/datadog:2.19.1"? The registry knows`, 2, 4},
		{"R-ADDR-23 the manifest first", addrs.Terraform, []string{"datadog:~> 2.19", "acme/datadog:1.0.0"}, moved, "not_found",
			`did you mean "registry.terraform.io/acme/datadog:~> 2.19"? The manifest`, 1, 4},
		{"R-ADDR-23 failure is no suggestion", addrs.Terraform, []string{"datadog:~> 2.19"}, func(w *world) {
			w.Host(tfHost).Provider("-/datadog").Fail(registry.EndpointVersions, registry.Fault{Status: 500})
		}, "not_found", "", 2, 0},
		{"R-ADDR-23 404", addrs.Terraform, []string{"datadog:~> 2.19"}, nil, "not_found", "", 2, 0},
		{"R-ADDR-23 other namespace", addrs.Terraform, []string{"acme/nothing:~> 2.19"}, moved, "not_found", "", 1, 0},
		{"R-ADDR-23 once for two entries", addrs.Terraform, []string{"datadog:~> 2.19", "datadog:~> 2.0", "datadog"}, moved, "not_found", "datadog/datadog", 2, 0},
		{"R-ADDR-23 other default host", addrs.OpenTofu, []string{tfHost + "/hashicorp/datadog:~> 2.19"}, moved, "not_found", "", 1, 0},
		{"R-ADDR-24 OpenTofu's registry", addrs.OpenTofu, []string{"acme/nothing:~> 1.0"}, nil, "not_found", "https://github.com/opentofu/registry/issues", 1, 0},
		{"slip in the type", addrs.Terraform, []string{"acme/widgte:~> 1.0", "acme/widget:1.0.0"}, nil, "not_found", `did you mean "registry.terraform.io/acme/widget:~> 1.0"?`, 1, 4},
		{"slip in the namespace, exact", addrs.Terraform, []string{"acem/widge:1.0.0", "acme/widget:1.0.0"}, nil, "platform", `did you mean "registry.terraform.io/acme/widget:1.0.0"?`, 1, 8},
		{"no suggestion of what is not known either", addrs.Terraform, []string{"acme/nothing:~> 1.0", "acme/nothink:~> 1.0"}, nil, "not_found", "", 2, 0},
		{"a known provider without a match is one", addrs.Terraform, []string{"acme/widgte:~> 1.0", "acme/widget:~> 9.0"}, nil, "not_found", `did you mean "registry.terraform.io/acme/widget:~> 1.0"?`, 2, 0},
		{"a private registry's name sake", addrs.Terraform, []string{"acme/gadget:~> 1.0", "registry.acme.dev/acme/gadget:1.0.0"}, nil, "not_found", `did you mean "registry.acme.dev/acme/gadget:~> 1.0"?`, 1, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			h := w.Host(tfHost)
			w.Host(tofuHost)
			h.Provider("acme/widget").Version("1.0.0", fourPlatforms)
			h.Provider("acme/datadog").Version("1.0.0", fourPlatforms)
			w.Host("registry.acme.dev").Provider("acme/gadget").Version("1.0.0", fourPlatforms)
			if test.setup != nil {
				test.setup(w)
			}
			q := request(fourPlatforms, test.entries...)
			q.Tool = test.tool
			response := w.resolve(q)
			wantError(t, response.Providers[0].Error, test.kind, test.want)
			if text := response.Providers[0].Error.Message; test.want == "" && strings.Contains(text, "did you mean") {
				t.Errorf("a suggestion in %s", text)
			}
			got := w.Counts()
			if got[registry.EndpointVersions] != test.lists || got[registry.EndpointDownload] != test.downloads {
				t.Errorf("%d lists, %d downloads; want %d, %d", got[registry.EndpointVersions], got[registry.EndpointDownload], test.lists, test.downloads)
			}
			if n := w.Count(registry.Filter{Host: tfHost, Path: "/v1/providers/-/datadog/versions"}); n > 1 {
				t.Errorf("%d requests for the legacy address", n)
			}
		})
	}
}

// TestSuggestedHost: a host without a registry, or that does not exist, which is near another one. github.com has its own text (R-ADDR-24).
func TestSuggestedHost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, entry string
		setup       func(w *world)
		kind, want  string
	}{
		{"dead host", "registry.terraform.com/acme/x:1.0.0", func(w *world) { w.Host("registry.terraform.com").SetDown(true) },
			"network", `did you mean "registry.terraform.io/acme/x:1.0.0"?`},
		{"host without a registry", "registry.acme.dve/acme/widget:~> 1.0", func(w *world) { w.Host("registry.acme.dve").SetDiscovery(404, "text/plain", "no") },
			"discovery", `did you mean "registry.acme.dev/acme/widget:~> 1.0"?`},
		{"B26 a login page", "registry.acme.de/acme/widget:~> 1.0", func(w *world) { w.Host("registry.acme.de").SetDiscovery(200, "text/html", "<html>") },
			"discovery", `did you mean "registry.acme.dev/acme/widget:~> 1.0"?`},
		{"port forgotten", "port.acme.dev/acme/widget:~> 1.0", func(w *world) { w.Host("port.acme.dev").SetDown(true) }, "network", ""},
		{"far from all", "other.example/acme/widget:~> 1.0", func(w *world) { w.Host("other.example").SetDown(true) }, "network", ""},
		{"R-ADDR-24 github.com", "github.com/acme/widget:~> 1.0", func(w *world) { w.Host("github.com").SetDiscovery(404, "text/html", "<html>") },
			"discovery", "not the address of a repository"},
		{"an answering host that fails is no slip", "registry.acme.dew/acme/widget:~> 1.0", func(w *world) {
			w.Host("registry.acme.dew").Fail(registry.EndpointVersions, registry.Fault{Status: 500})
		}, "network", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Host("registry.acme.dev").Provider("acme/widget").Version("1.0.0", fourPlatforms)
			test.setup(w)
			response := w.resolve(request(fourPlatforms, test.entry, "registry.acme.dev/acme/widget:1.0.0"))
			wantError(t, response.Providers[0].Error, test.kind, test.want)
			if text := response.Providers[0].Error.Message; test.want == "" && strings.Contains(text, "did you mean") {
				t.Errorf("a suggestion in %s", text)
			}
			if response.Providers[1].Error != nil {
				t.Errorf("the other entry: %v", response.Providers[1].Error)
			}
		})
	}
}

// TestMissingPlatforms: if no wanted platform has a package the version list is asked, once per provider and not at all if a constraint asked it
// before, and the message says which versions have the platform.
func TestMissingPlatforms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name             string
		entries          []string
		parts            []string
		lists, downloads int
	}{
		{"A13 platform of older versions", []string{"acme/template:2.2.0"},
			[]string{"it is published for linux_amd64 only", "the newest listed with windows_arm64: 2.0.0, 1.9.0"}, 1, 1},
		{"A13 constraint", []string{"acme/template:~> 2.2"}, []string{"the newest listed with windows_arm64: 2.0.0, 1.9.0"}, 1, 1},
		{"two versions, one list", []string{"acme/template:2.2.0", "acme/template:2.1.0", "acme/template:= 2.2.0"}, []string{"the newest listed with windows_arm64: 2.0.0"}, 1, 2},
		{"no version has it", []string{"acme/other:1.0.0"}, []string{"no listed version has windows_arm64"}, 1, 1},
		{"no such version", []string{"acme/other:1.0.1"}, []string{"there is no such version; the newest listed: 1.0.0"}, 1, 1},
		{"list broken", []string{"acme/broken:1.0.0"}, []string{"either there is no such version, or it was not published for these platforms"}, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			h := w.Host(tfHost)
			for version, platforms := range map[string]string{"1.9.0": "windows_arm64", "2.0.0": "windows_arm64", "2.1.0": "linux_amd64", "2.2.0": "linux_amd64"} {
				h.Provider("acme/template").Version(version, registry.Platforms(platforms))
			}
			h.Provider("acme/other").Version("1.0.0", registry.Platforms("linux_amd64"))
			h.Provider("acme/broken").ListRaw("<html>")
			response := w.resolve(request(registry.Platforms("windows_arm64"), test.entries...))
			for _, p := range response.Providers {
				wantError(t, p.Error, "platform", append(test.parts, "check the version, and the platforms")...)
			}
			w.wantCounts(0, test.lists, test.downloads)
			if len(response.Facts) != 0 {
				t.Errorf("facts %v", factKeys(response))
			}
		})
	}
}

// TestAdviceCostsNothing: where everything is found, platforms that a version lacks included, there are c + p·q requests as before.
func TestAdviceCostsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var entries []string
	for i := range 4 {
		w.Host(tfHost).Provider(fmt.Sprintf("acme/p%d", i)).Version("1.0.0", registry.Platforms("linux_amd64"))
		entries = append(entries, fmt.Sprintf("acme/p%d:%s", i, []string{"1.0.0", "~> 1.0"}[i%2]))
	}
	for _, p := range w.resolve(request(fourPlatforms, entries...)).Providers {
		if p.Error != nil || !p.Packages["windows_amd64"].Unavailable {
			t.Errorf("%+v", p)
		}
	}
	w.wantCounts(0, 2, 16)
}

// TestPrereleaseHints is A02, A06 and A11: when a prerelease is what somebody wants, and when not.
func TestPrereleaseHints(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, list, constraint, want, without string }{
		{"A02", "0.13.2 1.0.0-canary.2 1.0.0-canary.4", ":~> 1.0.0-canary.2", `write "registry.terraform.io/acme/x:1.0.0-canary.4"`, ""},
		{"A06", "4.52.0 5.0.0-rc1", ":~> 5", `write "registry.terraform.io/acme/x:5.0.0-rc1"`, ""},
		{"A11", "0.1.0-beta.1", "", `only prereleases of registry.terraform.io/acme/x exist`, "newest listed"},
		{"A11 with a constraint", "0.1.0-beta.1", ":~> 2.0", `prereleases (0.1.0-beta.1) are selected by an exact version only`, ""},
		{"of another range", "1.0.0 1.1.0-beta1", ":~> 2.0", "the newest listed: 1.1.0-beta1, 1.0.0; change the constraint", "exact"},
		{"R-CON-11", "0.0.0", "", "no listed version can be selected; the newest listed: 0.0.0; write an exact version", "prerelease"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, v := range strings.Fields(test.list) {
				w.Host(tfHost).Provider("acme/x").Version(v, fourPlatforms)
			}
			failure := w.resolve(request(fourPlatforms, "acme/x"+test.constraint)).Providers[0].Error
			wantError(t, failure, "no_matching_version", test.want)
			if test.without != "" && strings.Contains(failure.Message, test.without) {
				t.Errorf("%q in %s", test.without, failure.Message)
			}
		})
	}
}
