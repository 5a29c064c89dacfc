package registry_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"rules_tf_mirror/tests/registry"
)

// A dead host: 502 at the proxy, dropped connections behind it, other hosts untouched; alive again on the same instance.
func TestDown(t *testing.T) {
	t.Parallel()
	reg, h, v := widget(t)
	old := reg.HTTPClient()
	wantStatus(t, old, discoveryURL, 200)
	h.SetDown(true)
	reg.Reset()
	if _, err := get(t, old, discoveryURL); err == nil {
		t.Error("a connection from before still works")
	}
	if _, err := get(t, reg.HTTPClient(), discoveryURL); err == nil || !strings.Contains(err.Error(), "Bad Gateway") {
		t.Errorf("found %v, wanted 502 from the proxy", err)
	}
	if n := reg.Count(registry.Filter{Host: acme, Endpoint: registry.EndpointConnect, Status: 502}); n < 1 {
		t.Errorf("found %d refused connects in the log, wanted them: %+v", n, reg.Requests())
	}
	wantStatus(t, reg.HTTPClient(), v.URL("linux_amd64"), 200) // the package host lives
	h.SetDown(false)
	wantStatus(t, old, discoveryURL, 200)
	wantStatus(t, reg.HTTPClient(), versionsURL, 200)
}

func TestDownWithoutProxy(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t)
	h := reg.Host(reg.LocalHost())
	client, url := reg.HTTPClient(), "https://"+reg.LocalHost()+"/.well-known/terraform.json"
	wantStatus(t, client, url, 200)
	h.SetDown(true)
	for _, c := range []*http.Client{client, reg.HTTPClient()} {
		if r, err := get(t, c, url); err == nil {
			t.Errorf("found %s, wanted an error", r.Status)
		}
	}
	h.SetDown(false)
	wantStatus(t, client, url, 200)
}

