package starlark_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rules_tf_mirror/tests/starlark/fakebazel"
)

// commands runs what a package repository runs, on a copy of the files of the fake, and takes back what became of them.
func commands(t *testing.T, c *fakebazel.RepositoryContext) func([]string, map[string]any) fakebazel.ExecResult {
	return func(argv []string, _ map[string]any) fakebazel.ExecResult {
		dir := t.TempDir()
		for name, content := range c.Files {
			rel, ok := strings.CutPrefix(name, c.Dir+"/")
			if !ok {
				continue
			}
			file := filepath.Join(dir, filepath.FromSlash(rel))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		result := run(dir, argv)
		err := filepath.WalkDir(dir, func(file string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(file)
			rel, _ := filepath.Rel(dir, file)
			c.Files[c.Dir+"/"+filepath.ToSlash(rel)] = string(content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

// run runs one command in a directory.
func run(dir string, argv []string) fakebazel.ExecResult {
	var stdout, stderr strings.Builder
	command := exec.Command(argv[0], argv[1:]...)
	command.Dir, command.Stdout, command.Stderr = dir, &stdout, &stderr
	if err := command.Run(); err != nil {
		return fakebazel.ExecResult{Code: 1, Stderr: stderr.String() + err.Error()}
	}
	return fakebazel.ExecResult{Stdout: stdout.String()}
}
