package discovery_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/discovery"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/transport"
)

// answers are redirects or documents by URL; what is not there fails as if the time limit were over.
type answers map[string]string

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	text, ok := a[r.URL.String()]
	if !ok {
		return nil, context.DeadlineExceeded
	}
	response := &http.Response{StatusCode: 302, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}
	if strings.HasPrefix(text, "{") {
		response.StatusCode, response.Header, response.Body = 200, http.Header{"Content-Type": {"application/json"}}, io.NopCloser(strings.NewReader(text))
	} else {
		response.Header.Set("Location", text)
	}
	return response, nil
}

func find(t *testing.T, a answers, timeout time.Duration) (discovery.Service, error) {
	return discovery.New(discovery.Options{
		Transport: transport.New(transport.Options{RoundTripper: a, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}), Credentials: credentials.None{},
		Timeout: timeout,
	}).Find(t.Context(), host, host)
}

// TestWithhold is design §3.3: after a redirect elsewhere, or through plain http, somebody else than the host says where its registry is, and
// must not get the host's token by that. What the host itself names over TLS gets it, as in the tools (R-DISC-15).
func TestWithhold(t *testing.T) {
	t.Parallel()
	const asked = "https://r.acme.dev/.well-known/terraform.json"
	document := func(url string) string { return fmt.Sprintf(`{"providers.v1":%q}`, url) }
	for _, test := range []struct {
		name     string
		answers  answers
		url      string
		withhold string // empty: the token may be sent
	}{
		{"own origin", answers{asked: document("/v1/")}, "https://r.acme.dev/v1/", ""},
		{"R-DISC-15 another host, named directly", answers{asked: document("https://api.acme.dev/v1/")}, "https://api.acme.dev/v1/", ""},
		{"redirect on the own origin", answers{asked: "/doc", "https://r.acme.dev/doc": document("https://api.acme.dev/v1/")}, "https://api.acme.dev/v1/", ""},
		{"default port", answers{asked: "https://r.acme.dev:443/doc", "https://r.acme.dev:443/doc": document("/v1/")}, "https://r.acme.dev:443/v1/", ""},
		{"another host, relative", answers{asked: "https://evil.test/doc", "https://evil.test/doc": document("/v1/")}, "https://evil.test/v1/",
			"is redirected to another host, and the service that it names is at https://evil.test/v1/"},
		{"another host, absolute", answers{asked: "https://evil.test/doc", "https://evil.test/doc": document("https://third.test/v1/")}, "https://third.test/v1/", "third.test"},
		{"another port", answers{asked: "https://r.acme.dev:8443/doc", "https://r.acme.dev:8443/doc": document("/v1/")}, "https://r.acme.dev:8443/v1/", "another host"},
		{"another host, which names the own origin", answers{asked: "https://cdn.test/doc", "https://cdn.test/doc": document("https://r.acme.dev/v1/")}, "https://r.acme.dev/v1/", ""},
		{"there and back", answers{asked: "https://cdn.test/doc", "https://cdn.test/doc": "https://r.acme.dev/doc", "https://r.acme.dev/doc": document("https://evil.test/v1/")},
			"https://evil.test/v1/", "another host"},
		{"plain http", answers{asked: "http://r.acme.dev/doc", "http://r.acme.dev/doc": document("https://evil.test/v1/")}, "https://evil.test/v1/", "plain http"},
		{"plain http, which names the own origin", answers{asked: "http://r.acme.dev/doc", "http://r.acme.dev/doc": document("https://r.acme.dev/uploads/mine/")},
			"https://r.acme.dev/uploads/mine/", "plain http"},
		{"through plain http and back", answers{asked: "http://r.acme.dev/doc", "http://r.acme.dev/doc": "https://r.acme.dev/doc2", "https://r.acme.dev/doc2": document("/v1/")},
			"https://r.acme.dev/v1/", "plain http"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := find(t, test.answers, 0)
			if err != nil || got.URL.String() != test.url {
				t.Fatalf("Find = %v, %v, want %s", got.URL, err, test.url)
			}
			if test.withhold == "" && got.Withhold != "" || !strings.Contains(got.Withhold, test.withhold) {
				t.Errorf("Withhold = %q, want %q", got.Withhold, test.withhold)
			}
			if got.Withhold != "" && !strings.Contains(got.Withhold, `host block "r.acme.dev"`) {
				t.Errorf("Withhold = %q names no remedy", got.Withhold)
			}
		})
	}
}

// TestTimeLimit is R-DISC-4: eleven seconds, or what the user allows for questions to registries if that is more; the message names the setting.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	for timeout, want := range map[time.Duration]string{0: "11s", 3 * time.Second: "11s", 40 * time.Second: "40s"} {
		_, err := find(t, answers{}, timeout)
		text := "no complete answer within the time limit of " + want + "; a larger TF_REGISTRY_CLIENT_TIMEOUT"
		if problem.KindOf(err) != problem.Network || !strings.Contains(err.Error(), text) {
			t.Errorf("Timeout %v: error %v, want %q", timeout, err, text)
		}
	}
}
