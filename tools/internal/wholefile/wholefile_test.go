package wholefile

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be the writer that TestKill kills.
func TestMain(m *testing.M) {
	if path := os.Getenv("WHOLEFILE_WRITE_FOREVER"); path != "" {
		writeForever(path)
	}
	os.Exit(m.Run())
}

func TestWrite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		old         string
		mode        fs.FileMode // 0: no file
		data        string
		wantChanged bool
		wantMode    fs.FileMode
	}{
		"new file (C21)":               {data: "new", wantChanged: true, wantMode: 0o644},
		"new and empty":                {data: "", wantChanged: true, wantMode: 0o644},
		"replaced":                     {old: "old", mode: 0o644, data: "new", wantChanged: true, wantMode: 0o644},
		"private mode kept":            {old: "old", mode: 0o600, data: "new", wantChanged: true, wantMode: 0o600},
		"executable mode kept":         {old: "old", mode: 0o755, data: "new", wantChanged: true, wantMode: 0o755},
		"group mode kept":              {old: "old", mode: 0o664, data: "new", wantChanged: true, wantMode: 0o664},
		"same content":                 {old: "same", mode: 0o640, data: "same", wantMode: 0o640},
		"same content in a read-only":  {old: "same", mode: 0o444, data: "same", wantMode: 0o444},
		"shorter, nothing of the rest": {old: strings.Repeat("x", 1<<20), mode: 0o644, data: "s", wantChanged: true, wantMode: 0o644},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && test.mode != 0 {
				test.mode, test.wantMode = 0o666, 0o666
			}
			path := filepath.Join(t.TempDir(), "file")
			if test.mode != 0 {
				mustDo(t, os.WriteFile(path, []byte(test.old), 0o600))
				mustDo(t, os.Chmod(path, test.mode))
			}
			changed, err := Write(path, []byte(test.data))
			if err != nil || changed != test.wantChanged {
				t.Fatalf("Write = %v, %v; want %v", changed, err, test.wantChanged)
			}
			checkFile(t, path, test.data)
			info, err := os.Stat(path)
			mustDo(t, err)
			if runtime.GOOS != "windows" && info.Mode().Perm() != test.wantMode {
				t.Errorf("mode %04o, want %04o", info.Mode().Perm(), test.wantMode)
			}
			checkAlone(t, path)
		})
	}
}

// What is unchanged is not written: a watcher, or a build system that looks at times, sees nothing.
func TestSameContentIsNotTouched(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	mustDo(t, os.WriteFile(path, []byte("x"), 0o644))
	past := time.Unix(1_000_000_000, 0)
	mustDo(t, os.Chtimes(path, past, past))
	if changed, err := Write(path, []byte("x")); changed || err != nil {
		t.Fatalf("Write = %v, %v", changed, err)
	}
	info, err := os.Stat(path)
	mustDo(t, err)
	if !info.ModTime().Equal(past) {
		t.Errorf("modified at %v", info.ModTime())
	}
}

