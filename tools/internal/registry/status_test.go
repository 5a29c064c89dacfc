package registry_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/problem"
)

// TestStatusTable is the table of the spec's §4.2, every row for every document, with the number of requests that R-REG-5 allows: 429 is the
// host's and waits, 5xx other than 501 is tried twice, everything else once.
func TestStatusTable(t *testing.T) {
	t.Parallel()
	const missing = problem.Kind("(missing)") // of Document: an answer, not an error
	type kinds struct{ versions, download, document problem.Kind }
	all := func(kind problem.Kind) kinds { return kinds{kind, kind, kind} }
	for _, test := range []struct {
		fault    fixture.Fault
		want     kinds
		requests int
	}{
		{fixture.Fault{Status: 201}, all(problem.Response), 1},
		{fixture.Fault{Status: 201, Body: []byte(`{"versions":[]}`)}, all(problem.Response), 1},
		{fixture.Fault{Status: 202}, all(problem.Response), 1},
		{fixture.Fault{Status: 204}, all(problem.Response), 1},
		{fixture.Fault{Status: 206}, all(problem.Response), 1},
		{fixture.Fault{Status: 300}, all(problem.Response), 1},
		{fixture.Fault{Status: 301}, all(problem.Response), 1}, // without Location
		{fixture.Fault{Status: 302}, all(problem.Response), 1},
		{fixture.Fault{Status: 304}, all(problem.Response), 1},
		{fixture.Fault{Status: 307}, all(problem.Response), 1},
		{fixture.Fault{Status: 308}, all(problem.Response), 1},
		{fixture.Fault{Status: 400}, all(problem.Response), 1},
		{fixture.Fault{Status: 401}, all(problem.Unauthorized), 1},
		{fixture.Fault{Status: 402}, all(problem.Response), 1},
		{fixture.Fault{Status: 403}, all(problem.Unauthorized), 1},
		{fixture.Fault{Status: 404}, kinds{problem.NotFound, problem.Platform, missing}, 1},
		{fixture.Fault{Status: 404, Body: []byte("<html>"), ContentType: "text/html"}, kinds{problem.NotFound, problem.Platform, missing}, 1},
		{fixture.Fault{Status: 405}, all(problem.Response), 1},
		{fixture.Fault{Status: 407}, all(problem.Response), 1},
		{fixture.Fault{Status: 410}, all(problem.Response), 1},
		{fixture.Fault{Status: 418}, all(problem.Response), 1},
		{fixture.Fault{Status: 429}, all(problem.Network), 4},
		{fixture.Fault{Status: 451}, all(problem.Response), 1},
		{fixture.Fault{Status: 500}, all(problem.Network), 2},
		{fixture.Fault{Status: 501}, all(problem.Network), 1},
		{fixture.Fault{Status: 502}, all(problem.Network), 2},
		{fixture.Fault{Status: 503, RetryAfter: "1"}, all(problem.Network), 2},
		{fixture.Fault{Status: 504}, all(problem.Network), 2},
		{fixture.Fault{Status: 599}, all(problem.Network), 2},
		{fixture.Fault{Status: 799}, all(problem.Network), 2},
	} {
		t.Run(fmt.Sprint(test.fault.Status), func(t *testing.T) {
			t.Parallel()
			reg, _, p := newRegistry(t)
			good := newClient(reg)
			pkg, err := good.Download(t.Context(), widget, "1.4.0", linux)
			if err != nil {
				t.Fatal(err)
			}
			check := func(endpoint string, want problem.Kind, ask func() error) {
				t.Helper()
				reg.Reset()
				p.Fail(endpoint, test.fault)
				err := ask()
				if problem.KindOf(err) != want || err == nil {
					t.Errorf("%s: kind %q, want %q; error %v", endpoint, problem.KindOf(err), want, err)
				}
				if text := fmt.Sprint(err); want != missing && !strings.Contains(text, fmt.Sprint(test.fault.Status)) {
					t.Errorf("%s: the status is not in %s", endpoint, text)
				}
				if n := reg.Count(fixture.Filter{Endpoint: endpoint}); n != test.requests {
					t.Errorf("%s: %d requests, want %d", endpoint, n, test.requests)
				}
			}
			// A client each, because a throttled host is remembered.
			check(fixture.EndpointVersions, test.want.versions, func() error { _, err := newClient(reg).Versions(t.Context(), widget); return err })
			check(fixture.EndpointDownload, test.want.download, func() error { _, err := newClient(reg).Download(t.Context(), widget, "1.4.0", linux); return err })
			for endpoint, reference := range map[string]string{fixture.EndpointSums: pkg.SHASumsURL, fixture.EndpointSignature: pkg.SHASumsSignatureURL} {
				check(endpoint, test.want.document, func() error {
					document, err := newClient(reg).Document(t.Context(), pkg, reference)
					if document.Missing {
						return problem.New(missing, "%s", document.Shown)
					}
					return err
				})
			}
		})
	}
}

