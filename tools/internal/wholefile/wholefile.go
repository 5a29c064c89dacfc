// Package wholefile replaces small files so that a reader, a second writer or a kill -9 at any moment finds the old content or the new
// one, never a part.
//
// The new content goes into a temporary file in the same directory, is flushed to the disk, and is then renamed over the old file; the
// directory is flushed last. What a replacement by rename cannot keep: hard links to the old file and, when run by another user, its
// owner. The name of the temporary file begins with a dot and ends with ".tfmirror-tmp"; a killed writer leaves it behind, and
// RemoveLeftovers deletes it.
package wholefile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rules_tf_mirror/tools/internal/inputfile"
)

// NewFileMode is the mode of a file that did not exist, whatever the umask is: lock files are committed and shared (C21).
const NewFileMode fs.FileMode = 0o644

// suffix marks temporary files of this package.
const suffix = ".tfmirror-tmp"

// Write makes data the content of the file at path and reports whether anything had to be written. A file that has this content already
// is not touched at all. An existing file keeps its mode; a symbolic link stays, and the file that it names is replaced, or made if
// the link dangles. The directory must exist. What is no regular file, and a file that nobody may write to, is an error.
func Write(path string, data []byte) (changed bool, err error) {
	target, err := Resolve(path)
	if err != nil {
		return false, err
	}
	mode, same, err := inspect(target, data)
	if err != nil || same {
		return false, err
	}
	temporary, err := writeTemporary(target, data, mode)
	if err != nil {
		return false, fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(temporary, target); err != nil {
		os.Remove(temporary)
		return false, fmt.Errorf("replacing %s: %w", path, err)
	}
	if err := syncDir(filepath.Dir(target)); err != nil {
		return true, fmt.Errorf("flushing the directory of %s: %w", path, err)
	}
	return true, nil
}

// Resolve returns the path of the file that path means once every symbolic link is followed. The file itself need not exist, so that
// a dangling link can be written through; its directory must.
func Resolve(path string) (string, error) {
	const most = 40 // as many links as Linux follows
	for range most {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return "", err
		}
		path = filepath.Join(dir, filepath.Base(path))
		if openFile(path) {
			return "", fmt.Errorf("%s is a name of a file that a process has open: to replace that file would not reach who has it open; name the file itself", path)
		}
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil // not a link, or nothing there
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		path = target
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}

// openFile tells whether path is a name that Linux makes for an open file, as /dev/stdout and /dev/fd/3 lead to.
func openFile(path string) bool {
	return strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/dev/fd/")
}

// RemoveLeftovers deletes temporary files that killed writers of the file at path left beside it. A writer at work would lose its file,
// so the caller holds the lock of package filelock.
func RemoveLeftovers(path string) error {
	target, err := Resolve(path)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return err
	}
	var failed []error
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix(target)) && strings.HasSuffix(entry.Name(), suffix) {
			failed = append(failed, os.Remove(filepath.Join(filepath.Dir(target), entry.Name())))
		}
	}
	return errors.Join(failed...)
}

// prefix is how the names of temporary files for target begin.
func prefix(target string) string { return "." + filepath.Base(target) + "." }

// inspect returns the mode that target is to have, and whether it has the content already.
func inspect(target string, data []byte) (mode fs.FileMode, same bool, err error) {
	mode, readOnly, err := modeOf(target)
	if err != nil {
		return 0, false, err
	}
	old, err := inputfile.Read(target, int64(len(data))) // a longer one differs
	if err == nil && bytes.Equal(old, data) {
		return 0, true, nil
	}
	return mode, false, readOnly
}

// modeOf returns the mode that a replacement of target is to have, and as readOnly why nobody may replace it.
func modeOf(target string) (mode fs.FileMode, readOnly, err error) {
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NewFileMode, nil, nil
	case err != nil:
		return 0, nil, err
	case !info.Mode().IsRegular():
		return 0, nil, fmt.Errorf("%s is not a regular file (%s)", target, info.Mode())
	}
	if mode = info.Mode().Perm(); mode&0o222 == 0 {
		readOnly = fmt.Errorf("%s is read-only (mode %04o); make it writable, for example check it out for edit", target, mode)
	}
	return mode, readOnly, nil
}

// writeTemporary writes data into a new file beside target and flushes it to the disk. On an error no file is left.
func writeTemporary(target string, data []byte, mode fs.FileMode) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(target), prefix(target)+"*"+suffix)
	if err != nil {
		return "", err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(data); err != nil {
		return "", err
	}
	// CreateTemp gives 0600; Chmod, unlike the mode of an open, is not cut by the umask.
	if err := f.Chmod(mode); err != nil {
		return "", err
	}
	return f.Name(), f.Sync()
}