func TestWriteThroughLinks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(t *testing.T, dir string)
		target  string // the file that has the new content
	}{
		"relative link": {func(t *testing.T, dir string) {
			mustDo(t, os.WriteFile(filepath.Join(dir, "elsewhere", "real"), []byte("old"), 0o644))
			symlink(t, filepath.Join("..", "elsewhere", "real"), filepath.Join(dir, "here", "file"))
		}, "elsewhere/real"},
		"absolute link": {func(t *testing.T, dir string) {
			mustDo(t, os.WriteFile(filepath.Join(dir, "elsewhere", "real"), []byte("old"), 0o644))
			symlink(t, filepath.Join(dir, "elsewhere", "real"), filepath.Join(dir, "here", "file"))
		}, "elsewhere/real"},
		"dangling link": {func(t *testing.T, dir string) {
			symlink(t, filepath.Join("..", "elsewhere", "real"), filepath.Join(dir, "here", "file"))
		}, "elsewhere/real"},
		"link to a link": {func(t *testing.T, dir string) {
			mustDo(t, os.WriteFile(filepath.Join(dir, "elsewhere", "real"), []byte("old"), 0o644))
			symlink(t, "real", filepath.Join(dir, "elsewhere", "middle"))
			symlink(t, filepath.Join("..", "elsewhere", "middle"), filepath.Join(dir, "here", "file"))
		}, "elsewhere/real"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			mustDo(t, os.Mkdir(filepath.Join(dir, "here"), 0o755))
			mustDo(t, os.Mkdir(filepath.Join(dir, "elsewhere"), 0o755))
			test.prepare(t, dir)
			link := filepath.Join(dir, "here", "file")
			changed, err := Write(link, []byte("new"))
			if err != nil || !changed {
				t.Fatalf("Write = %v, %v", changed, err)
			}
			info, err := os.Lstat(link)
			mustDo(t, err)
			if info.Mode()&fs.ModeSymlink == 0 {
				t.Errorf("the link became a %s", info.Mode())
			}
			checkFile(t, filepath.Join(dir, filepath.FromSlash(test.target)), "new")
			checkAlone(t, link)
		})
	}
	t.Run("link in a circle", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		symlink(t, "b", filepath.Join(dir, "a"))
		symlink(t, "a", filepath.Join(dir, "b"))
		if _, err := Write(filepath.Join(dir, "a"), nil); err == nil || !strings.Contains(err.Error(), "too many symbolic links") {
			t.Errorf("Write = %v", err)
		}
	})
}

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustDo(t, os.Mkdir(filepath.Join(dir, "directory"), 0o755))
	mustDo(t, os.WriteFile(filepath.Join(dir, "read-only"), []byte("old"), 0o444))
	mustDo(t, os.WriteFile(filepath.Join(dir, "plain"), nil, 0o644))
	for name, want := range map[string]string{
		"directory":         "is not a regular file",
		"read-only":         "is read-only (mode 0444); make it writable",
		"missing/file":      "no such file or directory",
		"plain/not/a/place": "not a directory",
	} {
		if runtime.GOOS == "windows" && !strings.Contains(want, "is ") {
			continue // the system's own words
		}
		_, err := Write(filepath.Join(dir, filepath.FromSlash(name)), []byte("new"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Write(%s) = %v, want an error with %q", name, err, want)
		}
	}
	checkFile(t, filepath.Join(dir, "read-only"), "old")
}

func TestRemoveLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "MODULE.bazel.lock")
	keep := []string{"MODULE.bazel.lock", ".MODULE.bazel.lock.swp", ".other.1.tfmirror-tmp", "MODULE.bazel.lock.1.tfmirror-tmp"}
	for _, name := range append([]string{".MODULE.bazel.lock.123.tfmirror-tmp", ".MODULE.bazel.lock.9.tfmirror-tmp"}, keep...) {
		mustDo(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	mustDo(t, RemoveLeftovers(path))
	entries, err := os.ReadDir(dir)
	mustDo(t, err)
	if len(entries) != len(keep) {
		t.Errorf("left: %v, want %v", entries, keep)
	}
	if err := RemoveLeftovers(filepath.Join(dir, "missing", "file")); err == nil {
		t.Error("no error for a directory that is not there")
	}
}

// TestKill kills a process that writes in a loop, again and again. Each time the file must be one of the two contents, whole.
func TestKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	kills := 40
	seen := map[byte]int{}
	for range kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "WHOLEFILE_WRITE_FOREVER="+path)
		stdout, err := cmd.StdoutPipe()
		mustDo(t, err)
		mustDo(t, cmd.Start())
		if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
			t.Fatalf("the writer did not start: %v", err)
		}
		time.Sleep(time.Duration(rand.IntN(8000)) * time.Microsecond)
		mustDo(t, cmd.Process.Kill())
		_ = cmd.Wait() // "signal: killed"
		data, err := os.ReadFile(path)
		mustDo(t, err)
		if !bytes.Equal(data, content('a')) && !bytes.Equal(data, content('b')) {
			t.Fatalf("neither content: %d bytes, beginning with %.20q", len(data), data)
		}
		seen[data[0]]++
	}
	t.Logf("%d kills; contents found: %v", kills, seen)
	mustDo(t, RemoveLeftovers(path))
	checkAlone(t, path)
}

func writeForever(path string) {
	for i := 0; ; i++ {
		if _, err := Write(path, content("ab"[i%2])); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if i == 0 {
			fmt.Println("ready")
		}
	}
}

// content is large enough for many pages; the two contents differ in length.
func content(c byte) []byte {
	return bytes.Repeat([]byte{c}, 200_000+int(c)*100)
}

// checkAlone fails the test if there is a temporary file beside path or beside the file it links to.
func checkAlone(t *testing.T, path string) {
	t.Helper()
	target, err := Resolve(path)
	mustDo(t, err)
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(target)} {
		left, err := filepath.Glob(filepath.Join(dir, ".*"+suffix))
		mustDo(t, err)
		if len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func checkFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	mustDo(t, err)
	if string(got) != want {
		t.Errorf("%s holds %.40q, want %.40q", path, got, want)
	}
}

func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip(err) // needs a privilege there
		}
		t.Fatal(err)
	}
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
