// Package repocache writes into a Bazel repository cache, the directory of --repository_cache.
//
// Bazel finds a file by its SHA-256 alone, as <dir>/content_addressable/sha256/<hex>/file, and trusts an entry without hashing it first: so an
// entry appears whole or not at all, and never under a hash that its bytes do not have (C06). Bazel servers and other runs of tfmirror
// may write the same entry at the same time (F29): everybody prepares a file of their own and renames it, and it does not matter who is last.
package repocache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"rules_tf_mirror/tools/internal/hashes"
)

// Cache is one repository cache. Use Open, and Close when done.
type Cache struct {
	dir  string
	work string // our own directory for files that are not entries yet, on the same file system
}

const (
	workPrefix = "tfmirror-tmp-"
	// abandoned is the age at which the work directory of another run is taken for a remnant of a killed one.
	abandoned = 48 * time.Hour
)

// Open makes the directory if it is missing.
func Open(dir string) (*Cache, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(abs, 0o755); err != nil {
		return nil, fmt.Errorf("repository cache: %w", err)
	}
	removeAbandoned(abs, time.Now())
	work, err := os.MkdirTemp(abs, workPrefix)
	if err != nil {
		return nil, fmt.Errorf("repository cache: %w", err)
	}
	return &Cache{dir: abs, work: work}, nil
}

// removeAbandoned is best effort: what cannot be removed does not hinder.
func removeAbandoned(dir string, now time.Time) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && entry.IsDir() && strings.HasPrefix(entry.Name(), workPrefix) && now.Sub(info.ModTime()) > abandoned {
			_ = os.RemoveAll(filepath.Join(dir, entry.Name()))
		}
	}
}

// Close removes files that did not become entries.
func (c *Cache) Close() error { return os.RemoveAll(c.work) }

// WorkDir is where files are to be made that Put takes. Close removes it.
func (c *Cache) WorkDir() string { return c.work }

var hexPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Path returns where Bazel looks for the file with this SHA-256 (lower-case hex).
func (c *Cache) Path(sha256 string) string {
	return filepath.Join(c.dir, "content_addressable", "sha256", sha256, "file")
}

// Has looks for an entry and hashes it. It returns the size in bytes and true for a good entry. A missing one and one with other bytes
// than its name says are both false: Put replaces the latter.
func (c *Cache) Has(ctx context.Context, sha256 string) (int64, bool, error) {
	if !hexPattern.MatchString(sha256) {
		return 0, false, fmt.Errorf("repository cache: %q is not 64 lower-case hex digits", sha256)
	}
	if err := ctx.Err(); err != nil {
		return 0, false, context.Cause(ctx)
	}
	path := c.Path(sha256)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && !info.Mode().IsRegular()) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("repository cache: %w", err)
	}
	found, err := hashes.FileSHA256(path)
	if err != nil {
		return 0, false, fmt.Errorf("repository cache: %w", err)
	}
	return info.Size(), found == sha256, nil
}

// Put makes the file at path, which must be in WorkDir and have this SHA-256, the cache's entry, and returns the entry's path. The bytes
// reach the disk before the name does.
func (c *Cache) Put(path, sha256 string) (string, error) {
	if !hexPattern.MatchString(sha256) {
		return "", fmt.Errorf("repository cache: %q is not 64 lower-case hex digits", sha256)
	}
	entry := c.Path(sha256)
	if err := c.put(path, entry); err != nil {
		return "", fmt.Errorf("repository cache: %w", err)
	}
	return entry, nil
}

func (c *Cache) put(path, entry string) error {
	if err := syncFile(path); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(entry), 0o755); err != nil {
		return err
	}
	if info, err := os.Lstat(entry); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory; remove it", entry)
	}
	if err := os.Rename(path, entry); err != nil {
		// Windows refuses while another process has the entry open. If that process wrote the same bytes, all is well.
		wanted := filepath.Base(filepath.Dir(entry))
		if found, hashErr := hashes.FileSHA256(entry); hashErr == nil && found == wanted {
			return os.Remove(path)
		}
		return err
	}
	return nil
}

// syncFile sets the mode that Bazel gives its entries, and waits until the bytes are on disk.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o644), f.Sync(), f.Close())
}
