// Package filelock keeps two runs from writing one file at the same time.
//
// The lock is advisory and belongs to the process: it is gone when the process is, however that ends. It is taken on a file of its own,
// in a folder outside the workspace, so that nothing appears beside the file and in `git status`. The name of that file is the
// SHA-256 of the guarded file's path with all symbolic links followed; so two names of one file share a lock. It is never deleted:
// deleting a lock file that somebody else has just opened gives two owners.
//
// The folder is in the user's cache. The one among the temporary files that takes its place where there is no cache must be the user's own, and
// nobody else may write to it: another user's could make a run wait for ever, or have it open a file elsewhere.
//
// What is not promised: runs of different users, of different hosts on a network file system, or with different cache folders do not see
// each other. Nor does Bazel take this lock; callers compare what they read with what is there just before they replace it.
package filelock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"rules_tf_mirror/tools/internal/wholefile"
)

// ErrHeld is in the chain of errors that say that another run holds the lock.
var ErrHeld = errors.New("another run holds the lock")

// retryDelay is how often a waiting Acquire looks again.
const retryDelay = 50 * time.Millisecond

// Lock is a held lock.
type Lock struct {
	flock *flock.Flock
}

// DefaultDir returns the folder of lock files: rules_tf_mirror/locks in the user's cache folder. Where that cannot be used, as without HOME or with
// a read-only one, it is a folder of the user's own among the temporary files. The folder in the cache is made.
func DefaultDir() string {
	if cache, err := os.UserCacheDir(); err == nil {
		if dir := filepath.Join(cache, "rules_tf_mirror", "locks"); usable(dir) {
			return dir
		}
	}
	return filepath.Join(temporary(), "locks")
}

// temporary is the user's own folder among the temporary files. Anybody can make one of that name, so prepare looks whose it is.
func temporary() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("rules_tf_mirror-%d", os.Getuid()))
}

// usable makes a folder and reports whether files can be made in it.
func usable(dir string) bool {
	if os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	f, err := os.CreateTemp(dir, "probe-*")
	if err != nil {
		return false
	}
	return errors.Join(f.Close(), os.Remove(f.Name())) == nil
}

// Path returns the lock file in dir that guards the file at path. The guarded file need not exist, its directory must.
func Path(dir, path string) (string, error) {
	target, err := wholefile.Resolve(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(target))
	return filepath.Join(dir, hex.EncodeToString(sum[:])+".lock"), nil
}

// TryAcquire takes the lock of the file at path, or returns an error with ErrHeld in its chain at once. dir is made if it is missing.
func TryAcquire(dir, path string) (*Lock, error) {
	l, err := prepare(dir, path)
	if err != nil {
		return nil, err
	}
	held, err := l.flock.TryLock()
	return l.result(held, err, path)
}

// Acquire waits for the lock of the file at path until ctx is done; the error then has both ErrHeld and the context's in its chain.
// waiting is called once if somebody else holds the lock; it may be nil.
func Acquire(ctx context.Context, dir, path string, waiting func()) (*Lock, error) {
	l, err := TryAcquire(dir, path)
	if !errors.Is(err, ErrHeld) {
		return l, err
	}
	if waiting != nil {
		waiting()
	}
	if l, err = prepare(dir, path); err != nil {
		return nil, err
	}
	held, err := l.flock.TryLockContext(ctx, retryDelay)
	if ctx.Err() != nil && !held {
		return nil, fmt.Errorf("%s: %w, and waiting for it ended: %w", path, ErrHeld, ctx.Err())
	}
	return l.result(held, err, path)
}

// Release gives the lock back. A second call does nothing.
func (l *Lock) Release() error { return l.flock.Close() }

func prepare(dir, path string) (*Lock, error) {
	name, err := Path(dir, path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder for locks: %w", err)
	}
	if own := temporary(); filepath.Dir(dir) == own {
		if err := checkOwner(own); err != nil {
			return nil, fmt.Errorf("folder for locks: %w; remove it, or set HOME to a folder that can be written to", err)
		}
	}
	return &Lock{flock.New(name)}, nil
}

func (l *Lock) result(held bool, err error, path string) (*Lock, error) {
	switch {
	case err != nil:
		return nil, fmt.Errorf("locking %s: %w", path, err)
	case !held:
		return nil, fmt.Errorf("%s: %w (%s); wait for it to end, then run this again", path, ErrHeld, l.flock.Path())
	}
	return l, nil
}
