package cli

import (
	"fmt"
	"syscall"
)

// The exit codes of design §3.3.
const (
	CodeDifference = 1 // a check found a difference
	CodeUsage      = 2 // wrong usage or input
	CodeNetwork    = 3 // the network or a registry failed
	CodeRefused    = 4 // verification refused
)

// Failure ends a command with an exit code. Its text goes to stderr; an empty text prints nothing.
type Failure struct {
	Code int
	Err  error
}

// Error returns the text for stderr.
func (f *Failure) Error() string {
	if f.Err == nil {
		return ""
	}
	return f.Err.Error()
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Fail returns a Failure with the given exit code.
func Fail(code int, err error) error { return &Failure{Code: code, Err: err} }

// Usage returns a Failure with exit code 2.
func Usage(format string, args ...any) error {
	return &Failure{Code: CodeUsage, Err: fmt.Errorf(format, args...)}
}

// Signal is the cancellation cause of a context that a signal ended.
type Signal syscall.Signal

// Error names the signal.
func (s Signal) Error() string { return "stopped by signal: " + syscall.Signal(s).String() }
