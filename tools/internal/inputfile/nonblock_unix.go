//go:build unix

package inputfile

import "syscall"

// nonblock lets the opening of a pipe return at once; for regular files it has no effect.
const nonblock = syscall.O_NONBLOCK
