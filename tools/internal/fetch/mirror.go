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

	"rules_tf_mirror/tools/internal/archive"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/hashes"
)

// mirrorSink unpacks into a filesystem mirror, DIR/<host>/<namespace>/<type>/<version>/<os>_<arch>/ (R-FS-1), host in Unicode with its port.
//
// What is not a package lives in DIR/.tfmirror, which terraform and tofu skip, because no host begins with a dot (R-ADDR-12):
//
//	lock                    held while a run writes; two runs take turns
//	tmp/                    downloads and half-unpacked packages; cleaned by whoever holds the lock
//	packages/<path>.json    a receipt per package: the zip's sha256 and the h1: of the unpacked directory
//
// A package is whole if its receipt names the wanted zip and its directory still has the receipt's h1:. The receipt is removed before
// the directory is touched and written after it, so a run that is killed leaves a package without receipt, which the next run replaces.
// A directory that something else made has no receipt either and is replaced too: its zip is not known.
type mirrorSink struct {
	tree *tree
	lock *flock.Flock
}

// privateDir is our own directory in a mirror, workDir the one for what is not a package yet.
const privateDir = ".tfmirror"

var workDir = filepath.Join(privateDir, "tmp")

// workReceipt begins the name of a receipt that is not in its place yet. Like download.Prefix and archive.Prefix it marks what may be removed
// from the work directory: nothing else in it is ours.
const workReceipt = "receipt-"

// maxReceipt is the size in bytes above which a file is no receipt.
const maxReceipt = 4 << 10

// OpenMirror returns a Sink that fills a filesystem mirror, which is made if it is missing. It waits while another run writes to the
// mirror; notify is told when that begins.
func OpenMirror(ctx context.Context, dir string, notify func(string)) (_ Sink, err error) {
	t, err := openTree(dir)
	if err != nil {
		return nil, fmt.Errorf("mirror: %w", err)
	}
	s := &mirrorSink{tree: t}
	defer func() {
		if err != nil {
			t.root.Close()
		}
	}()
	if err := t.mkdir(privateDir); err != nil {
		return nil, fmt.Errorf("mirror: %w", err)
	}
	lockFile := filepath.Join(privateDir, "lock")
	if info, err := t.lstat(lockFile); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("mirror: %s is not a regular file: remove it", t.path(lockFile))
	}
	s.lock = flock.New(t.path(lockFile))
	locked, err := s.lock.TryLock()
	if err == nil && !locked {
		notify(fmt.Sprintf("waiting for another tfmirror that writes to %s", t.dir))
		_, err = s.lock.TryLockContext(ctx, 100*time.Millisecond)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("mirror %s cannot be locked: %w", t.dir, err)
	}
	if err := errors.Join(s.cleanUp(), t.mkdir(workDir)); err != nil {
		return nil, errors.Join(fmt.Errorf("mirror: %w", err), s.lock.Unlock())
	}
	return s, nil
}

func (s *mirrorSink) WorkDir() string { return s.tree.path(workDir) }

// cleanUp removes what this or a killed run left in the work directory.
func (s *mirrorSink) cleanUp() error {
	return s.tree.clean(workDir, download.Prefix, archive.Prefix, workReceipt)
}

func (s *mirrorSink) Close() error {
	return errors.Join(s.cleanUp(), s.lock.Unlock(), s.tree.root.Close())
}

// path returns where a package is, relative to the mirror.
func (p Package) path() string {
	return filepath.Join(p.Provider.DisplayHost(), p.Provider.Namespace, p.Provider.Type, p.Version, p.Platform.String())
}

// receiptPath returns where a package's receipt is, relative to the mirror.
func receiptPath(p Package) string { return filepath.Join(privateDir, "packages", p.path()+".json") }

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
	data, err := s.tree.read(receiptPath(p), maxReceipt)
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
	info, err := s.tree.lstat(p.path())
	if errors.Is(err, fs.ErrNotExist) {
		return Stored{}, false, nil
	}
	if err != nil {
		return Stored{}, false, fmt.Errorf("mirror: %w", err)
	}
	if !info.IsDir() { // a link to a directory is not what we put there
		return Stored{}, false, nil
	}
	target := s.tree.path(p.path())
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
	if err := s.put(ctx, p, file); err != nil {
		var content *archive.Error
		if !errors.As(err, &content) && ctx.Err() == nil {
			err = fmt.Errorf("mirror: %w", err)
		}
		return Stored{}, err
	}
	return Stored{Path: s.tree.path(p.path()), Bytes: file.Bytes}, nil
}

func (s *mirrorSink) put(ctx context.Context, p Package, file *download.File) error {
	for _, dir := range []string{filepath.Dir(p.path()), filepath.Dir(receiptPath(p))} {
		if err := s.tree.mkdir(dir); err != nil {
			return err
		}
	}
	if err := s.tree.root.Remove(receiptPath(p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	options := archive.Options{ProviderType: p.Provider.Type, Root: s.tree.root, StagingDir: workDir, Replace: true}
	if err := archive.Unzip(ctx, file.Path, p.path(), options); err != nil {
		return err
	}
	h1, err := hashes.Dir(s.tree.path(p.path()))
	if err != nil {
		return err
	}
	data, err := json.Marshal(receipt{SHA256: p.SHA256, H1: h1.String(), Bytes: file.Bytes})
	if err != nil {
		return err
	}
	return s.tree.write(receiptPath(p), workDir, append(data, '\n'))
}
