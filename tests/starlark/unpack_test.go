package starlark_test

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

// The modes of real files are normalised (C18), and the executable is one.
func TestUnpackedFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes, and the rule runs no command there")
	}
	dir := t.TempDir()
	leaf := filepath.Join(dir, filepath.FromSlash(randomDir))
	if err := os.MkdirAll(filepath.Join(leaf, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{
		"terraform-provider-random_v3.3.2": 0o400, "sub/read only": 0o444, "sub/private": 0o600, "sub/tool": 0o700, "sub/group": 0o664,
	} {
		file := filepath.Join(leaf, name)
		if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil { // past the umask
			t.Fatal(err)
		}
	}
	if _, err := fetch(t, nil, linux, func(c *fakebazel.RepositoryContext) {
		c.Exec = func(argv []string, _ map[string]any) fakebazel.ExecResult {
			if argv[0] == "chmod" {
				return run(dir, argv)
			}
			return commands(t, c)(argv, nil)
		}
	}); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	err := filepath.Walk(leaf, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			name, _ := filepath.Rel(leaf, path)
			got[name] = info.Mode().String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		".": "drwxr-xr-x", "sub": "drwxr-xr-x", "terraform-provider-random_v3.3.2": "-rwxr-xr-x", "sub/read only": "-rw-r--r--", "sub/private": "-rw-r--r--",
		"sub/tool": "-rwxr-xr-x", "sub/group": "-rw-r--r--",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modes -want +got:\n%s", diff)
	}
}

// zipWith is the bytes of a zip with a provider and one more entry under a header of the test's own.
func zipWith(t *testing.T, content string, change func(*zip.FileHeader)) string {
	t.Helper()
	var buffer bytes.Buffer
	w := zip.NewWriter(&buffer)
	provider, err := w.Create("terraform-provider-random_v3.3.2")
	if err == nil {
		_, err = provider.Write([]byte("x"))
	}
	if err != nil {
		t.Fatal(err)
	}
	header := &zip.FileHeader{Name: "odd", CRC32: 1, CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content))}
	header.SetMode(0o644)
	change(header)
	entry, err := w.CreateRaw(header)
	if err == nil {
		_, err = io.WriteString(entry, content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return buffer.String()
}

// A link becomes a file that holds its target (R-HASH-7), and so does what Bazel does not understand: their modes are changed in a copy of
// the archive, before Bazel sees it, and nothing else is.
func TestEntriesThatBecomeFiles(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*zip.FileHeader){
		"link":         func(h *zip.FileHeader) { h.SetMode(fs.ModeSymlink | 0o777) },
		"read-only":    func(h *zip.FileHeader) { h.CreatorVersion, h.ExternalAttrs = 0, 1 },
		"plain, FAT":   func(h *zip.FileHeader) { h.CreatorVersion, h.ExternalAttrs = 0, 0x20 },
		"no attribute": func(h *zip.FileHeader) { h.ExternalAttrs = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive := zipWith(t, "../../target", change)
			var unpacked string
			_, err := fetch(t, nil, linux, func(c *fakebazel.RepositoryContext) {
				c.Archives["package.zip"] = archive
				c.Exec = func(argv []string, _ map[string]any) fakebazel.ExecResult {
					result := commands(t, c)(argv, nil)
					if content, ok := c.Files[c.Dir+"/package.zip"]; ok {
						unpacked = content
					}
					return result
				}
			})
			// The fake fails for links, and for the checksum, which only real Bazel does not look at.
			if err == nil || !strings.Contains(err.Error(), "checksum") {
				t.Errorf("got %v, want that the entry is read as a file", err)
			}
			r, err := zip.NewReader(strings.NewReader(unpacked), int64(len(unpacked)))
			if err != nil {
				t.Fatal(err)
			}
			differing := 0
			for i := range unpacked {
				if unpacked[i] != archive[i] {
					differing++
				}
			}
			mode := r.File[1].ExternalAttrs >> 16
			if rewritten := name == "link" || name == "read-only"; rewritten != (mode == 0o100644) || differing > 2 || rewritten != (differing > 0) {
				t.Errorf("mode %o, %d bytes differ", mode, differing)
			}
		})
	}
	_, err := fetch(t, nil, windows, func(c *fakebazel.RepositoryContext) {
		c.Archives["package.zip"] = zipWith(t, "target", func(h *zip.FileHeader) { h.SetMode(fs.ModeSymlink | 0o777) })
	})
	if err == nil {
		t.Fatal("a link on Windows")
	}
	contains(t, err.Error(), `entry "odd"`, "Linux and macOS only")
}

// A table of contents that is longer than what is read at first.
func TestManyEntries(t *testing.T) {
	t.Parallel()
	files := map[string]string{"terraform-provider-random_v3.3.2": "x"}
	for i := range 2000 {
		files[strings.Repeat("d/", 40)+strings.Repeat("n", i%50)+string(rune('a'+i%26))+"/"+strings.Repeat("f", i/50+1)] = "y"
	}
	for _, host := range []fakebazel.Host{linux, windows} {
		ctx, err := fetch(t, nil, host, func(c *fakebazel.RepositoryContext) { c.Zips["package.zip"] = files })
		if err != nil {
			t.Fatal(err)
		}
		if host == linux && (len(ctx.Executed) != 4 || ctx.Executed[0][5] == ctx.Executed[1][5]) {
			t.Errorf("%v", ctx.Executed)
		}
	}
}
