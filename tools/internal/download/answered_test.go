package download

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestRefusedAfterRedirect: what a refusal says about credentials is true of the request that was answered, not of the first one.
func TestRefusedAfterRedirect(t *testing.T) {
	t.Parallel()
	refuse := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }
	second := start(t, refuse)
	first := start(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, second.URL+"/x?sig=s3cret", http.StatusFound)
		case "/same":
			http.Redirect(w, r, "/refused", http.StatusFound)
		default:
			refuse(w, r)
		}
	})
	env := writeNetrc(t, "machine "+hostOf(t, first.URL)+" login me password s3cret\n")
	for _, test := range []struct {
		path string
		env  map[string]string
		sent bool
		want string
	}{
		{"/refused", env, true, "the netrc entry of this host was sent and not accepted"},
		{"/same", env, true, "the netrc entry of this host was sent and not accepted"},
		{"/away", env, false, "that was host " + hostOf(t, second.URL) + ", after a redirect"},
		{"/away", nil, false, "that was host " + hostOf(t, second.URL) + ", after a redirect"},
		{"/refused", nil, false, "add \"machine " + hostOf(t, first.URL) + " login"},
	} {
		_, _, err := get(t, first.URL+test.path, sum(content), test.env)
		var status *StatusError
		if !errors.As(err, &status) || status.CredentialsSent != test.sent {
			t.Errorf("%s: error %#v, want CredentialsSent %t", test.path, err, test.sent)
			continue
		}
		if text := err.Error(); !strings.Contains(text, test.want) || strings.Contains(text, "s3cret") {
			t.Errorf("%s: %q, want %q", test.path, text, test.want)
		}
	}
}

// TestWaitsAreSpread: a backoff moves by up to a quarter; what the server named is never shortened.
func TestWaitsAreSpread(t *testing.T) {
	t.Parallel()
	named := &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"4"}}}
	for _, test := range []struct {
		jitter   float64
		attempt  int
		response *http.Response
		want     time.Duration
	}{
		{-1, 1, nil, 375 * time.Millisecond},
		{0, 1, nil, 500 * time.Millisecond},
		{0.5, 2, nil, 1125 * time.Millisecond},
		{-1, 1, named, 4500 * time.Millisecond},
		{0, 1, named, 4 * time.Second},
		{0.5, 1, named, 4250 * time.Millisecond},
	} {
		c := New(Options{RoundTripper: http.DefaultTransport, Jitter: func() float64 { return test.jitter }})
		if got := c.wait(test.attempt, test.response); got != test.want {
			t.Errorf("jitter %v, attempt %d: wait %v, want %v", test.jitter, test.attempt, got, test.want)
		}
	}
}

// TestNoFurtherAttempt: an unusable proxy variable is no trouble of the network, and an unknown authority says what to do.
func TestNoFurtherAttempt(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://user:s3cret@proxy:x")
	address := &url.URL{Scheme: "https", Host: "archive.example", Path: "/x.zip"}
	waits := 0
	c := New(Options{Getenv: func(string) string { return "" }, Sleep: func(context.Context, time.Duration) error { waits++; return nil }})
	_, err := c.Get(t.Context(), Request{URL: address, SHA256: sum(content), Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "the environment variable HTTPS_PROXY holds no usable URL of a proxy") || strings.Contains(err.Error(), "s3cret") || waits != 0 {
		t.Errorf("error %v after %d waits, want the variable named and no wait", err, waits)
	}
	private := &Error{URL: "https://archive.example/x.zip", Attempts: 1, Err: x509.UnknownAuthorityError{}}
	if text := private.Error(); !strings.Contains(text, "authority") || !strings.Contains(text, "; if this is your organisation's own authority") {
		t.Errorf("message %q, want advice", text)
	}
}
