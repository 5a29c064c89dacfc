package commands

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"rules_tf_mirror/tests/registry"
)

// A run that is killed, or stopped by a signal, leaves no half package where anybody looks for one; the next run completes the job.
func TestKilledFetch(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals to send to another process")
	}
	for name, test := range map[string]struct {
		signal os.Signal
		flag   string
		code   int // -1: died of the signal
	}{
		"mirror, killed":     {syscall.SIGKILL, "--mirror", -1},
		"mirror, terminated": {syscall.SIGTERM, "--mirror", 143},
		"cache, killed":      {syscall.SIGKILL, "--repository_cache", -1},
		"cache, interrupted": {syscall.SIGINT, "--repository_cache", 130},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg := registry.Start(t)
			v := reg.Host(host).Provider("acme/widget").Version("1.4.0", registry.Platforms("linux_amd64"))
			v.Zip("linux_amd64").Size(1 << 20)
			archives := reg.Host("releases." + host)
			archives.Fail(registry.EndpointZip, registry.Fault{BytesPerSecond: 100 << 10})
			dir := filepath.Join(t.TempDir(), "target")
			input := requestJSON([]string{"linux_amd64"}, widget+":1.4.0")
			cmd := exec.CommandContext(t.Context(), filepath.Join(binaries, "tfmirror"), "fetch", "--request", "-", test.flag, dir)
			cmd.Stdin = bytes.NewReader(input)
			cmd.Env = append(os.Environ(), append(reg.Env(), "HOME="+t.TempDir())...)
			var output bytes.Buffer
			cmd.Stdout, cmd.Stderr = &output, &output
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			running, ended := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				defer ended()
				done <- cmd.Wait()
			}()
			if err := waitForPart(running, dir); err != nil {
				t.Fatalf("no part of a package came: %v, %v\n%s", err, <-done, &output)
			}
			if err := cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := <-done; !errors.As(err, &exit) || exit.ExitCode() != test.code {
				t.Errorf("got %v, want exit code %d", err, test.code)
			}
			for _, path := range visible(t, dir) {
				t.Errorf("after the signal: %s", path)
			}
			archives.Recover()
			if stdout, stderr, code := tfmirror(t, reg, input, "fetch", "--request", "-", test.flag, dir); code != 0 || !strings.Contains(stdout, "fetched") {
				t.Errorf("the next run: exit code %d\n%s%s", code, stdout, stderr)
			}
			if len(visible(t, dir)) == 0 {
				t.Error("the next run left no package")
			}
		})
	}
}

// waitForPart waits until a part of a package is on disk, wherever below dir.
func waitForPart(ctx context.Context, dir string) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		for _, pattern := range []string{".tfmirror/tmp/package-*", "tfmirror-tmp-*/package-*"} {
			paths, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
			if err != nil {
				return err
			}
			for _, path := range paths {
				if info, err := os.Stat(path); err == nil && info.Size() > 0 {
					return nil
				}
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// visible lists the files that terraform or Bazel could take for a package's: all outside of our own folders.
func visible(t *testing.T, dir string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".tfmirror" || strings.HasPrefix(d.Name(), "tfmirror-tmp-")):
			return filepath.SkipDir
		case !d.IsDir():
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
