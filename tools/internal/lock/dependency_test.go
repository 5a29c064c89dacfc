package lock_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/deplock"
	"rules_tf_mirror/tools/internal/fetch"
	"rules_tf_mirror/tools/internal/lock"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/resolve"
	"rules_tf_mirror/tools/internal/versions"
)

func checkFull(o *lock.Options) { o.Check = lock.CheckFull }

// entry reads one provider's entry of the dependency lock.
func (b *bench) entry(source string) deplock.Entry {
	b.t.Helper()
	file, err := deplock.Read(b.product(), b.tool)
	check(b.t, err)
	p, err := addrs.Parse(source, b.tool)
	check(b.t, err)
	e, ok := file.Find(p)
	if !ok {
		b.t.Fatalf("no entry of %s in\n%s", source, file.Text)
	}
	return e
}

// mirror unpacks the packages of the manifest for one platform, as our mirror repositories do.
func (b *bench) mirror(platform string) string {
	b.t.Helper()
	dir := b.t.TempDir()
	sink, err := fetch.OpenMirror(b.t.Context(), dir, nil)
	check(b.t, err)
	o := b.options(nil)
	request := *o.Request
	request.Platforms = []string{platform}
	report, err := fetch.Run(b.t.Context(), fetch.Options{Request: &request, Registry: func() resolve.Registry { return o.Registry() }, Download: o.Download, Sink: sink})
	check(b.t, err)
	check(b.t, sink.Close())
	if report.Outcome() != fetch.Complete {
		b.t.Fatal(report.Errors())
	}
	return dir
}

func hostPlatform() string { return runtime.GOOS + "_" + runtime.GOARCH }

// tool runs terraform or tofu in a folder.
func tool(t *testing.T, program, dir string, environ []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append([]string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1", "NO_COLOR=1"}, environ...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", program, args, err, out)
	}
	return string(out)
}

// The dependency lock is complete for all platforms, byte for byte what terraform and tofu write, and both leave it so: readonly from our
// mirror (C02), installing from the registry (C10), and locking anew for all platforms, which computes every hash themselves.
func TestToolsLeaveTheLockAlone(t *testing.T) {
	t.Parallel()
	for name, which := range map[string]struct {
		program func(testing.TB) string
		tool    addrs.Tool
	}{"terraform": {testtools.Terraform, addrs.Terraform}, "tofu": {testtools.Tofu, addrs.OpenTofu}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := which.program(t)
			b := newBench(t, widget+":>=1.4,<2", gadget+":2.0.0")
			b.tool = which.tool
			b.list = fixture.Platforms("linux_amd64", "linux_arm64", "darwin_arm64", "darwin_amd64", "windows_amd64")
			v := b.version(widget, "1.4.0").Manifest()
			v.Zip("linux_amd64").Add(fixture.File{Name: "docs/"}, fixture.File{Name: "docs/a.md", Content: []byte("a")}) // R-HASH-6
			b.version(gadget, "2.0.0")
			report := b.run(b.withProduct)
			outcome(t, report, lock.Done)
			b.counts("discovery=1 versions=1 download=10 sums=2 signature=2 zip=10")
			written := b.read(b.product())
			contains(t, written, "constraints = \">= 1.4.0, < 2.0.0\"", "constraints = \"2.0.0\"")
			if e := b.entry(widget); len(e.ZipHashes()) != 6 || len(e.DirHashes()) != 5 {
				t.Errorf("%d zh, %d h1", len(e.ZipHashes()), len(e.DirHashes()))
			}
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "main.tf"), fmt.Sprintf("terraform {\n  required_providers {\n    widget = { source = %q, version = \">=1.4,<2\" }\n"+
				"    gadget = { source = %q, version = \"2.0.0\" }\n  }\n}\n", widget, gadget))
			copied := filepath.Join(dir, deplock.FileName)
			platforms := []string{"providers", "lock"}
			for _, p := range b.list {
				platforms = append(platforms, "-platform="+p)
			}
			for _, args := range [][]string{
				{"init", "-lockfile=readonly", "-plugin-dir=" + b.mirror(hostPlatform())},
				{"init", "-plugin-dir=" + b.mirror(hostPlatform())},
				{"init"},
				platforms,
			} {
				writeFile(t, copied, written)
				check(t, os.RemoveAll(filepath.Join(dir, ".terraform")))
				out := tool(t, program, dir, b.reg.Env(), args...)
				if strings.Contains(out, "Incomplete lock") {
					t.Errorf("%s", out)
				}
				if got := b.read(copied); got != written {
					t.Errorf("%s %v makes\n%s\nof\n%s", name, args, got, written)
				}
			}
			// From nothing, all platforms locked by the tool itself.
			remove(t, copied)
			tool(t, program, dir, b.reg.Env(), platforms...)
			if got := b.read(copied); got != written {
				t.Errorf("%s locks\n%s\nwe\n%s", name, got, written)
			}
		})
	}
}

