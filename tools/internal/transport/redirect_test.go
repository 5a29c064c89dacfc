package transport_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tools/internal/transport"
)

func redirect(to string) step {
	return step{status: http.StatusFound, header: http.Header{"Location": {to}}}
}

// TestTokenOnRedirects is design §3.3 (stricter than R-CRED-17): the token goes to the same scheme, host and port only.
func TestTokenOnRedirects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		start  string
		hops   []string
		tokens []bool // of each request
	}{
		{"none", "https://h.example/a", nil, []bool{true}},
		{"same origin", "https://h.example/a", []string{"/b", "https://h.example/c"}, []bool{true, true, true}},
		{"same origin with the default port", "https://h.example/a", []string{"https://h.example:443/b"}, []bool{true, true}},
		{"other host", "https://h.example/a", []string{"https://cdn.example/b"}, []bool{true, false}},
		{"subdomain", "https://h.example/a", []string{"https://sub.h.example/b"}, []bool{true, false}},
		{"other port", "https://h.example/a", []string{"https://h.example:8443/b"}, []bool{true, false}},
		{"other scheme", "https://h.example/a", []string{"http://h.example/b"}, []bool{true, false}},
		{"there and back", "https://h.example/a", []string{"https://cdn.example/b", "https://h.example/c"}, []bool{true, false, false}},
		{"plain http", "http://h.example/a", nil, []bool{false}},
		{"plain http to loopback", "http://127.0.0.1:8080/a", nil, []bool{true}},
		{"plain http to localhost", "http://localhost:8080/a", nil, []bool{true}},
		{"plain http to IPv6 loopback", "http://[::1]:8080/a", nil, []bool{true}},
		{"plain http to a name that begins with localhost", "http://localhost.example/a", nil, []bool{false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &script{}
			for _, hop := range test.hops {
				s.steps = append(s.steps, redirect(hop))
			}
			s.steps = append(s.steps, step{status: 200})
			client := transport.New(transport.Options{RoundTripper: s})
			response, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, test.start), Token: "s3cret", Policy: policy})
			if err != nil {
				t.Fatal(err)
			}
			var got []bool
			for _, r := range s.requests {
				got = append(got, r.Header.Get("Authorization") == "Bearer s3cret")
				if r.Header.Get("Authorization") == "" != !got[len(got)-1] || r.Header.Get("Referer") != "" {
					t.Errorf("headers %v", r.Header)
				}
			}
			if diff := cmp.Diff(test.tokens, got); diff != "" {
				t.Errorf("tokens (-want +got):\n%s", diff)
			}
			if response.TokenSent != got[len(got)-1] {
				t.Errorf("TokenSent = %t", response.TokenSent)
			}
		})
	}
}

// TestRedirects: the number is limited, relative targets resolve against the last URL, and odd targets are refused without a second try.
func TestRedirects(t *testing.T) {
	t.Parallel()
	loop := []step{redirect("/again")}
	three := policy
	three.Redirects = 3
	for _, test := range []struct {
		name     string
		policy   transport.Policy
		steps    []step
		final    string
		message  string
		requests int
	}{
		{"relative", policy, []step{redirect("b/c"), redirect("d?x=1#f"), {status: 200}}, "https://h.example/b/d?x=1", "", 3},
		{"R-REG-6 ten", policy, loop, "", "more than 10 redirects", 11},
		{"R-DISC-6 three", three, loop, "", "more than 3 redirects", 4},
		{"scheme", policy, []step{redirect("ftp://h.example/")}, "", `scheme "ftp"`, 1},
		{"long scheme", policy, []step{redirect(strings.Repeat("a", 60000) + "://h.example/")}, "", `scheme "aaaaaaaaaaaaaaaaaaaa…"`, 1},
		{"user", policy, []step{redirect("https://user:SECRET@h.example/")}, "", "user name", 1},
		{"no URL", policy, []step{redirect("https://h.example:SECRET/")}, "", "not a URL", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			response, s, _, err := get(t, test.policy, test.steps...)
			if len(s.requests) != test.requests {
				t.Errorf("%d requests, want %d", len(s.requests), test.requests)
			}
			if test.message == "" {
				if err != nil || response.FinalURL.String() != test.final {
					t.Errorf("Get = %+v, %v, want the final URL %s", response, err, test.final)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.message) || strings.Contains(err.Error(), "SECRET") || len(err.Error()) > 1000 {
				t.Errorf("error %v, want %q and no secret", err, test.message)
			}
		})
	}
}
