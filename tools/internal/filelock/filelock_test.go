package filelock

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the test binary be another process that holds a lock until its input ends.
func TestMain(m *testing.M) {
	if path := os.Getenv("FILELOCK_HOLD"); path != "" {
		if _, err := TryAcquire(os.Getenv("FILELOCK_DIR"), path); err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestExclusiveInOneProcess(t *testing.T) {
	t.Parallel()
	dir, path := filepath.Join(t.TempDir(), "made", "on", "demand"), filepath.Join(t.TempDir(), "file")
	first, err := TryAcquire(dir, path)
	mustDo(t, err)
	_, err = TryAcquire(dir, path)
	if !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), path) {
		t.Errorf("second TryAcquire = %v, want ErrHeld with the path", err)
	}
	other, err := TryAcquire(dir, path+".other")
	if err != nil {
		t.Errorf("the lock of another file: %v", err)
	} else {
		mustDo(t, other.Release())
	}
	mustDo(t, first.Release())
	mustDo(t, first.Release())
	second, err := TryAcquire(dir, path)
	mustDo(t, err)
	mustDo(t, second.Release())
}

// Whatever name a file is reached by, it is one lock; and no trace of it is beside the file.
func TestOneLockForAllNames(t *testing.T) {
	t.Parallel()
	work, dir := t.TempDir(), t.TempDir()
	mustDo(t, os.WriteFile(filepath.Join(work, "file"), nil, 0o644))
	if err := os.Symlink("file", filepath.Join(work, "link")); err != nil {
		t.Skip(err)
	}
	mustDo(t, os.Symlink(work, filepath.Join(dir, "work")))
	want, err := Path(dir, filepath.Join(work, "file"))
	mustDo(t, err)
	for _, name := range []string{
		filepath.Join(work, "link"),
		filepath.Join(dir, "work", "link"),
		work + string(filepath.Separator) + "." + string(filepath.Separator) + "file",
	} {
		if got, err := Path(dir, name); err != nil || got != want {
			t.Errorf("Path(%s) = %s, %v; want %s", name, got, err, want)
		}
	}
	lock, err := TryAcquire(dir, filepath.Join(work, "link"))
	mustDo(t, err)
	defer lock.Release()
	entries, err := os.ReadDir(work)
	mustDo(t, err)
	if len(entries) != 2 {
		t.Errorf("the workspace holds %v, want the file and the link", entries)
	}
}

// The file may be missing, its directory may not.
func TestPathOfMissing(t *testing.T) {
	t.Parallel()
	if _, err := Path(t.TempDir(), filepath.Join(t.TempDir(), "file")); err != nil {
		t.Error(err)
	}
	if _, err := TryAcquire(t.TempDir(), filepath.Join(t.TempDir(), "missing", "file")); err == nil {
		t.Error("no error for a missing directory")
	}
}

// Another process holds the lock; killed with SIGKILL it holds it no more, and nothing has to be cleaned up.
func TestKilledOwner(t *testing.T) {
	t.Parallel()
	dir, path := t.TempDir(), filepath.Join(t.TempDir(), "file")
	owner := hold(t, dir, path)
	if _, err := TryAcquire(dir, path); !errors.Is(err, ErrHeld) {
		t.Errorf("TryAcquire = %v, want ErrHeld", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Acquire(ctx, dir, path, cancel)
	if !errors.Is(err, ErrHeld) || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled Acquire = %v, want ErrHeld and Canceled", err)
	}
	waited := 0
	lock, err := Acquire(t.Context(), dir, path, func() {
		waited++
		mustDo(t, owner.Process.Kill())
		_ = owner.Wait()
	})
	mustDo(t, err)
	if waited != 1 {
		t.Errorf("waiting was called %d times", waited)
	}
	mustDo(t, lock.Release())
	lock, err = Acquire(t.Context(), dir, path, func() { t.Error("waited for a free lock") })
	mustDo(t, err)
	mustDo(t, lock.Release())
}

func TestDefaultDir(t *testing.T) {
	home := filepath.Join(t.TempDir(), "somebody")
	mustDo(t, os.Mkdir(home, 0o700))
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("LocalAppData", home)
	if got := DefaultDir(); !strings.Contains(got, "somebody") || !strings.HasSuffix(got, filepath.Join("rules_tf_mirror", "locks")) {
		t.Errorf("DefaultDir = %s", got)
	}
	t.Setenv("HOME", "")
	t.Setenv("LocalAppData", "")
	if got := DefaultDir(); got != filepath.Join(os.TempDir(), fmt.Sprintf("rules_tf_mirror-%d", os.Getuid()), "locks") {
		t.Errorf("DefaultDir without HOME = %s", got)
	}
}

// hold starts a process that holds the lock of path and ends with the test at the latest.
func hold(t *testing.T, dir, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FILELOCK_HOLD="+path, "FILELOCK_DIR="+dir)
	stdin, err := cmd.StdinPipe()
	mustDo(t, err)
	t.Cleanup(func() { stdin.Close() })
	stdout, err := cmd.StdoutPipe()
	mustDo(t, err)
	mustDo(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || line != "held\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return cmd
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
