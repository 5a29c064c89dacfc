package sources_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/manifest"
)

// TestMirrorStatus is R-NET-6 and R-NET-8 for both documents: which failure it is, and how often the mirror is asked.
func TestMirrorStatus(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fault          fixture.Fault
		index, version string // kinds
		requests       int
	}{
		{fixture.Fault{Status: 201}, "response", "response", 1},
		{fixture.Fault{Status: 204}, "response", "response", 1},
		{fixture.Fault{Status: 206}, "response", "response", 1},
		{fixture.Fault{Status: 302}, "response", "response", 1}, // without Location
		{fixture.Fault{Status: 304}, "response", "response", 1},
		{fixture.Fault{Status: 400}, "response", "response", 1},
		{fixture.Fault{Status: 401}, "unauthorized", "unauthorized", 1},
		{fixture.Fault{Status: 403}, "unauthorized", "unauthorized", 1},
		{fixture.Fault{Status: 404}, "not_found", "no_matching_version", 1},
		{fixture.Fault{Status: 405}, "response", "response", 1},
		{fixture.Fault{Status: 410}, "response", "response", 1},
		{fixture.Fault{Status: 451}, "response", "response", 1},
		{fixture.Fault{Status: 500}, "network", "network", 2},
		{fixture.Fault{Status: 501}, "network", "network", 1},
		{fixture.Fault{Status: 503, RetryAfter: "Thu, 01 Jan 1970 00:00:00 GMT"}, "network", "network", 2},
		{fixture.Fault{Status: 599}, "network", "network", 2},
		{fixture.Fault{Drop: true}, "network", "network", 2},
		{fixture.Fault{Truncate: true}, "network", "network", 2},
		{fixture.Fault{Redirect: "{path}"}, "network", "network", 6},
		{fixture.Fault{Redirect: "file:///etc/passwd"}, "network", "network", 1},
		{fixture.Fault{Header: http.Header{"Content-Type": nil}}, "response", "response", 1},
		{fixture.Fault{Header: http.Header{"Content-Type": {"text/html"}}}, "response", "response", 1},
	} {
		t.Run(fmt.Sprintf("%d%t%t%s%v", test.fault.Status, test.fault.Drop, test.fault.Truncate, test.fault.Redirect, test.fault.Header), func(t *testing.T) {
			t.Parallel()
			for endpoint, kind := range map[string]string{fixture.EndpointIndex: test.index, fixture.EndpointArchives: test.version} {
				w := newWorld(t)
				m := w.mirror()
				w.Host(mirrorHost).Fail(endpoint, test.fault)
				row := only(t, w.resolve(from([]manifest.Source{network(m.URL())}, source+":~> 1.0")))
				wantError(t, row, kind, mirrorHost)
				if n := w.Count(fixture.Filter{Endpoint: endpoint}); n != test.requests {
					t.Errorf("%s: %d requests, want %d", endpoint, n, test.requests)
				}
				w.wantNoConnection(acme)
			}
		})
	}
}

// TestMirrorFailsOnce: what a further attempt mends (R-NET-6), and compressed documents (B21).
func TestMirrorFailsOnce(t *testing.T) {
	t.Parallel()
	for _, fault := range []fixture.Fault{{Status: 502}, {Drop: true}, {Truncate: true}, {Gzip: true}} {
		for _, endpoint := range []string{fixture.EndpointIndex, fixture.EndpointArchives} {
			w := newWorld(t)
			m := w.mirror()
			w.Host(mirrorHost).FailNext(endpoint, 1, fault)
			wantAnswer(t, only(t, w.resolve(from([]manifest.Source{network(m.URL())}, source+":~> 1.0"))), "1.2.0", w.v2.SHA256(linux))
		}
	}
}

