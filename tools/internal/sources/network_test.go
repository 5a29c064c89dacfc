package sources_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/manifest"
)

const mirrorHost = "mirror.example"

func (w *world) mirror() *fixture.Mirror { return w.Host(mirrorHost).Mirror("/m/", w.widget) }

// TestMirrorAlone is B17 and B19: with a mirror as the only source nobody connects to the provider's own host, which is down, nor to a default
// host. The two questions are the index and one version document, whatever the number of platforms (R-NET-2).
func TestMirrorAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.mirror()
	w.Host(acme).SetDown(true)
	r := from([]manifest.Source{network(m.URL())}, source+":~> 1.0")
	r.Platforms = fixture.Platforms(linux, "darwin_arm64", "windows_amd64")
	response := w.resolve(r)
	row := only(t, response)
	pkg := wantAnswer(t, row, "1.2.0", w.v2.SHA256(linux))
	if want := "https://mirror.example" + w.v2.Path(linux); pkg.DownloadURL != want || pkg.Filename != "terraform-provider-widget_1.2.0_linux_amd64.zip" || pkg.Ephemeral {
		t.Errorf("package %+v, want %s", pkg, want)
	}
	if !row.Packages["windows_amd64"].Unavailable { // R-NET-12
		t.Errorf("windows_amd64: %+v, want unavailable", row.Packages["windows_amd64"])
	}
	w.wantCounts(map[string]int{"mirror.example index": 1, "mirror.example archives": 1})
	for _, host := range []string{acme, "registry.terraform.io", "registry.opentofu.org"} {
		w.wantNoConnection(host)
	}
	want := []string{"package/" + source + "/1.2.0/darwin_arm64", "package/" + source + "/1.2.0/linux_amd64", "package/" + source + "/1.2.0/windows_amd64", "resolve/" + source + "/~> 1.0"}
	if got := factKeys(response); !slices.Equal(got, want) {
		t.Errorf("facts %q, want %q", got, want)
	}
	// Once recorded, nobody is asked, and nobody's configuration is read.
	w.Reset()
	w.config = 0
	r.Facts = response.Facts
	if again := w.resolve(r); again.Providers[0].Error != nil || w.config != 0 {
		t.Errorf("from facts: %+v, configuration read %d times", again.Providers[0].Error, w.config)
	}
	w.wantCounts(map[string]int{})
}

// TestMirrorRequest is R-NET-3: headers, and the token of the mirror's own host only (R-CRED-16); none for the archive.
func TestMirrorRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.mirror()
	w.environ = append(w.environ, "TF_TOKEN_mirror_example=mirrors-own", "TF_TOKEN_registry_acme_dev=origin")
	w.Host(mirrorHost).RequireAuth(fixture.Auth{Token: "mirrors-own"}, fixture.EndpointIndex, fixture.EndpointArchives)
	m.Hashes(func(*fixture.Version, string) []string { return nil }) // so that the archive is fetched
	wantAnswer(t, only(t, w.resolve(from([]manifest.Source{network(m.URL())}, source))), "1.2.0", w.v2.SHA256(linux))
	for _, r := range w.Select(fixture.Filter{NotEndpoint: fixture.EndpointConnect}) {
		isZip := r.Endpoint == fixture.EndpointZip
		if r.HasAuthorization == isZip {
			t.Errorf("%s: authorization %v", r.Path, r.HasAuthorization)
		}
		if !isZip && (r.TerraformVersion != "1.9.5" || r.UserAgent != "Terraform/1.9.5" || r.Accept != "") {
			t.Errorf("%s: version %q, user agent %q, accept %q", r.Path, r.TerraformVersion, r.UserAgent, r.Accept)
		}
	}
}

