package transport_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tools/internal/transport"
)

// TestRetries is R-REG-5: what is tried again, how often and after which wait.
func TestRetries(t *testing.T) {
	t.Parallel()
	ok := step{status: 200, body: "{}"}
	retryAfter := func(status int, text string) step {
		return step{status: status, header: http.Header{"Retry-After": {text}}}
	}
	patient := policy
	patient.Retries = 7
	second := time.Second
	for _, test := range []struct {
		name     string
		policy   transport.Policy
		steps    []step
		status   int // 0: error
		attempts int
		slept    []time.Duration
	}{
		{"good", policy, []step{ok}, 200, 1, nil},
		{"connection error", policy, []step{{err: errors.New("reset")}, ok}, 200, 2, []time.Duration{second}},
		{"connection error for ever", policy, []step{{err: errors.New("reset")}}, 0, 2, []time.Duration{second}},
		{"500", policy, []step{{status: 500}, ok}, 200, 2, []time.Duration{second}},
		{"599 for ever", policy, []step{{status: 599}}, 0, 2, []time.Duration{second}},
		{"501", policy, []step{{status: 501}, ok}, 0, 1, nil},
		{"404", policy, []step{{status: 404}, ok}, 404, 1, nil},
		{"410", policy, []step{{status: 410}, ok}, 410, 1, nil},
		{"204", policy, []step{{status: 204}, ok}, 204, 1, nil},
		{"302 without Location", policy, []step{{status: 302}, ok}, 302, 1, nil},
		{"backoff doubles to 30 s", patient, []step{{status: 502}}, 0, 8,
			[]time.Duration{second, 2 * second, 4 * second, 8 * second, 16 * second, 30 * second, 30 * second}},
		{"503 with Retry-After", policy, []step{retryAfter(503, "7"), ok}, 200, 2, []time.Duration{7 * second}},
		{"500 with Retry-After", policy, []step{retryAfter(500, "7"), ok}, 200, 2, []time.Duration{second}},
		{"Retry-After is capped", policy, []step{retryAfter(503, "86400"), ok}, 200, 2, []time.Duration{60 * second}},
		{"Retry-After is a date", policy, []step{retryAfter(503, "Fri, 02 Jan 2026 03:04:14 GMT"), ok}, 200, 2, []time.Duration{9 * second}},
		{"Retry-After is a past date", policy, []step{retryAfter(503, "Thu, 01 Jan 2026 03:04:14 GMT"), ok}, 200, 2, []time.Duration{0}},
		{"Retry-After is nonsense", policy, []step{retryAfter(503, "soon"), ok}, 200, 2, []time.Duration{second}},
		{"Retry-After is negative", policy, []step{retryAfter(503, "-7"), ok}, 200, 2, []time.Duration{second}},
		{"Retry-After is zero", policy, []step{retryAfter(503, "0"), ok}, 200, 2, []time.Duration{0}},
		{"Retry-After is no integer", policy, []step{retryAfter(503, "1.5"), ok}, 200, 2, []time.Duration{second}},
		{"Retry-After has white space", policy, []step{retryAfter(503, " 7 "), ok}, 200, 2, []time.Duration{7 * second}},
		{"Retry-After is larger than a number", policy, []step{retryAfter(503, "99999999999999999999999"), ok}, 200, 2, []time.Duration{60 * second}},
		{"Retry-After is a date far off", policy, []step{retryAfter(503, "Fri, 31 Dec 9999 23:59:59 GMT"), ok}, 200, 2, []time.Duration{60 * second}},
		{"Retry-After is a date of another form", policy, []step{retryAfter(503, "Friday, 02-Jan-26 03:04:14 GMT"), ok}, 200, 2, []time.Duration{9 * second}},
		{"429 with a negative Retry-After", policy, []step{retryAfter(429, "-7"), ok}, 200, 2, []time.Duration{second}},
		{"429 with a huge Retry-After", policy, []step{retryAfter(429, "99999999999999999999999"), ok}, 200, 2, []time.Duration{60 * second}},
		{"429 with a past date", policy, []step{retryAfter(429, "Thu, 01 Jan 2026 03:04:14 GMT"), ok}, 200, 2, nil},
		{"429 between 500s", policy, []step{{status: 500}, retryAfter(429, "2"), {status: 500}}, 0, 3, []time.Duration{second, 2 * second}},
		{"B28 429 twice", policy, []step{retryAfter(429, "1"), retryAfter(429, "1"), ok}, 200, 3, []time.Duration{second, second}},
		{"429 with a date", policy, []step{retryAfter(429, "Fri, 02 Jan 2026 03:04:14 GMT"), ok}, 200, 2, []time.Duration{9 * second}},
		{"429 without Retry-After", policy, []step{{status: 429}, {status: 429}, ok}, 200, 3, []time.Duration{second, 2 * second}},
		{"B30 429 for ever", policy, []step{retryAfter(429, "2")}, 0, 4, []time.Duration{2 * second, 2 * second, 2 * second}},
		{"bad certificate", policy, []step{{err: &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}}}, 0, 1, nil},
		{"unsupported scheme", policy, []step{{err: errors.New(`unsupported protocol scheme "ftp"`)}}, 0, 1, nil},
		{"too long body", policy, []step{{status: 200, body: strings.Repeat("x", 2000)}}, 0, 1, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			response, s, c, err := get(t, test.policy, test.steps...)
			if test.status == 0 {
				var failure *transport.Error
				if !errors.As(err, &failure) {
					t.Fatalf("error %v, want a *transport.Error", err)
				}
				if failure.Attempts != test.attempts {
					t.Errorf("the error says %d attempts, want %d", failure.Attempts, test.attempts)
				}
				if strings.Contains(err.Error(), "SECRET") {
					t.Errorf("the query is in the message: %s", err)
				}
			} else if err != nil || response.Status != test.status {
				t.Fatalf("Get = %+v, %v, want status %d", response, err, test.status)
			}
			if len(s.requests) != test.attempts {
				t.Errorf("%d requests, want %d", len(s.requests), test.attempts)
			}
			if diff := cmp.Diff(test.slept, c.slept); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
		})
	}
}

