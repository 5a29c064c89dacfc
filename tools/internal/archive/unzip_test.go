package archive

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnzip(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		entries []entry
		want    map[string]string
	}{
		"files and folders": {
			[]entry{{name: "docs/"}, {name: "docs/a b.md", content: "text"}, {name: provider, content: "x"}, {name: "empty/"}},
			map[string]string{"docs": "<dir>", "docs/a b.md": "text", provider: "x", "empty": "<dir>"},
		},
		"folder after its file": {
			[]entry{{name: "d/e/f", content: "1"}, {name: "d/"}, {name: "d/e/"}, {name: "d/"}},
			map[string]string{"d": "<dir>", "d/e": "<dir>", "d/e/f": "1"},
		},
		"link becomes a file (R-HASH-7)": {
			[]entry{{name: "a", content: "x"}, {name: "l", content: "../../etc/passwd", mode: fs.ModeSymlink | 0o777}},
			map[string]string{"a": "x", "l": "../../etc/passwd"},
		},
		"odd but harmless names (R-HASH-5)": {
			[]entry{{name: "./"}, {name: "./a", content: "1"}, {name: "d//e", content: "2"}, {name: "..c", content: "3"}, {name: "...", content: "4"}},
			map[string]string{"a": "1", "d": "<dir>", "d/e": "2", "..c": "3", "...": "4"},
		},
		"Bazel files": {
			[]entry{{name: "BUILD", content: "("}, {name: "WORKSPACE", content: "("}, {name: "a", content: ""}},
			map[string]string{"BUILD": "(", "WORKSPACE": "(", "a": ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := filepath.Join(t.TempDir(), "host:8443", "target")
			if runtime.GOOS == "windows" {
				target = filepath.Join(t.TempDir(), "host", "target")
			}
			if err := Unzip(t.Context(), writeArchive(t, buildZip(t, test.entries...)), target, Options{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, snapshot(t, target)); diff != "" {
				t.Error(diff)
			}
			if siblings, _ := os.ReadDir(filepath.Dir(target)); len(siblings) != 1 {
				t.Errorf("left beside the target: %v", siblings)
			}
		})
	}
}

// R-HASH-7: on Unix a backslash stays in the name, and names that differ in case are two files; both are refused elsewhere.
func TestUnixNames(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("this file system has no such names")
	}
	target := filepath.Join(t.TempDir(), "target")
	archive := buildZip(t, entry{name: `d\a`, content: "1"}, entry{name: "A", content: "2"}, entry{name: "a", content: "3"}, entry{name: "aux", content: "4"})
	if err := Unzip(t.Context(), writeArchive(t, archive), target, Options{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{`d\a`: "1", "A": "2", "a": "3", "aux": "4"}, snapshot(t, target)); diff != "" {
		t.Error(diff)
	}
}

// C18, R-CACHE-6: modes are normalised, nothing is read-only, and the provider is executable whatever the zip says.
func TestModes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	target := filepath.Join(t.TempDir(), "target")
	archive := buildZip(t,
		entry{name: "ro/", mode: fs.ModeDir | 0o555},
		entry{name: "ro/file", content: "x", mode: 0o444},
		entry{name: "tool", content: "x", mode: 0o500},
		entry{name: "setuid", content: "x", mode: fs.ModeSetuid | 0o4755},
		entry{name: "secret", content: "x", mode: 0o600},
		entry{name: "link", content: "x", mode: fs.ModeSymlink | 0o777},
		entry{name: provider, content: "x", mode: 0o444})
	for range 2 { // a second install over the first works (C18)
		if err := Unzip(t.Context(), writeArchive(t, archive), target, Options{ProviderType: "thing", Replace: true}); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]fs.FileMode{
		".": fs.ModeDir | 0o755, "ro": fs.ModeDir | 0o755, "ro/file": 0o644, "tool": 0o755, "setuid": 0o755,
		"secret": 0o644, "link": 0o644, provider: 0o755,
	} {
		info, err := os.Lstat(filepath.Join(target, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), want)
		}
	}
}

