package bazellock

import (
	"errors"
	"fmt"
)

// ErrMissing is in the chain of the error for a lockfile that is not there.
var ErrMissing = errors.New("there is no lockfile")

// ErrChanged is in the chain of the error for a lockfile that somebody else has changed since it was read.
var ErrChanged = errors.New("the lockfile was changed meanwhile")

// ParseError says where a lockfile is not what it should be. Such a file is never edited.
type ParseError struct {
	Path    string
	Line    int // from 1
	Message string
}

// Error returns path:line: message.
func (e *ParseError) Error() string { return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Message) }
