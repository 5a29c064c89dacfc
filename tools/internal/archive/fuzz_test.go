package archive

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"rules_tf_mirror/tools/internal/hashes"
)

// FuzzUnzip: whatever the bytes are, nothing is written outside of the target, an error leaves nothing, and a success is a tree of
// regular files and directories that can be hashed.
func FuzzUnzip(f *testing.F) {
	for _, h := range hostileArchives(f) {
		f.Add(h.bytes)
	}
	f.Add(buildZip(f, entry{name: "docs/"}, entry{name: "docs/a", content: "x"}, entry{name: "l", content: "docs/a", mode: fs.ModeSymlink | 0o777}))
	f.Fuzz(func(t *testing.T, data []byte) {
		parent := t.TempDir()
		target := filepath.Join(parent, "target")
		limits := Limits{Entries: 100, Bytes: 1 << 20}
		err := Unzip(t.Context(), writeArchive(t, data), target, Options{Limits: limits})
		tree := snapshot(t, parent)
		if err != nil {
			var problem *Error
			var path *fs.PathError // such as a name that is too long for the file system
			if !errors.As(err, &problem) && !errors.As(err, &path) {
				t.Errorf("error of an unexpected type: %v", err)
			}
			if len(tree) != 0 {
				t.Errorf("after %v left: %v", err, tree)
			}
			return
		}
		var total int
		for name, content := range tree {
			if name != "target" && filepath.Dir(name) == "." {
				t.Errorf("written outside of the target: %s", name)
			}
			if content != "<dir>" {
				total += len(content)
			}
		}
		if total > 1<<20 {
			t.Errorf("%d bytes unpacked", total)
		}
		if _, err := hashes.Dir(target); err != nil {
			t.Errorf("cannot be hashed: %v", err)
		}
	})
}
