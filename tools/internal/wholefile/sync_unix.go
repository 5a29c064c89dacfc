//go:build unix

package wholefile

import (
	"errors"
	"os"
	"syscall"
)

// syncDir flushes a directory, so that a rename in it outlives a loss of power. File systems that cannot do this say so with one of two
// errors, which are no reason to fail.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
