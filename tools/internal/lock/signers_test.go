package lock_test

import (
	"slices"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/lock"
	"rules_tf_mirror/tools/internal/manifest"
)

// signerFact writes a signer/ fact as it would be recorded.
func signerFact(fingerprints ...string) string {
	slices.Sort(fingerprints)
	return `{"fingerprints":["` + strings.Join(fingerprints, `","`) + `"],"tier":"community"}`
}

// A fingerprint that somebody adds to a signer fact signs nothing of what is locked. It would be believed at the next version, so both checks
// report it, and locking drops it before that.
func TestAddedSigner(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	b.run(nil)
	key, genuine, evil := "signer/"+widget, b.reg.DefaultKey().Fingerprint(), fixture.NewKey(fixture.KeyOptions{Name: "Evil"})
	good := b.facts()[key]
	b.edit(map[string]string{key: signerFact(genuine, evil.Fingerprint())})
	for _, change := range []func(*lock.Options){checkOnly, checkOffline} {
		report := b.run(change)
		outcome(t, report, lock.Different)
		contains(t, differences(report), "  "+key+"\n    - fingerprints: [", evil.Fingerprint(), "    + fingerprints: [\""+genuine+"\"]\n")
	}
	report := b.run(nil)
	outcome(t, report, lock.Done)
	contains(t, strings.Join(report.Warnings, "\n"), evil.Fingerprint()+" was recorded as a signer and signed no version of the manifest")
	if got := b.facts()[key]; got != good {
		t.Errorf("recorded %s, want %s", got, good)
	}
	b.version(widget, "1.5.0").Key(evil)
	b.want(widget + ":1.5.0")
	b.row(b.run(nil), 0, "refused", "signer", "the signer changed", evil.Fingerprint())
}

// The signer of a version that is no more in the manifest is remembered until the next one is verified, and then it is who signed that.
func TestSignerOutlivesVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	b.run(nil)
	key, good := "signer/"+widget, b.facts()["signer/"+widget]
	b.edit(map[string]string{"verified/" + widget + "/1.4.0": ""}) // as Bazel prunes it
	next := fixture.NewKey(fixture.KeyOptions{Name: "Next"})
	b.version(widget, "1.5.0")
	b.version(widget, "2.0.0").Key(next)
	b.want(widget + ":1.5.0")
	outcome(t, b.run(nil), lock.Done)
	if b.facts()[key] != good {
		t.Errorf("recorded %s", b.facts()[key])
	}
	// A rotation that policy allows leaves the signers of what is locked: both while both versions are, then the new one.
	b.policy = &manifest.Policy{Signers: map[string][]string{widget: {b.reg.DefaultKey().Fingerprint(), next.Fingerprint()}}}
	b.want(widget+":1.5.0", widget+":2.0.0")
	outcome(t, b.run(nil), lock.Done)
	if got, want := b.facts()[key], signerFact(b.reg.DefaultKey().Fingerprint(), next.Fingerprint()); got != want {
		t.Errorf("recorded %s, want %s", got, want)
	}
	b.want(widget + ":2.0.0")
	outcome(t, b.run(nil), lock.Done)
	b.policy = nil
	for _, change := range []func(*lock.Options){checkOnly, checkOffline} {
		outcome(t, b.run(change), lock.Done)
	}
	if got, want := b.facts()[key], signerFact(next.Fingerprint()); got != want {
		t.Errorf("recorded %s, want %s", got, want)
	}
}

