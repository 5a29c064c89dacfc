//go:build unix

package inputfile_test

import (
	"errors"
	"io/fs"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rules_tf_mirror/tools/internal/inputfile"
)

// A pipe that nobody writes to, and other files without an end, are refused at once.
func TestNotRegular(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for path, want := range map[string]string{pipe: "a named pipe", socket: "a socket", "/dev/zero": "a device"} {
		if _, err := inputfile.Read(path, 1<<20); !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}
