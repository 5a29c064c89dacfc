//go:build unix

package lock_test

import (
	"syscall"
	"testing"

	"rules_tf_mirror/tools/internal/lock"
)

// A named pipe in the place of a file is told, and not waited for.
func TestPipeInsteadOfAFile(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]func(*bench) string{"lockfile": (*bench).lockfile, "dependency lock": (*bench).product} {
		for _, change := range []func(*lock.Options){func(*lock.Options) {}, checkOnly, checkOffline} {
			b := newBench(t, widget+":1.4.0")
			b.version(widget, "1.4.0")
			if name == "lockfile" {
				remove(t, b.lockfile())
			}
			check(t, syscall.Mkfifo(path(b), 0o644))
			_, err := lock.Run(t.Context(), b.options(all(b.withProduct, change)))
			wantInput(t, err, path(b))
		}
	}
}
