package discovery_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/discovery"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/transport"
)

const host = "r.acme.dev"

func newClient(reg *registry.Registry, environ ...string) *discovery.Client {
	// A clock that only sleeping moves; the nanoseconds that passed are all that is shared.
	var passed atomic.Int64
	return discovery.New(discovery.Options{
		Transport: transport.New(transport.Options{
			RoundTripper: reg.HTTPClient().Transport,
			Now:          func() time.Time { return time.Unix(0, passed.Load()) },
			Sleep:        func(_ context.Context, d time.Duration) error { passed.Add(int64(d)); return nil },
		}),
		Credentials: credentials.FromEnviron(environ),
		UserAgent:   "test/1",
		Services:    map[string]*url.URL{"fixed.acme.dev": {Scheme: "https", Host: "api.acme.dev", Path: "/x/"}},
	})
}

// TestBuiltIn: the default hosts and configured ones are not asked (B19, R-DISC-16, R-DISC-17).
func TestBuiltIn(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t)
	client := newClient(reg)
	for name, want := range map[string]string{
		"registry.terraform.io": "https://registry.terraform.io/v1/providers/",
		"registry.opentofu.org": "https://registry.opentofu.org/v1/providers/",
		"fixed.acme.dev":        "https://api.acme.dev/x/",
	} {
		got, err := client.Providers(context.Background(), name, name)
		if err != nil || got.String() != want {
			t.Errorf("Providers(%s) = %v, %v, want %s", name, got, err, want)
		}
	}
	if n := len(reg.Requests()); n != 0 {
		t.Errorf("%d requests, want none", n)
	}
}

// TestOneRequest: many callers, one request, with the headers of R-DISC-2.
func TestOneRequest(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t)
	reg.Host(host).RequireToken("s3cret")
	client := newClient(reg, "TF_TOKEN_r_acme_dev=s3cret")
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if got, err := client.Providers(context.Background(), host, host); err != nil || got.String() != "https://r.acme.dev/v1/providers/" {
				t.Errorf("Providers = %v, %v", got, err)
			}
		})
	}
	group.Wait()
	requests := reg.Select(registry.Filter{NotEndpoint: registry.EndpointConnect})
	if len(requests) != 1 {
		t.Fatalf("%d requests, want 1", len(requests))
	}
	r := requests[0]
	if r.Method != "GET" || r.Path != "/.well-known/terraform.json" || r.Accept != "application/json" || r.UserAgent != "test/1" ||
		r.TerraformVersion != "" || !r.AuthorizationOK {
		t.Errorf("request %+v", r)
	}
}

