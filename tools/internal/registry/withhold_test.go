package registry_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/transport"
)

// hijacked is a host whose discovery is redirected; it remembers which hosts saw a token. Every other question is answered with 401.
type hijacked struct {
	to, document string

	mu     sync.Mutex
	tokens []string
}

func (h *hijacked) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.Header.Get("Authorization") != "" {
		h.tokens = append(h.tokens, r.URL.Scheme+"://"+r.URL.Host+r.URL.Path)
	}
	response := &http.Response{StatusCode: 401, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}
	switch {
	case r.URL.Host == host && r.URL.Scheme == "https" && strings.HasPrefix(r.URL.Path, "/.well-known"):
		response.StatusCode = 302
		response.Header.Set("Location", h.to)
	case r.URL.String() == h.to:
		response.StatusCode = 200
		response.Header.Set("Content-Type", "application/json")
		response.Body = io.NopCloser(strings.NewReader(h.document))
	}
	return response, nil
}

// TestHijackedDiscovery is design §3.3: the token of a host goes neither to where its discovery is redirected nor to what is named there, and the
// refusal says so.
func TestHijackedDiscovery(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, to, document string
		message            string
	}{
		{"relative", "https://evil.test/d", `{"providers.v1":"/v1/providers/"}`, "is redirected to another host"},
		{"plain http", "http://r.acme.dev/d", `{"providers.v1":"https://evil.test/v1/"}`, "is redirected through plain http"},
		{"plain http, own path", "http://r.acme.dev/d", `{"providers.v1":"https://r.acme.dev/uploads/"}`, "is redirected through plain http"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := &hijacked{to: test.to, document: test.document}
			client := registry.New(registry.Options{
				Transport:   transport.New(transport.Options{RoundTripper: h, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}),
				Credentials: credentials.FromEnviron([]string{"TF_TOKEN_r_acme_dev=s3cret"}),
				Tool:        addrs.Terraform,
				Getenv:      func(string) string { return "" },
			})
			_, err := client.Versions(t.Context(), widget)
			if problem.KindOf(err) != problem.Unauthorized || !strings.Contains(err.Error(), "no token was sent: service discovery of host r.acme.dev "+test.message) {
				t.Errorf("error %v, want %q", err, test.message)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the token is in %v", err)
			}
			if len(h.tokens) != 1 || h.tokens[0] != "https://r.acme.dev/.well-known/terraform.json" {
				t.Errorf("the token was sent to %v, want discovery of its own host alone", h.tokens)
			}
		})
	}
}

// TestDiscoveryTimeout: the tools' variable is for discovery too.
func TestDiscoveryTimeout(t *testing.T) {
	t.Parallel()
	late := roundTrip(func(*http.Request) (*http.Response, error) { return nil, context.DeadlineExceeded })
	client := registry.New(registry.Options{
		Transport: transport.New(transport.Options{RoundTripper: late, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}),
		Tool:      addrs.Terraform,
		Getenv:    func(name string) string { return map[string]string{"TF_REGISTRY_CLIENT_TIMEOUT": "90"}[name] },
	})
	if err := client.Service(t.Context(), widget); err == nil || !strings.Contains(err.Error(), "within the time limit of 1m30s") {
		t.Errorf("error %v, want the limit of the variable", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