// TestMirrorUnauthorized: a 401 says which variable is looked for, and which near miss was found (B37).
func TestMirrorUnauthorized(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.mirror()
	w.environ = append(w.environ, "TFE_TOKEN_mirror_example=s3cret")
	w.Host(mirrorHost).RequireAuth(fixture.Auth{Token: "s3cret"}, fixture.EndpointIndex)
	row := only(t, w.resolve(from([]manifest.Source{network(m.URL())}, source)))
	wantError(t, row, "unauthorized", "the network mirror https://mirror.example/m/ answers 401", "TFE_TOKEN_mirror_example is set", "set TF_TOKEN_mirror_example")
	if strings.Contains(row.Error.Message, "s3cret") {
		t.Errorf("the message holds the token: %s", row.Error.Message)
	}
}

// TestExactVersionWithoutIndex is B38: an exact version is found though the index lags; a constraint sees what the index lists.
func TestExactVersionWithoutIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.mirror().HideFromIndex("1.2.0")
	list := []manifest.Source{network(m.URL())}
	wantAnswer(t, only(t, w.resolve(from(list, source+":1.2.0"))), "1.2.0", w.v2.SHA256(linux))
	w.wantCounts(map[string]int{"mirror.example archives": 1})
	wantAnswer(t, only(t, w.resolve(from(list, source+":~> 1.0"))), "1.1.0", w.v1.SHA256(linux))
}

// TestBaseURL is R-NET-1 and B18: exactly one slash, with and without one at the end. On the tag a base is a directory. In the CLI configuration
// its last segment is replaced, as the tools do, and if that leads nowhere it is taken for a directory after all.
func TestBaseURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, url string
		config    bool
		served    string // where the mirror is
		paths     []string
	}{
		{"slash", "https://mirror.example/a/m/", false, "/a/m/", []string{"/a/m/registry.acme.dev/acme/widget/1.2.0.json"}},
		{"no slash", "https://mirror.example/a/m", false, "/a/m/", []string{"/a/m/registry.acme.dev/acme/widget/1.2.0.json"}},
		{"host alone", "https://mirror.example", false, "/", []string{"/registry.acme.dev/acme/widget/1.2.0.json"}},
		{"config, slash", "https://mirror.example/a/m/", true, "/a/m/", []string{"/a/m/registry.acme.dev/acme/widget/1.2.0.json"}},
		{"config, replaced", "https://mirror.example/a/m", true, "/a/", []string{"/a/registry.acme.dev/acme/widget/1.2.0.json"}},
		{"config, meant as a directory", "https://mirror.example/a/m", true, "/a/m/",
			[]string{"/a/registry.acme.dev/acme/widget/1.2.0.json", "/a/m/registry.acme.dev/acme/widget/1.2.0.json"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Host(mirrorHost).Mirror(test.served, w.widget)
			r := from([]manifest.Source{network(test.url)}, source+":1.2.0")
			if test.config {
				w.terraformrc(fmt.Sprintf("provider_installation {\n network_mirror {\n url = %q\n}\n}", test.url))
				r = followed(source + ":1.2.0")
			}
			wantAnswer(t, only(t, w.resolve(r)), "1.2.0", w.v2.SHA256(linux))
			var paths []string
			for _, r := range w.Select(fixture.Filter{NotEndpoint: fixture.EndpointConnect}) {
				paths = append(paths, r.Path)
			}
			if !slices.Equal(paths, test.paths) {
				t.Errorf("paths %q, want %q", paths, test.paths)
			}
			w.wantNoConnection(acme)
		})
	}
}

