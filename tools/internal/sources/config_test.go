package sources_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/resolve"
)

// TestCheck: sources that cannot be followed are wrong input, with the place and what to write.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*manifest.Request)
		want   string // empty: accepted
	}{
		{"direct", func(r *manifest.Request) {
			r.Sources = []manifest.Source{{Kind: "direct", Include: []string{"a/b", "*/*/*"}}}
		}, ""},
		{"all kinds", func(r *manifest.Request) {
			r.Tool = "tofu"
			r.Sources = []manifest.Source{{Kind: "direct"}, network("https://m.example/p"), filesystem("mirror"),
				{Kind: "oci_mirror", RepositoryTemplate: "r.example/${hostname}/${namespace}/${type}"}}
		}, ""},
		{"config and sources", func(r *manifest.Request) { r.Installation, r.Sources = "config", []manifest.Source{{Kind: "direct"}} }, "leave one of them out"},
		{"no kind", func(r *manifest.Request) { r.Sources = []manifest.Source{{URL: "https://m.example/"}} }, `sources[0]: the field "kind" is missing`},
		{"unknown kind", func(r *manifest.Request) { r.Sources = []manifest.Source{{Kind: "direct"}, {Kind: "mirror"}} }, `sources[1]: "kind" is "mirror"`},
		{"no url", func(r *manifest.Request) { r.Sources = []manifest.Source{{Kind: "network_mirror"}} }, "an https address with a host"},
		{"R-NET-1 http", func(r *manifest.Request) { r.Sources = []manifest.Source{network("http://m.example/")} }, `the scheme "http"`},
		{"R-NET-1 no host", func(r *manifest.Request) { r.Sources = []manifest.Source{network("https:///p")} }, "an https address with a host"},
		{"B25 blank at the end", func(r *manifest.Request) { r.Sources = []manifest.Source{network("https://m.example.com/p ")} }, `"https://m.example.com/p "`},
		{"B25 blank in front", func(r *manifest.Request) { r.Sources = []manifest.Source{network(" https://m.example.com/p")} }, `" https://m.example.com/p"`},
		{"B25 invisible", func(r *manifest.Request) { r.Sources = []manifest.Source{network("https://m.example.com/\u200bp")} }, `\u200b`},
		{"B25 tab", func(r *manifest.Request) { r.Sources = []manifest.Source{network("https://m.example.com/p\t")} }, `\t`},
		{"password", func(r *manifest.Request) { r.Sources = []manifest.Source{network("https://u:hunter2@m.example/")} }, "a credentials block for host m.example"},
		{"query", func(r *manifest.Request) { r.Sources = []manifest.Source{network("https://m.example/?x=hunter2")} }, "a query"},
		{"no path", func(r *manifest.Request) { r.Sources = []manifest.Source{{Kind: "filesystem_mirror"}} }, `"filesystem_mirror" needs the field "path"`},
		{"foreign field", func(r *manifest.Request) { r.Sources = []manifest.Source{{Kind: "direct", Path: "x"}} }, `"direct" has no field "path"`},
		{"R-CLI-15 pattern", func(r *manifest.Request) {
			r.Sources = []manifest.Source{{Kind: "direct", Exclude: []string{"aws*/x"}}}
		}, `"exclude" pattern "aws*/x"`},
		{"R-CLI-14 pattern", func(r *manifest.Request) { r.Sources = []manifest.Source{{Kind: "direct", Include: []string{"aws"}}} }, "two or three parts"},
		{"oci with terraform", func(r *manifest.Request) {
			r.Sources = []manifest.Source{{Kind: "oci_mirror", RepositoryTemplate: "x"}}
		}, "tofu's alone"},
		{"bad host", func(r *manifest.Request) {
			r.Hosts = map[string]manifest.Host{"https://x/": {ProvidersV1: "https://x/"}}
		}, "not a valid host name"},
		{"host twice", func(r *manifest.Request) {
			r.Hosts = map[string]manifest.Host{"x.dev": {ProvidersV1: "https://x.dev/"}, "X.dev": {ProvidersV1: "https://x.dev/"}}
		}, "named twice"},
		{"relative service", func(r *manifest.Request) { r.Hosts = map[string]manifest.Host{"x.dev": {ProvidersV1: "/v1/"}} }, "no absolute URL"},
		{"ftp service", func(r *manifest.Request) {
			r.Hosts = map[string]manifest.Host{"x.dev": {ProvidersV1: "ftp://x.dev/v1/"}}
		}, `"ftp"`},
		{"service with password", func(r *manifest.Request) {
			r.Hosts = map[string]manifest.Host{"x.dev": {ProvidersV1: "https://u:p@x.dev/v1/"}}
		}, "user name or password"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := request(source)
			test.change(r)
			err := resolve.Check(r)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("a secret in %v", err)
			}
		})
	}
}

