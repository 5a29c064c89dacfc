package hashes

import (
	"archive/zip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// entry is one zip entry, or one file of a directory.
type entry struct {
	name, content string
	mode          os.FileMode
}

func writeZip(t *testing.T, entries ...entry) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "package.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		header.SetMode(e.mode | 0o644)
		if strings.HasSuffix(e.name, "/") {
			header.Method = zip.Store
		}
		out, err := w.CreateHeader(header)
		if err == nil && e.content != "" {
			_, err = out.Write([]byte(e.content))
		}
		if err != nil {
			t.Fatalf("zip entry %q: %v", e.name, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func writeDir(t *testing.T, entries ...entry) string {
	t.Helper()
	dir := t.TempDir()
	for _, e := range entries {
		path := filepath.Join(dir, filepath.FromSlash(e.name))
		if strings.HasSuffix(e.name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(e.content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	h1Empty    = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
	h1A        = "h1:SkuHSh6XdqUuOP2CoFOCXzCfRhh6gDoPwMZnDGZw52g="
	h1DA       = "h1:tz6z26ZkU8AWAb3FKY2S4JPkJ7hE0zeDWcTLiD4Bqlc="
	h1ZipDA    = "h1:6YLgXlaaNPJdMsf3lX7pnjo/D6mDG4hdOV9iiD08Zgg="
	h1ZipEA    = "h1:3gzROuT9aD7lCyr0ewkr+BIlqHwmXwvKDvGwXjSDGDA="
	h1Symlink  = "h1:kDoVduEkHmGE2xX0sr8RSVpdHcf3SZP09eb0bioJVKc="
	h1Provider = "h1:WTVvtWdGVG0XzMGRqZYzLJu5a/JPDV5Ymqf7pyBXVqc="
)

var providerFiles = []entry{
	{name: "terraform-provider-thing_v1.0.0", content: "#!/bin/sh\necho 1.0.0\n", mode: 0o755},
	{name: "LICENSE", content: "x"},
}

// The vectors of the specification's §10, for zips (R-HASH-3 to R-HASH-5, C17).
func TestZipVectors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		entries []entry
		want    string
	}{
		"no files":            {nil, h1Empty},
		"one file":            {[]entry{{name: "a", content: "x"}}, h1A},
		"no directory entry":  {[]entry{{name: "d/a", content: "x"}}, h1DA},
		"directory entry":     {[]entry{{name: "d/"}, {name: "d/a", content: "x"}}, h1ZipDA},
		"empty directory":     {[]entry{{name: "e/"}, {name: "a", content: "x"}}, h1ZipEA},
		"symlink entry":       {[]entry{{name: "a", content: "x"}, {name: "l", content: "a", mode: os.ModeSymlink | 0o777}}, h1Symlink},
		"provider":            {providerFiles, h1Provider},
		"provider, reordered": {[]entry{providerFiles[1], providerFiles[0]}, h1Provider},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Zip(writeZip(t, test.entries...))
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// The same vectors for directories: an empty directory and directory entries do not exist there (R-HASH-5, C17).
func TestDirVectors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		entries []entry
		want    string
	}{
		"no files":        {nil, h1Empty},
		"one file":        {[]entry{{name: "a", content: "x"}}, h1A},
		"subdirectory":    {[]entry{{name: "d/"}, {name: "d/a", content: "x"}}, h1DA},
		"empty directory": {[]entry{{name: "e/"}, {name: "a", content: "x"}}, h1A},
		"unpacked link":   {[]entry{{name: "a", content: "x"}, {name: "l", content: "a"}}, h1Symlink},
		"provider":        {providerFiles, h1Provider},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Dir(writeDir(t, test.entries...))
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// R-HASH-5: raw names count, so the same file under "./a" or "/a" is another package; duplicates count twice.
func TestZipCountsRawNames(t *testing.T) {
	t.Parallel()
	seen := map[string]string{h1A: "a"}
	for _, names := range [][]string{{"./a"}, {"/a"}, {`d\a`}, {"a", "a"}} {
		var entries []entry
		for _, name := range names {
			entries = append(entries, entry{name: name, content: "x"})
		}
		got, err := Zip(writeZip(t, entries...))
		if err != nil {
			t.Fatalf("%q: %v", names, err)
		}
		if other, found := seen[got.String()]; found {
			t.Errorf("%q has the hash of %s", names, other)
		}
		seen[got.String()] = strings.Join(names, ",")
	}
}

// R-HASH-4: a newline in a name would make the list ambiguous.
func TestNewlineInNameIsAnError(t *testing.T) {
	t.Parallel()
	if got, err := Zip(writeZip(t, entry{name: "a\nb", content: "x"})); err == nil {
		t.Errorf("got %s, want an error", got)
	}
}

// R-HASH-5: a link to a file counts with the target's content; one to a directory or to nothing is an error; the root may be a link.
func TestDirLinks(t *testing.T) {
	t.Parallel()
	dir := writeDir(t, entry{name: "a", content: "x"})
	link := filepath.Join(t.TempDir(), "root")
	symlink(t, dir, link)
	if got, err := Dir(link); err != nil || got.String() != h1A {
		t.Errorf("root is a link: got %s, %v, want %s", got, err, h1A)
	}
	plain, err := Dir(writeDir(t, entry{name: "a", content: "x"}, entry{name: "l", content: "x"}))
	if err != nil {
		t.Fatal(err)
	}
	symlink(t, "a", filepath.Join(dir, "l"))
	if got, err := Dir(dir); err != nil || got != plain {
		t.Errorf("link to a file: got %s, %v, want %s", got, err, plain)
	}
	for name, target := range map[string]string{"directory": t.TempDir(), "nothing": "absent"} {
		dir := writeDir(t, entry{name: "a", content: "x"})
		symlink(t, target, filepath.Join(dir, "l"))
		if got, err := Dir(dir); err == nil {
			t.Errorf("link to %s: got %s, want an error", name, got)
		}
	}
}

func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
}

// R-HASH-2: the zh: is over the bytes of the file, whatever they are.
func TestZipFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "any")
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	const want = "zh:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
	got, err := ZipFile(path)
	if err != nil || got.String() != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if got != FromSHA256(strings.TrimPrefix(want, "zh:")) {
		t.Errorf("FromSHA256 does not give %s", want)
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	absent := filepath.Join(t.TempDir(), "absent")
	text := filepath.Join(t.TempDir(), "text.zip")
	if err := os.WriteFile(text, []byte("<html>not found</html>"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Zip(text); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("Zip of HTML: error %v does not name the file", err)
	}
	if _, err := Dir(text); err == nil {
		t.Error("Dir of a file: want an error")
	}
	for name, f := range map[string]func(string) (Hash, error){"Zip": Zip, "Dir": Dir, "ZipFile": ZipFile} {
		if _, err := f(absent); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
}
