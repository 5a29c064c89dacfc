package lock_test

import (
	"path/filepath"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/lock"
	"rules_tf_mirror/tools/internal/manifest"
)

// providerLock writes a file of provider_locks with one entry and returns the change of options that names it.
func (b *bench) providerLock(name, source, version string, hashes ...string) func(*lock.Options) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	text := "provider \"" + source + "\" {\n  version = \"" + version + "\"\n"
	if len(hashes) > 0 {
		text += "  hashes = [\n    \"" + strings.Join(hashes, "\",\n    \"") + "\",\n  ]\n"
	}
	writeFile(b.t, path, text+"}\n")
	return func(o *lock.Options) { o.ProviderLocks = append(o.ProviderLocks, path) }
}

func zh(v *fixture.Version, platforms ...string) []string {
	var list []string
	for _, platform := range platforms {
		list = append(list, "zh:"+v.SHA256(platform))
	}
	return list
}

const plain = "registry.opentofu.org/acme/plain"

// unsignedBench has a version that nobody signed, which tofu installs.
func unsignedBench(t *testing.T) (*bench, *fixture.Version) {
	t.Helper()
	b := newBench(t, "acme/plain:1.0.0")
	b.tool = addrs.OpenTofu
	return b, b.version(plain, "1.0.0").Lie(fixture.Lie{NoKeys: true})
}

// A file covers a version without a verified fact; tables and checks say so (design §3.7).
func TestByFile(t *testing.T) {
	t.Parallel()
	b, v := unsignedBench(t)
	file := b.providerLock("env.lock.hcl", plain, "1.0.0", zh(v, four...)...)
	for _, change := range []func(*lock.Options){func(*lock.Options) {}, checkOnly, checkOffline} {
		report := b.run(all(file, change))
		b.row(report, 0, "unsigned", "")
		outcome(t, report, lock.Done)
		contains(t, strings.Join(report.Warnings, "\n"), "covered by file, platform not bound: "+filepath.Join(b.dir, "env.lock.hcl")+":1")
		var table strings.Builder
		check(t, report.WriteTable(&table))
		contains(t, table.String(), "unsigned (by file, platform not bound)")
	}

	// The file does not make an unsigned version pass strictness; policy does.
	b.policy = &manifest.Policy{Strict: true}
	outcome(t, b.run(file), lock.Refused)
}

// A verified fact alone decides for its version: the file then covers nothing, and the check wants the fact (design §3.7).
func TestVerifiedFactDecides(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	v := b.version(widget, "1.4.0")
	file := b.providerLock("env.lock.hcl", widget, "1.4.0", zh(v, "linux_amd64")...)
	outcome(t, b.run(all(file, checkOnly)), lock.Different)
	report := b.run(file)
	b.row(report, 0, "changed", "")
	if len(report.Warnings) > 0 {
		t.Errorf("warnings %q", report.Warnings)
	}
	outcome(t, b.run(all(file, checkOnly)), lock.Done)
	outcome(t, b.run(all(file, checkOffline)), lock.Done)
}

// A conflict between file and signed list, or between file and recorded packages, is an error that names both (C04).
func TestConflictWithFile(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	v := b.version(widget, "1.4.0")
	wrong := "zh:" + strings.Repeat("ab", 32)
	file := b.providerLock("env.lock.hcl", widget, "1.4.0", append(zh(v, "linux_amd64"), wrong)...)
	report := b.run(file)
	b.row(report, 0, "refused", "checksum", "env.lock.hcl:1", wrong, "signed list")
	if len(b.keys("verified/")) != 0 {
		t.Errorf("recorded %q", b.keys(""))
	}
	b.run(nil)
	for _, change := range []func(*lock.Options){checkOnly, checkOffline} {
		b.row(b.run(all(file, change)), 0, "refused", "checksum", wrong)
	}

	u, unsigned := unsignedBench(t)
	u.run(nil)
	partial := u.providerLock("env.lock.hcl", plain, "1.0.0", zh(unsigned, "linux_amd64")...)
	for _, change := range []func(*lock.Options){checkOnly, checkOffline} {
		u.row(u.run(all(partial, change)), 0, "refused", "checksum", "env.lock.hcl:1", unsigned.SHA256("linux_arm64"), "MODULE.bazel.lock")
	}
}

