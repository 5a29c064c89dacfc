package cliconfig

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"time"

	"rules_tf_mirror/tools/internal/inputfile"
)

// pipeWait is how long a pipe that a shell made for us may take to be written.
const pipeWait = 30 * time.Second

// descriptor is the name of a file that is open already. TF_CLI_CONFIG_FILE=<(command) is written so by shells.
var descriptor = regexp.MustCompile(`^/(?:dev|proc/self)/fd/[0-9]+$`)

// readFile reads at most a byte more than a CLI configuration may have. Files without an end, and named pipes that perhaps nobody writes to, are
// an *fs.PathError that says what they are; the null device, which switches a configuration off, is empty.
func readFile(path string, wait time.Duration) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(info, null) || path == os.DevNull {
		return nil, nil
	}
	if info.Mode()&fs.ModeNamedPipe != 0 && descriptor.MatchString(path) {
		return readPipe(path, wait)
	}
	f, err := inputfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f)
}

// readPipe reads the pipe of a descriptor to its end, for which it waits only so long.
func readPipe(path string, wait time.Duration) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	read := make(chan result, 1)
	go func() {
		f, err := os.Open(path)
		if err != nil {
			read <- result{nil, err}
			return
		}
		defer f.Close()
		text, err := bounded(f)
		read <- result{text, err}
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case r := <-read:
		return r.text, r.err
	case <-timer.C:
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("this pipe was not written to its end within " + wait.String())}
	}
}

func bounded(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, maxBytes+1)) }
