package transport_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rules_tf_mirror/tools/internal/transport"
)

// tlsServer starts a server with HTTP/2 and returns a client that trusts it, without waits.
func tlsServer(t *testing.T, handler http.HandlerFunc) (*httptest.Server, *transport.Client) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, transport.New(transport.Options{
		RoundTripper: server.Client().Transport,
		Sleep:        func(context.Context, time.Duration) error { return nil },
	})
}

// TestGzip is B21: compressed JSON without a length is decoded.
func TestGzip(t *testing.T) {
	t.Parallel()
	server, client := tlsServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, `{"a":1}`)
		z.Close()
	})
	response, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, server.URL), Policy: policy})
	if err != nil || string(response.Body) != `{"a":1}` {
		t.Errorf("Get = %+v, %v", response, err)
	}
}

// TestLimit: neither a declared nor an undeclared length, nor a compressed bomb, gets more than the limit into memory, and no second try.
func TestLimit(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 1<<20)
	for name, write := range map[string]func(w http.ResponseWriter){
		"declared":   func(w http.ResponseWriter) { w.Header().Set("Content-Length", "1048576"); io.WriteString(w, big) },
		"undeclared": func(w http.ResponseWriter) { w.(http.Flusher).Flush(); io.WriteString(w, big) },
		"compressed": func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, big)
			z.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			server, client := tlsServer(t, func(w http.ResponseWriter, r *http.Request) { requests.Add(1); write(w) })
			_, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, server.URL), Policy: policy})
			if err == nil || !strings.Contains(err.Error(), "longer than 1024 bytes") {
				t.Errorf("error %v, want the limit", err)
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

// TestTruncatedBody: a body that ends before its declared length is a connection error and tried again.
func TestTruncatedBody(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	server, client := tlsServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		if requests.Add(1) == 1 {
			io.WriteString(w, "12345")
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, "1234567890")
	})
	response, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, server.URL), Policy: policy})
	if err != nil || string(response.Body) != "1234567890" || requests.Load() != 2 {
		t.Errorf("Get = %+v, %v after %d requests", response, err, requests.Load())
	}
}

// TestUntrustedCertificate is R-REG-5: no second try.
func TestUntrustedCertificate(t *testing.T) {
	t.Parallel()
	server, _ := tlsServer(t, func(http.ResponseWriter, *http.Request) {})
	client := transport.New(transport.Options{RoundTripper: &http.Transport{}})
	_, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, server.URL), Policy: policy})
	var failure *transport.Error
	if !errors.As(err, &failure) || failure.Attempts != 1 || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("error %v, want one attempt and the certificate named", err)
	}
}

// TestTimeout: the time limit is for each attempt and covers the body.
func TestTimeout(t *testing.T) {
	t.Parallel()
	server, client := tlsServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	quick := policy
	quick.Timeout = 50 * time.Millisecond
	_, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, server.URL), Policy: quick})
	var failure *transport.Error
	if !errors.As(err, &failure) || failure.Attempts != 2 || !strings.Contains(err.Error(), "within the time limit") {
		t.Errorf("error %v, want a timeout after 2 attempts", err)
	}
}

// TestOneConnection: a burst of requests to a new host shares one HTTP/2 connection and is in flight together, bounded per host.
func TestOneConnection(t *testing.T) {
	t.Parallel()
	const burst, bound = 20, 8
	var inFlight, most, arrived atomic.Int32
	connections := map[string]bool{}
	var mu sync.Mutex
	release := make(chan struct{})
	server, _ := tlsServer(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		connections[r.RemoteAddr] = true
		mu.Unlock()
		n := inFlight.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if arrived.Add(1) == bound {
			close(release)
		}
		<-release // the first ones wait for each other: a client that sends fewer at once hangs
		inFlight.Add(-1)
	})
	client := transport.New(transport.Options{RoundTripper: server.Client().Transport, PerHost: bound})
	var group sync.WaitGroup
	for range burst {
		group.Go(func() {
			if _, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, server.URL), Policy: policy}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if most.Load() > bound || arrived.Load() != burst {
		t.Errorf("%d requests, at most %d in flight; want %d and %d", arrived.Load(), most.Load(), burst, bound)
	}
	if len(connections) != 1 {
		t.Errorf("%d connections, want 1", len(connections))
	}
}

// TestProxyPassword: a proxy variable that cannot be read is not repeated.
func TestProxyPassword(t *testing.T) {
	t.Parallel()
	broken := &http.Transport{Proxy: func(*http.Request) (*url.URL, error) {
		return nil, errors.New(`invalid proxy address "http://user:SECRET@proxy:x": parse error`)
	}}
	client := transport.New(transport.Options{RoundTripper: broken, Sleep: func(context.Context, time.Duration) error { return nil }})
	_, err := client.Get(context.Background(), transport.Request{URL: mustParse(t, "https://h.example/"), Policy: policy})
	if err == nil || strings.Contains(err.Error(), "SECRET") || !strings.Contains(err.Error(), "HTTPS_PROXY") {
		t.Errorf("error %v, want the variable named and not its value", err)
	}
}
