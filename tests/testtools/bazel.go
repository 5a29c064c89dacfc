package testtools

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/go-version"
)

// The oldest Bazel whose facts are right (bazelbuild/bazel#28718).
var oldestBazel = version.Must(version.NewVersion("8.6.0"))

// Bazelisk downloads a Bazel on its first run; without a network it gives up by itself within half a minute.
const bazelVersionTimeout = 5 * time.Minute

var bazelVersionLine = regexp.MustCompile(`(?m)^(?:bazel|Build label:) v?(\d+\.\d+\.\d+\S*)`)

// Bazel returns the path of a Bazel, tried in this order: $BAZEL, taken as it is; `bazel` or `bazelisk` on PATH if it runs 8.6 or
// newer; Bazelisk built from this module's tool dependencies, which downloads the version of .bazelversion. The error says
// what was tried and why each was not taken.
func Bazel(ctx context.Context) (string, error) {
	if path := os.Getenv("BAZEL"); path != "" {
		return path, nil
	}
	var tried []string
	for _, name := range []string{"bazel", "bazelisk"} {
		path, err := exec.LookPath(name)
		if err != nil {
			tried = append(tried, "no "+name+" on PATH")
			continue
		}
		if err := newEnough(ctx, path); err != nil {
			tried = append(tried, fmt.Sprintf("%s: %v", path, err))
			continue
		}
		return path, nil
	}
	path, err := buildBazelisk(ctx)
	if err == nil {
		err = newEnough(ctx, path)
	}
	if err == nil {
		return path, nil
	}
	tried = append(tried, fmt.Sprintf("go tool bazelisk: %v", err))
	return "", fmt.Errorf("no Bazel: BAZEL is not set; %s", strings.Join(tried, "; "))
}

// newEnough runs `path --version` in this module, whose .bazelversion a Bazelisk obeys.
func newEnough(ctx context.Context, path string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, bazelVersionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("--version: %w: %s", err, lastLine(out))
	}
	return checkVersion(string(out))
}

// checkVersion reads what `bazel --version` printed.
func checkVersion(output string) error {
	match := bazelVersionLine.FindStringSubmatch(output)
	if match == nil {
		return fmt.Errorf("--version printed no version: %q", output)
	}
	found, err := version.NewVersion(match[1])
	if err != nil {
		return fmt.Errorf("--version: %w", err)
	}
	if found.Core().LessThan(oldestBazel) {
		return fmt.Errorf("Bazel %s is older than %s", found, oldestBazel)
	}
	return nil
}

// buildBazelisk builds the pinned Bazelisk into the user's cache, so that it runs without the go command around it.
func buildBazelisk(ctx context.Context) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	path := filepath.Join(cache, "rules_tf_mirror", "bazelisk")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/bazelbuild/bazelisk")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, lastLine(out))
	}
	return path, nil
}

// moduleRoot returns the directory of this module's go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	file := strings.TrimSpace(string(out))
	if file == "" || file == os.DevNull {
		return "", fmt.Errorf("the working directory is in no Go module")
	}
	return filepath.Dir(file), nil
}

// lastLine returns the last line of an output, and of a long one its end, where the cause stands.
func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	last := lines[len(lines)-1]
	const most = 120 // bytes
	if len(last) > most {
		last = "…" + strings.ToValidUTF8(last[len(last)-most:], "")
	}
	return last
}
