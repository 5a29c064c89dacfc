package ocimirror_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rules_tf_mirror/tools/internal/ocimirror"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/transport"
)

// impatient is a mirror at a server whose answers a function makes, with a clock that only sleeping moves; it returns the waits.
func impatient(t *testing.T, timeout time.Duration, handle http.HandlerFunc) (*ocimirror.Mirror, func() []time.Duration) {
	server := httptest.NewTLSServer(handle)
	t.Cleanup(server.Close)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var slept []time.Duration
	limited := policy
	limited.Timeout = timeout
	m, err := ocimirror.New(ocimirror.Options{
		Template: strings.TrimPrefix(server.URL, "https://") + "/tf/${hostname}/${namespace}/${type}",
		Transport: transport.New(transport.Options{
			RoundTripper: server.Client().Transport,
			Now:          func() time.Time { return now },
			Sleep: func(ctx context.Context, d time.Duration) error {
				slept, now = append(slept, d), now.Add(d)
				return ctx.Err()
			},
			Jitter: func() float64 { return 0 },
		}),
		Policy: limited,
		Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, func() []time.Duration { return slept }
}

// TestRetryAfter is B28: an OCI registry that asks for 20 seconds gets them, and one that answers nobody is said to throttle.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		refuse  int32
		message string
		slept   []time.Duration
	}{
		{"once", 1, "", []time.Duration{20 * time.Second}},
		{"for ever", 99, "(tried 4 times)", []time.Duration{20 * time.Second, 20 * time.Second, 20 * time.Second}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			m, slept := impatient(t, 10*time.Second, func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) <= test.refuse {
					w.Header().Set("Retry-After", "20")
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				_, _ = w.Write([]byte(`{"name":"x","tags":["1.4.0"]}`))
			})
			list, err := m.Versions(t.Context(), widget(t))
			switch {
			case test.message == "" && (err != nil || !slices.Equal(list.Texts(), []string{"1.4.0"})):
				t.Errorf("Versions = %v, %v", list, err)
			case test.message != "" && (problem.KindOf(err) != problem.Network || !strings.Contains(err.Error(), "throttled: host 127.0.0.1") || !strings.Contains(err.Error(), test.message)):
				t.Errorf("error %v, want throttled and %q", err, test.message)
			}
			if !slices.Equal(slept(), test.slept) {
				t.Errorf("waits %v, want %v", slept(), test.slept)
			}
		})
	}
}

// TestSilentRegistry: one that takes the connection and says nothing is given up after the time limit, with a text that names the setting.
func TestSilentRegistry(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	m, _ := impatient(t, 50*time.Millisecond, func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		<-r.Context().Done()
	})
	_, err := m.Versions(t.Context(), widget(t))
	want := "(tried 2 times): no complete answer within the time limit of 50ms; a larger TF_REGISTRY_CLIENT_TIMEOUT"
	if problem.KindOf(err) != problem.Network || !strings.Contains(err.Error(), want) || asked.Load() != 2 {
		t.Errorf("%d requests, error %v, want %q", asked.Load(), err, want)
	}
}
