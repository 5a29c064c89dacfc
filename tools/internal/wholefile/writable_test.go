package wholefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Writable says beforehand what Write would say, and leaves the folder as it is.
func TestWritable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	readOnly, file, empty := filepath.Join(dir, "read-only"), filepath.Join(dir, "file"), filepath.Join(dir, "empty")
	mustDo(t, os.WriteFile(readOnly, []byte("x"), 0o444))
	mustDo(t, os.WriteFile(file, []byte("x"), 0o644))
	mustDo(t, os.WriteFile(empty, nil, 0o644))
	mustDo(t, os.WriteFile(filepath.Join(dir, "empty, read-only"), nil, 0o444))
	for path, want := range map[string]string{
		file: "", empty: "", filepath.Join(dir, "new"): "",
		readOnly: "is read-only (mode 0444)", filepath.Join(dir, "empty, read-only"): "is read-only", dir: "is not a regular file", filepath.Join(dir, "none", "new"): "none",
	} {
		err := Writable(path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		if _, written := Write(path, []byte("y")); (written == nil) != (err == nil) {
			t.Errorf("%s: Writable says %v, Write %v", path, err, written)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