// A lock that is complete is kept without a download, and nothing is written (C15); the same run elsewhere gives the same bytes.
func TestKeptWithoutDownloads(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	v := b.version(widget, "1.4.0")
	b.run(b.withProduct)
	written := b.read(b.product())
	b.reg.Reset()
	report := b.run(b.withProduct)
	b.counts("discovery=1 download=1 sums=1 signature=1")
	if b.read(b.product()) != written || len(report.Written) > 0 {
		t.Error("written again")
	}
	for _, change := range []func(*lock.Options){checkOnly, checkOffline} {
		b.reg.Reset()
		outcome(t, b.run(all(b.withProduct, change)), lock.Done)
		if n := b.reg.Count(fixture.Filter{Endpoint: fixture.EndpointZip}); n > 0 {
			t.Errorf("a check fetches %d packages", n)
		}
	}
	b.reg.Reset()
	outcome(t, b.run(all(b.withProduct, checkFull)), lock.Done)
	b.counts("discovery=1 download=1 sums=1 signature=1 zip=4")

	other := newBench(t, widget+":1.4.0")
	other.version(widget, "1.4.0").Key(b.reg.DefaultKey())
	other.run(other.withProduct)
	if got := other.read(other.product()); got != written {
		t.Errorf("elsewhere\n%s\nhere\n%s", got, written)
	}

	// One more platform: all h1: are looked at again, what is there stays.
	b.list = append(slices.Clone(four), "freebsd_amd64")
	b.version(widget, "1.4.0")
	b.policy = &manifest.Policy{}
	outcome(t, b.run(all(b.withProduct, checkOnly)), lock.Different)
	b.run(b.withProduct)
	if e := b.entry(widget); len(e.DirHashes()) != 5 || len(e.ZipHashes()) != 5 {
		t.Errorf("%d h1", len(e.DirHashes()))
	}
	b.list = four[:1]
	b.run(b.withProduct)
	if e := b.entry(widget); len(e.DirHashes()) != 5 {
		t.Errorf("%d h1 left", len(e.DirHashes()))
	}
	_ = v
}

// What is not ours stays: another provider's entry, and an h1: of a platform that is not configured beside a zh: that stands.
func TestMergeKeeps(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	foreign := "provider \"registry.acme.dev/zeta/other\" {\n  version = \"1.0.0\"\n  hashes = [\n    \"h1:x=\",\n  ]\n}\n"
	writeFile(t, b.product(), foreign)
	b.run(b.withProduct)
	contains(t, b.read(b.product()), foreign, "# This file is maintained automatically by \"terraform init\".")
}

// C03: an h1: that nothing ties to the signed list comes back only if it is right.
func TestHashesOfAnIncompleteLock(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	b.run(b.withProduct)
	right := b.entry(widget).DirHashes()
	writeFile(t, b.product(), "provider \""+widget+"\" {\n  version = \"1.4.0\"\n  hashes = [\n    \""+right[0].String()+"\",\n    \"h1:wrong=\",\n  ]\n}\n")
	report := b.run(all(b.withProduct, checkOnly))
	outcome(t, report, lock.Different)
	contains(t, differences(report), "0 h1: hashes for the packages of 4 platforms")
	report = b.run(b.withProduct)
	outcome(t, report, lock.Done)
	if got := b.entry(widget).DirHashes(); !slices.Equal(got, right) {
		t.Errorf("h1 %v, want %v", got, right)
	}
	contains(t, strings.Join(report.Warnings, "\n"), "h1:wrong=", "is not kept")
}

// C04: an entry whose zh: the signed list lacks names both sources, and nothing of the provider is written.
func TestLockOfAnotherSource(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0", gadget+":2.0.0")
	b.version(widget, "1.4.0")
	b.version(gadget, "2.0.0")
	bad := "zh:" + strings.Repeat("ab", 32)
	writeFile(t, b.product(), "provider \""+widget+"\" {\n  version = \"1.4.0\"\n  hashes = [\n    \""+bad+"\",\n  ]\n}\n")
	for _, change := range []func(*lock.Options){checkOnly, nil} {
		report := b.run(all(b.withProduct, func(o *lock.Options) {
			if change != nil {
				change(o)
			}
		}))
		b.row(report, 0, "refused", "content_changed", b.product()+":1", bad, "signed list")
		outcome(t, report, lock.Refused)
	}
	if len(b.keys("verified/")) != 1 || len(b.entry(gadget).DirHashes()) != 4 || len(b.entry(widget).Hashes) != 1 {
		t.Errorf("recorded %q\n%s", b.keys(""), b.read(b.product()))
	}
}

