// Package terminal writes for people: tables, sizes, and progress that fits where it goes.
//
// On a terminal progress is one line that is redrawn; elsewhere, as in a CI log, it is one plain line per finished item. Nothing here
// writes colours, and text from outside is cleaned of control characters, so that a registry cannot steer a terminal.
package terminal

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// defaultWidth is taken, in columns, where a terminal does not tell its own.
const defaultWidth = 80

// Is reports whether w is a terminal that can redraw a line.
func Is(w io.Writer, getenv func(string) string) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && getenv("TERM") != "dumb"
}

// width returns the columns of w.
func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return defaultWidth
}

// Size writes a number of bytes with three digits or so: 512 B, 4.2 KiB, 675 MiB.
func Size(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	value := float64(n)
	for _, unit := range []string{"KiB", "MiB", "GiB"} {
		value /= 1024
		if value < 999.5 {
			if value < 9.95 {
				return fmt.Sprintf("%.1f %s", value, unit)
			}
			return fmt.Sprintf("%.0f %s", value, unit)
		}
	}
	return fmt.Sprintf("%.1f TiB", value/1024)
}
