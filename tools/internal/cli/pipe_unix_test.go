//go:build unix

package cli

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Pipes that nobody writes to are refused, wherever a file is wanted.
func TestPipes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	request := put(t, oneWidget, t.TempDir(), "request.json")
	for name, args := range map[string][]string{
		"request":   {"resolve", "--request", pipe, "--response", "-"},
		"response":  {"resolve", "--request", request, "--response", pipe},
		"hash":      {"hash", pipe},
		"directory": {"hash", dir},
		"lockfile":  {"lock", "--manifest", request, "--lockfile", pipe, "--extension", "@@rules_tf_mirror+//tf:extensions.bzl%tf_repositories"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, _, stderr := runWith(t, hostile{}, args...)
			if code != CodeUsage || !strings.Contains(stderr, pipe) || !strings.Contains(stderr, "regular file") {
				t.Errorf("exit code %d, stderr %q", code, stderr)
			}
		})
	}
}