func TestTokens(t *testing.T) {
	t.Parallel()
	const bearer, basic = "Bearer s3cret", "Basic bmVkOnB3" // ned:pw
	for name, tc := range map[string]struct {
		setup  func(*registry.Host)
		url    string
		header string
		status int
		right  bool
	}{
		"none":                {nil, versionsURL, bearer, 200, false},
		"right":               {func(h *registry.Host) { h.RequireToken("s3cret") }, versionsURL, bearer, 200, true},
		"right for download":  {func(h *registry.Host) { h.RequireToken("s3cret") }, downloadURL, bearer, 200, true},
		"wrong":               {func(h *registry.Host) { h.RequireToken("s3cret") }, versionsURL, "Bearer no", 401, false},
		"missing":             {func(h *registry.Host) { h.RequireToken("s3cret") }, downloadURL, "", 401, false},
		"basic for bearer":    {func(h *registry.Host) { h.RequireToken("s3cret") }, versionsURL, basic, 401, false},
		"discovery stays":     {func(h *registry.Host) { h.RequireToken("s3cret") }, discoveryURL, "", 200, false},
		"discovery with it":   {func(h *registry.Host) { h.RequireToken("s3cret") }, discoveryURL, bearer, 200, true},
		"ended":               {func(h *registry.Host) { h.RequireToken("s3cret").RequireToken("") }, versionsURL, "", 200, false},
		"other status":        {func(h *registry.Host) { h.RequireToken("s3cret").SetAuthStatus(404) }, versionsURL, "", 404, false},
		"403":                 {func(h *registry.Host) { h.RequireToken("s3cret").SetAuthStatus(403) }, versionsURL, "", 403, false},
		"expected only":       {func(h *registry.Host) { h.ExpectAuth(registry.Auth{Token: "s3cret"}) }, versionsURL, bearer, 200, true},
		"zip: basic":          {func(h *registry.Host) { h.SetZipHost("").RequireBasic("ned", "pw") }, "", basic, 200, true},
		"zip: basic wrong":    {func(h *registry.Host) { h.SetZipHost("").RequireBasic("ned", "px") }, "", basic, 401, false},
		"zip: basic ended":    {func(h *registry.Host) { h.SetZipHost("").RequireBasic("n", "p").RequireBasic("", "") }, "", "", 200, false},
		"zip: bearer":         {func(h *registry.Host) { h.SetZipHost("").RequireAuth(registry.Auth{Token: "s3cret"}, "zip") }, "", bearer, 200, true},
		"zip: bearer missing": {func(h *registry.Host) { h.SetZipHost("").RequireAuth(registry.Auth{Token: "s3cret"}, "zip") }, "", "", 401, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg, h, v := widget(t)
			if tc.setup != nil {
				tc.setup(h)
			}
			if tc.url == "" {
				tc.url = v.URL("linux_amd64")
			}
			header := []string{"Authorization", tc.header}
			if tc.header == "" {
				header = nil
			}
			r := mustGet(t, reg.HTTPClient(), tc.url, header...)
			if r.StatusCode != tc.status {
				t.Errorf("found %d, wanted %d", r.StatusCode, tc.status)
			}
			if got := r.Header.Get("WWW-Authenticate") != ""; got != (tc.status == 401) {
				t.Errorf("WWW-Authenticate with status %d: %v", r.StatusCode, got)
			}
			entry := reg.Select(registry.Filter{NotEndpoint: registry.EndpointConnect})[0]
			if entry.HasAuthorization != (tc.header != "") || entry.AuthorizationOK != tc.right {
				t.Errorf("found %+v, wanted authorization %v, right %v", entry, tc.header != "", tc.right)
			}
		})
	}
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		setup       func(*registry.Registry, *registry.Host)
		status      int
		contentType string
		body        string
		versions    string // where the list then is
	}{
		"good": {nil, 200, "application/json", `{"providers.v1":"/v1/providers/"}`, versionsURL},
		"elsewhere": {
			func(_ *registry.Registry, h *registry.Host) { h.SetServiceURL("https://api.acme.dev/tf/v3/") },
			200, "application/json", `{"providers.v1":"https://api.acme.dev/tf/v3/"}`, "https://api.acme.dev/tf/v3/acme/widget/versions",
		},
		"R-DISC-13: no slash": {
			func(_ *registry.Registry, h *registry.Host) { h.SetServiceURL("/v2/providers") },
			200, "application/json", `{"providers.v1":"/v2/providers"}`, "https://" + acme + "/v2/acme/widget/versions",
		},
		"R-DISC-12: relative": {
			func(_ *registry.Registry, h *registry.Host) { h.SetServiceURL("p/") },
			200, "application/json", `{"providers.v1":"p/"}`, "https://" + acme + "/.well-known/p/acme/widget/versions",
		},
		"back": {
			func(_ *registry.Registry, h *registry.Host) { h.SetServiceURL("/v2/").SetServiceURL("") },
			200, "application/json", `{"providers.v1":"/v1/providers/"}`, versionsURL,
		},
		"unusable": {
			func(_ *registry.Registry, h *registry.Host) { h.SetServiceURL("::") },
			200, "application/json", `{"providers.v1":"::"}`, "",
		},
		"raw": {
			func(_ *registry.Registry, h *registry.Host) { h.SetDiscovery(203, "text/html", "<p>") }, 203, "text/html", "<p>", versionsURL,
		},
		"R-DISC-8: no type": {
			func(_ *registry.Registry, h *registry.Host) { h.SetDiscovery(0, "", "{}") }, 200, "", "{}", versionsURL,
		},
		"two places": {
			func(_ *registry.Registry, h *registry.Host) { h.ServeAt("cdn.acme.dev", "/x/") },
			200, "application/json", `{"providers.v1":"/v1/providers/"}`, "https://cdn.acme.dev/x/acme/widget/versions",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg, h, _ := widget(t)
			if tc.setup != nil {
				tc.setup(reg, h)
			}
			r := mustGet(t, reg.HTTPClient(), discoveryURL)
			if r.StatusCode != tc.status || r.Header.Get("Content-Type") != tc.contentType || string(r.body) != tc.body {
				t.Errorf("found %d %q %s, wanted %d %q %s",
					r.StatusCode, r.Header.Get("Content-Type"), r.body, tc.status, tc.contentType, tc.body)
			}
			if tc.versions != "" {
				wantStatus(t, reg.HTTPClient(), tc.versions, 200)
			}
			if tc.versions != versionsURL && name != "two places" {
				wantStatus(t, reg.HTTPClient(), versionsURL, 404)
			}
		})
	}
}

