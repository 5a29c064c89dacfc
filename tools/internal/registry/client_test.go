package registry_test

import (
	"context"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/transport"
)

const host = "r.acme.dev"

var noConnects = fixture.Filter{NotEndpoint: fixture.EndpointConnect}

// newClient returns a client of terraform 1.9.5-rc1 with the given environment, for which waiting takes no time.
func newClient(reg *fixture.Registry, environ ...string) *registry.Client {
	return newToolClient(reg, addrs.Terraform, "1.9.5-rc1", environ...)
}

func newToolClient(reg *fixture.Registry, tool addrs.Tool, version string, environ ...string) *registry.Client {
	// A clock that only sleeping moves, so that a throttled host is waited for without waiting.
	var passed atomic.Int64
	return registry.New(registry.Options{
		Transport: transport.New(transport.Options{
			RoundTripper: reg.HTTPClient().Transport,
			Now:          func() time.Time { return time.Unix(0, passed.Load()) },
			Sleep:        func(ctx context.Context, d time.Duration) error { passed.Add(int64(d)); return ctx.Err() },
		}),
		Credentials: credentials.FromEnviron(environ),
		Tool:        tool,
		ToolVersion: version,
		Getenv: func(key string) string {
			for _, pair := range environ {
				if value, ok := strings.CutPrefix(pair, key+"="); ok {
					return value
				}
			}
			return ""
		},
	})
}

// newRegistry has acme/widget 1.4.0 for linux_amd64 on r.acme.dev.
func newRegistry(t *testing.T) (*fixture.Registry, *fixture.Host, *fixture.Provider) {
	reg := fixture.Start(t)
	h := reg.Host(host)
	p := h.Provider("acme/widget")
	p.Version("1.4.0", fixture.Platforms("linux_amd64"))
	return reg, h, p
}

// TestHeaders is R-DISC-2 and R-REG-2: what each tool sends where.
func TestHeaders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		tool               addrs.Tool
		version, append    string
		discovery, request string
		header             string
	}{
		{addrs.Terraform, "1.9.5-rc1", "", "HashiCorp Terraform/1.9.5-rc1 (+https://www.terraform.io)", "Terraform/1.9.5", "1.9.5-rc1"},
		{addrs.OpenTofu, "1.10.0-beta1", "", "OpenTofu/1.10.0-beta1", "OpenTofu/1.10.0", "1.10.0-beta1"},
		{addrs.Terraform, "1.9.5", " ci/7\r\nX-Evil: 1 ", "HashiCorp Terraform/1.9.5 (+https://www.terraform.io) ci/7  X-Evil: 1", "Terraform/1.9.5 ci/7  X-Evil: 1", "1.9.5"},
		{addrs.OpenTofu, "", "", "OpenTofu/" + registry.DefaultToolVersion(addrs.OpenTofu), "OpenTofu/" + registry.DefaultToolVersion(addrs.OpenTofu),
			registry.DefaultToolVersion(addrs.OpenTofu)},
		{addrs.Terraform, "", "", "HashiCorp Terraform/" + registry.DefaultToolVersion(addrs.Terraform) + " (+https://www.terraform.io)",
			"Terraform/" + registry.DefaultToolVersion(addrs.Terraform), registry.DefaultToolVersion(addrs.Terraform)},
	} {
		t.Run(string(test.tool)+test.version, func(t *testing.T) {
			t.Parallel()
			reg, _, _ := newRegistry(t)
			client := newToolClient(reg, test.tool, test.version, "TF_APPEND_USER_AGENT="+test.append)
			if _, err := client.Versions(context.Background(), widget); err != nil {
				t.Fatal(err)
			}
			if _, err := client.Download(context.Background(), widget, "1.4.0", linux); err != nil {
				t.Fatal(err)
			}
			for _, r := range reg.Select(noConnects) {
				agent, version, accept := test.request, test.header, ""
				if r.Endpoint == fixture.EndpointDiscovery {
					agent, version, accept = test.discovery, "", "application/json"
				}
				if r.UserAgent != agent || r.TerraformVersion != version || r.Accept != accept || r.Method != "GET" {
					t.Errorf("%s: User-Agent %q, X-Terraform-Version %q, Accept %q", r.Endpoint, r.UserAgent, r.TerraformVersion, r.Accept)
				}
			}
		})
	}
}