// C05: one platform's package is not what was signed: its hashes are in the error, and nothing of the provider is written.
func TestWrongPackage(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0", gadget+":2.0.0")
	v := b.version(widget, "1.4.0").LieAbout("darwin_arm64", fixture.Lie{WrongZip: true})
	b.version(gadget, "2.0.0")
	report := b.run(b.withProduct)
	b.row(report, 0, "refused", "checksum", "darwin_arm64", v.SHA256("darwin_arm64"))
	b.row(report, 1, "changed", "")
	outcome(t, report, lock.Refused)
	if strings.Contains(b.read(b.product()), widget) || len(b.keys("verified/")) != 1 {
		t.Errorf("recorded %q", b.keys(""))
	}
	b.version(widget, "1.4.0").LieAbout("darwin_arm64", fixture.Lie{})
	b.provider(widget).Fail(fixture.EndpointZip, fixture.Fault{Status: 500})
	report = b.run(b.withProduct)
	b.row(report, 0, "unavailable", "network", "500")
	outcome(t, report, lock.Unreachable)
}

// R-AUTH-26: the h1: that OpenTofu's registry tells saves the downloads, if its zh: is the signed one.
func TestHashesOfTheRegistry(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.tool = addrs.OpenTofu
	v := b.version(widget, "1.4.0")
	b.run(b.withProduct)
	want := b.read(b.product())
	byPlatform := map[string]string{}
	for _, platform := range four {
		one := newBench(t, widget+":1.4.0")
		one.tool, one.list = addrs.OpenTofu, []string{platform}
		one.version(widget, "1.4.0")
		one.run(one.withProduct)
		byPlatform[platform] = one.entry(widget).DirHashes()[0].String()
	}
	offer := func(edit func(map[string]any)) {
		packages := map[string]any{}
		for _, platform := range four {
			packages[platform] = map[string]any{"hashes": []string{"zh:" + v.SHA256(platform), byPlatform[platform]}, "package_size": 1}
		}
		edit(packages)
		v.Lie(fixture.Lie{Fields: map[string]any{"packages": packages}})
	}
	for name, c := range map[string]struct {
		edit func(map[string]any)
		zips int
	}{
		"all":            {func(map[string]any) {}, 0},
		"one is missing": {func(p map[string]any) { delete(p, "linux_amd64") }, 1},
		"another zh":     {func(p map[string]any) { p["linux_amd64"] = map[string]any{"hashes": []string{"zh:00", "h1:wrong="}} }, 1},
		"two h1": {func(p map[string]any) {
			p["linux_amd64"] = map[string]any{"hashes": []string{"zh:" + v.SHA256("linux_amd64"), "h1:a=", "h1:b="}}
		}, 1},
		"of another form": {func(p map[string]any) { p["linux_amd64"] = "none" }, 4},
	} {
		t.Run(name, func(t *testing.T) {
			offer(c.edit)
			remove(t, b.product())
			b.reg.Reset()
			outcome(t, b.run(b.withProduct), lock.Done)
			if got := b.reg.Count(fixture.Filter{Endpoint: fixture.EndpointZip}); got != c.zips {
				t.Errorf("%d packages fetched, want %d", got, c.zips)
			}
			if b.read(b.product()) != want {
				t.Errorf("%s\nwant\n%s", b.read(b.product()), want)
			}
		})
	}
	b.tool = addrs.Terraform // which knows no such field
	remove(t, b.product())
	offer(func(map[string]any) {})
	b.reg.Reset()
	b.run(b.withProduct)
	b.counts("discovery=1 download=1 sums=1 signature=1 zip=4")
}

