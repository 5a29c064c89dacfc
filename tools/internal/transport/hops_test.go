package transport_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tools/internal/transport"
)

// hosts answers by host name; a host without a function answers 200.
type hosts map[string]func(*http.Request) step

func (h hosts) RoundTrip(r *http.Request) (*http.Response, error) {
	s := &script{steps: []step{{status: 200}}}
	if f := h[r.URL.Host]; f != nil {
		s.steps[0] = f(r)
	}
	return s.RoundTrip(r)
}

// TestThrottledAfterRedirect: a 429 closes the gate of the host that answered it, is blamed on it, and leaves the host that redirected alone.
func TestThrottledAfterRedirect(t *testing.T) {
	t.Parallel()
	c := newClock()
	client := transport.New(transport.Options{Now: c.now, Sleep: c.sleep, Jitter: even, RoundTripper: hosts{
		"h.example": func(r *http.Request) step {
			if r.URL.Path == "/away" {
				return redirect("https://cdn.example/b?sig=SECRET")
			}
			return step{status: 200}
		},
		"cdn.example": func(*http.Request) step {
			return step{status: 429, header: http.Header{"Retry-After": {"20"}}}
		},
	}})
	_, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, "https://h.example/away"), Policy: policy})
	want := "throttled: host cdn.example answers 429 Too Many Requests to https://cdn.example/b (tried 4 times)"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
	if diff := cmp.Diff([]time.Duration{20 * time.Second, 20 * time.Second, 20 * time.Second}, c.slept); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	c.slept = nil
	if _, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, "https://h.example/here"), Policy: policy}); err != nil || c.slept != nil {
		t.Errorf("the redirecting host is held back for %v: %v", c.slept, err)
	}
}

// TestGateAtHop: the gate of a redirect's target counts for requests that begin elsewhere, and waiting for it uses up no time limit.
func TestGateAtHop(t *testing.T) {
	t.Parallel()
	c := newClock()
	refuse := true
	client := transport.New(transport.Options{Now: c.now, Sleep: c.sleep, Jitter: even, RoundTripper: hosts{
		"h.example": func(*http.Request) step { return redirect("https://cdn.example/b") },
		"cdn.example": func(*http.Request) step {
			if refuse {
				refuse = false
				return step{status: 429, header: http.Header{"Retry-After": {"30"}}}
			}
			return step{status: 200}
		},
	}})
	limited := policy
	limited.Timeout = 10 * time.Second
	if _, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, "https://h.example/a"), Policy: limited}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]time.Duration{30 * time.Second}, c.slept); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

// TestTroubleAfterRedirect: a 5xx and a lost connection are blamed on the host where they happened.
func TestTroubleAfterRedirect(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer step
		want   string
	}{
		"status":     {step{status: 502}, "host cdn.example answers 502 Bad Gateway to https://cdn.example/b (tried 2 times)"},
		"connection": {step{err: errors.New("reset")}, "no answer from host cdn.example to https://cdn.example/b (tried 2 times): reset"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			client := transport.New(transport.Options{Now: c.now, Sleep: c.sleep, RoundTripper: hosts{
				"h.example":   func(*http.Request) step { return redirect("https://cdn.example/b") },
				"cdn.example": func(*http.Request) step { return test.answer },
			}})
			_, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, "https://h.example/a"), Policy: policy})
			if err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// TestLeftOrigin: an answer says whether any hop left the first origin, and whether anybody on the way could have written it.
func TestLeftOrigin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		start       string
		hops        []string
		left, clear bool
	}{
		{"none", "https://h.example/a", nil, false, false},
		{"same origin", "https://h.example/a", []string{"/b"}, false, false},
		{"other host", "https://h.example/a", []string{"https://cdn.example/b"}, true, false},
		{"there and back", "https://h.example/a", []string{"https://cdn.example/b", "https://h.example/c"}, true, false},
		{"through plain http and back", "https://h.example/a", []string{"http://h.example/b", "https://h.example/c"}, true, true},
		{"plain http to loopback", "http://127.0.0.1:1/a", nil, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &script{}
			for _, hop := range test.hops {
				s.steps = append(s.steps, redirect(hop))
			}
			s.steps = append(s.steps, step{status: 200})
			response, err := transport.New(transport.Options{RoundTripper: s}).Get(context.Background(), transport.Request{URL: mustParse(t, test.start), Policy: policy})
			if err != nil {
				t.Fatal(err)
			}
			if response.LeftOrigin != test.left || response.Clear != test.clear {
				t.Errorf("LeftOrigin %t, Clear %t, want %t, %t", response.LeftOrigin, response.Clear, test.left, test.clear)
			}
		})
	}
}

// TestJitter: a backoff moves by up to a quarter, and a gate opens up to half a second late, never early.
func TestJitter(t *testing.T) {
	t.Parallel()
	throttled := step{status: 429, header: http.Header{"Retry-After": {"4"}}}
	unavailable := step{status: 503, header: http.Header{"Retry-After": {"4"}}}
	for _, test := range []struct {
		name   string
		jitter float64
		first  step
		want   time.Duration
	}{
		{"backoff, lowest", -1, step{status: 500}, 750 * time.Millisecond},
		{"backoff, middle", 0, step{status: 500}, time.Second},
		{"backoff, high", 0.5, step{status: 500}, 1125 * time.Millisecond},
		{"gate, low", -1, throttled, 4500 * time.Millisecond},
		{"gate, middle", 0, throttled, 4 * time.Second},
		{"gate, high", 0.5, throttled, 4250 * time.Millisecond},
		{"503 with Retry-After", -0.5, unavailable, 4250 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			client := transport.New(transport.Options{RoundTripper: &script{steps: []step{test.first, {status: 200}}}, Now: c.now, Sleep: c.sleep,
				Jitter: func() float64 { return test.jitter }})
			if _, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, "https://h.example/"), Policy: policy}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]time.Duration{test.want}, c.slept); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
		})
	}
}
