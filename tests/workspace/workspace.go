// Package workspace drives a real Bazel in a workspace that a test or the quickstart makes.
//
// A Workspace knows its folder, its output base and the environment in which Bazel runs; nothing of the caller's environment reaches
// Bazel unless it is named. Commands of one output base share a Bazel server until Shutdown.
package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Workspace is a Bazel workspace and how Bazel is called in it.
type Workspace struct {
	Bazel           string   // path of the bazel launcher
	Dir             string   // the workspace's folder
	OutputBase      string   // --output_base
	RepositoryCache string   // --repository_cache; empty: a folder in the output base
	Env             []string // the whole environment, KEY=value
	Startup         []string // more startup options
	Flags           []string // more options of commands that build, query or run
	Log             io.Writer
}

// Result is what a Bazel command left.
type Result struct {
	Args     []string
	ExitCode int
	Stdout   string
	Stderr   string
	Elapsed  time.Duration
}

// String returns the command, its exit code and all its output, for failure messages.
func (r Result) String() string {
	return fmt.Sprintf("bazel %s: exit code %d after %s\n%s%s", strings.Join(r.Args, " "), r.ExitCode, r.Elapsed.Round(time.Millisecond), r.Stderr, r.Stdout)
}

// Commands that take --repository_cache and the like; others (shutdown, info) take fewer options.
var commandsWithFlags = map[string]bool{"build": true, "run": true, "test": true, "query": true, "cquery": true, "mod": true, "fetch": true, "vendor": true}

// Run runs Bazel with the arguments and waits for it. An exit code other than 0 is no error; not being able to start Bazel is.
func (w *Workspace) Run(ctx context.Context, command string, args ...string) (Result, error) {
	line := append([]string{"--nohome_rc", "--output_base=" + w.OutputBase, "--max_idle_secs=60"}, w.Startup...)
	line = append(line, command)
	if commandsWithFlags[command] {
		line = append(line, "--color=no", "--curses=no", "--noshow_progress")
		if w.RepositoryCache != "" {
			line = append(line, "--repository_cache="+w.RepositoryCache)
		}
		line = append(line, w.Flags...)
	}
	line = append(line, args...)

	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, w.Bazel, line...)
	cmd.Dir = w.Dir
	cmd.Env = append(append([]string{}, w.Env...), "PWD="+w.Dir)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if w.Log != nil {
		cmd.Stderr = io.MultiWriter(&stderr, w.Log)
	}
	// A client that is killed with its context must not leave Run waiting for a server that holds its pipes.
	cmd.WaitDelay = 10 * time.Second
	start := time.Now()
	err := cmd.Run()
	result := Result{
		Args:     append([]string{command}, args...),
		ExitCode: cmd.ProcessState.ExitCode(),
		Stdout:   stdout.String(),
		Stderr:   stderr.String(),
		Elapsed:  time.Since(start),
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return result, fmt.Errorf("bazel %s: %w", command, err)
	}
	return result, nil
}

// Shutdown stops the workspace's Bazel server.
func (w *Workspace) Shutdown(ctx context.Context) error {
	result, err := w.Run(ctx, "shutdown")
	if err != nil {
		return err
	}
	if result.ExitCode != 0 {
		return errors.New(result.String())
	}
	return nil
}

// WithOutputBase returns the same workspace with another output base.
func (w *Workspace) WithOutputBase(outputBase string) *Workspace {
	other := *w
	other.OutputBase = outputBase
	return &other
}

// Path returns the path of a file of the workspace, given with slashes.
func (w *Workspace) Path(name string) string { return filepath.Join(w.Dir, filepath.FromSlash(name)) }

// Write writes a file of the workspace and the folders above it.
func (w *Workspace) Write(name, text string) error {
	path := w.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// RemoveAll deletes an output base or anything else that Bazel made read-only.
func RemoveAll(dir string) error {
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(path, 0o755)
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