// TestTokens: the token of the provider's host goes to discovery and to the service URL, also on another host (R-CRED-15, R-DISC-15).
func TestTokens(t *testing.T) {
	t.Parallel()
	for _, service := range []string{"/v1/providers/", "https://api.other.dev/x/"} {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			reg, h, _ := newRegistry(t)
			h.SetServiceURL(service)
			auth := fixture.Auth{Token: "s3cret"}
			h.ExpectAuth(auth)
			reg.Host("api.other.dev").ExpectAuth(auth)
			client := newClient(reg, "TF_TOKEN_r_acme_dev=s3cret", "TF_TOKEN_api_other_dev=wrong")
			if _, err := client.Download(context.Background(), widget, "1.4.0", linux); err != nil {
				t.Fatal(err)
			}
			requests := reg.Select(noConnects)
			if len(requests) != 2 {
				t.Fatalf("%d requests, want 2", len(requests))
			}
			for _, r := range requests {
				if !r.AuthorizationOK {
					t.Errorf("%s %s came without the token", r.Host, r.Path)
				}
			}
		})
	}
}

// TestUnauthorized: the text says what was sent, which variable counts and what the server says, and never the token (R-REG status table).
func TestUnauthorized(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		environ []string
		fault   fixture.Fault
		parts   []string
		sent    bool
	}{
		{"no token", nil, fixture.Fault{Status: 401}, []string{"401 Unauthorized", "no token was sent", "TF_TOKEN_r_acme_dev"}, false},
		{"empty token", []string{"TF_TOKEN_r_acme_dev="}, fixture.Fault{Status: 401}, []string{"no token was sent, because TF_TOKEN_r_acme_dev is empty"}, false},
		{"refused", []string{"TF_TOKEN_r_acme_dev=s3cret"}, fixture.Fault{Status: 403, Body: []byte(`{"errors":["token s3cret may not\u001b[31m read this"]}`)},
			[]string{"403 Forbidden", "the token of TF_TOKEN_r_acme_dev was sent and refused", "the server says: token (token) may not [31m read this"}, true},
		{"long text", []string{"TF_TOKEN_r_acme_dev=s3cret"}, fixture.Fault{Status: 403, Body: []byte(strings.Repeat("s3cret ", 300))}, []string{"(token) (token)", "…"}, true},
		{"HTML", nil, fixture.Fault{Status: 401, Body: []byte("<html><b>login</b>")}, []string{"no token was sent: set the environment variable TF_TOKEN_r_acme_dev"}, false},
		{"other status", []string{"TF_TOKEN_r_acme_dev=s3cret"}, fixture.Fault{Status: 410, Body: []byte("gone, s3cret")}, []string{"410 Gone", "200 is wanted", "gone, (token)"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			reg, h, _ := newRegistry(t)
			h.Fail(fixture.EndpointDownload, test.fault)
			_, err := newClient(reg, test.environ...).Download(context.Background(), widget, "1.4.0", linux)
			if err == nil {
				t.Fatal("no error")
			}
			wantKind := problem.Unauthorized
			if test.fault.Status == 410 {
				wantKind = problem.Response
			}
			if kind := problem.KindOf(err); kind != wantKind {
				t.Errorf("kind %q, want %q", kind, wantKind)
			}
			text := err.Error()
			for _, part := range test.parts {
				if !strings.Contains(text, part) {
					t.Errorf("message %q lacks %q", text, part)
				}
			}
			if strings.Contains(text, "s3cret") || strings.ContainsRune(text, 0x1b) || strings.Contains(text, "<") || len(text) > 900 {
				t.Errorf("message %q", text)
			}
			for _, r := range reg.Select(fixture.Filter{Endpoint: fixture.EndpointDownload}) {
				if r.HasAuthorization != test.sent {
					t.Errorf("Authorization sent: %t, want %t", r.HasAuthorization, test.sent)
				}
			}
		})
	}
}

