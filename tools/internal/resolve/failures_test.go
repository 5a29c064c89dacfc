package resolve_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/manifest"
)

// TestEntryFailures: what fails before packages are asked for is the entry's error; the other entries are answered, and nothing that
// failed has a fact (F26).
func TestEntryFailures(t *testing.T) {
	t.Parallel()
	good := "hashicorp/random:3.3.2"
	for _, test := range []struct {
		name  string
		entry string
		setup func(w *world)
		kind  string
		parts []string
	}{
		{"address", "hashi corp/x:1.0.0", nil, "address", []string{"hashi corp"}},
		{"constraint", "acme/x:>> 1", nil, "constraint", []string{"acme/x", ">> 1"}},
		{"empty constraint", "acme/x:", nil, "constraint", []string{"acme/x", "empty"}},
		{"R-CON-11 0.0.0", "acme/x:0.0.0", nil, "no_matching_version", []string{"0.0.0"}},
		{"dead host", "dead.acme.dev/a/b:1.0.0", func(w *world) { w.Host("dead.acme.dev").SetDown(true) }, "network", []string{"dead.acme.dev"}},
		{"B26 discovery 404", "r.acme.dev/a/b:1.0.0", func(w *world) { w.Host("r.acme.dev").SetDiscovery(404, "text/plain", "no") },
			"discovery", []string{"r.acme.dev", "offers no provider registry"}},
		{"B26 discovery HTML", "r.acme.dev/a/b:1.0.0", func(w *world) { w.Host("r.acme.dev").SetDiscovery(200, "text/html", "<html>login</html>") },
			"discovery", []string{"r.acme.dev", "text/html", "application/json"}},
		{"B26 discovery {}", "r.acme.dev/a/b:1.0.0", func(w *world) { w.Host("r.acme.dev").SetDiscovery(200, "application/json", "{}") },
			"discovery", []string{"r.acme.dev", "offers no provider registry"}},
		{"unknown provider", "acme/none:~> 1.0", nil, "not_found", []string{"acme/none"}},
		{"A18 no namespace", "datadog:~> 2.19", nil, "not_found", []string{"hashicorp/datadog", "<namespace>/datadog", "datadog/datadog"}},
		{"A18 no namespace, exact", "datadog:2.19.1", nil, "platform", []string{"hashicorp/datadog", "<namespace>/datadog", "datadog/datadog"}},
		{"unknown private provider, exact", "r.acme.dev/acme/none:1.0.0", func(w *world) { w.Host("r.acme.dev") }, "platform", []string{"TF_TOKEN_r_acme_dev"}},
		{"A02 prerelease bound", "acme/canary:~> 1.0.0-canary.2", nil, "no_matching_version", []string{"1.0.0-canary.4", "exact", "acme/canary:1.0.0-canary.4"}},
		{"A06 only an rc matches", "acme/rc:~> 5", nil, "no_matching_version", []string{"5.0.0-rc1", "4.52.0", "acme/rc:5.0.0-rc1"}},
		{"A11 only prereleases", "acme/beta", nil, "no_matching_version", []string{"only prereleases", "0.1.0-beta.1"}},
		{"empty list", "acme/empty:~> 1.0", nil, "no_matching_version", []string{"acme/empty", "no version"}},
		{"list is HTML", "acme/html:~> 1.0", nil, "response", []string{"HTML"}},
		{"list fails for ever", "acme/broken:~> 1.0", nil, "network", []string{"502", "tried 2 times"}},
		{"all platforms 404", "acme/canary:9.9.9", nil, "platform", []string{"9.9.9", "no such version", "the newest listed: 1.0.0-canary.4"}},
		{"A02 prereleases of another range are no advice", "acme/canary:~> 9.0", nil, "no_matching_version", []string{"the newest listed: 1.0.0-canary.4", "change the constraint"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			h := w.Host(tfHost)
			h.Provider("hashicorp/random").Version("3.3.2", fourPlatforms)
			for provider, list := range map[string][]string{
				"acme/canary": {"0.13.2", "1.0.0-canary.2", "1.0.0-canary.4"}, "acme/rc": {"4.52.0", "5.0.0-rc1"}, "acme/beta": {"0.1.0-beta.1"},
			} {
				for _, v := range list {
					h.Provider(provider).Version(v, fourPlatforms)
				}
			}
			h.Provider("acme/empty").ListRaw(`{"versions": null}`)
			h.Provider("acme/html").ListRaw(`<html>`)
			h.Provider("acme/broken").Fail(registry.EndpointVersions, registry.Fault{Status: 502})
			if test.setup != nil {
				test.setup(w)
			}
			response := w.resolve(request(fourPlatforms, test.entry, good))
			bad, other := response.Providers[0], response.Providers[1]
			wantError(t, bad.Error, test.kind, test.parts...)
			if want := tfHost + "/acme/x"; test.kind == "constraint" && bad.Source != want {
				t.Errorf("source %q, want %q", bad.Source, want)
			}
			if other.Error != nil || len(other.Packages) != 4 {
				t.Errorf("the other entry is spoilt: %+v", other)
			}
			if len(response.Facts) != 4 {
				t.Errorf("facts %v, want the four packages of %s only", factKeys(response), good)
			}
		})
	}
}

