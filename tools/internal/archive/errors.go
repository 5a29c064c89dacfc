package archive

import (
	"fmt"
	"strings"
)

// Error says why a package cannot be unpacked. It is about the archive; failures of the disk are other errors.
type Error struct {
	Zip     string // path of the archive
	Entry   string // raw name of the entry, or "" if the archive as a whole is meant
	Problem string // what is wrong, found against wanted
	Err     error  // the cause, or nil
}

// Error names archive, entry and problem. Entry names are quoted, because an archive could hold terminal control sequences.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s", e.Zip)
	if e.Entry != "" {
		fmt.Fprintf(&b, ": entry %q", e.Entry)
	}
	fmt.Fprintf(&b, ": %s", e.Problem)
	if e.Err != nil {
		fmt.Fprintf(&b, " (%v)", e.Err)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
