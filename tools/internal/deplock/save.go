package deplock

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/inputfile"
	"rules_tf_mirror/tools/internal/wholefile"
)

// ErrChanged is in the chain of the error for a lock file that somebody else has changed since it was read.
var ErrChanged = errors.New("the dependency lock file was changed meanwhile")

// Save writes the merged entries over the file that they were merged from, whole (package wholefile), and reports whether it wrote. Without
// changes nothing is written, not even to a file that the tool would have formatted otherwise. A file that is no longer what was read
// is left alone; the error then has ErrChanged in its chain. The caller holds the lock of package filelock.
func (m Merged) Save(read *File, tool addrs.Tool) (changed bool, err error) {
	if len(m.Changes) == 0 {
		return false, nil
	}
	if err := wholefile.RemoveLeftovers(read.Path); err != nil {
		return false, err
	}
	now, err := inputfile.Read(read.Path, inputfile.Most)
	missing := errors.Is(err, os.ErrNotExist)
	if err != nil && !missing {
		return false, err
	}
	if missing != read.Missing || !bytes.Equal(now, read.Text) {
		return false, fmt.Errorf("%s: %w; let other commands end, then run this again", read.Path, ErrChanged)
	}
	return wholefile.Write(read.Path, Format(m.Entries, tool))
}