// TestStatus is R-DISC-4 and R-DISC-7: kinds and numbers of requests.
func TestStatus(t *testing.T) {
	t.Parallel()
	const good = `{"providers.v1":"/v1/providers/"}`
	for _, test := range []struct {
		name     string
		setup    func(h *registry.Host)
		kind     problem.Kind // empty: good
		requests int
	}{
		{"404", func(h *registry.Host) { h.SetDiscovery(404, "", "") }, problem.Discovery, 1},
		{"410", func(h *registry.Host) { h.SetDiscovery(410, "", "") }, problem.Discovery, 1},
		{"201", func(h *registry.Host) { h.SetDiscovery(201, "application/json", good) }, problem.Discovery, 1},
		{"204", func(h *registry.Host) { h.SetDiscovery(204, "", "") }, problem.Discovery, 1},
		{"206", func(h *registry.Host) { h.SetDiscovery(206, "application/json", good) }, problem.Discovery, 1},
		{"302 without Location", func(h *registry.Host) { h.SetDiscovery(302, "application/json", good) }, problem.Discovery, 1},
		{"304", func(h *registry.Host) { h.SetDiscovery(304, "", "") }, problem.Discovery, 1},
		{"400", func(h *registry.Host) { h.SetDiscovery(400, "application/json", good) }, problem.Discovery, 1},
		{"403", func(h *registry.Host) { h.SetDiscovery(403, "", "") }, problem.Unauthorized, 1},
		{"404 with a document", func(h *registry.Host) { h.SetDiscovery(404, "application/json", good) }, problem.Discovery, 1},
		{"503 for ever", func(h *registry.Host) {
			h.Fail(registry.EndpointDiscovery, registry.Fault{Status: 503, RetryAfter: "Thu, 01 Jan 1970 00:00:09 GMT"})
		}, problem.Network, 4},
		{"B21 gzip", func(h *registry.Host) { h.Fail(registry.EndpointDiscovery, registry.Fault{Gzip: true}) }, "", 1},
		{"cut off once", func(h *registry.Host) { h.FailNext(registry.EndpointDiscovery, 1, registry.Fault{Truncate: true}) }, "", 2},
		{"cut off for ever", func(h *registry.Host) { h.Fail(registry.EndpointDiscovery, registry.Fault{Truncate: true}) }, problem.Network, 4},
		{"R-DISC-6 loop", func(h *registry.Host) { h.Fail(registry.EndpointDiscovery, registry.Fault{Redirect: "{path}"}) }, problem.Network, 4},
		{"R-DISC-8 no content type", func(h *registry.Host) {
			h.Fail(registry.EndpointDiscovery, registry.Fault{Header: http.Header{"Content-Type": nil}})
		}, problem.Discovery, 1},
		{"R-DISC-9 as long as allowed", func(h *registry.Host) {
			h.SetDiscovery(200, "application/json", good+strings.Repeat(" ", 1<<20-len(good)))
		}, "", 1},
		{"R-DISC-9 R-DISC-10 too long after decoding", func(h *registry.Host) {
			h.SetDiscovery(200, "application/json", good+strings.Repeat(" ", 1<<20)).Fail(registry.EndpointDiscovery, registry.Fault{Gzip: true})
		}, problem.Network, 1},
		{"401", func(h *registry.Host) { h.SetDiscovery(401, "", "") }, problem.Unauthorized, 1},
		{"501", func(h *registry.Host) { h.SetDiscovery(501, "", "") }, problem.Network, 1},
		{"500 for ever", func(h *registry.Host) { h.SetDiscovery(500, "", "") }, problem.Network, 4},
		{"500 three times", func(h *registry.Host) {
			h.FailNext(registry.EndpointDiscovery, 3, registry.Fault{Status: 500})
		}, "", 4},
		{"dropped once", func(h *registry.Host) { h.FailNext(registry.EndpointDiscovery, 1, registry.Fault{Drop: true}) }, "", 2},
		{"B28 throttled twice", func(h *registry.Host) {
			h.FailNext(registry.EndpointDiscovery, 2, registry.Fault{Status: 429, RetryAfter: "1"})
		}, "", 3},
		{"B30 throttled for ever", func(h *registry.Host) {
			h.Fail(registry.EndpointDiscovery, registry.Fault{Status: 429, RetryAfter: "1"})
		}, problem.Network, 4},
		{"R-DISC-6 four redirects", func(h *registry.Host) {
			h.FailNext(registry.EndpointDiscovery, 4, registry.Fault{Redirect: "{path}"})
		}, problem.Network, 4},
		{"R-DISC-6 three redirects", func(h *registry.Host) {
			h.FailNext(registry.EndpointDiscovery, 3, registry.Fault{Redirect: "{path}", Status: http.StatusMovedPermanently})
		}, "", 4},
		{"R-DISC-9 too long", func(h *registry.Host) {
			h.SetDiscovery(200, "application/json", string(make([]byte, 1<<20+1)))
		}, problem.Network, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			reg := registry.Start(t)
			test.setup(reg.Host(host))
			client := newClient(reg)
			for range 2 { // failures are remembered within the process too
				_, err := client.Providers(context.Background(), host, host)
				if test.kind == "" && err != nil || test.kind != "" && (err == nil || problem.KindOf(err) != test.kind) {
					t.Errorf("error %v, want kind %q", err, test.kind)
				}
			}
			if n := reg.Count(registry.Filter{Host: host, NotEndpoint: registry.EndpointConnect}); n != test.requests {
				t.Errorf("%d requests, want %d", n, test.requests)
			}
		})
	}
}

// TestRedirected is R-DISC-6 and R-DISC-12: any host is followed to, and relative service URLs start where the document was in the end. The token is
// for the first host alone.
func TestRedirected(t *testing.T) {
	t.Parallel()
	for service, want := range map[string]string{"/v1/providers/": "https://other.dev/v1/providers/", "p/": "https://other.dev/deep/p/", "https://r.acme.dev/x/": "https://r.acme.dev/x/"} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			reg := registry.Start(t)
			reg.Host(host).RequireToken("s3cret").Fail(registry.EndpointDiscovery, registry.Fault{Redirect: "https://other.dev/deep/document"})
			reg.Host("other.dev").Fail(registry.EndpointOther, registry.Fault{Body: []byte(`{"providers.v1":"` + service + `"}`), ContentType: "application/json"})
			got, err := newClient(reg, "TF_TOKEN_r_acme_dev=s3cret").Providers(context.Background(), host, host)
			if err != nil || got.String() != want {
				t.Errorf("Providers = %v, %v, want %s", got, err, want)
			}
			for _, r := range reg.Select(registry.Filter{NotEndpoint: registry.EndpointConnect}) {
				if r.HasAuthorization != (r.Host == host) {
					t.Errorf("Authorization at %s: %t", r.Host, r.HasAuthorization)
				}
			}
		})
	}
}

// failing is a credentials source that is broken.
type failing struct{ credentials.None }

func (failing) ForHost(context.Context, string) (credentials.Token, bool, error) {
	return credentials.Token{}, false, errors.New("the helper is broken")
}

// TestBrokenHelper is R-DISC-3: discovery is asked without a token; who asks the registry itself reports the helper.
func TestBrokenHelper(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t, host)
	client := discovery.New(discovery.Options{Transport: transport.New(transport.Options{RoundTripper: reg.HTTPClient().Transport}), Credentials: failing{}, UserAgent: "test/1"})
	if got, err := client.Providers(context.Background(), host, host); err != nil || got.String() != "https://r.acme.dev/v1/providers/" {
		t.Errorf("Providers = %v, %v", got, err)
	}
	if n := reg.Count(registry.Filter{Endpoint: registry.EndpointDiscovery}); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}