// TestHosts is B10, B20 and design §3.1: a service URL of the request replaces discovery and wins over a host block, and gets the host's token only
// if it is on that host.
func TestHosts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, url, block string
		served           string // host
		token            bool
	}{
		{"on the host", "https://registry.acme.dev/tf/", "", acme, true},
		{"on another host", "https://api.example/tf/", "", "api.example", false},
		{"wins over the block", "https://registry.acme.dev/tf/", "https://api.example/tf/", acme, true},
		{"the block alone gets the token anywhere", "", "https://api.example/tf/", "api.example", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Host(acme).ServeAt(test.served, "/tf/")
			w.environ = append(w.environ, "TF_TOKEN_registry_acme_dev=t0ken", "TF_TOKEN_api_example=0ther")
			w.Host(test.served).RequireAuth(fixture.Auth{Token: "t0ken"}, fixture.EndpointVersions)
			if test.block != "" {
				w.terraformrc(fmt.Sprintf("host %q {\n services = {\n \"providers.v1\" = %q\n }\n}", acme, test.block))
			}
			r := request(source)
			if test.url != "" {
				r.Hosts = map[string]manifest.Host{acme: {ProvidersV1: test.url}}
			}
			row := only(t, w.resolve(r))
			if test.token {
				wantAnswer(t, row, "1.2.0", w.v2.SHA256(linux))
			} else {
				wantError(t, row, "unauthorized", "no token was sent: the token of host registry.acme.dev is not sent to api.example", "host block")
			}
			for _, r := range w.Select(fixture.Filter{NotEndpoint: fixture.EndpointConnect}) {
				if r.HasAuthorization != test.token || r.Endpoint == fixture.EndpointDiscovery {
					t.Errorf("%s %s: authorization %v", r.Host, r.Path, r.HasAuthorization)
				}
			}
		})
	}
}

// TestDirectIgnoresInstallation: without "config" the user's provider_installation does not count, and its defects do not either; credentials do.
func TestDirectIgnoresInstallation(t *testing.T) {
	t.Parallel()
	w := newWorld(t).terraformrc("credentials \"registry.acme.dev\" {\n token = \"t0ken\"\n}\nprovider_installation {\n network_mirror {\n url = \"https://mirror.example/m/\"\n}\n}")
	w.Host(acme).RequireToken("t0ken")
	wantAnswer(t, only(t, w.resolve(request(source+":1.2.0"))), "1.2.0", w.v2.SHA256(linux))
	w.wantNoConnection(mirrorHost)
	w.terraformrc("provider_installation {\n nonsense {}\n}\ncredentials \"registry.acme.dev\" {\n token = \"t0ken\"\n}")
	wantAnswer(t, only(t, w.resolve(request(source+":1.2.0"))), "1.2.0", w.v2.SHA256(linux))
}

// TestStrayPackage is A21: an old copy in the user's plugin directory hides nothing.
func TestStrayPackage(t *testing.T) {
	t.Parallel()
	w := newWorld(t).file(".terraform.d/plugins/"+zip11, "old")
	wantAnswer(t, only(t, w.resolve(request(source+":~> 1.0"))), "1.2.0", w.v2.SHA256(linux))
}

// TestDefects: a defect of what decides who is asked stops the questions that it concerns, with file and line, and no others.
func TestDefects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, config string
		request      *manifest.Request
		parts        []string // nil: answered
	}{
		{"installation", "provider_installation {\n nonsense {}\n direct {}\n}", followed(source), []string{".terraformrc:2", "nonsense"}},
		{"syntax", "x {", request(source), []string{".terraformrc:1", "syntax error"}},
		{"host block of this host", "host \"registry.acme.dev\" {\n services = {}\n}", request(source), []string{".terraformrc:1", "providers.v1"}},
		{"host block of another host", "host \"other.example\" {\n services = {}\n}", request(source), nil},
		{"a mirror needs no origin", "host \"registry.acme.dev\" {\n services = {}\n}", from([]manifest.Source{network("https://mirror.example/m/")}, source), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).terraformrc(test.config)
			w.mirror()
			row := only(t, w.resolve(test.request))
			if test.parts == nil {
				wantAnswer(t, row, "1.2.0", w.v2.SHA256(linux))
				return
			}
			wantError(t, row, "config", test.parts...)
			w.wantCounts(map[string]int{})
		})
	}
	t.Run("a file is nobody's credentials", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t).terraformrc("x {").file("mirror/"+zip11, "eleven")
		wantAnswer(t, only(t, w.resolve(from([]manifest.Source{filesystem(filepath.Join(w.home, "mirror"))}, source))), "1.1.0", sum("eleven"))
	})
}

