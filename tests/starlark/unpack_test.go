package starlark_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

// The commands that a package repository runs, on real files: links become files that hold their target (R-HASH-7), modes are normalised
// (C18) and the executable is one.
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
	links := map[string]string{
		"relative": "sub/tool", "dangling": "../../nowhere", "absolute": "/etc/passwd", "sub/dir link": "..", "new\nline": "a\nb\n", "-dash": "x", "quote'\"$x": "y",
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(leaf, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := fetch(t, nil, linux, func(c *fakebazel.RepositoryContext) {
		c.Exec = func(argv []string, _ map[string]any) fakebazel.ExecResult {
			command := exec.Command(argv[0], argv[1:]...)
			command.Dir = dir
			output, err := command.CombinedOutput()
			if err != nil {
				return fakebazel.ExecResult{Code: 1, Stderr: string(output)}
			}
			return fakebazel.ExecResult{}
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
	for name, target := range links {
		want[name] = "-rw-r--r--"
		if content, err := os.ReadFile(filepath.Join(leaf, name)); err != nil || string(content) != target {
			t.Errorf("%q holds %q, %v; want %q", name, content, err, target)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modes -want +got:\n%s", diff)
	}
}