// TestMirrorAnswers is R-NET-7..12 and B21 by table: what a mirror may answer, and what comes of it. Every failure is final: no other source is
// asked, unless the mirror says that it lacks the provider or the platform.
func TestMirrorAnswers(t *testing.T) {
	t.Parallel()
	const dir = acme + "/acme/widget/"
	const json = "application/json"
	for _, test := range []struct {
		name, path   string
		status       int
		contentType  string
		body         string
		kind         string // empty: the registry, the second source, answers
		parts        []string
		alsoPlatform bool
	}{
		{"R-NET-8 index 404", "index.json", 404, json, "{}", "", nil, true},
		{"R-NET-8 index 500", "index.json", 500, json, "", "network", []string{"500"}, false},
		{"R-NET-8 index 403", "index.json", 403, json, `{"errors":["pay first"]}`, "unauthorized", []string{"403", "pay first", "TF_TOKEN_mirror_example"}, false},
		{"R-NET-8 index 204", "index.json", 204, json, "", "response", []string{"204"}, false},
		{"R-NET-7 text", "index.json", 200, "text/plain", `{"versions":{}}`, "response", []string{"text/plain", "application/json"}, false},
		{"R-NET-7 none", "index.json", 200, "", `{"versions":{}}`, "response", []string{"no content type"}, false},
		{"R-NET-7 unparsable", "index.json", 200, "application/json; =", `{"versions":{}}`, "response", []string{"content type"}, false},
		{"R-NET-9 no versions", "index.json", 200, json + "; charset=utf-8", `{}`, "", nil, false},
		{"R-NET-9 null", "index.json", 200, json, `{"versions":null}`, "", nil, false},
		{"R-NET-9 unparsable keys", "index.json", 200, json, `{"versions":{"latest":{},"x":null}}`, "", nil, false},
		{"B24 registry answer", "index.json", 200, json, `{"versions":[{"version":"1.0.0"}]}`, "response", []string{"this looks like the other protocol"}, false},
		{"not an object", "index.json", 200, json, `[]`, "response", []string{"not an object"}, false},
		{"cut off", "index.json", 200, json, `{"versions":`, "response", []string{"invalid JSON"}, false},
		{"empty", "index.json", 200, json, ``, "response", []string{"empty body"}, false},
		{"R-NET-8 R-CLI-24 version 404", "1.2.0.json", 404, json, "{}", "no_matching_version", []string{"has no version 1.2.0", `"exclude": ["registry.acme.dev/acme/widget"]`}, false},
		{"version 401", "1.2.0.json", 401, json, "", "unauthorized", []string{"no token was sent"}, false},
		{"R-NET-12 no such platform", "1.2.0.json", 200, json, `{"archives":{"plan9_386":{"url":"x.zip"}}}`, "", nil, true},
		{"R-NET-10 no archives", "1.2.0.json", 200, json, `{}`, "", nil, true},
		{"R-NET-10 null archives", "1.2.0.json", 200, json, `{"archives":null}`, "", nil, true},
		{"R-NET-11 null archive", "1.2.0.json", 200, json, `{"archives":{"linux_amd64":null}}`, "response", []string{"the entry is null"}, false},
		{"no url", "1.2.0.json", 200, json, `{"archives":{"linux_amd64":{"hashes":[]}}}`, "response", []string{"missing or empty"}, false},
		{"url with another scheme", "1.2.0.json", 200, json, `{"archives":{"linux_amd64":{"url":"ftp://x/y.zip"}}}`, "response", []string{`"ftp"`}, false},
		{"url with a password", "1.2.0.json", 200, json, `{"archives":{"linux_amd64":{"url":"https://u:hunter2@x/y.zip"}}}`, "response", []string{"user name or password"}, false},
		{"R-NET-13 hash without scheme", "1.2.0.json", 200, json, `{"archives":{"linux_amd64":{"url":"x.zip","hashes":["abc"]}}}`, "response", []string{`"abc"`, "no scheme"}, false},
		{"R-NET-13 unknown schemes", "1.2.0.json", 200, json, `{"archives":{"linux_amd64":{"url":"x.zip","hashes":["h9:abc"]}}}`, "response", []string{"no hash of a supported scheme"}, false},
		{"mistyped", "1.2.0.json", 200, json, `{"archives":[]}`, "response", []string{`"archives"`, "array"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			m := w.mirror().Answer(dir+test.path, test.status, test.contentType, test.body)
			if test.status == 404 && test.path == "index.json" {
				m.Answer(dir+"1.2.0.json", 200, json, `{}`)
			}
			row := only(t, w.resolve(from([]manifest.Source{network(m.URL()), {Kind: "direct"}}, source+":~> 1.0")))
			if test.kind == "" {
				wantAnswer(t, row, "1.2.0", w.v2.SHA256(linux))
				return
			}
			wantError(t, row, test.kind, test.parts...)
			text := fmt.Sprint(row.Error, row.Packages[linux].Error)
			if strings.Contains(text, "hunter2") {
				t.Errorf("a secret in %s", text)
			}
			if got := w.Count(fixture.Filter{Host: acme, Endpoint: fixture.EndpointDownload}); got != 0 {
				t.Errorf("%d requests for the registry's package, want none", got)
			}
		})
	}
}

