package download

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var content = bytes.Repeat([]byte("package "), 20_000)

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// server logs every request it answers with handler.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
}

func start(t *testing.T, handler http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r)
		s.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) log() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// get fetches from a server with a client that never waits and knows no environment but env.
func get(t *testing.T, address, wanted string, env map[string]string) (*File, string, error) {
	t.Helper()
	dir := t.TempDir()
	client := New(Options{
		Getenv: func(name string) string { return env[name] },
		Sleep:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	file, err := client.Get(t.Context(), Request{URL: parse(t, address), SHA256: wanted, Dir: dir})
	if err != nil {
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	return file, dir, err
}

func parse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func serve(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) }

func TestGet(t *testing.T) {
	t.Parallel()
	s := start(t, serve)
	file, dir, err := get(t, s.URL+"/p.zip", sum(content), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file.Path)
	if err != nil || !bytes.Equal(got, content) || file.Bytes != int64(len(content)) || filepath.Dir(file.Path) != dir {
		t.Errorf("got %+v with %d bytes, %v", file, len(got), err)
	}
	// B03: one GET, no HEAD. F14: no credentials of any kind.
	if log := s.log(); len(log) != 1 || log[0].Method != "GET" || log[0].Header.Get("Authorization") != "" {
		t.Errorf("requests: %v", log)
	}
}

// C05, C06: wrong bytes are refused with both hashes, kept nowhere, and not asked for again.
func TestWrongContent(t *testing.T) {
	t.Parallel()
	s := start(t, serve)
	wanted := strings.Repeat("0", 64)
	_, _, err := get(t, s.URL+"/p.zip?signature=s3cret", wanted, nil)
	var mismatch *HashError
	if !errors.As(err, &mismatch) {
		t.Fatalf("got %v, want a *HashError", err)
	}
	if text := err.Error(); !strings.Contains(text, wanted) || !strings.Contains(text, sum(content)) || strings.Contains(text, "s3cret") {
		t.Errorf("text %q must name both hashes and no query", text)
	}
	if n := len(s.log()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// B21: a compressed transfer is decoded, and the hash is over the decoded zip.
func TestCompressedTransfer(t *testing.T) {
	t.Parallel()
	s := start(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		gz := gzip.NewWriter(w)
		defer gz.Close()
		_, _ = gz.Write(content)
	})
	file, _, err := get(t, s.URL+"/p.zip", sum(content), nil)
	if err != nil || file.Bytes != int64(len(content)) {
		t.Errorf("got %+v, %v", file, err)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for status, test := range map[int]struct {
		requests int
		stale    bool
		text     string
	}{
		401: {1, false, "no token"},
		403: {1, true, "no token"},
		404: {1, true, "404 Not Found"},
		410: {1, true, "410 Gone"},
		204: {1, false, "204"},
		429: {3, false, "tried 3 times"},
		500: {3, false, "500"},
		501: {1, false, "501"},
		503: {3, false, "503"},
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			s := start(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
			_, _, err := get(t, s.URL+"/p.zip?secret=1", sum(content), nil)
			var refused *StatusError
			if !errors.As(err, &refused) || refused.Status != status || refused.Stale() != test.stale {
				t.Fatalf("got %#v", err)
			}
			if text := err.Error(); !strings.Contains(text, test.text) || strings.Contains(text, "secret") {
				t.Errorf("text: %s", text)
			}
			if n := len(s.log()); n != test.requests {
				t.Errorf("%d requests, want %d", n, test.requests)
			}
		})
	}
}

// A server in trouble, a dropped connection and a short body (R-DL-2) are tried again, and a later good answer counts.
func TestRecovers(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]http.HandlerFunc{
		"500":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"429":     func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "1"); w.WriteHeader(429) },
		"dropped": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			_, _ = w.Write(content[:len(content)/2])
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var once sync.Once
			s := start(t, func(w http.ResponseWriter, r *http.Request) {
				failed := false
				once.Do(func() { failed = true; fail(w, r) })
				if !failed {
					serve(w, r)
				}
			})
			if _, dir, err := get(t, s.URL+"/p.zip", sum(content), nil); err != nil {
				t.Error(err)
			} else if files, _ := os.ReadDir(dir); len(files) != 1 {
				t.Errorf("files: %v", files)
			}
			if n := len(s.log()); n != 2 {
				t.Errorf("%d requests, want 2", n)
			}
		})
	}
}