// A version that is refused, cannot be asked about or cannot be read makes nobody forgotten.
func TestFailureNeverNarrowsSigners(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(b *bench, second *fixture.Version){
		"refused":     func(_ *bench, v *fixture.Version) { v.Lie(fixture.Lie{WrongSums: true}) },
		"unavailable": func(_ *bench, v *fixture.Version) { v.Lie(fixture.Lie{Fields: map[string]any{"signing_keys": "x"}}) },
		"no entry":    func(b *bench, _ *fixture.Version) { b.entries[1].Selected = "9.9.9" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, widget+":1.0.0", widget+":2.0.0")
			other := fixture.NewKey(fixture.KeyOptions{Name: "Other"})
			b.version(widget, "1.0.0")
			v := b.version(widget, "2.0.0").Key(other)
			b.policy = &manifest.Policy{Signers: map[string][]string{widget: {b.reg.DefaultKey().Fingerprint(), other.Fingerprint()}}}
			outcome(t, b.run(nil), lock.Done)
			good := b.facts()["signer/"+widget]
			if good != signerFact(b.reg.DefaultKey().Fingerprint(), other.Fingerprint()) {
				t.Fatalf("recorded %s", good)
			}
			fail(b, v)
			if report := b.run(nil); report.Outcome() == lock.Done {
				t.Error("nothing failed")
			}
			if got := b.facts()["signer/"+widget]; got != good {
				t.Errorf("recorded %s, want %s", got, good)
			}
		})
	}
}

// Without a signer fact the verified facts of the source say who signed, of this version or of another one; with an exchanged one, this
// version's own.
func TestVerifiedFactNamesTheSigner(t *testing.T) {
	t.Parallel()
	evil := fixture.NewKey(fixture.KeyOptions{Name: "Evil"})
	for name, c := range map[string]struct {
		signer, want string
	}{
		"deleted":   {"", "1.4.0"},
		"bumped":    {"", "1.5.0"},
		"exchanged": {signerFact(evil.Fingerprint()), "1.4.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, widget+":1.4.0")
			b.version(widget, "1.4.0")
			b.run(nil)
			good := b.facts()["signer/"+widget]
			b.version(widget, c.want).Key(evil)
			b.want(widget + ":" + c.want)
			b.edit(map[string]string{"signer/" + widget: c.signer})
			before := b.read(b.lockfile())
			for _, change := range []func(*lock.Options){nil, checkOnly} {
				report := b.run(change)
				b.row(report, 0, "refused", "signer", "the signer changed", evil.Fingerprint(), b.reg.DefaultKey().Fingerprint())
				outcome(t, report, lock.Refused)
			}
			if b.read(b.lockfile()) != before {
				t.Error("something was recorded")
			}
			if c.want == "1.4.0" { // the genuine key signs again
				b.version(widget, "1.4.0").Key(b.reg.DefaultKey())
				b.edit(map[string]string{"signer/" + widget: ""})
				outcome(t, b.run(nil), lock.Done)
				if got := b.facts()["signer/"+widget]; got != good {
					t.Errorf("recorded %s, want %s", got, good)
				}
			}
		})
	}
}

// A signed and an unsigned version of one source are judged by each other, whichever was first: every run has the same result.
func TestSignedAndUnsignedVersions(t *testing.T) {
	t.Parallel()
	const source = "registry.opentofu.org/acme/widget"
	for _, order := range [][]string{{source + ":1.0.0", source + ":2.0.0"}, {source + ":2.0.0", source + ":1.0.0"}} {
		b := newBench(t, order...)
		b.tool = addrs.OpenTofu
		b.version(source, "1.0.0").Lie(fixture.Lie{NoKeys: true})
		b.version(source, "2.0.0")
		unsigned := slices.Index(order, source+":1.0.0")
		for range 2 {
			report := b.run(nil)
			outcome(t, report, lock.Refused)
			b.row(report, unsigned, "refused", "unsigned", "signed before, unsigned now", `allow_unsigned = ["`+source+`"]`)
			if len(report.Warnings) > 0 {
				t.Errorf("warnings %q", report.Warnings)
			}
		}
		b.policy = &manifest.Policy{AllowUnsigned: []string{source}}
		for _, status := range []string{"unsigned", "unsigned"} {
			report := b.run(nil)
			outcome(t, report, lock.Done)
			b.row(report, unsigned, status, "")
		}
		if got, want := b.facts()["signer/"+source], signerFact(b.reg.DefaultKey().Fingerprint()); got != want {
			t.Errorf("recorded %s, want %s", got, want)
		}
		outcome(t, b.run(checkOnly), lock.Done)
		outcome(t, b.run(checkOffline), lock.Done)
	}
}
