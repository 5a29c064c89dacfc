package discovery_test

import (
	"context"
	"net/http"
	"net/url"
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

// TestBuiltIn: the default hosts and configured ones are not asked (B19, R-DISC-16).
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
	for _, test := range []struct {
		name     string
		setup    func(h *registry.Host)
		kind     problem.Kind // empty: good
		requests int
	}{
		{"404", func(h *registry.Host) { h.SetDiscovery(404, "", "") }, problem.Discovery, 1},
		{"410", func(h *registry.Host) { h.SetDiscovery(410, "", "") }, problem.Discovery, 1},
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
