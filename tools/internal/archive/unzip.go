package archive

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
)

// Options say how a package is unpacked. The zero value is valid.
type Options struct {
	// ProviderType is the type of the provider that the package must hold: its executable gets mode 0755, and an archive without one is
	// refused (R-CACHE-6). Empty: nothing is wanted.
	ProviderType string
	// Root confines everything that is made: target and StagingDir are paths below it, and the target's parent must exist. nil: target is any
	// path, and its parent is made if it is missing.
	Root *os.Root
	// StagingDir is an existing directory in which the package is unpacked before the rename. Empty: the target's parent. It counts only with
	// a Root.
	StagingDir string
	// Replace an existing target. It is moved away before the new one takes its place, and removed afterwards; a symbolic link is
	// removed, never followed (R-INST-8). Without it an existing target is an error that wraps fs.ErrExist.
	Replace bool
	// Limits of the archive.
	Limits Limits
	// GOOS whose rules for file names apply. Empty: this system's.
	GOOS string
}

func (o Options) goos() string {
	if o.GOOS == "" {
		return runtime.GOOS
	}
	return o.GOOS
}

func (o Options) windows() bool  { return o.goos() == "windows" }
func (o Options) foldCase() bool { return o.windows() || o.goos() == "darwin" }

// Prefix begins the name of the directory in which a package is unpacked. There is no underscore in it: terraform must not take it for a
// platform when it looks into the mirror meanwhile (R-FS-4).
const Prefix = ".tfmirror-unzip-"

// Unzip unpacks the zip file into the directory target. After an error there is no new target and no other trace; an *Error means that the
// archive is at fault. A cancelled context ends it between two blocks of data.
func Unzip(ctx context.Context, zipPath, target string, opts Options) error {
	reader, size, err := open(zipPath)
	if err != nil {
		return err
	}
	defer reader.Close()
	p, problem := newPlan(&reader.Reader, size, opts)
	if problem != nil {
		problem.Zip = zipPath
		return problem
	}
	err = p.unzip(ctx, target, opts)
	if errors.As(err, &problem) {
		problem.Zip = zipPath
		return problem
	}
	if err != nil {
		return fmt.Errorf("unpacking %s: %w", zipPath, err)
	}
	return nil
}

// unzip opens the root, if there is none, and makes the target below it.
func (p *plan) unzip(ctx context.Context, target string, opts Options) error {
	root, staging := opts.Root, opts.StagingDir
	if root == nil {
		parent := filepath.Dir(target)
		if err := os.MkdirAll(parent, 0o755); err != nil {
			return err
		}
		var err error
		if root, err = os.OpenRoot(parent); err != nil {
			return err
		}
		defer root.Close()
		target, staging = filepath.Base(target), ""
	}
	if _, err := root.Lstat(target); err == nil && !opts.Replace {
		return fmt.Errorf("%w: %s", os.ErrExist, target)
	}
	if staging == "" {
		staging = filepath.Dir(target)
	}
	staging = filepath.Join(staging, Prefix+rand.Text())
	if err := root.Mkdir(staging, 0o700); err != nil {
		return err
	}
	defer func() { _ = root.RemoveAll(staging) }() // best effort: the next run removes it
	fresh := filepath.Join(staging, "new")
	if err := p.write(ctx, root, fresh); err != nil {
		return err
	}
	return swap(root, fresh, target, filepath.Join(staging, "old"))
}

// swap puts fresh in target's place. What was there is moved to old; it comes back if fresh cannot be moved.
func swap(root *os.Root, fresh, target, old string) error {
	moved := false
	if err := root.Rename(target, old); err == nil {
		moved = true
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := root.Rename(fresh, target); err != nil {
		if moved {
			err = errors.Join(err, root.Rename(old, target))
		}
		return err
	}
	return nil
}

// write makes the tree below dir, which must not exist.
func (p *plan) write(ctx context.Context, parent *os.Root, dir string) error {
	if err := parent.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := parent.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	made := map[string]bool{".": true}
	for _, d := range p.dirs {
		if err := makeDirs(root, d, made); err != nil {
			return err
		}
	}
	for _, f := range p.files {
		if err := makeDirs(root, path.Dir(f.path), made); err != nil {
			return err
		}
		if err := writeFile(ctx, root, f); err != nil {
			return err
		}
	}
	return root.Chmod(".", 0o755)
}

// makeDirs makes a directory and its parents with mode 0755, whatever the umask is: a mirror is often shared.
func makeDirs(root *os.Root, dir string, made map[string]bool) error {
	if made[dir] {
		return nil
	}
	if err := makeDirs(root, path.Dir(dir), made); err != nil {
		return err
	}
	made[dir] = true
	if err := root.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return root.Chmod(dir, 0o755)
}

// writeFile unpacks one entry; reading it to its end also checks its CRC.
func writeFile(ctx context.Context, root *os.Root, f file) (err error) {
	mode := os.FileMode(0o644)
	if f.executable {
		mode = 0o755
	}
	in, err := f.source.Open()
	if err != nil {
		return &Error{Entry: f.source.Name, Problem: "cannot be unpacked", Err: err}
	}
	defer in.Close()
	out, err := root.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	source := &entryReader{ctx: ctx, in: in, left: f.source.UncompressedSize64}
	if _, err := io.Copy(out, source); err != nil {
		if source.err != nil && ctx.Err() == nil {
			return &Error{Entry: f.source.Name, Problem: "the archive is damaged", Err: source.err}
		}
		return err
	}
	return out.Chmod(mode)
}

// entryReader stops at the declared size, on which the limits were checked, and when the context ends. It keeps the archive's own error
// apart from those of the disk.
type entryReader struct {
	ctx  context.Context
	in   io.Reader
	left uint64 // bytes that the entry may still have
	err  error
}

var errTooLong = errors.New("the entry is longer than it declares")

func (r *entryReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.in.Read(p)
	if uint64(n) > r.left {
		n, err = 0, errTooLong
	}
	r.left -= uint64(n)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