// TestWire: what a good answer may look like on its way, and what breaks on it. Waits take no time; see newClient.
func TestWire(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		first    []fixture.Fault // for one request each
		always   *fixture.Fault
		environ  []string
		message  string // empty: answered
		requests int
	}{
		{"B21 gzip", nil, &fixture.Fault{Gzip: true}, nil, "", 1},
		{"dropped once", []fixture.Fault{{Drop: true}}, nil, nil, "", 2},
		{"dropped for ever", nil, &fixture.Fault{Drop: true}, nil, "tried 2 times", 2},
		{"dropped, three tries", nil, &fixture.Fault{Drop: true}, []string{"TF_REGISTRY_DISCOVERY_RETRY=2"}, "tried 3 times", 3},
		{"cut off once", []fixture.Fault{{Truncate: true}}, nil, nil, "", 2},
		{"cut off for ever", nil, &fixture.Fault{Truncate: true}, nil, "cut off", 2},
		{"R-REG-4 never answered", nil, &fixture.Fault{Hang: true}, []string{"TF_REGISTRY_CLIENT_TIMEOUT=1"}, "(tried 2 times): no complete answer within the time limit", 2},
		{"R-REG-4 slow body", nil, &fixture.Fault{BytesPerSecond: 20}, []string{"TF_REGISTRY_CLIENT_TIMEOUT=1"}, "within the time limit", 2},
		{"an error's slow body", nil, &fixture.Fault{Status: 410, Body: make([]byte, 1000), BytesPerSecond: 20}, []string{"TF_REGISTRY_CLIENT_TIMEOUT=1"}, "within the time limit", 2},
		{"429, 503, 500 in turn", []fixture.Fault{{Status: 429, RetryAfter: "1"}, {Status: 503, RetryAfter: "-1"}}, nil, nil, "", 3},
		{"R-REG-7 content type", nil, &fixture.Fault{Header: http.Header{"Content-Type": {"text/html"}}}, nil, "", 1},
		{"no content type", nil, &fixture.Fault{Header: http.Header{"Content-Type": nil}}, nil, "", 1},
		{"R-REG-6 ten redirects", redirects(10), nil, nil, "", 11},
		{"R-REG-6 eleven", redirects(11), nil, nil, "more than 10 redirects", 11},
		{"R-REG-6 loop", nil, &fixture.Fault{Redirect: "{path}"}, nil, "more than 10 redirects", 11},
		{"redirect to another scheme", nil, &fixture.Fault{Redirect: "ftp://r.acme.dev/"}, nil, `scheme "ftp"`, 1},
		{"unknown encoding", nil, &fixture.Fault{Body: []byte("\x28\xb5\x2f\xfd"), Header: http.Header{"Content-Encoding": {"zstd"}}}, nil, "invalid JSON", 1},
		{"gzip that is none", nil, &fixture.Fault{Body: []byte("{}"), Header: http.Header{"Content-Encoding": {"gzip"}}}, nil, "cut off", 2},
		{"UTF-8 byte order mark", nil, &fixture.Fault{Body: []byte("\xef\xbb\xbf{}")}, nil, "invalid JSON", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, endpoint := range []string{fixture.EndpointVersions, fixture.EndpointDownload} {
				t.Run(endpoint, func(t *testing.T) {
					t.Parallel()
					reg, _, p := newRegistry(t)
					for _, fault := range test.first {
						p.FailNext(endpoint, 1, fault)
					}
					if test.always != nil {
						p.Fail(endpoint, *test.always)
					}
					client := newClient(reg, test.environ...)
					var err error
					if endpoint == fixture.EndpointVersions {
						_, err = client.Versions(t.Context(), widget)
					} else {
						_, err = client.Download(t.Context(), widget, "1.4.0", linux)
					}
					if test.message == "" && err != nil || test.message != "" && (err == nil || !strings.Contains(err.Error(), test.message)) {
						t.Errorf("error %v, want %q", err, test.message)
					}
					if n := reg.Count(fixture.Filter{Endpoint: endpoint}); n != test.requests {
						t.Errorf("%d requests, want %d", n, test.requests)
					}
				})
			}
		})
	}
}

func redirects(n int) []fixture.Fault {
	list := make([]fixture.Fault, n)
	for i := range list {
		list[i] = fixture.Fault{Redirect: "{path}", Status: []int{301, 302, 303, 307, 308}[i%5]}
	}
	return list
}
