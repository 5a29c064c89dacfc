package registry_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"rules_tf_mirror/tests/registry"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"software.sslmate.com/src/go-pkcs12"
)

// One question through the proxy is two lines in the log, with everything that tests ask about.
func TestLog(t *testing.T) {
	t.Parallel()
	reg, h, _ := widget(t)
	h.RequireToken("s3cret")
	body := wantStatus(t, reg.HTTPClient(), versionsURL+"?a=b", 200, "Authorization", "Bearer s3cret", "X-Terraform-Version", "1.9.5",
		"User-Agent", "Terraform/1.9.5", "Accept", "application/json", "Accept-Encoding", "identity")
	want := []registry.Request{
		{Host: acme, Method: "CONNECT", Path: acme + ":443", Endpoint: registry.EndpointConnect, Proto: "HTTP/1.1", Status: 200},
		{
			Host: acme, Scheme: "https", Method: "GET", Path: "/v1/providers/acme/widget/versions", HasQuery: true,
			Endpoint: registry.EndpointVersions, Provider: acme + "/acme/widget", Proto: "HTTP/2.0", HasAuthorization: true, AuthorizationOK: true,
			Headers:   []string{"Accept", "Accept-Encoding", "Authorization", "User-Agent", "X-Terraform-Version"},
			UserAgent: "Terraform/1.9.5", TerraformVersion: "1.9.5", Accept: "application/json", Status: 200, Bytes: int64(len(body)),
		},
	}
	got := reg.Requests()
	got[0].Headers, got[0].UserAgent = nil, "" // Go's affair
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(registry.Request{}, "Time")); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"connect": 1, "versions": 1}, reg.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	reg.Reset()
	if n := reg.Count(registry.Filter{}); n != 0 {
		t.Errorf("after Reset: found %d requests", n)
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	r := registry.Request{
		Host: "h", Method: "GET", Path: "/p", Endpoint: registry.EndpointZip, Provider: "h/n/t", Version: "1.0.0", Platform: "linux_amd64",
		Status: 200,
	}
	for name, tc := range map[string]struct {
		filter registry.Filter
		want   bool
	}{
		"everything":     {registry.Filter{}, true},
		"host":           {registry.Filter{Host: "h", Method: "GET", Path: "/p"}, true},
		"other host":     {registry.Filter{Host: "g"}, false},
		"provider":       {registry.Filter{Provider: "h/n/t", Version: "1.0.0", Platform: "linux_amd64"}, true},
		"other version":  {registry.Filter{Provider: "h/n/t", Version: "1.0.1"}, false},
		"status":         {registry.Filter{Status: 200}, true},
		"other status":   {registry.Filter{Status: 404}, false},
		"not connect":    {registry.Filter{NotEndpoint: registry.EndpointConnect}, true},
		"not zip":        {registry.Filter{NotEndpoint: registry.EndpointZip}, false},
		"condition":      {registry.Filter{Where: func(r registry.Request) bool { return r.Bytes == 0 }}, true},
		"no condition":   {registry.Filter{Where: func(registry.Request) bool { return false }}, false},
		"other endpoint": {registry.Filter{Endpoint: registry.EndpointSums}, false},
	} {
		if got := tc.filter.Match(r); got != tc.want {
			t.Errorf("%s: found %v, wanted %v", name, got, tc.want)
		}
	}
}

// Nobody reaches a host that the test did not make, but the log knows who tried.
func TestUnknownHost(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t, acme)
	if _, err := get(t, reg.HTTPClient(), "https://example.com/x"); err == nil || !strings.Contains(err.Error(), "Bad Gateway") {
		t.Errorf("found %v, wanted 502 from the proxy", err)
	}
	wantStatus(t, reg.HTTPClient(), "http://example.com/y", http.StatusBadGateway)
	// A loopback port that is not ours is not reachable through the proxy either.
	wantStatus(t, throughProxy(reg), "http://127.0.0.1:1/", http.StatusBadGateway)
	got := reg.Requests()
	if len(got) != 3 || reg.Counts()["connect"] != 3 {
		t.Fatalf("found %+v, wanted three connects", got)
	}
	for i, want := range []string{"example.com", "example.com", "127.0.0.1:1"} {
		if got[i].Host != want || got[i].Status != 502 {
			t.Errorf("found %+v, wanted host %s and status 502", got[i], want)
		}
	}
}