// A dependency lock has one version of a source: without a choice that is wrong input before anybody is asked.
func TestOneVersionOfASource(t *testing.T) {
	t.Parallel()
	p := addrs.Provider{Host: host, Namespace: "acme", Type: "widget"}
	choose := func(number string) func(*lock.Options) {
		v, err := versions.Parse(number)
		check(t, err)
		return func(o *lock.Options) { o.Choices = []lock.Choice{{Provider: p, Version: v}} }
	}
	b := newBench(t, widget+":~> 1.4.0", widget+":1.5.0")
	b.version(widget, "1.4.0")
	b.version(widget, "1.5.0")
	b.version(gadget, "2.0.0")
	b.want(widget+":~> 1.4.0", widget+":1.5.0", gadget+":2.0.0")
	for range 2 { // first known only when it was asked for, then recorded
		report := b.run(b.withProduct)
		outcome(t, report, lock.BadInput)
		contains(t, strings.Join(report.Problems, "\n"), b.product()+": ", "1.4.0 and 1.5.0", "--dependency-lock-provider "+widget+":1.5.0", `lock_file_versions = {"`+widget+`": "1.5.0"}`)
		// The facts, and the entries of other sources, are written all the same.
		if len(b.keys("verified/")) != 3 || len(b.entry(gadget).DirHashes()) != 4 || strings.Contains(b.read(b.product()), widget) {
			t.Errorf("%q, %s", b.keys("verified/"), b.read(b.product()))
		}
	}
	outcome(t, b.run(all(b.withProduct, checkOnly)), lock.BadInput)
	b.reg.Reset()
	_, err := lock.Run(t.Context(), b.options(all(b.withProduct, func(o *lock.Options) {
		o.Choices = []lock.Choice{{Provider: addrs.Provider{Host: host, Namespace: "acme", Type: "doodad"}}}
	})))
	wantInput(t, err, "doodad")
	if n := len(b.reg.Requests()); n > 0 {
		t.Errorf("%d requests", n)
	}
	report := b.run(all(b.withProduct, choose("1.6.0")))
	outcome(t, report, lock.BadInput)
	contains(t, strings.Join(report.Problems, "\n"), "no version 1.6.0", "lock_file_versions")
	b.want(widget+":~> 1.4.0", widget+":1.5.0")
	outcome(t, b.run(all(b.withProduct, choose("1.4.0"))), lock.Done)
	e := b.entry(widget)
	if e.Version.String() != "1.4.0" || e.Constraints != "~> 1.4.0" {
		t.Errorf("entry %+v", e)
	}
	report = b.run(all(b.withProduct, choose("1.5.0"), checkOnly))
	outcome(t, report, lock.Different)
	contains(t, differences(report), "- version 1.4.0", "+ version 1.5.0")
	b.want(widget+":~> 1.4.0", widget+":1.4.0")
	report = b.run(all(b.withProduct, checkOnly))
	outcome(t, report, lock.Different)
	contains(t, differences(report), `- constraints "~> 1.4.0"`, `+ constraints "1.4.0, ~> 1.4.0"`)
	b.run(b.withProduct)
	if got := b.entry(widget).Constraints; got != "1.4.0, ~> 1.4.0" {
		t.Errorf("constraints %q", got)
	}
}

// A Bazel without facts: only the dependency lock is written (design §3.1).
func TestBazelWithoutFacts(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0@1.4.0")
	b.version(widget, "1.4.0")
	old := "{\n  \"lockFileVersion\": 11,\n  \"moduleExtensions\": {}\n}\n"
	writeFile(t, b.lockfile(), old)
	report := b.run(b.withProduct)
	outcome(t, report, lock.Done)
	contains(t, strings.Join(report.Warnings, "\n"), "only the dependency lock is written")
	if b.read(b.lockfile()) != old || len(b.entry(widget).DirHashes()) != 4 {
		t.Error("wrong files written")
	}
	outcome(t, b.run(all(b.withProduct, checkOnly)), lock.Done)
	_, err := lock.Run(t.Context(), b.options(all(b.withProduct, checkOffline)))
	wantInput(t, err, "nothing to compare")
}

// An unsigned version's entry has what the registry says, as tofu's has (R-AUTH-25).
func TestDependencyLockOfUnsigned(t *testing.T) {
	t.Parallel()
	const plain = "registry.opentofu.org/acme/plain"
	b := newBench(t, "acme/plain:1.0.0")
	b.tool = addrs.OpenTofu
	b.version(plain, "1.0.0").Manifest().Lie(fixture.Lie{NoKeys: true})
	report := b.run(b.withProduct)
	outcome(t, report, lock.Done)
	if e := b.entry(plain); len(e.ZipHashes()) != 5 || len(e.DirHashes()) != 4 {
		t.Errorf("%d zh, %d h1", len(e.ZipHashes()), len(e.DirHashes()))
	}
	contains(t, b.read(b.product()), `"tofu init"`)
	outcome(t, b.run(all(b.withProduct, checkOnly)), lock.Done)
	outcome(t, b.run(all(b.withProduct, checkOffline)), lock.Done)
}
