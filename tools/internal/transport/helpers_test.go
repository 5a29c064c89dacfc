package transport_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"rules_tf_mirror/tools/internal/transport"
)

// clock is a time that only moves when somebody sleeps.
type clock struct {
	mu    sync.Mutex
	time  time.Time
	slept []time.Duration
}

func newClock() *clock { return &clock{time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slept = append(c.slept, d)
	c.time = c.time.Add(d)
	return ctx.Err()
}

// step is one answer of a scripted server: a status with an optional header, or an error.
type step struct {
	status int
	header http.Header
	body   string
	err    error
}

// script is a RoundTripper that answers with its steps in order, the last one for ever.
type script struct {
	mu       sync.Mutex
	steps    []step
	requests []*http.Request
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.steps[min(len(s.requests), len(s.steps)-1)]
	s.requests = append(s.requests, r)
	if next.err != nil {
		return nil, next.err
	}
	header := next.header
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: next.status, Header: header, Body: io.NopCloser(strings.NewReader(next.body)),
		ContentLength: int64(len(next.body)), Request: r}, nil
}

var policy = transport.Policy{Retries: 1, MinBackoff: time.Second, MaxBackoff: 30 * time.Second, Redirects: 10, MaxBytes: 1 << 10}

func mustParse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// even is a Jitter that changes nothing.
func even() float64 { return 0 }

// get asks a scripted server once.
func get(t *testing.T, p transport.Policy, steps ...step) (*transport.Response, *script, *clock, error) {
	t.Helper()
	s, c := &script{steps: steps}, newClock()
	client := transport.New(transport.Options{RoundTripper: s, Now: c.now, Sleep: c.sleep, Jitter: even})
	response, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, "https://h.example/a?sig=SECRET"), Policy: p})
	return response, s, c, err
}