// What a file cannot do is said: other versions, h1: alone, the other tool's registry (A20); a file that is missing is wrong input.
func TestFilesOfNoUse(t *testing.T) {
	t.Parallel()
	b, v := unsignedBench(t)
	old := b.providerLock("a.lock.hcl", plain, "0.9.0", zh(v, four...)...)
	dirOnly := b.providerLock("b.lock.hcl", plain, "1.0.0", "h1:x=")
	other := b.providerLock("c.lock.hcl", "registry.terraform.io/acme/plain", "1.0.0", zh(v, four...)...)
	report := b.run(all(old, dirOnly, other))
	b.row(report, 0, "unsigned", "")
	text := strings.Join(report.Warnings, "\n")
	contains(t, text, "a.lock.hcl:1: "+plain+" is locked at 0.9.0 there", "c.lock.hcl:1: registry.terraform.io/acme/plain is locked for another registry")
	if strings.Contains(text, "covered by file") {
		t.Errorf("warnings %s", text)
	}
	_, err := lock.Run(t.Context(), b.options(func(o *lock.Options) { o.ProviderLocks = []string{filepath.Join(b.dir, "none")} }))
	wantInput(t, err, "there is no such dependency lock file")
}

// A file that cannot be read is the trouble of the versions that it would cover, and a warning for the others.
func TestBrokenFile(t *testing.T) {
	t.Parallel()
	b, v := unsignedBench(t)
	const signed = "registry.opentofu.org/acme/signed"
	b.version(signed, "1.0.0")
	b.want(plain+":1.0.0", signed+":1.0.0")
	b.run(nil)
	path := filepath.Join(b.dir, "bad")
	writeFile(t, path, "<<<<<<< HEAD\nprovider {\n")
	bad := func(o *lock.Options) { o.ProviderLocks = append(o.ProviderLocks, path) }
	for _, change := range []func(*lock.Options){func(*lock.Options) {}, checkOnly, checkOffline} {
		report := b.run(all(bad, change))
		outcome(t, report, lock.BadInput)
		b.row(report, 0, "unavailable", "config", plain+" 1.0.0: it has no verified fact", "bad:1", "Repair "+path)
		b.row(report, 1, string(report.Rows[1].Status), "")
		contains(t, strings.Join(report.Warnings, "\n"), "bad:1", "nothing in it counts until it is repaired")
	}
	if got := b.keys("verified/"); len(got) != 1 {
		t.Errorf("recorded %q", got)
	}
	outcome(t, b.run(all(bad, b.providerLock("good", plain, "1.0.0", zh(v, four...)...))), lock.Done)
}

// Files of several root modules may lock several versions of one source, which the manifest all has.
func TestSeveralFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0", widget+":1.5.0")
	v, w := b.version(widget, "1.4.0"), b.version(widget, "1.5.0")
	report := b.run(all(b.providerLock("a.hcl", widget, "1.4.0", zh(v, four...)...), b.providerLock("b.hcl", widget, "1.5.0", zh(w, four...)...)))
	outcome(t, report, lock.Done)
	if len(report.Warnings) > 0 {
		t.Errorf("warnings %q", report.Warnings)
	}
}

// The file that a run writes may be one of provider_locks too: its own older version is no conflict and no warning.
func TestProductAmongTheFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":~> 1.0")
	b.version(widget, "1.4.0")
	b.run(b.withProduct)
	b.version(widget, "1.5.0")
	both := all(b.withProduct, func(o *lock.Options) { o.ProviderLocks = []string{b.product()} })
	report := b.run(all(both, upgrade))
	outcome(t, report, lock.Done)
	if len(report.Warnings) > 0 {
		t.Errorf("warnings %q", report.Warnings)
	}
	outcome(t, b.run(all(both, checkOnly)), lock.Done)
	outcome(t, b.run(all(both, checkOffline)), lock.Done)
}