// TestPatterns is R-CLI-16 and R-CLI-18: include and exclude decide who is asked, and a provider that no source admits is an error that says so.
func TestPatterns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.mirror()
	gadget := w.Host(acme).Provider("acme/gadget").Version("2.0.0", fixture.Platforms(linux))
	mirror := network(m.URL())
	mirror.Include = []string{"registry.acme.dev/acme/*"}
	mirror.Exclude = []string{"registry.acme.dev/acme/gadget"}
	direct := manifest.Source{Kind: "direct", Include: []string{"registry.acme.dev/acme/gadget"}}
	response := w.resolve(from([]manifest.Source{mirror, direct}, source+":1.2.0", acme+"/acme/gadget:2.0.0", "other.example/a/b:1.0.0", "other.example/a/b"))
	wantAnswer(t, response.Providers[0], "1.2.0", w.v2.SHA256(linux))
	wantAnswer(t, response.Providers[1], "2.0.0", gadget.SHA256(linux))
	for _, row := range response.Providers[2:] {
		wantError(t, row, "not_found", "no source may serve other.example/a/b", `"sources"`)
	}
	w.wantCounts(map[string]int{"mirror.example archives": 1, acme + " discovery": 1, acme + " download": 1})
	w.wantNoConnection("other.example")
	w.terraformrc("provider_installation {}")
	wantError(t, only(t, w.resolve(followed(source))), "not_found", "no source may serve", ".terraformrc:1")
}

// TestDevOverrides: they are reported for providers of the manifest, and not used.
func TestDevOverrides(t *testing.T) {
	t.Parallel()
	w := newWorld(t).terraformrc("provider_installation {\n dev_overrides {\n \"registry.acme.dev/acme/widget\" = \"/src/widget\"\n \"a/b\" = \"/src/b\"\n}\n direct {}\n}")
	response := w.resolve(followed(source, source+":1.1.0"))
	wantAnswer(t, response.Providers[0], "1.2.0", w.v2.SHA256(linux))
	if len(response.Warnings) != 1 || !strings.Contains(response.Warnings[0], "dev_overrides") || !strings.Contains(response.Warnings[0], "/src/widget") {
		t.Errorf("warnings %q, want one about /src/widget", response.Warnings)
	}
	if response := w.resolve(request(source)); len(response.Warnings) != 0 {
		t.Errorf("warnings %q without config, want none", response.Warnings)
	}
}

// TestRegistryProtocols is R-CLI-27: the block's retries count, and variables win.
func TestRegistryProtocols(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		environ  string
		requests int
	}{{"X=", 4}, {"TF_REGISTRY_DISCOVERY_RETRY=1", 2}} {
		w := newWorld(t).terraformrc("registry_protocols {\n retry_count = 3\n}")
		w.environ = append(w.environ, test.environ)
		w.Host(acme).Fail(fixture.EndpointVersions, fixture.Fault{Status: 503})
		r := request(source)
		r.Tool = "tofu"
		wantError(t, only(t, w.resolve(r)), "network", "503")
		if got := w.Count(fixture.Filter{Endpoint: fixture.EndpointVersions}); got != test.requests {
			t.Errorf("%s: %d requests, want %d", test.environ, got, test.requests)
		}
	}
}

// TestUnknownEverywhere is R-CLI-22: a registry's word that it does not know a provider wins; mirrors alone are listed.
func TestUnknownEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t).file("mirror/"+zip11, "x")
	m := w.mirror()
	fs := filesystem(filepath.Join(w.home, "mirror"))
	const unknown = acme + "/acme/none"
	wantError(t, only(t, w.resolve(from([]manifest.Source{network(m.URL()), fs, {Kind: "direct"}}, unknown))), "not_found", "the registry does not know")
	wantError(t, only(t, w.resolve(from([]manifest.Source{network(m.URL()), fs}, unknown))), "not_found", "none of its sources", m.URL(), "the filesystem mirror")
	wantError(t, only(t, w.resolve(from([]manifest.Source{fs}, unknown))), "not_found", "has no "+unknown)
	wantError(t, only(t, w.resolve(from([]manifest.Source{fs}, unknown+":1.0.0"))), "platform", "the filesystem mirror", "has no package of version 1.0.0")
	wantError(t, only(t, w.resolve(from([]manifest.Source{fs}, source+":>= 2.0.0"))), "no_matching_version", "none of 1 listed versions")
}
