//go:build unix

package cliconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/problem"
)

// TestReadFile: nothing that is named as a CLI configuration is waited for or read without an end.
func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain, long, pipe, null := filepath.Join(dir, "plain"), filepath.Join(dir, "long"), filepath.Join(dir, "pipe"), filepath.Join(dir, "null")
	for _, err := range []error{os.WriteFile(plain, []byte("# text"), 0o600), os.WriteFile(long, bytes.Repeat([]byte("#"), 2*maxBytes), 0o600),
		syscall.Mkfifo(pipe, 0o600), os.Symlink(os.DevNull, null)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		path string
		size int
		err  string // the kind that is found instead of a file
	}{
		{plain, 6, ""}, {long, maxBytes + 1, ""}, {os.DevNull, 0, ""}, {null, 0, ""},
		{pipe, 0, "a named pipe"}, {"/dev/zero", 0, "a device"}, {dir, 0, "a directory"},
	} {
		text, err := readFile(test.path, time.Minute)
		if len(text) != test.size || (err == nil) != (test.err == "") || err != nil && !(errors.Is(err, fs.ErrInvalid) && strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s: %d bytes, %v; want %d, %q", test.path, len(text), err, test.size, test.err)
		}
	}
	if _, err := readFile(filepath.Join(dir, "none"), time.Minute); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	// What the user sees.
	for path, want := range map[string]string{pipe: "this is a named pipe", "/dev/zero": "this is a device", long: "more than 1048576 bytes"} {
		c := Load(addrs.Terraform, ThisSystem([]string{"HOME=" + dir, "TF_CLI_CONFIG_FILE=" + path}))
		if err := c.Err("a.example", false); problem.KindOf(err) != problem.Config || !strings.Contains(err.Error(), path+": the file ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// TestReadPipe: the pipe of a shell's <(command) is read, up to a size and for a time.
func TestReadPipe(t *testing.T) {
	t.Parallel()
	open := func() (name string, w *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close(); w.Close() })
		return fmt.Sprintf("/dev/fd/%d", r.Fd()), w
	}
	name, w := open()
	if _, err := os.Stat(name); err != nil {
		t.Skipf("no descriptors by name here: %v", err)
	}
	go func() {
		_, _ = w.WriteString("# text")
		w.Close()
	}()
	if text, err := readFile(name, time.Minute); err != nil || string(text) != "# text" {
		t.Errorf("%q, %v", text, err)
	}
	name, w = open()
	go func() {
		for err := error(nil); err == nil; {
			_, err = w.Write(bytes.Repeat([]byte("#"), 1<<16))
		}
	}()
	if text, err := readFile(name, time.Minute); err != nil || len(text) != maxBytes+1 {
		t.Errorf("without an end: %d bytes, %v", len(text), err)
	}
	name, _ = open()
	if _, err := readFile(name, time.Millisecond); err == nil || !strings.Contains(err.Error(), "not written to its end within 1ms") {
		t.Errorf("nobody writes: %v", err)
	}
}