func TestHostNames(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t)
	if a, b := reg.Host("Registry.ACME.dev:443"), reg.Host(acme); a != b {
		t.Error("case and :443 make another host")
	}
	if a, b := reg.Host("bücher.example"), reg.Host("xn--bcher-kva.example"); a != b || a.Name() != "xn--bcher-kva.example" {
		t.Errorf("found %s and %s, wanted one host in punycode (R-ADDR-13)", a.Name(), b.Name())
	}
	if a, b := reg.Host(acme+":8443"), reg.Host(acme); a == b || a.Name() != acme+":8443" {
		t.Errorf("found %s, wanted a host with its port", a.Name())
	}
	reg.Host(acme+":8443").SetDiscovery(200, "application/json", "8443")
	for url, want := range map[string]string{
		"https://" + acme + ":8443/.well-known/terraform.json":          "8443",
		"https://" + acme + ":9443/.well-known/terraform.json":          `{"providers.v1":"/v1/providers/"}`,
		"https://xn--bcher-kva.example:444/.well-known/terraform.json":  `{"providers.v1":"/v1/providers/"}`,
		"https://xn--bcher-kva.example:0443/.well-known/terraform.json": `{"providers.v1":"/v1/providers/"}`,
	} {
		if got := wantStatus(t, reg.HTTPClient(), url, 200); string(got) != want {
			t.Errorf("%s: found %s, wanted %s", url, got, want)
		}
	}
}

// clock is a clock that stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func startAt(t *testing.T, c *clock) *registry.Registry {
	t.Helper()
	reg, err := registry.New(registry.Options{Dir: t.TempDir(), Now: c.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reg.Close)
	return reg
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	c := newClock()
	reg := startAt(t, c)
	reg.Host(acme).Throttle(2)
	client := reg.HTTPClient()
	for i, want := range []int{200, 200, 429, 429} {
		r := mustGet(t, client, discoveryURL)
		if r.StatusCode != want || (want == 429) != (r.Header.Get("Retry-After") == "1") {
			t.Errorf("request %d: found %d with Retry-After %q, wanted %d", i, r.StatusCode, r.Header.Get("Retry-After"), want)
		}
	}
	c.add(time.Second)
	wantStatus(t, client, discoveryURL, 200)
	reg.Host(acme).Throttle(0)
	for range 3 {
		wantStatus(t, client, discoveryURL, 200)
	}
}

// Gather is met only by a client that asks for everything at the same time, and MaxInFlight counts that.
func TestGather(t *testing.T) {
	t.Parallel()
	reg, h, _ := widget(t)
	const n = 8
	h.Gather(registry.EndpointDownload, n)
	client := reg.HTTPClient()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if r, err := get(t, client, downloadURL); err != nil || r.StatusCode != 200 {
				t.Errorf("found %v, %v, wanted 200", r.Response, err)
			}
		})
	}
	all.Wait()
	wantStatus(t, client, downloadURL, 200) // it ended
	if got := reg.MaxInFlight(); got != n {
		t.Errorf("found %d in flight, wanted %d", got, n)
	}
	reg.Reset()
	if got := reg.MaxInFlight(); got != 0 {
		t.Errorf("after Reset: found %d in flight, wanted 0", got)
	}
}

func TestLatency(t *testing.T) {
	t.Parallel()
	reg, h, _ := widget(t)
	h.SetLatency(30 * time.Millisecond)
	start := time.Now()
	wantStatus(t, reg.HTTPClient(), discoveryURL, 200)
	if d := time.Since(start); d < 30*time.Millisecond { // a lower bound holds on any machine
		t.Errorf("answered after %v, wanted at least 30ms", d)
	}
}

func TestMistakesOfTests(t *testing.T) {
	t.Parallel()
	_, h, v := widget(t)
	for name, f := range map[string]func(){
		"endpoint of Fail":     func() { h.Fail("version", registry.Fault{}) },
		"endpoint of FailNext": func() { h.Provider("acme/widget").FailNext("zips", 1, registry.Fault{}) },
		"provider":             func() { h.Provider("widget") },
		"platform":             func() { v.Zip("plan9_amd64") },
		"platform of SHA256":   func() { v.SHA256("plan9_amd64") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: a mistake passes", name)
				}
			}()
			f()
		}()
	}
}
