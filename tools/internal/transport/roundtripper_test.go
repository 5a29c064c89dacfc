package transport_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tools/internal/transport"
)

// TestRoundTripper: a foreign client's requests are as patient as ours, and their Retry-After closes the gate for all.
func TestRoundTripper(t *testing.T) {
	t.Parallel()
	retryAfter := func(status int, text string) step {
		return step{status: status, header: http.Header{"Retry-After": {text}}}
	}
	second := time.Second
	for _, test := range []struct {
		name    string
		method  string
		steps   []step
		status  int // 0: error
		message string
		bodies  []string
		slept   []time.Duration
	}{
		{"good", "GET", []step{{status: 200}}, 200, "", []string{""}, nil},
		{"404", "GET", []step{{status: 404}}, 404, "", []string{""}, nil},
		{"401 challenge", "GET", []step{{status: 401}}, 401, "", []string{""}, nil},
		{"501", "GET", []step{{status: 501}}, 501, "", []string{""}, nil},
		{"B28 long Retry-After", "GET", []step{retryAfter(429, "20"), {status: 200}}, 200, "", []string{"", ""}, []time.Duration{20 * second}},
		{"B30 429 for ever", "GET", []step{retryAfter(429, "20")}, 0, "throttled: host h.example answers 429 Too Many Requests to https://h.example/v2/ (tried 4 times)",
			[]string{"", "", "", ""}, []time.Duration{20 * second, 20 * second, 20 * second}},
		{"503 with Retry-After", "GET", []step{retryAfter(503, "9"), {status: 200}}, 200, "", []string{"", ""}, []time.Duration{9 * second}},
		{"500 for ever", "GET", []step{{status: 500}}, 0, "host h.example answers 500 Internal Server Error to https://h.example/v2/ (tried 2 times)", []string{"", ""}, []time.Duration{second}},
		{"connection error", "GET", []step{{err: errors.New("reset")}}, 0, "no answer from host h.example to https://h.example/v2/ (tried 2 times): reset", []string{"", ""}, []time.Duration{second}},
		{"a body is sent again", "POST", []step{{status: 502}, {status: 200}}, 200, "", []string{"login", "login"}, []time.Duration{second}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, c := &script{steps: test.steps}, newClock()
			var bodies []string
			spy := roundTrip(func(r *http.Request) (*http.Response, error) {
				text := []byte{}
				if r.Body != nil {
					text, _ = io.ReadAll(r.Body)
				}
				bodies = append(bodies, string(text))
				return s.RoundTrip(r)
			})
			client := transport.New(transport.Options{RoundTripper: spy, Now: c.now, Sleep: c.sleep, Jitter: even})
			var body io.Reader
			if test.method == "POST" {
				body = strings.NewReader("login")
			}
			r, err := http.NewRequestWithContext(t.Context(), test.method, "https://h.example/v2/?sig=SECRET", body)
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.RoundTripper(policy, time.Minute).RoundTrip(r)
			switch {
			case test.status == 0 && (err == nil || err.Error() != test.message):
				t.Errorf("error %v, want %q", err, test.message)
			case test.status != 0 && (err != nil || response.StatusCode != test.status):
				t.Errorf("RoundTrip = %v, %v, want %d", response, err, test.status)
			}
			if response != nil {
				response.Body.Close()
			}
			if diff := cmp.Diff(test.bodies, bodies); diff != "" {
				t.Errorf("bodies (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.slept, c.slept); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestRoundTripperSilence: a server that says nothing, before or within the answer, is given up.
func TestRoundTripperSilence(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path == "/body" {
			_, _ = w.Write([]byte("half"))
			w.(http.Flusher).Flush()
		}
		<-ended
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(ended) })
	c := newClock()
	client := transport.New(transport.Options{RoundTripper: server.Client().Transport, Now: c.now, Sleep: c.sleep})
	silent := policy
	silent.Timeout = 50 * time.Millisecond
	do := func(path string, p transport.Policy, stall time.Duration) (*http.Response, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return client.RoundTripper(p, stall).RoundTrip(r)
	}
	_, err := do("/head", silent, time.Minute)
	if err == nil || !strings.Contains(err.Error(), "(tried 2 times): no complete answer within the time limit of 50ms") || asked.Load() != 2 {
		t.Errorf("%d requests, error %v; want 2 and the time limit", asked.Load(), err)
	}
	response, err := do("/body", policy, 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); string(text) != "half" || err == nil || err.Error() != "nothing arrived for too long" {
		t.Errorf("body %q, error %v, want the half and that nothing arrived", text, err)
	}
}
