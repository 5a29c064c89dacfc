//go:build unix

package filelock

import (
	"fmt"
	"os"
	"syscall"
)

// checkOwner refuses a folder that is a link, somebody else's, or open to others.
func checkOwner(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is no directory (%s)", dir, info.Mode())
	case !ok || int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user", dir)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others may write to %s (mode %04o)", dir, info.Mode().Perm())
	}
	return nil
}
