//go:build unix

package filelock

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A cache folder that cannot be made, or not be written to, is no reason to fail: a folder among the temporary files takes its place, if
// nobody else can have put something there. Not parallel, as the environment is the whole process's.
func TestWithoutCacheFolder(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	own := filepath.Join(temp, fmt.Sprintf("rules_tf_mirror-%d", os.Getuid()))
	file := filepath.Join(temp, "file")
	mustDo(t, os.WriteFile(file, nil, 0o644))
	for name, home := range map[string]string{"a file is in the way": file, "no such file system": "/proc/nohome", "none": "", "relative": "home"} {
		t.Setenv("HOME", home)
		t.Setenv("XDG_CACHE_HOME", home)
		if name == "relative" {
			t.Setenv("HOME", "/proc/nohome")
		}
		if got, want := DefaultDir(), filepath.Join(own, "locks"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	acquire := func() error {
		lock, err := TryAcquire(DefaultDir(), file)
		if err == nil {
			err = lock.Release()
		}
		return err
	}
	mustDo(t, acquire())
	mustDo(t, acquire())
	for name, c := range map[string]struct {
		make func() error
		want string
	}{
		"open to others": {func() error { return os.Chmod(own, 0o777) }, "others may write to"},
		"a link": {func() error {
			mustDo(t, os.RemoveAll(own))
			return os.Symlink(t.TempDir(), own)
		}, "is no directory"},
		"somebody else's": {func() error {
			mustDo(t, os.RemoveAll(own))
			mustDo(t, os.Mkdir(own, 0o700))
			if os.Geteuid() != 0 { // cannot be given away; one of root's is never ours
				mustDo(t, os.Remove(own))
				t.Setenv("TMPDIR", "/")
				return nil
			}
			return os.Chown(own, 12345, 12345)
		}, ""},
	} {
		mustDo(t, os.RemoveAll(own))
		mustDo(t, os.Mkdir(own, 0o700))
		mustDo(t, c.make())
		if err := acquire(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "folder for locks") {
			t.Errorf("%s: %v", name, err)
		}
		mustDo(t, os.RemoveAll(own))
		t.Setenv("TMPDIR", temp)
	}
}
