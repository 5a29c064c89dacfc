package lock_test

import (
	"os"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/lock"
)

// Recorded packages are not located again: one download answer, one list and one signature for a version, and no package (design §3.3).
func TestRequestsOfARecordedManifest(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":~> 1.0", gadget+":2.0.0", gadget)
	b.version(widget, "1.4.0").Manifest()
	b.version(gadget, "2.0.0")
	b.version(gadget, "2.1.0")
	b.resolved()
	report := b.run(nil)
	outcome(t, report, lock.Done)
	b.counts("discovery=1 download=3 sums=3 signature=3")
	for i, want := range []string{widget + " 1.4.0", gadget + " 2.0.0", gadget + " 2.1.0"} {
		row := b.row(report, i, "changed", "")
		if got := row.Source + " " + row.Version; got != want {
			t.Errorf("row %d is %s, want %s", i, got, want)
		}
		if row.Signer != b.reg.DefaultKey().Fingerprint() || row.Tier != "community" || len(row.ZH) != 4 {
			t.Errorf("row %+v", row)
		}
	}
	contains(t, b.facts()["verified/"+widget+"/1.4.0"], `"linux_amd64":"`+b.version(widget, "1.4.0").SHA256("linux_amd64")+`"`, `"tier":"community"`, `"other":["`)
	if got := b.facts()["signer/"+gadget]; got != `{"fingerprints":["`+b.reg.DefaultKey().Fingerprint()+`"],"tier":"community"}` {
		t.Errorf("signer fact %s", got)
	}

	// A second run finds everything as recorded, and touches nothing.
	before, err := os.Stat(b.lockfile())
	check(t, err)
	text := b.read(b.lockfile())
	b.reg.Reset()
	report = b.run(nil)
	outcome(t, report, lock.Done)
	b.row(report, 0, "verified", "")
	after, err := os.Stat(b.lockfile())
	check(t, err)
	if !after.ModTime().Equal(before.ModTime()) || !os.SameFile(before, after) || b.read(b.lockfile()) != text || len(report.Written) > 0 {
		t.Error("the lockfile was written again")
	}
	b.counts("discovery=1 download=3 sums=3 signature=3")
	report = b.run(checkOnly)
	outcome(t, report, lock.Done)
	b.reg.Reset()
	report = b.run(checkOffline)
	outcome(t, report, lock.Done)
	if len(report.Warnings) > 0 || len(b.reg.Requests()) > 0 {
		t.Errorf("an offline check warns %q and asks %v", report.Warnings, b.reg.Requests())
	}
}

// What no fact answers is resolved first, and recorded too (design §3.3); a mark of the extension goes with its answer.
func TestResolvesWhatIsMissing(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":~> 1.0", gadget+":2.0.0")
	b.version(widget, "1.4.0")
	b.version(gadget, "2.0.0")
	b.writeFacts(map[string]string{"retry/" + widget + "/~> 1.0": `{"turn": 1}`, "retry/" + gadget + "/2.0.0": `{"turn": 1}`, "tool/terraform/1.9.5/linux_amd64": `{"download_url": "https://x.example/t.zip", "sha256": "` + strings.Repeat("0", 64) + `"}`})
	outcome(t, b.run(nil), lock.Done)
	b.counts("discovery=1 versions=1 download=8 sums=2 signature=2")
	if got := b.keys(""); len(got) != 14 || b.facts()["resolve/"+widget+"/~> 1.0"] != `{"version":"1.4.0"}` || len(b.keys("retry/")) != 0 || len(b.keys("tool/")) != 1 {
		t.Errorf("recorded %q", got)
	}
	if !strings.Contains(b.read(b.lockfile()), "\"@@other+//:x.bzl%x\": {\n      \"a\": \"<&>\"\n    }") {
		t.Error("another extension's facts changed")
	}
}

// C26: several constraints on one source are one list, and equal versions are verified once.
func TestOneSourceSeveralConstraints(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":~> 3.1.0", widget+":3.3.2", widget+":~> 3.1", widget+":3.3.2", widget)
	b.version(widget, "3.1.3")
	b.version(widget, "3.3.2")
	report := b.run(nil)
	outcome(t, report, lock.Done)
	b.counts("discovery=1 versions=1 download=8 sums=2 signature=2")
	if len(report.Rows) != 2 || report.Rows[0].Version != "3.1.3" || report.Rows[1].Version != "3.3.2" || len(b.keys("resolve/")) != 3 {
		t.Errorf("rows %+v, recorded %q", report.Rows, b.keys("resolve/"))
	}
}