// TestNoArchives: the text tells a document that lists other platforms from one that lists nothing at all.
func TestNoArchives(t *testing.T) {
	t.Parallel()
	const missing = `1.2.0.json has no "archives", or they are null: tell who runs the mirror`
	for body, empty := range map[string]bool{`{}`: true, `{"archives":null}`: true, `{"archives":{}}`: false, `{"archives":{"plan9_386":{"url":""}}}`: false} {
		w := newWorld(t)
		m := w.mirror().Answer(acme+"/acme/widget/1.2.0.json", 200, "application/json", body)
		row := only(t, w.resolve(from([]manifest.Source{network(m.URL())}, source+":1.2.0")))
		wantError(t, row, "platform", "has no package of version 1.2.0 for linux_amd64")
		if got := strings.Contains(row.Error.Message, missing); got != empty {
			t.Errorf("%s: %s", body, row.Error.Message)
		}
	}
}

// TestBothProtocols: a product that is a mirror and a registry on one host (Artifactory) is no mistake: an exact version that it lacks is just that.
// Only where there is no index either, the registry is mentioned, as a possibility.
func TestBothProtocols(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, entry, kind string
		indexed           bool
		want              string
		not               string
	}{
		{"exact version", source + ":9.9.9", "no_matching_version", true, `has no version 9.9.9 of registry.acme.dev/acme/widget`, "protocol"},
		{"no index", source + ":9.9.9", "no_matching_version", false, "terraform.json says that the host is a provider registry too, so the URL may be that of the other protocol", "this looks like"},
		{"no index, constraint", source + ":~> 1.0", "not_found", false, "so the URL may be that of the other protocol", "this looks like"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Host(mirrorHost).SetDiscovery(http.StatusOK, "application/json", `{"providers.v1":"/v1/providers/"}`)
			m := w.mirror()
			if !test.indexed {
				m.Answer(acme+"/acme/widget/index.json", 404, "application/json", "{}")
			}
			row := only(t, w.resolve(from([]manifest.Source{network(m.URL())}, test.entry)))
			wantError(t, row, test.kind, test.want)
			if text := fmt.Sprint(row.Error, row.Packages[linux].Error); strings.Contains(text, test.not) {
				t.Errorf("%s holds %q", text, test.not)
			}
		})
	}
}

// TestMirrorURLs is R-NET-5, R-NET-11 and B22: references resolve as references, against the final URL of the document, and keep their query,
// which no fact holds.
func TestMirrorURLs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, url, recorded string
		ephemeral           bool
	}{
		{"relative", "w.zip", "https://mirror.example/m/registry.acme.dev/acme/widget/w.zip", false},
		{"up", "../w.zip", "https://mirror.example/m/registry.acme.dev/acme/w.zip", false},
		{"root-relative", "/z/w.zip", "https://mirror.example/z/w.zip", false},
		{"absolute", "https://cdn.example/w.zip", "https://cdn.example/w.zip", false},
		{"B22 query", "w.zip?token=s3cret", "https://mirror.example/m/registry.acme.dev/acme/widget/w.zip", true},
		{"fragment", "w.zip#x", "https://mirror.example/m/registry.acme.dev/acme/widget/w.zip", false},
		{"http", "http://cdn.example/w.zip", "http://cdn.example/w.zip", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			m := w.mirror().Location(func(*fixture.Version, string) string { return test.url })
			response := w.resolve(from([]manifest.Source{network(m.URL())}, source+":1.2.0"))
			pkg := wantAnswer(t, only(t, response), "1.2.0", w.v2.SHA256(linux))
			if pkg.DownloadURL != test.recorded || pkg.Ephemeral != test.ephemeral {
				t.Errorf("recorded %q, ephemeral %v; want %q, %v", pkg.DownloadURL, pkg.Ephemeral, test.recorded, test.ephemeral)
			}
			if fact := string(response.Facts["package/"+source+"/1.2.0/linux_amd64"]); strings.Contains(fact, "s3cret") {
				t.Errorf("the fact holds the query: %s", fact)
			}
		})
	}
}

