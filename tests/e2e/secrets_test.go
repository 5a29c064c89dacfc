package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
)

// grepFor searches the workspace and the output base, Bazel's logs and hidden lockfile included, for a text that must be nowhere.
func (p *project) grepFor(secret string) {
	p.t.Helper()
	for _, root := range []string{p.ws.Dir, p.ws.OutputBase} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if err == nil && bytes.Contains(data, []byte(secret)) {
				p.t.Errorf("%s contains the secret", path)
			}
			return err
		})
		if err != nil {
			p.t.Fatal(err)
		}
	}
}
