package inputfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/inputfile"
)

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	if err := os.WriteFile(name, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", filepath.Join(dir, "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, path := range []string{name, filepath.Join(dir, "link")} {
		if got, err := inputfile.Read(path, 7); err != nil || string(got) != "content" {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if _, err := inputfile.Read(name, 6); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a file above the limit: %v", err)
	}
	if _, err := inputfile.Read(filepath.Join(dir, "none"), 7); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := inputfile.Read(dir, 7); !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), "this is a directory") {
		t.Errorf("a directory: %v", err)
	}
}
