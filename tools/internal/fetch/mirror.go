package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2/maybe"

	"rules_tf_mirror/tools/internal/archive"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/hashes"
)

// mirrorSink unpacks into a filesystem mirror, DIR/<host>/<namespace>/<type>/<version>/<os>_<arch>/ (R-FS-1), host in Unicode with its port.
//
// What is not a package lives in DIR/.tfmirror, which terraform and tofu skip, because no host begins with a dot (R-ADDR-12):
//
//	lock                    held while a run writes; two runs take turns
//	tmp/                    downloads and half-unpacked packages; emptied by whoever holds the lock
//	packages/<path>.json    a receipt per package: the zip's sha256 and the h1: of the unpacked directory
//
// A package is whole if its receipt names the wanted zip and its directory still has the receipt's h1:. The receipt is removed before
// the directory is touched and written after it, so a run that is killed leaves a package without receipt, which the next run replaces.
// A directory that something else made has no receipt either and is replaced too: its zip is not known.
type mirrorSink struct {
	dir  string
	lock *flock.Flock
}

// privateDir is our own directory in a mirror.
const privateDir = ".tfmirror"

// OpenMirror returns a Sink that fills a filesystem mirror, which is made if it is missing. It waits while another run writes to the
// mirror; notify is told when that begins.
func OpenMirror(ctx context.Context, dir string, notify func(string)) (Sink, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &mirrorSink{dir: abs}
	if err := os.MkdirAll(s.private(), 0o755); err != nil {
		return nil, fmt.Errorf("mirror: %w", err)
	}
	s.lock = flock.New(s.private("lock"))
	locked, err := s.lock.TryLock()
	if err == nil && !locked {
		notify(fmt.Sprintf("waiting for another tfmirror that writes to %s", abs))
		_, err = s.lock.TryLockContext(ctx, 100*time.Millisecond)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("mirror %s cannot be locked: %w", abs, err)
	}
	if err := errors.Join(os.RemoveAll(s.WorkDir()), os.Mkdir(s.WorkDir(), 0o755)); err != nil {
		return nil, errors.Join(fmt.Errorf("mirror: %w", err), s.lock.Unlock())
	}
	return s, nil
}

func (s *mirrorSink) private(elements ...string) string {
	return filepath.Join(append([]string{s.dir, privateDir}, elements...)...)
}

func (s *mirrorSink) WorkDir() string { return s.private("tmp") }

func (s *mirrorSink) Close() error {
	return errors.Join(os.RemoveAll(s.WorkDir()), s.lock.Unlock())
}

// path returns where a package is, relative to the mirror.
func (p Package) path() string {
	return filepath.Join(p.Provider.DisplayHost(), p.Provider.Namespace, p.Provider.Type, p.Version, p.Platform.String())
}

func (s *mirrorSink) receiptPath(p Package) string {
	return s.private("packages", p.path()+".json")
}

// receipt is written when a package is whole.
type receipt struct {
	SHA256 string `json:"sha256"` // of the zip
	H1     string `json:"h1"`     // of the directory
	Bytes  int64  `json:"bytes"`  // of the zip
}

func (s *mirrorSink) Have(ctx context.Context, p Package) (Stored, bool, error) {
	if ctx.Err() != nil {
		return Stored{}, false, context.Cause(ctx)
	}
	data, err := os.ReadFile(s.receiptPath(p))
	if errors.Is(err, fs.ErrNotExist) {
		return Stored{}, false, nil
	}
	if err != nil {
		return Stored{}, false, fmt.Errorf("mirror: %w", err)
	}
	var r receipt
	if json.Unmarshal(data, &r) != nil || r.SHA256 != p.SHA256 {
		return Stored{}, false, nil
	}
	target := filepath.Join(s.dir, p.path())
	// Whatever makes the directory unreadable, the package is replaced; if that fails, its error says why.
	found, err := hashes.Dir(target)
	if err != nil || found.String() != r.H1 {
		return Stored{}, false, nil
	}
	return Stored{Path: target, Bytes: r.Bytes}, true, nil
}

func (s *mirrorSink) Put(ctx context.Context, p Package, file *download.File) (stored Stored, err error) {
	defer func() {
		if removeErr := os.Remove(file.Path); err == nil && removeErr != nil {
			err = removeErr
		}
	}()
	receiptPath, target := s.receiptPath(p), filepath.Join(s.dir, p.path())
	if err := os.Remove(receiptPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Stored{}, fmt.Errorf("mirror: %w", err)
	}
	options := archive.Options{ProviderType: p.Provider.Type, StagingDir: s.WorkDir(), Replace: true}
	if err := archive.Unzip(ctx, file.Path, target, options); err != nil {
		return Stored{}, err
	}
	h1, err := hashes.Dir(target)
	if err != nil {
		return Stored{}, fmt.Errorf("mirror: %w", err)
	}
	data, err := json.Marshal(receipt{SHA256: p.SHA256, H1: h1.String(), Bytes: file.Bytes})
	if err != nil {
		return Stored{}, err
	}
	if err := os.MkdirAll(filepath.Dir(receiptPath), 0o755); err != nil {
		return Stored{}, fmt.Errorf("mirror: %w", err)
	}
	if err := maybe.WriteFile(receiptPath, append(data, '\n'), 0o644); err != nil {
		return Stored{}, fmt.Errorf("mirror: %w", err)
	}
	return Stored{Path: target, Bytes: file.Bytes}, nil
}
