package archive

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostile is an archive that must be refused.
type hostile struct {
	name  string
	bytes []byte
	opts  Options
	want  string // part of the error
}

// hostileArchives builds one archive per way to be wrong. They also seed the fuzz target.
func hostileArchives(t testing.TB) []hostile {
	t.Helper()
	good := buildZip(t, entry{name: provider, content: strings.Repeat("x", 5000)})
	var tarball bytes.Buffer
	gz := gzip.NewWriter(&tarball)
	_, _ = gz.Write([]byte(provider))
	_ = gz.Close()
	windows, darwin := Options{GOOS: "windows"}, Options{GOOS: "darwin"}
	named := func(names ...string) []byte {
		var entries []entry
		for _, name := range names {
			e := entry{name: name, content: "x"}
			if strings.HasSuffix(name, "/") {
				e.content = ""
			}
			entries = append(entries, e)
		}
		return buildZip(t, entries...)
	}
	flipped := bytes.Clone(buildZip(t, entry{name: "a", edit: raw("hello", func(h *zip.FileHeader) { h.CRC32 = 1 })}))
	small := Options{Limits: Limits{Entries: 2, Bytes: 10}}
	return []hostile{
		{"parent", named("../evil"), Options{}, `".."`},
		{"parent inside", named("a/../../evil"), Options{}, `".."`},
		{"harmless parent", named("a/../b"), Options{}, `".."`},
		{"parent directory entry", named("a", "../evil/"), Options{}, `".."`},
		{"parent with backslash", named(`a\..\..\evil`), Options{}, `".."`},
		{"parent alone", named(".."), Options{}, `".."`},
		{"absolute", named("/etc/evil"), Options{}, "absolute"},
		{"drive", named("C:evil"), Options{}, "drive letter"},
		{"drive and slash", named("c:/evil"), Options{}, "drive letter"},
		{"NUL", named("a\x00b"), Options{}, "control character"},
		{"newline (R-HASH-4)", named("a\nb"), Options{}, "control character"},
		{"no name", named(""), Options{}, "name is empty"},
		{"file named dot", named("./."), Options{}, "package directory itself"},
		{"twice", named("a", "a"), Options{}, "two entries"},
		{"twice after cleaning", named("a", "./a"), Options{}, "two entries"},
		{"file then directory", named("a", "a/b"), Options{}, "file and a directory"},
		{"directory then file", named("a/b", "a"), Options{}, "file and a directory"},
		{"directory entry then file", named("a/", "b", "./a"), Options{}, "file and a directory"},
		{"case, Windows", named("LICENSE", "License"), windows, `same as "LICENSE"`},
		{"case of a folder, macOS", named("Docs/a", "docs/b"), darwin, `same as "Docs"`},
		{"accents, macOS", named("caf\u00e9", "cafe\u0301"), darwin, "same as"},
		{"backslash, Windows", named(`a\b`), windows, "Windows does not allow"},
		{"stream, Windows", named("abc:def"), windows, "Windows does not allow"},
		{"device, Windows", named("docs/nul.txt"), windows, "device"},
		{"numbered device, Windows", named("COM1"), windows, "device"},
		{"final dot, Windows", named("a./b"), windows, "ends with a dot"},
		{"special entry", buildZip(t, entry{name: "a", content: "x", mode: fs.ModeDevice | 0o644}), Options{}, "neither file"},
		{"encrypted", buildZip(t, entry{name: "a", edit: raw("x", func(h *zip.FileHeader) { h.Flags |= 1 })}), Options{}, "encrypted"},
		{"folder with content", buildZip(t, entry{name: "a", content: "x", mode: fs.ModeDir | 0o755}), Options{}, "directory with content"},
		{"unknown compression", buildZip(t, entry{name: "a", edit: raw("x", func(h *zip.FileHeader) { h.Method = 99 })}), Options{}, "compression method 99"},
		{"wrong CRC", flipped, Options{}, "damaged"},
		{"longer than declared", buildZip(t, entry{name: "a", edit: raw("hello", func(h *zip.FileHeader) { h.UncompressedSize64 = 2 })}), Options{}, "damaged"},
		{"shorter than declared", buildZip(t, entry{name: "a", edit: raw("hello", func(h *zip.FileHeader) { h.UncompressedSize64 = 9 })}), Options{}, "damaged"},
		{"too many entries", named("a", "b", "c"), small, "3 entries"},
		{"too large", buildZip(t, entry{name: "a", content: "hello world"}), small, "more than 10 bytes"},
		{"too large together", buildZip(t, entry{name: "a", content: "123456"}, entry{name: "b", content: "123456"}), small, "more than 10 bytes"},
		{"sizes that overflow", buildZip(t,
			entry{name: "a", edit: raw("x", func(h *zip.FileHeader) { h.UncompressedSize64 = 1 << 63 })},
			entry{name: "b", edit: raw("x", func(h *zip.FileHeader) { h.UncompressedSize64 = 1 << 63 })}), Options{}, "zip64"},
		{"bomb by its own word", buildZip(t, entry{name: "a", edit: raw("x", func(h *zip.FileHeader) { h.UncompressedSize64 = 1 << 30 })}), Options{}, "times its size"},
		{"no entries", named(), Options{}, "empty"},
		{"only directories", named("a/", "b/"), Options{}, "no file"},
		{"no provider", named("terraform-provider-thingx", "sub/"+provider), Options{ProviderType: "thing"}, "no provider executable"},
		{"empty file", nil, Options{}, "the file is empty"},
		{"truncated", good[:len(good)/2], Options{}, "cut off"},
		{"tar.gz (B40)", tarball.Bytes(), Options{}, "gzip"},
		{"web page", []byte("\n<!DOCTYPE html><html>"), Options{}, "web page"},
		{"text", []byte("not here"), Options{}, `begins with "not here"`},
	}
}

// Every hostile archive is refused with an *Error that names the archive, and nothing is left behind (R-HASH-7, B40).
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	for _, test := range hostileArchives(t) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := writeArchive(t, test.bytes)
			parent := t.TempDir()
			err := Unzip(t.Context(), path, filepath.Join(parent, "new", "target"), test.opts)
			var problem *Error
			if !errors.As(err, &problem) {
				t.Fatalf("got %v, want an *Error", err)
			}
			if problem.Zip != path || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %q, want %q and the archive's path", err, test.want)
			}
			for name, content := range snapshot(t, parent) {
				if content != "<dir>" || name != "new" {
					t.Errorf("left behind: %s", name)
				}
			}
		})
	}
}

// A refused archive leaves an existing target as it was, also with Replace.
func TestRefusalKeepsTheOldTarget(t *testing.T) {
	t.Parallel()
	path := writeArchive(t, buildZip(t, entry{name: "a", content: "new"}, entry{name: "b", edit: raw("hello", func(h *zip.FileHeader) { h.CRC32 = 1 })}))
	target := filepath.Join(t.TempDir(), "target")
	if err := os.MkdirAll(target, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(target, "a"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Unzip(t.Context(), path, target, Options{Replace: true}); err == nil {
		t.Fatal("want an error")
	}
	if tree := snapshot(t, filepath.Dir(target)); len(tree) != 2 || tree["target/a"] != "old" {
		t.Errorf("got %v", tree)
	}
}
