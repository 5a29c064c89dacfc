package lock_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tools/internal/deplock"
	"rules_tf_mirror/tools/internal/lock"
)

// --check=full holds every h1: against a package of the signed list: one that is wrong, in the place of a right one or beside it, is a difference
// with the repair that works. Another platform's, configured or not, is right (C15).
func TestFullCheckFindsWrongHash(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.list = append(fixture.Platforms("freebsd_amd64"), four...)
	v := b.version(widget, "1.4.0")
	v.Zip("freebsd_amd64").Add(fixture.File{Name: "docs/"}, fixture.File{Name: "docs/a.md", Content: []byte("a")})
	b.run(b.withProduct)
	b.list = four
	good := b.read(b.product())
	b.reg.Reset()
	outcome(t, b.run(all(b.withProduct, checkFull)), lock.Done)
	if n := b.reg.Count(fixture.Filter{Endpoint: fixture.EndpointZip}); n != 5 {
		t.Errorf("%d packages were fetched, want those of all 5 platforms", n)
	}
	block := fmt.Sprintf("delete the whole block that begins in line 4, provider %q, from %s, then bazel run //:providers_lock", widget, b.product())
	remove(t, b.product())
	b.run(b.withProduct)
	first := b.entry(widget).DirHashes()[0].String() // of a configured platform
	for name, bad := range map[string]string{
		"in its place": strings.Replace(good, first, "h1:wrong=", 1),
		"beside it":    strings.Replace(good, "\""+first+"\"", "\"h1:wrong=\",\n    \""+first+"\"", 1),
	} {
		writeFile(t, b.product(), bad)
		outcome(t, b.run(all(b.withProduct, checkOnly)), lock.Done)
		report := b.run(all(b.withProduct, checkFull))
		outcome(t, report, lock.Different)
		contains(t, differences(report), "    - h1:wrong=\n", "of no package of the signed list", "    repair: "+block+"\n")
		if strings.Contains(differences(report), first) != (name == "in its place") || strings.Contains(differences(report), "repair: bazel run") {
			t.Errorf("%s: %s", name, differences(report))
		}
		if b.read(b.product()) != bad {
			t.Error("a check wrote")
		}
		// The repair, as the text says.
		lines := strings.Split(bad, "\n")
		writeFile(t, b.product(), strings.Join(lines[:3], "\n"))
		outcome(t, b.run(b.withProduct), lock.Done)
		outcome(t, b.run(all(b.withProduct, checkFull)), lock.Done)
		if strings.Contains(b.read(b.product()), "wrong") || len(b.entry(widget).DirHashes()) != 4 {
			t.Errorf("not repaired: %s", b.read(b.product()))
		}
	}
	// The registry's package of a platform that is not configured must be the signed one, or it explains nothing.
	writeFile(t, b.product(), good)
	v.Lie(fixture.Lie{})
	v.LieAbout("freebsd_amd64", fixture.Lie{Fields: map[string]any{"shasum": v.SHA256("linux_arm64"), "download_url": "https://" + "releases." + host + v.Path("linux_arm64")}})
	report := b.run(all(b.withProduct, checkFull))
	if report.Outcome() == lock.Done {
		t.Error("a package of another platform explained an h1:")
	}
}

// Platforms that were exchanged for others keep the number of h1:, which the plain check cannot tell; --check=full does, with what repairs it.
func TestFullCheckFindsExchangedPlatforms(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	b.list = four[:2]
	b.run(b.withProduct)
	b.list = four[2:]
	outcome(t, b.run(b.withProduct), lock.Done)
	outcome(t, b.run(all(b.withProduct, checkOnly)), lock.Done)
	report := b.run(all(b.withProduct, checkFull))
	outcome(t, report, lock.Different)
	contains(t, differences(report), "    + h1:", "    repair: delete the whole block that begins in line 4")
	if strings.Contains(differences(report), "- h1:") {
		t.Errorf("a right h1: of another platform is reported: %s", differences(report))
	}
	remove(t, b.product()) // its only block
	b.run(b.withProduct)
	outcome(t, b.run(all(b.withProduct, checkFull)), lock.Done)
}

// `init` writes constraints only with something else (R-LOCK-11), so it leaves the manifest's in the entry, whatever the configuration has.
// `terraform providers lock` alone puts the configuration's there.
func TestToolsLeaveConstraintsOfTheManifest(t *testing.T) {
	t.Parallel()
	terraform := testtools.Terraform(t)
	for _, entry := range []string{widget + ":1.4.0", widget} {
		b := newBench(t, entry)
		b.list = []string{hostPlatform()}
		b.version(widget, "1.4.0")
		dir := t.TempDir()
		copied := filepath.Join(dir, deplock.FileName)
		writeFile(t, filepath.Join(dir, "main.tf"), fmt.Sprintf("terraform {\n  required_providers {\n    widget = { source = %q, version = \"~> 1.2\" }\n  }\n}\n", widget))
		tool(t, terraform, dir, b.reg.Env(), "init")
		writeFile(t, b.product(), b.read(copied)) // as a user would have it, with the constraint of the configuration
		contains(t, b.read(copied), `constraints = "~> 1.2"`)
		b.run(b.withProduct)
		written := b.read(b.product())
		remove(t, b.product())
		b.run(b.withProduct)
		if b.read(b.product()) != written || strings.Contains(written, "~> 1.2") {
			t.Errorf("the entry depends on what was there:\n%s\n%s", written, b.read(b.product()))
		}
		for _, args := range [][]string{{"init", "-lockfile=readonly"}, {"init"}, {"init", "-upgrade"}, {"init", "-lockfile=readonly", "-plugin-dir=" + b.mirror(hostPlatform())}} {
			writeFile(t, copied, written)
			check(t, os.RemoveAll(filepath.Join(dir, ".terraform")))
			tool(t, terraform, dir, b.reg.Env(), args...)
			if got := b.read(copied); got != written {
				t.Errorf("terraform %v makes\n%s\nof\n%s", args, got, written)
			}
		}
	}
}
