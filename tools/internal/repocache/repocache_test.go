package repocache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const text = "the bytes of a package"

func sum(data string) string {
	s := sha256.Sum256([]byte(data))
	return hex.EncodeToString(s[:])
}

func open(t *testing.T, dir string) *Cache {
	t.Helper()
	cache, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cache.Close(); err != nil {
			t.Error(err)
		}
	})
	return cache
}

// put stores data under the given hash, whatever its own is.
func put(t *testing.T, cache *Cache, data, hash string) (string, error) {
	t.Helper()
	f, err := os.CreateTemp(cache.WorkDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(data); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return cache.Put(f.Name(), hash)
}

// The layout is Bazel's: a file at <dir>/content_addressable/sha256/<hex>/file, and nothing else after Close.
func TestLayout(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "by Open")
	cache, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, found, err := cache.Has(t.Context(), sum(text)); found || err != nil {
		t.Errorf("empty cache: %v, %v", found, err)
	}
	path, err := put(t, cache, text, sum(text))
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(dir, "content_addressable", "sha256", sum(text), "file")
	if got, err := os.ReadFile(want); path != want || string(got) != text || err != nil {
		t.Errorf("at %s: %q, %v", path, got, err)
	}
	if size, found, err := cache.Has(t.Context(), sum(text)); size != int64(len(text)) || !found || err != nil {
		t.Errorf("Has: %d, %v, %v", size, found, err)
	}
	if err := cache.Close(); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left in the cache: %v", entries)
	}
}

// Bazel trusts what it finds, so an entry with other bytes counts as missing and is replaced (C06).
func TestCorruptEntry(t *testing.T) {
	t.Parallel()
	cache := open(t, t.TempDir())
	if _, err := put(t, cache, "cut o", sum(text)); err != nil {
		t.Fatal(err)
	}
	if _, found, err := cache.Has(t.Context(), sum(text)); found || err != nil {
		t.Errorf("corrupt entry: %v, %v", found, err)
	}
	if _, err := put(t, cache, text, sum(text)); err != nil {
		t.Fatal(err)
	}
	if _, found, err := cache.Has(t.Context(), sum(text)); !found || err != nil {
		t.Errorf("replaced entry: %v, %v", found, err)
	}
}

// F29: several runs write the same entry while others read it; nobody sees half of it.
func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := strings.Repeat(text, 5000)
	var group sync.WaitGroup
	for range 8 {
		cache := open(t, dir)
		group.Go(func() {
			for range 5 {
				if _, err := put(t, cache, data, sum(data)); err != nil {
					t.Error(err)
				}
				if _, found, err := cache.Has(t.Context(), sum(data)); !found || err != nil {
					t.Errorf("Has: %v, %v", found, err)
				}
			}
		})
	}
	group.Wait()
	if entries, _ := os.ReadDir(filepath.Join(dir, "content_addressable", "sha256", sum(data))); len(entries) != 1 {
		t.Errorf("in the entry: %v", entries)
	}
}

func TestNoHash(t *testing.T) {
	t.Parallel()
	cache := open(t, t.TempDir())
	for _, hash := range []string{"", "..", strings.ToUpper(sum(text)), sum(text)[1:] + "/"} {
		if _, _, err := cache.Has(t.Context(), hash); err == nil {
			t.Errorf("Has(%q): want an error", hash)
		}
		if _, err := put(t, cache, text, hash); err == nil {
			t.Errorf("Put(%q): want an error", hash)
		}
	}
}

// A killed run leaves its work directory; a later run removes it, but not that of one which still works.
func TestAbandonedWork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{workPrefix + "old": 3 * abandoned, workPrefix + "new": time.Minute, "contents": 3 * abandoned} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(path, "x"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	removeAbandoned(dir, now)
	var names []string
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if got, want := strings.Join(names, " "), "contents "+workPrefix+"new"; got != want {
		t.Errorf("left: %s, want %s", got, want)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	reason := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	if _, _, err := open(t, t.TempDir()).Has(ctx, sum(text)); !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); err == nil {
		t.Error("a file is no cache")
	}
}