func TestShortBodyForEver(t *testing.T) {
	t.Parallel()
	s := start(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		_, _ = w.Write(content[:len(content)/2])
		panic(http.ErrAbortHandler)
	})
	_, _, err := get(t, s.URL+"/p.zip", sum(content), nil)
	var network *Error
	if !errors.As(err, &network) || network.Attempts != 3 || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("got %v", err)
	}
}

func TestNoConnection(t *testing.T) {
	t.Parallel()
	s := start(t, serve)
	s.Close()
	_, _, err := get(t, s.URL+"/p.zip?secret=1", sum(content), nil)
	var network *Error
	if !errors.As(err, &network) || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

// An attempt without progress is given up and made again.
func TestStall(t *testing.T) {
	t.Parallel()
	var once sync.Once
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		stalled := false
		once.Do(func() {
			stalled = true
			_, _ = w.Write(content[:10])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})
		if !stalled {
			serve(w, r)
		}
	})
	client := New(Options{Stall: 200 * time.Millisecond, Getenv: func(string) string { return "" },
		Sleep: func(context.Context, time.Duration) error { return nil }})
	if _, err := client.Get(t.Context(), Request{URL: parse(t, s.URL), SHA256: sum(content), Dir: t.TempDir()}); err != nil {
		t.Error(err)
	}
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	s := start(t, serve)
	dir := t.TempDir()
	client := New(Options{MaxBytes: 1000, Getenv: func(string) string { return "" }})
	_, err := client.Get(t.Context(), Request{URL: parse(t, s.URL), SHA256: sum(content), Dir: dir})
	var network *Error
	if !errors.As(err, &network) || !strings.Contains(err.Error(), "longer than 1000 bytes") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	reason := errors.New("stopped by signal")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(content[:10])
		w.(http.Flusher).Flush()
		cancel(reason)
		<-r.Context().Done()
	})
	dir := t.TempDir()
	_, err := New(Options{}).Get(ctx, Request{URL: parse(t, s.URL), SHA256: sum(content), Dir: dir})
	if !errors.Is(err, reason) {
		t.Errorf("got %v, want the cause", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A failure of the local disk is neither a network error nor tried again.
func TestNoDirectory(t *testing.T) {
	t.Parallel()
	s := start(t, serve)
	client := New(Options{Getenv: func(string) string { return "" }})
	_, err := client.Get(t.Context(), Request{URL: parse(t, s.URL), SHA256: sum(content), Dir: filepath.Join(t.TempDir(), "absent")})
	var network *Error
	if !errors.Is(err, fs.ErrNotExist) || errors.As(err, &network) || len(s.log()) != 1 {
		t.Errorf("got %v after %d requests", err, len(s.log()))
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		serve(w, r)
	})
	var first, last, total int64 = -1, 0, 0
	client := New(Options{Getenv: func(string) string { return "" }})
	_, err := client.Get(t.Context(), Request{URL: parse(t, s.URL), SHA256: sum(content), Dir: t.TempDir(), Progress: func(received, all int64) {
		if first < 0 {
			first = received
		}
		if received < last {
			t.Errorf("progress fell from %d to %d", last, received)
		}
		last, total = received, all
	}})
	if want := int64(len(content)); err != nil || first != 0 || last != want || total != want {
		t.Errorf("first %d, last %d of %d, want 0, %d: %v", first, last, total, want, err)
	}
}
