package deplock

import (
	"fmt"
	"strings"
)

// Problem is one defect of a lock file.
type Problem struct {
	Path    string
	Line    int // from 1
	Message string
}

// Error returns path:line: message.
func (p Problem) Error() string { return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Message) }

// Error holds all defects of a lock file, in the file's order. A file with a defect has no entries that could be used.
type Error struct {
	Problems []Problem // at least one
}

// Error returns the problems, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}