// TestServicePaths: endpoints are relative references to the service URL (R-DISC-13, B18); where that is a 404 because the registry forgot
// the last slash, the whole URL is the base (B16).
func TestServicePaths(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, service string
		serveAt       string // another place than where R-DISC-13 leads
		paths         []string
	}{
		{"slash", "/api/tf/providers/", "", []string{"/api/tf/providers/acme/widget/versions", "/api/tf/providers/acme/widget/1.4.0/download/linux/amd64"}},
		{"no slash", "/api/tf/providers", "", []string{"/api/tf/acme/widget/versions", "/api/tf/acme/widget/1.4.0/download/linux/amd64"}},
		{"B16", "/api/tf/providers", "/api/tf/providers/", []string{"/api/tf/acme/widget/versions", "/api/tf/providers/acme/widget/versions",
			"/api/tf/providers/acme/widget/1.4.0/download/linux/amd64"}},
		{"relative to the document", "p/", "", []string{"/.well-known/p/acme/widget/versions", "/.well-known/p/acme/widget/1.4.0/download/linux/amd64"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			reg, h, _ := newRegistry(t)
			if test.serveAt == "" {
				h.SetServiceURL(test.service)
			} else {
				h.SetServiceURL(test.serveAt)
				h.SetDiscovery(200, "application/json", `{"providers.v1":"`+test.service+`"}`)
			}
			client := newClient(reg)
			if _, err := client.Versions(context.Background(), widget); err != nil {
				t.Fatal(err)
			}
			if _, err := client.Download(context.Background(), widget, "1.4.0", linux); err != nil {
				t.Fatal(err)
			}
			var paths []string
			for _, r := range reg.Select(noConnects)[1:] {
				paths = append(paths, r.Path)
			}
			if got, want := strings.Join(paths, "\n"), strings.Join(test.paths, "\n"); got != want {
				t.Errorf("paths\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestProtocolMismatch is R-REG-12 and R-REG-14: the version list is fetched once more to name a version that would do.
func TestProtocolMismatch(t *testing.T) {
	t.Parallel()
	reg, _, p := newRegistry(t)
	for version, protocols := range map[string][]string{"1.0.0": {"5.0"}, "1.1.0": {"4.0", "5.1"}, "1.2.0": {"4.0"}, "2.0.0": {"7.0"}} {
		p.Version(version, fixture.Platforms("linux_amd64", "darwin_arm64")).Protocols(protocols...)
	}
	p.Version("1.4.0", nil).Protocols("4.0")
	client := newClient(reg)
	for _, platform := range []platforms.Platform{linux, {OS: "darwin", Arch: "arm64"}} {
		_, err := client.Download(context.Background(), widget, "2.0.0", platform)
		if err == nil || problem.KindOf(err) != problem.Protocol || !strings.Contains(err.Error(), "protocol 7.0") ||
			!strings.Contains(err.Error(), `version 1.1.0 does: write "r.acme.dev/acme/widget:1.1.0"`) {
			t.Errorf("error %v, want protocol 7.0 and version 1.1.0", err)
		}
	}
	if n := reg.Count(fixture.Filter{Endpoint: fixture.EndpointVersions}); n != 1 {
		t.Errorf("%d version lists, want 1", n)
	}
}

// TestSettings is R-REG-4: the tools' variables count if they are positive integers.
func TestSettings(t *testing.T) {
	t.Parallel()
	for value, requests := range map[string]int{"": 2, "0": 2, "-1": 2, "x": 2, "1.5": 2, "3": 4} {
		reg, h, _ := newRegistry(t)
		h.Fail(fixture.EndpointVersions, fixture.Fault{Status: 502})
		_, err := newClient(reg, "TF_REGISTRY_DISCOVERY_RETRY="+value).Versions(context.Background(), widget)
		if n := reg.Count(fixture.Filter{Endpoint: fixture.EndpointVersions}); n != requests || problem.KindOf(err) != problem.Network {
			t.Errorf("TF_REGISTRY_DISCOVERY_RETRY=%s: %d requests, %v; want %d and a network error", value, n, err, requests)
		}
	}
}

// TestPolicy is R-REG-4 for both variables: anything but a positive integer is as if it were not set, and no number overflows.
func TestPolicy(t *testing.T) {
	t.Parallel()
	const longest = math.MaxInt32
	for value, want := range map[string]int{
		"": 0, "0": 0, "-1": 0, "x": 0, "1.5": 0, " 3": 0, "3s": 0, "0x10": 0, "1e3": 0, "99999999999999999999": 0, "\u0663": 0,
		"1": 1, "3": 3, "+3": 3, "007": 7, "3600": 3600, "9223372036854775807": longest, "10000000000": longest,
	} {
		policy := registry.Policy(func(string) string { return value })
		retries, timeout := 1, 10*time.Second
		if want > 0 {
			retries, timeout = want, time.Duration(want)*time.Second
		}
		if policy.Retries != retries || policy.Timeout != timeout || policy.MinBackoff != time.Second || policy.MaxBackoff != 30*time.Second || policy.Redirects != 10 {
			t.Errorf("%q: %+v, want %d retries and %v", value, policy, retries, timeout)
		}
	}
}

// TestDiscoveryAttempts is R-DISC-5: the variable with that name does not change how often discovery is asked.
func TestDiscoveryAttempts(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "1", "9"} {
		reg, h, _ := newRegistry(t)
		h.Fail(fixture.EndpointDiscovery, fixture.Fault{Status: 500})
		_, err := newClient(reg, "TF_REGISTRY_DISCOVERY_RETRY="+value).Versions(context.Background(), widget)
		if n := reg.Count(noConnects); n != 4 || problem.KindOf(err) != problem.Network {
			t.Errorf("TF_REGISTRY_DISCOVERY_RETRY=%s: %d requests, %v; want 4 and a network error", value, n, err)
		}
	}
}

// TestUnicodePath is R-ADDR-15: namespace and type are normalised Unicode, percent-encoded in the URL, and a host is punycode.
func TestUnicodePath(t *testing.T) {
	t.Parallel()
	p, err := addrs.Parse("bücher.example/Straße/Ünï", addrs.Terraform)
	if err != nil {
		t.Fatal(err)
	}
	reg := fixture.Start(t)
	reg.Host("xn--bcher-kva.example").Provider("straße/ünï").Version("1.0.0", fixture.Platforms("linux_amd64"))
	client := newClient(reg)
	list, err := client.Versions(t.Context(), p)
	if err != nil || len(list.Versions) != 1 {
		t.Errorf("list %+v, %v", list, err)
	}
	_, err = client.Download(t.Context(), p, "1.0.1", linux)
	if err == nil || !strings.Contains(err.Error(), "https://xn--bcher-kva.example/v1/providers/stra%C3%9Fe/%C3%BCn%C3%AF/1.0.1/download/linux/amd64") {
		t.Errorf("error %v, want the encoded address", err)
	}
	for _, r := range reg.Select(noConnects)[1:] {
		if r.Host != "xn--bcher-kva.example" || !strings.HasPrefix(r.Path, "/v1/providers/straße/ünï/") {
			t.Errorf("request to %s %s", r.Host, r.Path)
		}
	}
}

// TestAnsweredOnce: a client asks each question once, failures too (R-DISC-14).
func TestAnsweredOnce(t *testing.T) {
	t.Parallel()
	reg, _, p := newRegistry(t)
	p.Fail(fixture.EndpointVersions, fixture.Fault{Status: 404})
	client := newClient(reg)
	for range 3 {
		if _, err := client.Versions(context.Background(), widget); problem.KindOf(err) != problem.NotFound {
			t.Errorf("error %v, want not_found", err)
		}
		if _, err := client.Download(context.Background(), widget, "1.4.0", linux); err != nil {
			t.Error(err)
		}
		_, err := client.Download(context.Background(), widget, "1.4.1", linux)
		if problem.KindOf(err) != problem.Platform || !strings.Contains(err.Error(), "linux_amd64") {
			t.Errorf("error %v, want platform", err)
		}
	}
	if n := reg.Count(noConnects); n != 4 {
		t.Errorf("%d requests, want discovery, a list and two downloads", n)
	}
}
