//go:build unix

package wholefile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// C21: 0644 under every umask. Not parallel, since the umask is the whole process's.
func TestUmask(t *testing.T) {
	for _, umask := range []int{0o022, 0o077, 0} {
		dir := t.TempDir()
		old := syscall.Umask(umask)
		_, err := Write(filepath.Join(dir, "file"), []byte("x"))
		syscall.Umask(old)
		mustDo(t, err)
		info, err := os.Stat(filepath.Join(dir, "file"))
		mustDo(t, err)
		if info.Mode().Perm() != 0o644 {
			t.Errorf("umask %03o: mode %04o, want 0644", umask, info.Mode().Perm())
		}
	}
}