// TestMirrorArchiveEntries is R-NET-10..13 by field: what one entry of a version document may be.
func TestMirrorArchiveEntries(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("0", 64)
	for _, test := range []struct{ name, archives, kind, part string }{
		{"url null", `{"linux_amd64":{"url":null}}`, "response", "missing or empty"},
		{"url empty", `{"linux_amd64":{"url":""}}`, "response", "missing or empty"},
		{"url mistyped", `{"linux_amd64":{"url":7}}`, "response", "is a number"},
		{"url broken", `{"linux_amd64":{"url":"https://x:y/"}}`, "response", "not a URL"},
		{"hashes mistyped", `{"linux_amd64":{"url":"x.zip","hashes":"zh:` + zeros + `"}}`, "response", "is a string"},
		{"a hash mistyped", `{"linux_amd64":{"url":"x.zip","hashes":[7]}}`, "response", "is a number"},
		{"a hash null", `{"linux_amd64":{"url":"x.zip","hashes":[null]}}`, "response", "no scheme"},
		{"entry mistyped", `{"linux_amd64":[]}`, "response", "is a"},
		{"entry empty", `{"linux_amd64":{}}`, "response", "missing or empty"},
		{"archives null", `null`, "platform", "no package"},
		{"R-NET-12 platform in other case", `{"Linux_amd64":{"url":"x.zip"}}`, "platform", "no package"},
		{"R-NET-11 null for another platform", `{"plan9_386":null,"linux_amd64":{"url":"x.zip","hashes":["zh:` + zeros + `"]}}`, "", ""},
		{"short zh", `{"linux_amd64":{"url":"x.zip","hashes":["zh:00"]}}`, "response", "lists no sha256"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			m := w.mirror().Answer(acme+"/acme/widget/1.2.0.json", 200, "application/json", `{"archives":`+test.archives+`}`)
			row := only(t, w.resolve(from([]manifest.Source{network(m.URL())}, source+":1.2.0")))
			if test.kind == "" {
				wantAnswer(t, row, "1.2.0", zeros)
				return
			}
			wantError(t, row, test.kind, test.part)
		})
	}
}

// TestLongIndex: a mirror with thousands of versions answers; one that is longer than any real one is refused.
func TestLongIndex(t *testing.T) {
	t.Parallel()
	for n, kind := range map[int]string{10_000: "", 300_000: "network"} {
		w := newWorld(t)
		var keys []string
		for i := range n {
			keys = append(keys, fmt.Sprintf(`"0.%d.0":{}`, i))
		}
		m := w.mirror().Answer(acme+"/acme/widget/index.json", 200, "application/json", `{"versions":{"1.2.0":{},`+strings.Join(keys, ",")+`}}`)
		row := only(t, w.resolve(from([]manifest.Source{network(m.URL())}, source+":~> 1.0")))
		if kind == "" {
			wantAnswer(t, row, "1.2.0", w.v2.SHA256(linux))
		} else {
			wantError(t, row, kind, "longer than")
		}
	}
}

// TestMirrorTokens is R-NET-3 and R-NET-17: the token of the mirror's own host goes with both documents and not with the archive, though it is on
// the same host; the provider's own token goes nowhere.
func TestMirrorTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "TF_TOKEN_mirror_example=s3cret", "TF_TOKEN_registry_acme_dev=other")
	m := w.mirror().Hashes(func(*fixture.Version, string) []string { return nil }).
		Location(func(*fixture.Version, string) string { return "https://mirror.example/files/w.zip" })
	w.Host(mirrorHost).ExpectAuth(fixture.Auth{Token: "s3cret"})
	w.Host(mirrorHost).Fail(fixture.EndpointOther, fixture.Fault{Body: []byte("PK"), ContentType: "application/zip"})
	only(t, w.resolve(from([]manifest.Source{network(m.URL())}, source+":~> 1.0")))
	seen := map[string]bool{}
	for _, r := range w.Select(fixture.Filter{NotEndpoint: fixture.EndpointConnect}) {
		seen[r.Endpoint] = true
		document := r.Endpoint == fixture.EndpointIndex || r.Endpoint == fixture.EndpointArchives
		if r.HasAuthorization != document || r.AuthorizationOK != document || (r.TerraformVersion != "") != document || r.Accept != "" && document {
			t.Errorf("%s %s: Authorization %t (right: %t), X-Terraform-Version %q, Accept %q", r.Endpoint, r.Path, r.HasAuthorization, r.AuthorizationOK, r.TerraformVersion, r.Accept)
		}
	}
	for _, endpoint := range []string{fixture.EndpointIndex, fixture.EndpointArchives, fixture.EndpointOther} {
		if !seen[endpoint] {
			t.Errorf("no %s request", endpoint)
		}
	}
}