// throughProxy is a client that uses the proxy for loopback names too, as Bazel does.
func throughProxy(reg *registry.Registry) *http.Client {
	c := reg.HTTPClient()
	c.Transport.(*http.Transport).Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(reg.ProxyURL()) }
	return c
}

func TestPlainHTTPThroughProxy(t *testing.T) {
	t.Parallel()
	reg, _, v := widget(t)
	plain := strings.Replace(v.URL("linux_amd64"), "https://", "http://", 1)
	body := wantStatus(t, reg.HTTPClient(), plain, 200)
	if n := reg.Count(registry.Filter{Endpoint: registry.EndpointZip, Where: func(r registry.Request) bool {
		return r.Scheme == "http" && r.Bytes == int64(len(body))
	}}); n != 1 {
		t.Errorf("found %d such requests, wanted 1: %+v", n, reg.Requests())
	}
	if n := reg.Counts()["connect"]; n != 1 {
		t.Errorf("found %d connects, wanted 1", n)
	}
}

// The same registry without proxy, at a host with a port (R-TEST-2).
func TestLocalHost(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t)
	v := reg.Host(reg.LocalHost()).Provider("acme/widget").Version("1.0.0", registry.Platforms("linux_amd64"))
	for _, client := range []*http.Client{reg.HTTPClient(), throughProxy(reg)} {
		wantStatus(t, client, "https://"+reg.LocalHost()+"/.well-known/terraform.json", 200)
		body := wantStatus(t, client, "https://"+reg.LocalHost()+"/v1/providers/acme/widget/1.0.0/download/linux/amd64", 200)
		d := decode[downloadJSON](t, body)
		if want := "https://" + reg.LocalHost() + "/packages/"; !strings.HasPrefix(d.DownloadURL, want) || d.DownloadURL != v.URL("linux_amd64") {
			t.Errorf("found %s, wanted it below %s", d.DownloadURL, want)
		}
		wantStatus(t, client, d.DownloadURL, 200)
	}
	if n := reg.Count(registry.Filter{Host: reg.LocalHost(), NotEndpoint: registry.EndpointConnect}); n != 6 {
		t.Errorf("found %d requests, wanted 6", n)
	}
	if n := reg.Count(registry.Filter{Provider: reg.LocalHost() + "/acme/widget"}); n != 4 {
		t.Errorf("found %d requests for the provider, wanted 4", n)
	}
	wantStatus(t, reg.HTTPClient(), reg.URL()+"/.well-known/terraform.json", 200)
}

func TestPlainListener(t *testing.T) {
	t.Parallel()
	reg, h, v := widget(t)
	h.SetZipBase(reg.PlainURL())
	d := ask(t, reg)
	if d.DownloadURL != v.URL("linux_amd64") || !strings.HasPrefix(d.DownloadURL, reg.PlainURL()+"/") {
		t.Fatalf("found %s, wanted it below %s", d.DownloadURL, reg.PlainURL())
	}
	for _, client := range []*http.Client{http.DefaultClient, throughProxy(reg)} {
		wantStatus(t, client, d.DownloadURL, 200)
	}
}

func TestProtocols(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t, acme)
	for _, tc := range []struct {
		http1 bool
		proto string
	}{{false, "HTTP/2.0"}, {true, "HTTP/1.1"}} {
		reg.Host(acme).SetHTTP1Only(tc.http1)
		if r := mustGet(t, reg.HTTPClient(), discoveryURL); r.Proto != tc.proto {
			t.Errorf("found %s, wanted %s", r.Proto, tc.proto)
		}
		if n := reg.Count(registry.Filter{Where: func(r registry.Request) bool {
			return r.Endpoint == registry.EndpointDiscovery && r.Proto == tc.proto
		}}); n != 1 {
			t.Errorf("found %d requests with %s in the log, wanted 1", n, tc.proto)
		}
	}
}

