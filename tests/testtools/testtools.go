// Package testtools finds the real programs that tests and the quickstart run: Bazel, terraform and tofu.
//
// A program that is missing skips a test on a developer's machine, where it may not be wanted, and fails it in CI, where a skipped
// test would be a check that cannot fail. CI is told by the environment variable CI, as on the usual services.
package testtools

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
)

// Terraform returns the path of the real terraform: $TERRAFORM, else `terraform` on PATH.
func Terraform(t testing.TB) string {
	t.Helper()
	if path := lookUp("TERRAFORM", "terraform"); path != "" {
		return path
	}
	missing(t, "no terraform: set TERRAFORM or put it on PATH")
	return ""
}

// Tofu returns the path of the real tofu, which only $TOFU names: it has to be built or installed on purpose. The test is skipped
// without it, in CI too.
func Tofu(t testing.TB) string {
	t.Helper()
	path := os.Getenv("TOFU")
	if path == "" {
		t.Skip("TOFU names no tofu binary")
	}
	return path
}

// Looking for a Bazel may take a download, and half a minute to give up; once for all tests is enough.
var findBazel = sync.OnceValues(func() (string, error) { return Bazel(context.Background()) })

// RequireBazel returns the Bazel that Bazel finds, or skips the test (fails it in CI) with the reason why there is none.
func RequireBazel(t testing.TB) string {
	t.Helper()
	path, err := findBazel()
	if err != nil {
		missing(t, err.Error())
	}
	return path
}

// WriteScript writes a file that is to be executed. No process is started meanwhile by another goroutine of this test: it would inherit the open
// file, and the system would refuse to execute it as long as that process had not started ("text file busy", golang/go#22315).
func WriteScript(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func lookUp(variable, name string) string {
	if path := os.Getenv(variable); path != "" {
		return path
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}
