package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSignalWhileBusy: a command that computes and looks at no context ends all the same, with the exit code of its signal.
func TestSignalWhileBusy(t *testing.T) {
	t.Parallel()
	for _, number := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(number.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			endless := filepath.Join(dir, "endless")
			if err := os.WriteFile(endless, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(endless, 1<<40); err != nil { // a hole: no disk is used, and hashing it takes an hour
				t.Fatal(err)
			}
			path, err := exec.LookPath("tfmirror") // testscript.Main has put it there
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), path, "hash", dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for !opened(cmd.Process.Pid, endless) {
				if t.Context().Err() != nil || errors.Is(cmd.Process.Signal(syscall.Signal(0)), os.ErrProcessDone) {
					t.Fatal("the command did not begin to hash")
				}
			}
			if err := cmd.Process.Signal(number); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if got, want := cmd.ProcessState.ExitCode(), 128+int(number); got != want {
				t.Errorf("exit code %d, want %d", got, want)
			}
		})
	}
}

// opened tells whether a process has a file open.
func opened(pid int, path string) bool {
	fds := fmt.Sprintf("/proc/%d/fd", pid)
	entries, _ := os.ReadDir(fds)
	for _, entry := range entries {
		if target, err := os.Readlink(filepath.Join(fds, entry.Name())); err == nil && target == path {
			return true
		}
	}
	return false
}
