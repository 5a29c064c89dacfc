package wholefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Writable reports why Write would fail for the file at path, nil if it would not, as far as can be told: the file is regular and not
// read-only, or not there, and its directory takes a new file. It leaves nothing behind.
func Writable(path string) error {
	target, err := Resolve(path)
	if err != nil {
		return err
	}
	if _, readOnly, err := modeOf(target); err != nil || readOnly != nil {
		return errors.Join(readOnly, err)
	}
	f, err := os.CreateTemp(filepath.Dir(target), prefix(target)+"*"+suffix)
	if err != nil {
		return fmt.Errorf("%s cannot be replaced: %w", path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