// TestPlatformFailures: what fails for one platform is that platform's error (R-REG-15).
func TestPlatformFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.Host(tfHost).Provider("acme/x").Version("1.0.0", registry.Platforms("linux_amd64", "linux_arm64", "darwin_arm64"))
	v.LieAbout("linux_arm64", registry.Lie{WrongPlatform: "linux_386"})
	v.LieAbout("darwin_arm64", registry.Lie{Filename: "terraform-provider-x_1.0.0_darwin_arm64.tar.gz"})
	response := w.resolve(request(fourPlatforms, "acme/x:~> 1.0"))
	p := response.Providers[0]
	if p.Error != nil || p.Version != "1.0.0" {
		t.Errorf("entry %+v, want version 1.0.0 and no error", p)
	}
	wantError(t, p.Packages["linux_arm64"].Error, "response", "386", "arm64")
	wantError(t, p.Packages["darwin_arm64"].Error, "response", "tar.gz", "terraform-provider-x_1.0.0_darwin_arm64.zip") // B40
	if got := p.Packages["windows_amd64"]; !got.Unavailable || got.Error != nil {
		t.Errorf("windows_amd64: %+v, want unavailable", got)
	}
	key := "package/" + tfHost + "/acme/x/1.0.0/"
	if diff := cmp.Diff([]string{key + "linux_amd64", key + "windows_amd64", "resolve/" + tfHost + "/acme/x/~> 1.0"}, factKeys(response)); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	if got := string(response.Facts[key+"windows_amd64"]); got != `{"unavailable":true}` {
		t.Errorf("fact %s", got)
	}
}

// TestUnavailable: a 404 is recorded only if the version is known to exist.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	key := "package/" + tfHost + "/acme/x/1.0.0/"
	recorded := func(platform string) json.RawMessage {
		return json.RawMessage(`{"download_url":"https://h/x.zip","filename":"terraform-provider-x_1.0.0_` + platform + `.zip","sha256":"` + strings.Repeat("a", 64) + `"}`)
	}
	unavailable := json.RawMessage(`{"unavailable":true}`)
	for _, test := range []struct {
		name      string
		exists    []string // in the registry
		facts     map[string]json.RawMessage
		kind      string // of windows_amd64
		entryKind string
		requests  int
		lists     int // of versions: one if all is 404, to tell a missing version from missing packages
	}{
		{"another platform is there", []string{"linux_amd64"}, nil, "", "", 2, 0},
		{"another platform is recorded", nil, map[string]json.RawMessage{key + "linux_amd64": recorded("linux_amd64")}, "", "", 1, 0},
		{"an unasked platform is recorded", nil, map[string]json.RawMessage{key + "linux_arm64": recorded("linux_arm64")}, "", "", 2, 0},
		{"no platform", nil, nil, "platform", "platform", 2, 1},
		{"the others are recorded as unavailable", nil, map[string]json.RawMessage{key + "linux_amd64": unavailable}, "platform", "platform", 1, 1},
		{"all are recorded as unavailable", nil, map[string]json.RawMessage{key + "linux_amd64": unavailable, key + "windows_amd64": unavailable}, "", "", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Host(tfHost).Provider("acme/x").Version("1.0.0", test.exists)
			q := request(registry.Platforms("linux_amd64", "windows_amd64"), "acme/x:1.0.0")
			q.Facts = test.facts
			response := w.resolve(q)
			w.wantCounts(0, test.lists, test.requests)
			p := response.Providers[0]
			if test.entryKind == "" && p.Error != nil {
				t.Errorf("entry error %+v", p.Error)
			} else if test.entryKind != "" {
				wantError(t, p.Error, test.entryKind, "1.0.0", "linux_amd64, windows_amd64")
			}
			got := p.Packages["windows_amd64"]
			if _, ok := response.Facts[key+"windows_amd64"]; ok != (test.kind == "") || got.Unavailable != ok {
				t.Errorf("windows_amd64: %+v, facts %v", got, factKeys(response))
			}
			if test.kind != "" {
				wantError(t, got.Error, test.kind)
			}
		})
	}
}