// TestMirrorRedirects is R-NET-5: at most five redirects, to any host; the archive's reference starts where the document was.
func TestMirrorRedirects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		hops int
		kind string
	}{{5, ""}, {6, "network"}} {
		t.Run(fmt.Sprint(test.hops), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			m := w.Host("end.example").Mirror("/m/", w.widget).Location(func(*fixture.Version, string) string { return "w.zip" })
			for i := range test.hops {
				next := fmt.Sprintf("https://hop%d.example/m/registry.acme.dev/acme/widget/1.2.0.json", i+1)
				if i == test.hops-1 {
					next = m.URL() + "registry.acme.dev/acme/widget/1.2.0.json"
				}
				w.Host(fmt.Sprintf("hop%d.example", i)).Fail(fixture.EndpointOther, fixture.Fault{Status: 302, Header: http.Header{"Location": {next}}})
			}
			row := only(t, w.resolve(from([]manifest.Source{network("https://hop0.example/m/")}, source+":1.2.0")))
			if test.kind != "" {
				wantError(t, row, test.kind, "more than 5 redirects")
				return
			}
			if pkg := wantAnswer(t, row, "1.2.0", w.v2.SHA256(linux)); pkg.DownloadURL != m.URL()+"registry.acme.dev/acme/widget/w.zip" {
				t.Errorf("recorded %q", pkg.DownloadURL)
			}
		})
	}
}

// TestHostWithPort is R-NET-4: such a provider cannot be had from a network mirror, and the error says how to exclude it.
func TestHostWithPort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.mirror()
	row := only(t, w.resolve(from([]manifest.Source{network(m.URL())}, "r.example:8443/acme/widget:1.0.0")))
	wantError(t, row, "config", "a registry host with a port", `"exclude": ["r.example:8443/*/*"]`)
	w.wantCounts(map[string]int{})
}

// TestMirrorHashes is R-NET-13 and R-NET-14: a document without a usable zh: has its archive downloaded once, checked and hashed.
func TestMirrorHashes(t *testing.T) {
	t.Parallel()
	w0 := newWorld(t)
	h1 := h1Of(t, w0, w0.v2)
	zh := "zh:" + w0.v2.SHA256(linux)
	other := "zh:" + strings.Repeat("0", 64)
	for _, test := range []struct {
		name   string
		hashes []string
		zips   int
		kind   string
		parts  []string
		warns  bool
	}{
		{"zh", []string{zh}, 0, "", nil, false},
		{"zh and h1", []string{h1, zh}, 0, "", nil, false},
		{"zh and unknown", []string{"h9:x", zh}, 0, "", nil, false},
		{"h1 alone", []string{h1}, 1, "", nil, false},
		{"nothing", nil, 1, "", nil, true},
		{"empty", []string{}, 1, "", nil, true},
		{"two zh, one right", []string{other, zh}, 1, "", nil, false},
		{"two zh, h1 right", []string{other, "zh:" + strings.Repeat("1", 64), h1}, 1, "", nil, false},
		{"wrong h1", []string{"h1:AAAA"}, 1, "response", []string{"the document lists neither", zh}, false},
		{"upper-case zh is no match", []string{"zh:" + strings.ToUpper(w0.v2.SHA256(linux))}, 1, "response", []string{"lists neither"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			m := w.mirror().Hashes(func(*fixture.Version, string) []string { return test.hashes })
			// Two entries, one question.
			response := w.resolve(from([]manifest.Source{network(m.URL())}, source+":1.2.0", source+":~> 1.2.0"))
			if test.kind != "" {
				wantError(t, response.Providers[0], test.kind, test.parts...)
			} else {
				wantAnswer(t, response.Providers[0], "1.2.0", w.v2.SHA256(linux))
				wantAnswer(t, response.Providers[1], "1.2.0", w.v2.SHA256(linux))
			}
			if got := w.Count(fixture.Filter{Endpoint: fixture.EndpointZip}); got != test.zips {
				t.Errorf("%d downloads, want %d", got, test.zips)
			}
			if warned := len(response.Warnings) > 0; warned != test.warns || test.warns && !strings.Contains(response.Warnings[0], "lists no hash") {
				t.Errorf("warnings %q", response.Warnings)
			}
		})
	}
}

