package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
)

// grepFor searches the workspace and the output base, Bazel's logs and hidden lockfile included, for texts that must be nowhere.
func (p *project) grepFor(secrets ...string) {
	p.t.Helper()
	for _, root := range []string{p.ws.Dir, p.ws.OutputBase} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			for _, secret := range secrets {
				if bytes.Contains(data, []byte(secret)) {
					p.t.Errorf("%s contains a secret", path)
				}
			}
			return err
		})
		if err != nil {
			p.t.Fatal(err)
		}
	}
}