// TestBadFacts: a fact that cannot be used is an error with its repair, never a silent new question.
func TestBadFacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Host(tfHost).Provider("acme/x").Version("1.0.0", fourPlatforms)
	q := request(registry.Platforms("linux_amd64", "linux_arm64"), "acme/x:~> 1.0", "acme/x:1.0.0", "acme/x:>= 0.1", "acme/x")
	q.Facts = map[string]json.RawMessage{
		"resolve/" + tfHost + "/acme/x/~> 1.0":            json.RawMessage(`{"version":"2.0.0"}`),
		"resolve/" + tfHost + "/acme/x/>= 0.1":            json.RawMessage(`{"version":"v1"}`),
		"resolve/" + tfHost + "/acme/x/latest":            json.RawMessage(`{"version":"6.0.0-beta3"}`), // A05
		"package/" + tfHost + "/acme/x/1.0.0/linux_amd64": json.RawMessage(`{"sha256":"short"}`),
	}
	response := w.resolve(q)
	wantError(t, response.Providers[0].Error, "response", "2.0.0", "~> 1.0", "delete this fact")
	wantError(t, response.Providers[2].Error, "response", ">= 0.1", "delete this fact")
	wantError(t, response.Providers[3].Error, "response", "latest", "6.0.0-beta3", "delete this fact")
	wantError(t, response.Providers[1].Packages["linux_amd64"].Error, "response", "linux_amd64", "malformed")
	if got := response.Providers[1].Packages["linux_arm64"]; got.SHA256 == "" {
		t.Errorf("linux_arm64: %+v, want an answer", got)
	}
	w.wantCounts(0, 0, 1)
}

// TestFactsSurviveADeadHost: recorded packages stay usable when a missing one cannot be asked for.
func TestFactsSurviveADeadHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.Host("registry.acme.dev")
	h.Provider("acme/widget").Version("1.4.0", fourPlatforms)
	q := request(registry.Platforms("linux_amd64"), "registry.acme.dev/acme/widget:1.4.0")
	q.Facts = w.resolve(q).Facts
	h.SetDown(true)
	q.Platforms = registry.Platforms("linux_amd64", "linux_arm64")
	response := w.resolve(q)
	p := response.Providers[0]
	if p.Error != nil || p.Packages["linux_amd64"].SHA256 == "" {
		t.Errorf("%+v, want linux_amd64 from its fact", p)
	}
	wantError(t, p.Packages["linux_arm64"].Error, "network", "registry.acme.dev")
	if diff := cmp.Diff(q.Facts, response.Facts); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

// TestWarnings: one warning for all bad list entries of a source (A07), and the registry's own words (A19), each once.
func TestWarnings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Host(tfHost).Provider("hashicorp/local")
	p.Version("2.5.2", fourPlatforms)
	p.ListRaw(`{"versions":[{"version":"2.5.2"},{"version":"v2.5.3-alpha1"},{"version":7},null],"warnings":["use 2.6"]}`)
	response := w.resolve(request(fourPlatforms, "hashicorp/local:~> 2.5", "hashicorp/local:>= 2.0", "hashicorp/local:= 2.5.2"))
	source := tfHost + "/hashicorp/local: "
	if len(response.Warnings) != 2 || response.Warnings[0] != source+"use 2.6" ||
		!strings.HasPrefix(response.Warnings[1], source) || !strings.Contains(response.Warnings[1], `"v2.5.3-alpha1"`) {
		t.Errorf("warnings %q", response.Warnings)
	}
	for _, row := range response.Providers {
		if row.Version != "2.5.2" || row.Error != nil {
			t.Errorf("%+v, want 2.5.2", row)
		}
	}
}

// TestExactNeedsNoList: an exact version works while the list is broken (A07) or lags behind (B38).
func TestExactNeedsNoList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Host(tfHost).Provider("hashicorp/local")
	p.Version("2.5.2", fourPlatforms).Unlist()
	p.Fail(registry.EndpointVersions, registry.Fault{Status: 500})
	for _, text := range []string{"2.5.2", "= 2.5.2", "=2.5.2"} {
		if got := w.resolve(request(fourPlatforms, "hashicorp/local:"+text)).Providers[0]; got.Error != nil || len(got.Packages) != 4 {
			t.Errorf("%s: %+v", text, got)
		}
	}
	w.wantCounts(0, 0, 12)
}

// TestOrderOfRows: rows follow the manifest, failed ones too.
func TestOrderOfRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var entries, want, got []string
	for i := range 20 {
		name := fmt.Sprintf("acme/p%d", 20-i)
		w.Host(tfHost).Provider(name).Version("1.0.0", fourPlatforms)
		entries, want = append(entries, name+":1.0.0"), append(want, tfHost+"/"+name)
		if i%5 == 0 {
			entries, want = append(entries, "bad..source"), append(want, "bad..source")
		}
	}
	var rows []manifest.Provider = w.resolve(request(registry.Platforms("linux_amd64"), entries...)).Providers
	for _, row := range rows {
		got = append(got, row.Source)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
