package archive

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// entry describes one zip entry of a test archive.
type entry struct {
	name, content string
	mode          fs.FileMode                        // 0: 0644
	edit          func(*zip.Writer, *zip.FileHeader) // writes the entry itself, for headers that lie
}

const provider = "terraform-provider-thing_v1.0.0"

// buildZip returns the bytes of an archive with just these entries, in this order.
func buildZip(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := zip.NewWriter(&buffer)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if strings.HasSuffix(e.name, "/") {
			header.Method = zip.Store
		}
		if e.mode == 0 {
			e.mode = 0o644
		}
		header.SetMode(e.mode)
		if e.edit != nil {
			e.edit(w, header)
			continue
		}
		out, err := w.CreateHeader(header)
		if err == nil && e.content != "" {
			_, err = out.Write([]byte(e.content))
		}
		if err != nil {
			t.Fatalf("entry %q: %v", e.name, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// raw returns an edit that stores content under a header which says something else.
func raw(content string, change func(*zip.FileHeader)) func(*zip.Writer, *zip.FileHeader) {
	return func(w *zip.Writer, header *zip.FileHeader) {
		header.Method = zip.Store
		header.CompressedSize64 = uint64(len(content))
		header.UncompressedSize64 = uint64(len(content))
		change(header)
		if out, err := w.CreateRaw(header); err == nil {
			_, _ = out.Write([]byte(content))
		}
	}
}

// writeArchive stores bytes in a fresh directory.
func writeArchive(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "package.zip")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// snapshot returns path → content of all files below dir; a directory's content is "<dir>".
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		switch {
		case d.IsDir():
			tree[filepath.ToSlash(rel)] = "<dir>"
		case d.Type().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			tree[filepath.ToSlash(rel)] = string(content)
		default:
			tree[filepath.ToSlash(rel)] = "<" + d.Type().String() + ">"
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
