package lock_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/lock"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/wholefile"
)

// many makes n providers of one version each and returns the entries.
func (b *bench) many(n int) []string {
	var entries []string
	for i := range n {
		source := fmt.Sprintf("%s/acme/p%02d", host, i)
		b.version(source, "1.0.0").Manifest()
		entries = append(entries, source+":~> 1.0")
	}
	return entries
}

// F12: ten runs with random delays give the same bytes, of both files.
func TestTenRunsAreTheSame(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.want(b.many(6)...)
	start := b.read(b.lockfile())
	var first [2]string
	for i := range 10 {
		writeFile(t, b.lockfile(), start)
		_ = os.Remove(b.product())
		for j := range 6 {
			p := b.provider(fmt.Sprintf("%s/acme/p%02d", host, j)).Recover()
			for _, endpoint := range []string{fixture.EndpointVersions, fixture.EndpointDownload, fixture.EndpointSums, fixture.EndpointSignature, fixture.EndpointZip} {
				p.Fail(endpoint, fixture.Fault{Delay: time.Duration(rand.IntN(15)) * time.Millisecond})
			}
		}
		outcome(t, b.run(b.withProduct), lock.Done)
		got := [2]string{b.read(b.lockfile()), b.read(b.product())}
		if i == 0 {
			first = got
		}
		if got != first {
			t.Fatalf("run %d differs", i)
		}
	}
}

// Everything of a recorded manifest is in flight together: the registry lets nobody go before all have asked.
func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.want(b.many(8)...)
	b.resolved()
	b.reg.Host(host).Gather(fixture.EndpointDownload, 8)
	b.reg.Host("releases."+host).Gather(fixture.EndpointSums, 8).Gather(fixture.EndpointSignature, 8)
	outcome(t, b.run(nil), lock.Done)
	b.counts("discovery=1 download=8 sums=8 signature=8")
}

// Two runs at once: one waits, both succeed, and the file has what each found.
func TestTwoRunsAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	entries := b.many(4)
	b.reg.Host(host).SetLatency(5 * time.Millisecond)
	b.want(entries[:2]...)
	first := b.options(nil)
	b.want(entries[2:]...)
	second := b.options(nil)
	var group sync.WaitGroup
	var mu sync.Mutex
	for _, o := range []lock.Options{first, second, first, second} {
		o.Notify = func(text string) {
			mu.Lock()
			defer mu.Unlock()
			if !strings.Contains(text, "MODULE.bazel.lock") {
				t.Errorf("notice %q", text)
			}
		}
		group.Go(func() {
			if _, err := lock.Run(t.Context(), o); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := b.keys("verified/"); len(got) != 4 {
		t.Errorf("recorded %q", got)
	}
}

// A fact that somebody changes while its provider is verified is not overwritten; other changes are kept.
func TestLockfileChangesMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	b.run(nil)
	meanwhile := func(edit map[string]string) error {
		o := b.options(nil)
		inner := o.Registry
		o.Registry = func() lock.Registry {
			b.edit(edit)
			return inner()
		}
		_, err := lock.Run(t.Context(), o)
		return err
	}
	if err := meanwhile(map[string]string{"retry/" + gadget + "/latest": `{"turn":1}`}); err != nil {
		t.Error(err)
	}
	if len(b.keys("retry/"+gadget)) != 1 {
		t.Error("another change was lost")
	}
	text := b.facts()["signer/"+widget]
	wantInput(t, meanwhile(map[string]string{"signer/" + widget: strings.Replace(text, "community", "partner", 1)}), "signer/"+widget, "run this again")
}

// A stopped run writes nothing.
func TestCanceled(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	b.provider(widget).Fail(fixture.EndpointSums, fixture.Fault{Hang: true})
	text := b.read(b.lockfile())
	errStopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		_ = b.reg.WaitCount(t.Context(), fixture.Filter{Endpoint: fixture.EndpointSums}, 1)
		cancel(errStopped)
	}()
	if _, err := lock.Run(ctx, b.options(b.withProduct)); err != errStopped {
		t.Errorf("error %v", err)
	}
	if b.read(b.lockfile()) != text {
		t.Error("the lockfile changed")
	}
}

const killVariable = "TFMIRROR_LOCK_KILL_TEST"

// TestKilled kills runs at random moments (kill -9): each file is the old or the new one, and the next run cleans up what is left over.
func TestKilled(t *testing.T) {
	if os.Getenv(killVariable) != "" {
		lockForever(t)
	}
	t.Parallel()
	b := newBench(t)
	b.list = four[:1]
	b.want(b.many(3)...)
	old := b.read(b.lockfile())
	b.run(b.withProduct)
	locked, product := b.read(b.lockfile()), b.read(b.product())
	const kills = 40
	seen := map[string]int{}
	for range kills {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(append(os.Environ(), b.reg.Env()...), killVariable+"="+b.dir)
		cmd.Stdin = strings.NewReader(old)
		out, err := cmd.StdoutPipe()
		check(t, err)
		check(t, cmd.Start())
		_, err = out.Read(make([]byte, 1)) // the first whole run is over
		check(t, err)
		begin := time.Now()
		_, err = out.Read(make([]byte, 1)) // the second tells how long one takes
		check(t, err)
		time.Sleep(time.Duration(rand.Int64N(int64(time.Since(begin)) * 3 / 2)))
		check(t, cmd.Process.Kill())
		_ = cmd.Wait()
		state := "new"
		switch text := b.read(b.lockfile()); text {
		case old:
			state = "old"
		case locked:
		default:
			t.Fatalf("the lockfile is neither old nor new:\n%s", text)
		}
		if text, err := os.ReadFile(b.product()); err != nil {
			state += " without product"
		} else if string(text) != product {
			t.Fatalf("the dependency lock is\n%s", text)
		}
		seen[state]++
	}
	writeFile(t, b.lockfile(), old)
	_ = os.Remove(b.product())
	outcome(t, b.run(b.withProduct), lock.Done)
	if b.read(b.lockfile()) != locked || b.read(b.product()) != product {
		t.Error("the run after the kills gives other files")
	}
	left, err := filepath.Glob(filepath.Join(b.dir, ".*tfmirror-tmp"))
	check(t, err)
	if len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	t.Logf("%d kills: %v", kills, seen)
}

// lockForever is the process to be killed: it goes back to the old lockfile, from standard input, and locks, again and again.
func lockForever(t *testing.T) {
	old, err := io.ReadAll(os.Stdin)
	check(t, err)
	b := &bench{t: t, dir: os.Getenv(killVariable), tool: addrs.Terraform, list: four[:1]}
	for i := range 3 {
		b.entries = append(b.entries, manifest.Entry{Source: fmt.Sprintf("%s/acme/p%02d", host, i), Version: new("~> 1.0")})
	}
	for round := 0; ; round++ {
		_, err := wholefile.Write(b.lockfile(), old)
		check(t, err)
		_ = os.Remove(b.product())
		report := b.run(b.withProduct)
		outcome(t, report, lock.Done)
		if round < 2 {
			fmt.Print("r")
		}
	}
}