// TestThrottledText is B30: the message says throttled, by whom and how often it was tried.
func TestThrottledText(t *testing.T) {
	t.Parallel()
	_, _, _, err := get(t, policy, step{status: 429})
	var failure *transport.Error
	if !errors.As(err, &failure) || !failure.Throttled || failure.Status != 429 {
		t.Fatalf("error %#v, want a throttled one", err)
	}
	want := "throttled: host h.example answers 429 Too Many Requests to https://h.example/a (tried 4 times)"
	if got := err.Error(); got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

// limited answers 429 to what exceeds n requests in a second of a clock, per host.
type limited struct {
	clock *clock
	n     int

	mu     sync.Mutex
	start  map[string]time.Time
	served map[string]int
	status map[string]map[int]int // by host and status
}

func (l *limited) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	host, now := r.URL.Host, l.clock.now()
	if now.Sub(l.start[host]) >= time.Second {
		l.start[host], l.served[host] = now, 0
	}
	if l.status[host] == nil {
		l.status[host] = map[int]int{}
	}
	response := &http.Response{StatusCode: 200, Header: http.Header{}, Body: http.NoBody, Request: r}
	if strings.HasPrefix(host, "slow") {
		if l.served[host]++; l.served[host] > l.n {
			response.StatusCode, response.Header = 429, http.Header{"Retry-After": {"1"}}
		}
	}
	l.status[host][response.StatusCode]++
	return response, nil
}

// TestGate is B29: a fan-out against a host with a low limit finishes although each request may be turned away more often than its own
// budget allows, and another host is not held up.
func TestGate(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := &limited{clock: c, n: 10, start: map[string]time.Time{}, served: map[string]int{}, status: map[string]map[int]int{}}
	client := transport.New(transport.Options{RoundTripper: l, Now: c.now, Sleep: c.sleep})
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			host := []string{"slow.example", "free.example"}[i%2]
			_, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, fmt.Sprintf("https://%s/%d", host, i)), Policy: policy})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := l.status["slow.example"][200]; got != 100 {
		t.Errorf("%d answers of the slow host, want 100", got)
	}
	if got := l.status["free.example"]; got[200] != 100 || got[429] != 0 {
		t.Errorf("the free host answered %v, want 100 times 200", got)
	}
}

// TestCancel: a cancelled context ends a request and its waits with the cause.
func TestCancel(t *testing.T) {
	t.Parallel()
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &script{steps: []step{{status: 503}}}
	client := transport.New(transport.Options{RoundTripper: s, Sleep: func(ctx context.Context, _ time.Duration) error {
		cancel(stop)
		return context.Cause(ctx)
	}})
	_, err := client.Get(ctx, transport.Request{URL: mustParse(t, "https://h.example/"), Policy: policy})
	if !errors.Is(err, stop) {
		t.Errorf("error %v, want the cause %v", err, stop)
	}
	if _, err = client.Get(ctx, transport.Request{URL: mustParse(t, "https://h.example/"), Policy: policy}); !errors.Is(err, stop) {
		t.Errorf("error %v of a request after the end, want the cause", err)
	}
	if len(s.requests) != 1 {
		t.Errorf("%d requests, want 1", len(s.requests))
	}
}