func TestFilesForClients(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t, acme)
	certificate := func(path string) (last *x509.Certificate) {
		rest, err := os.ReadFile(path)
		for err == nil {
			var block *pem.Block
			if block, rest = pem.Decode(rest); block == nil {
				break
			}
			last, err = x509.ParseCertificate(block.Bytes)
		}
		if err != nil || last == nil {
			t.Fatalf("%s: found %v, %v, wanted certificates", path, last, err)
		}
		return last
	}
	ca := certificate(reg.CAFile())
	if last := certificate(reg.CABundleFile()); !last.Equal(ca) {
		t.Errorf("the bundle ends with %s, wanted the CA", last.Subject)
	}
	data, err := os.ReadFile(reg.TrustStoreFile())
	if err != nil {
		t.Fatal(err)
	}
	// Java opens it without a password, and with any.
	certs, err := pkcs12.DecodeTrustStore(data, "")
	if err != nil || len(certs) != 1 || !certs[0].Equal(ca) {
		t.Errorf("trust store: found %v, %v, wanted the CA", certs, err)
	}
	if info, err := os.Stat(strings.TrimSuffix(reg.CAFile(), "ca.pem") + "ca-key.pem"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the CA's key: %v, %v, wanted mode 0600", info, err)
	}
	env := reg.Env()
	for _, want := range []string{"HTTPS_PROXY=" + reg.ProxyURL(), "SSL_CERT_FILE=" + reg.CAFile(), "NO_PROXY="} {
		if !slices.Contains(env, want) {
			t.Errorf("Env lacks %s", want)
		}
	}
}

// A second registry in the same directory has the same CA, so that clients survive a restart.
func TestRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := registry.New(registry.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(first.CAFile())
	if err != nil {
		t.Fatal(err)
	}
	port := first.Port()
	first.Close()
	first.Close() // may be called twice
	if _, err := tls.Dial("tcp", strings.TrimPrefix(first.URL(), "https://"), nil); err == nil {
		t.Error("the closed registry answers")
	}
	second, err := registry.New(registry.Options{Dir: dir, Port: port})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	after, err := os.ReadFile(second.CAFile())
	if err != nil || string(after) != string(before) || second.Port() != port {
		t.Errorf("port %d, %v, wanted the same CA and port %d", second.Port(), err, port)
	}
	second.Host(acme)
	wantStatus(t, second.HTTPClient(), discoveryURL, 200)
}

func TestNewErrors(t *testing.T) {
	t.Parallel()
	if _, err := registry.New(registry.Options{}); err == nil || !strings.Contains(err.Error(), "Options.Dir") {
		t.Errorf("found %v, wanted an error about Options.Dir", err)
	}
	if _, err := registry.New(registry.Options{Dir: t.TempDir() + "/missing"}); err == nil {
		t.Error("a missing directory passes")
	}
	reg := registry.Start(t)
	if _, err := registry.New(registry.Options{Dir: t.TempDir(), Port: reg.Port()}); err == nil {
		t.Error("a port that is taken passes")
	}
}

func TestWaitCount(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t, acme)
	reg.Host(acme).Fail(registry.EndpointDiscovery, registry.Fault{Hang: true})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, discoveryURL, nil)
		if err == nil {
			_, err = reg.HTTPClient().Do(req)
		}
		done <- err
	}()
	if err := reg.WaitCount(t.Context(), registry.Filter{Endpoint: registry.EndpointDiscovery}, 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("found %v, wanted a cancelled request", err)
	}
	if err := reg.WaitCount(ctx, registry.Filter{}, 1000); !errors.Is(err, context.Canceled) {
		t.Errorf("found %v, wanted the error of the context", err)
	}
}
