//go:build unix

package fetch

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
)

// A mirror is often shared: everything in it is readable for all, whatever the umask is. Not parallel, because the umask is the process's.
func TestMirrorModes(t *testing.T) {
	b := newBench(t)
	b.widget("1.4.0", "linux_amd64")
	dir := filepath.Join(t.TempDir(), "mirror")
	old := syscall.Umask(0o077)
	report := b.run(request("linux_amd64", widget), b.mirror(dir))
	syscall.Umask(old)
	wantStatus(t, report, "linux_amd64 fetched")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		lock := filepath.Join(dir, privateDir, "lock")
		if mode := info.Mode().Perm(); path != lock && mode != 0o755 && (d.IsDir() || mode != 0o644) {
			t.Errorf("%s has mode %04o", path, mode)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
