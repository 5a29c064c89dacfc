// Package e2e drives real Bazel workspaces against the fixture registry, and checks from outside what a user would see: which requests
// reached which host, what the lockfile says, what was fetched, and what the real terraform makes of it.
//
// BAZEL names the binary (tests/testtools.Bazel says what else is tried). Every workspace has its own output base; nothing of the
// caller's environment reaches Bazel but PATH, the JDK and Go's caches.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var (
	moduleDir string   // this repository
	goEnv     []string // Go's caches; the module proxy is what they hold, so that no build of the helper reaches out
)

func TestMain(m *testing.M) {
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// prepare finds the repository and fills Go's caches with what the helper is built from.
func prepare() error {
	var err error
	if moduleDir, err = filepath.Abs("../.."); err != nil {
		return err
	}
	if out, err := exec.Command("go", "build", "-o", os.DevNull, "rules_tf_mirror/tools/tfmirror").CombinedOutput(); err != nil {
		return fmt.Errorf("go build of the helper: %w\n%s", err, out)
	}
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		return err
	}
	dirs := strings.Fields(string(out))
	goEnv = []string{
		"GOCACHE=" + dirs[0],
		"GOMODCACHE=" + dirs[1],
		"GOPROXY=file://" + filepath.ToSlash(dirs[1]) + "/cache/download",
		"GONOSUMDB=*",
	}
	return nil
}