// R-CACHE-6: which file is the provider.
func TestProviderExecutable(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no executable bit")
	}
	for _, test := range []struct {
		names      []string
		executable string
	}{
		{[]string{"terraform-provider-thing"}, "terraform-provider-thing"},
		{[]string{"terraform-provider-thing.exe"}, "terraform-provider-thing.exe"},
		{[]string{"terraform-provider-thing_v2", "terraform-provider-thing_v1"}, "terraform-provider-thing_v1"},
		{[]string{"terraform-provider-thing_a/x", "terraform-provider-thing_v1"}, "terraform-provider-thing_v1"},
		{[]string{"terraform-provider-thingy_v1", "terraform-provider-thing_v1"}, "terraform-provider-thing_v1"},
	} {
		var entries []entry
		for _, name := range test.names {
			entries = append(entries, entry{name: name, content: "x"})
		}
		target := filepath.Join(t.TempDir(), "target")
		if err := Unzip(t.Context(), writeArchive(t, buildZip(t, entries...)), target, Options{ProviderType: "thing"}); err != nil {
			t.Fatal(err)
		}
		for _, name := range test.names {
			info, err := os.Stat(filepath.Join(target, name))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := info.Mode()&0o111 != 0, name == test.executable; got != want {
				t.Errorf("%v: %s executable: %v, want %v", test.names, name, got, want)
			}
		}
	}
}

// An existing target is kept without Replace, and replaced as a whole with it: no file of the old package survives (R-CACHE-9).
func TestExistingTarget(t *testing.T) {
	t.Parallel()
	target := filepath.Join(t.TempDir(), "target")
	first := writeArchive(t, buildZip(t, entry{name: "old", content: "1"}))
	second := writeArchive(t, buildZip(t, entry{name: "new", content: "2"}))
	if err := Unzip(t.Context(), first, target, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := Unzip(t.Context(), second, target, Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want fs.ErrExist", err)
	}
	if diff := cmp.Diff(map[string]string{"old": "1"}, snapshot(t, target)); diff != "" {
		t.Error(diff)
	}
	staging := filepath.Join(filepath.Dir(target), "staging")
	if err := os.Mkdir(staging, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(filepath.Dir(target))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := Unzip(t.Context(), second, "target", Options{Replace: true, Root: root, StagingDir: "staging"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"new": "2"}, snapshot(t, target)); diff != "" {
		t.Error(diff)
	}
	if left := snapshot(t, staging); len(left) != 0 {
		t.Errorf("left in the staging directory: %v", left)
	}
}

// A root confines the target, even if a directory on the way becomes a link after somebody looked.
func TestRootConfines(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "way")); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	archive := writeArchive(t, buildZip(t, entry{name: "new", content: "2"}))
	for _, opts := range []Options{{Root: root, Replace: true}, {Root: root, Replace: true, StagingDir: "."}, {Root: root, StagingDir: "way"}} {
		if err := Unzip(t.Context(), archive, filepath.Join("way", "target"), opts); err == nil {
			t.Errorf("%+v: no error", opts)
		}
	}
	if left := snapshot(t, outside); len(left) != 0 {
		t.Errorf("outside there is %v", left)
	}
}

// R-INST-8: a link in the target's place is removed; what it points to is not touched.
func TestTargetIsALink(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "keep"), []byte("1"), 0o644); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "target")
	if err := os.Symlink(elsewhere, target); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	path := writeArchive(t, buildZip(t, entry{name: "new", content: "2"}))
	if err := Unzip(t.Context(), path, target, Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("without Replace: got %v, want fs.ErrExist", err)
	}
	if err := Unzip(t.Context(), path, target, Options{Replace: true}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(target); err != nil || !info.IsDir() {
		t.Errorf("the target is %v, %v, want a directory", info, err)
	}
	if diff := cmp.Diff(map[string]string{"keep": "1"}, snapshot(t, elsewhere)); diff != "" {
		t.Error(diff)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	parent := t.TempDir()
	err := Unzip(ctx, writeArchive(t, buildZip(t, entry{name: "a", content: "x"})), filepath.Join(parent, "target"), Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if left := snapshot(t, parent); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Entry names could hold terminal control sequences: they are quoted in errors.
func TestErrorQuotesNames(t *testing.T) {
	t.Parallel()
	err := Unzip(t.Context(), writeArchive(t, buildZip(t, entry{name: "\x1b[2J/../x", content: "x"})), filepath.Join(t.TempDir(), "t"), Options{})
	if err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("got %q", err)
	}
}

func TestMissingArchive(t *testing.T) {
	t.Parallel()
	err := Unzip(t.Context(), filepath.Join(t.TempDir(), "absent.zip"), filepath.Join(t.TempDir(), "t"), Options{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}
