package bazellock

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be the editor that TestKill kills.
func TestMain(m *testing.M) {
	if path := os.Getenv("BAZELLOCK_EDIT_FOREVER"); path != "" {
		editForever(path)
	}
	os.Exit(m.Run())
}

func TestEdit(t *testing.T) {
	t.Parallel()
	path := writeFile(t, t.TempDir(), "MODULE.bazel.lock", lock("", "", "", ""))
	mustDo(t, os.Chmod(path, 0o600))
	id := mustID(t, ourID)
	add := func(name string) (bool, error) {
		return Edit(path, id, func(now map[string]json.RawMessage) (map[string]json.RawMessage, error) {
			now[name] = json.RawMessage("1")
			return now, nil
		})
	}
	for _, step := range []struct {
		name    string
		changed bool
	}{{"a", true}, {"b", true}, {"a", false}} {
		if changed, err := add(step.name); err != nil || changed != step.changed {
			t.Fatalf("adding %s: %v, %v", step.name, changed, err)
		}
	}
	f, err := Open(path)
	mustDo(t, err)
	got, _, _, err := f.Facts(id)
	mustDo(t, err)
	checkSame(t, got, facts{"a": json.RawMessage("1"), "b": json.RawMessage("1")})
	info, err := os.Stat(path)
	mustDo(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	broken := errors.New("no")
	before := readFile(t, path)
	if changed, err := Edit(path, id, func(facts) (facts, error) { return nil, broken }); changed || !errors.Is(err, broken) {
		t.Errorf("Edit = %v, %v", changed, err)
	}
	if readFile(t, path) != before {
		t.Error("a failed edit changed the file")
	}
}

// Somebody else writes between reading and saving: once, and the edit starts again from what is there; always, and it gives up.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	id := mustID(t, ourID)
	for _, test := range []struct{ disturb, calls int }{{0, 1}, {1, 2}, {2, 3}, {9, 3}} {
		path := writeFile(t, t.TempDir(), "MODULE.bazel.lock", lock("", "", "", ""))
		calls := 0
		changed, err := Edit(path, id, func(now facts) (facts, error) {
			if calls++; calls <= test.disturb {
				other := fmt.Sprintf(`"@@a+//:e.bzl%%e": {"n": %d}`, calls)
				mustDo(t, os.WriteFile(path, []byte(lock(other, "", "", "")), 0o644))
			}
			now["a"] = json.RawMessage("1")
			return now, nil
		})
		if calls != test.calls {
			t.Errorf("%d disturbances: %d calls", test.disturb, calls)
		}
		text := readFile(t, path)
		switch gaveUp := test.disturb >= attempts; {
		case gaveUp && (!errors.Is(err, ErrChanged) || strings.Contains(text, ourID)):
			t.Errorf("%d disturbances: %v and\n%s", test.disturb, err, text)
		case !gaveUp && (err != nil || !changed || !strings.Contains(text, ourID)):
			t.Errorf("%d disturbances: %v, %v and\n%s", test.disturb, changed, err, text)
		case test.disturb > 0 && !strings.Contains(text, "@@a+"):
			t.Errorf("%d disturbances: the other writer's entry is lost", test.disturb)
		}
	}
}

// A lockfile that was deleted meanwhile is not brought back.
func TestDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	path := writeFile(t, t.TempDir(), "MODULE.bazel.lock", lock("", "", "", ""))
	f, err := Open(path)
	mustDo(t, err)
	mustDo(t, os.Remove(path))
	if err := f.Save([]byte("{}")); !errors.Is(err, ErrChanged) {
		t.Errorf("Save = %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
}

// TestKill kills a process that edits in a loop. Each time the file is what one of the two edits gives, whole, and the next edit cleans up.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := writeFile(t, dir, "MODULE.bazel.lock", lock("", "", "", ""))
	const kills = 30
	seen := map[string]int{}
	for range kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "BAZELLOCK_EDIT_FOREVER="+path)
		stdout, err := cmd.StdoutPipe()
		mustDo(t, err)
		mustDo(t, cmd.Start())
		if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
			t.Fatalf("the editor did not start: %v", err)
		}
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		mustDo(t, cmd.Process.Kill())
		_ = cmd.Wait() // "signal: killed"
		f, err := Open(path)
		if err != nil {
			t.Fatalf("after a kill: %v", err)
		}
		recorded, _, _, err := f.Facts(mustID(t, ourID))
		mustDo(t, err)
		if len(recorded) != 50 && len(recorded) != 70 {
			t.Fatalf("%d facts, want 50 or 70", len(recorded))
		}
		seen[fmt.Sprint(len(recorded), " facts")]++
	}
	t.Logf("%d kills; found %v", kills, seen)
	_, err := Edit(path, mustID(t, ourID), func(facts) (facts, error) { return nil, nil })
	mustDo(t, err)
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if got := readFile(t, path); got != lock("", "", "", "") {
		t.Errorf("got\n%s", got)
	}
}

func editForever(path string) {
	id, err := ParseID(ourID)
	for i := 0; err == nil; i++ {
		_, err = Edit(path, id, func(facts) (facts, error) {
			next := facts{}
			for n := range 50 + i%2*20 {
				next[fmt.Sprintf("package/registry.acme.dev/acme/widget/1.0.%d/linux_amd64", n)] = json.RawMessage(`{"sha256":"0"}`)
			}
			return next, nil
		})
		if i == 0 {
			fmt.Println("ready")
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
