package fetch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tree is a mirror's directory, below which no symbolic link is followed.
//
// The directory itself may be a link: who named it meant where it leads. Below it a link would have this program write, and clean up, where
// nobody asked for it, so one is refused with its path. The operating system confines what is done in any case (os.Root): somebody
// who exchanges a directory for a link meanwhile gets no further than the mirror.
type tree struct {
	dir  string // absolute
	root *os.Root
}

// openTree makes the directory if it is missing.
func openTree(dir string) (*tree, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	_, missing := os.Stat(abs)
	if err := os.MkdirAll(abs, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, err
	}
	if errors.Is(missing, fs.ErrNotExist) {
		err = root.Chmod(".", 0o755) // as below it: a mirror is often shared
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return &tree{dir: abs, root: root}, nil
}

func (t *tree) path(rel string) string { return filepath.Join(t.dir, rel) }

// lstat looks at a file after all directories that lead to it, which must be true ones.
func (t *tree) lstat(rel string) (fs.FileInfo, error) {
	elements := strings.Split(filepath.ToSlash(filepath.Clean(rel)), "/")
	for i := 1; i < len(elements); i++ {
		dir := filepath.Join(elements[:i]...)
		info, err := t.root.Lstat(dir)
		if err != nil {
			return nil, err
		}
		if err := t.wantDir(dir, info); err != nil {
			return nil, err
		}
	}
	return t.root.Lstat(rel)
}

func (t *tree) wantDir(rel string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link, and below a mirror's directory none is followed: put a directory in its place, or name the directory that is meant",
			t.path(rel))
	default:
		return fmt.Errorf("%s is not a directory: remove it", t.path(rel))
	}
}

// mkdir makes a directory and its parents, each with mode 0755, whatever the umask is.
func (t *tree) mkdir(rel string) error {
	if rel == "." {
		return nil
	}
	if err := t.mkdir(filepath.Dir(rel)); err != nil {
		return err
	}
	switch err := t.root.Mkdir(rel, 0o755); {
	case errors.Is(err, fs.ErrExist):
		info, err := t.root.Lstat(rel)
		if err != nil {
			return err
		}
		return t.wantDir(rel, info)
	case err != nil:
		return err
	}
	return t.root.Chmod(rel, 0o755)
}

// read returns the content of a regular file of at most limit bytes; what else is there is as good as nothing.
func (t *tree) read(rel string, limit int64) ([]byte, error) {
	info, err := t.lstat(rel)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, &fs.PathError{Op: "read", Path: t.path(rel), Err: fs.ErrNotExist}
	}
	return t.root.ReadFile(rel)
}

// write gives a file new content as a whole, by way of a file in the directory work.
func (t *tree) write(rel, work string, data []byte) error {
	if err := t.mkdir(filepath.Dir(rel)); err != nil {
		return err
	}
	temporary := filepath.Join(work, workReceipt+strings.NewReplacer("/", "-", `\`, "-").Replace(rel))
	f, err := t.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = t.root.Rename(temporary, rel)
	}
	if err != nil {
		_ = t.root.Remove(temporary)
	}
	return err
}

// clean removes what has one of the prefixes from a directory, and then the directory unless something else is in it.
func (t *tree) clean(rel string, prefixes ...string) error {
	if _, err := t.lstat(filepath.Join(rel, "x")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries, err := fs.ReadDir(t.root.FS(), filepath.ToSlash(rel))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		for _, prefix := range prefixes {
			if strings.HasPrefix(entry.Name(), prefix) {
				if err := t.root.RemoveAll(filepath.Join(rel, entry.Name())); err != nil {
					return err
				}
				break
			}
		}
	}
	if len(entries) == 0 || t.empty(rel) {
		return t.root.Remove(rel)
	}
	return nil
}

func (t *tree) empty(rel string) bool {
	entries, err := fs.ReadDir(t.root.FS(), filepath.ToSlash(rel))
	return err == nil && len(entries) == 0
}