func h1Of(t *testing.T, w *world, v *fixture.Version) string {
	t.Helper()
	path := w.fetchZip(v)
	h, err := hashes.Zip(path)
	if err != nil {
		t.Fatal(err)
	}
	return h.String()
}

// TestMirrorArchiveGone: where the archive must be looked at and is not there, the error says so, without what may be a secret.
func TestMirrorArchiveGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.mirror().Hashes(func(*fixture.Version, string) []string { return nil }).
		Location(func(*fixture.Version, string) string { return "gone.zip?sig=s3cret" })
	row := only(t, w.resolve(from([]manifest.Source{network(m.URL())}, source+":1.2.0")))
	wantError(t, row, "response", "lists no sha256", "404")
	if strings.Contains(row.Packages[linux].Error.Message, "s3cret") {
		t.Errorf("a secret in %s", row.Packages[linux].Error.Message)
	}
}

// TestOtherProtocol is B24: a registry in the place of a mirror, and a mirror in the place of a registry, are named as what they are.
func TestOtherProtocol(t *testing.T) {
	t.Parallel()
	const certain, possible = "this looks like the other protocol", "the URL may be that of the other protocol"
	for _, test := range []struct{ name, url, constraint, want string }{
		{"service URL, exact", "https://registry.acme.dev/v1/providers/", ":1.2.0", certain},
		{"service URL, constraint", "https://registry.acme.dev/v1/providers/", ":~> 1.0", certain},
		{"root, exact", "https://registry.acme.dev", ":1.2.0", possible},
		{"root, constraint", "https://registry.acme.dev", ":~> 1.0", possible},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			row := only(t, w.resolve(from([]manifest.Source{network(test.url)}, source+test.constraint)))
			got := row.Error
			if got == nil {
				got = row.Packages[linux].Error
			}
			wantError(t, row, string(got.Kind), test.want, `"hosts"`)
		})
	}
	for _, constraint := range []string{":1.2.0", ":~> 1.0"} {
		t.Run("reverse"+constraint, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			m := w.mirror()
			r := request(source + constraint)
			r.Hosts = map[string]manifest.Host{acme: {ProvidersV1: m.URL()}}
			row := only(t, w.resolve(r))
			wantError(t, row, string(row.Error.Kind), "this looks like the other protocol", "network_mirror")
			w.wantNoConnection(acme)
		})
	}
}

// TestCompressed is B21: a mirror may compress documents and archives; the hash is that of the zip.
func TestCompressed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.mirror().Hashes(func(*fixture.Version, string) []string { return nil })
	w.Host(mirrorHost).Fail("", fixture.Fault{Gzip: true})
	wantAnswer(t, only(t, w.resolve(from([]manifest.Source{network(m.URL())}, source+":~> 1.0"))), "1.2.0", w.v2.SHA256(linux))
}
