// Package inputfile opens files that somebody names: only regular ones, after following links, and never longer than they may be.
//
// A named pipe or a device would be waited for without an end, and a terminal is no file; a command that wants to read a pipe offers `-`, its
// standard input.
package inputfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Most is the length in bytes that a file may have where nothing speaks for another limit. A lockfile of a thousand packages has half a MiB.
const Most = 64 << 20

// Open opens a regular file for reading. Any other kind is an *fs.PathError that says which kind it is.
func Open(path string) (*os.File, error) {
	// Looked at first, because even to open a pipe waits for its other end; looked at again, because it may be another file by then.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := check(path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	info, err = f.Stat()
	if err == nil {
		err = check(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Read returns the content of a regular file of at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Bounded(f, path, limit)
}

// Bounded reads to the end, but not more than limit bytes. name is for messages.
func Bounded(r io.Reader, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("%s is longer than %d MiB", name, limit>>20)
	}
	return data, err
}

// check refuses what is no regular file.
func check(path string, info fs.FileInfo) error {
	kind := "not a regular file"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a directory; a file is wanted"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe; a regular file is wanted"
	case mode&fs.ModeSocket != 0:
		kind = "a socket; a regular file is wanted"
	case mode&fs.ModeDevice != 0:
		kind = "a device; a regular file is wanted"
	}
	return &fs.PathError{Op: "open", Path: path, Err: notRegular(kind)}
}

// notRegular says what a path is instead of a regular file.
type notRegular string

// Error returns the kind of file.
func (k notRegular) Error() string { return "this is " + string(k) }

// Is makes it an invalid argument, so that callers can tell it from a failing disk.
func (notRegular) Is(target error) bool { return target == fs.ErrInvalid }
