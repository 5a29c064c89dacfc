package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tests/workspace"
)

const lockRule = `load("@rules_tf_mirror//tf:defs.bzl", "tf_providers_lock")

tf_providers_lock(name = "providers_lock"%s)
`

const (
	lockTarget = "//:providers_lock"
	widget     = "@tf_toolchains//:registry.acme.dev/acme/widget/1.4.0/linux_amd64"
)

// newLockedProject has acme/widget, whose signer is recorded at first use, and the lock target.
func newLockedProject(t *testing.T, attrs ...string) *project {
	t.Helper()
	p := newProject(t, workspace.Module{Mirror: []string{"registry.acme.dev/acme/widget:1.4.0"}, Attrs: attrs})
	p.write("BUILD.bazel", fmt.Sprintf(lockRule, ""))
	return p
}

// lock runs the lock target with arguments and wants an exit code and texts in what it prints.
func (p *project) lock(exitCode int, texts []string, args ...string) workspace.Result {
	p.t.Helper()
	result := p.bazel("run", append([]string{lockTarget, "--"}, args...)...)
	if result.ExitCode != exitCode {
		p.t.Fatalf("want exit code %d: %s", exitCode, result)
	}
	for _, text := range texts {
		if !strings.Contains(result.Stderr+result.Stdout, text) {
			p.t.Errorf("the output does not contain %q: %s", text, result)
		}
	}
	return result
}

// The life of a lock: strict and nothing recorded, locked, checked, edited, offline. Packages are fetched once, whatever is verified.
func TestLock(t *testing.T) {
	t.Parallel()
	for _, mode := range factModes(t) {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := newLockedProject(t, "provider_locks_strict = True")
			p.setEnv("BAZEL_OFFLINE_FACTS=" + mode)

			// Strict: nothing is fetched before it is verified, and the lock target runs all the same.
			p.fail([]string{"registry.acme.dev/acme/widget", "1.4.0", "bazel run //:providers_lock"}, "build", "@tf_toolchains//:mirror")
			p.pass("mod", "deps") // lets Bazel write what it adds to the lockfile by itself
			p.reg.Reset()
			p.lock(0, []string{"registry.acme.dev/acme/widget", "1.4.0", "community", p.reg.DefaultKey().Fingerprint()})
			// Keys and addresses come with one download answer; the list and its signature once, whatever the number of platforms.
			p.wantRequests(map[string]int{
				registry.EndpointDiscovery: 1, registry.EndpointDownload: 1, registry.EndpointSums: 1, registry.EndpointSignature: 1,
			})
			p.pass("build", "@tf_toolchains//:mirror")
			p.wantRequests(map[string]int{registry.EndpointZip: 1})
			verified := p.facts()["verified/registry.acme.dev/acme/widget/1.4.0"]
			version := p.reg.Host(acmeHost).Provider("acme/widget").Version("1.4.0", defaultPlatforms)
			zh := map[string]any{}
			for _, platform := range defaultPlatforms {
				zh[platform] = version.SHA256(platform)
			}
			if diff := cmp.Diff(zh, verified["zh"]); diff != "" {
				t.Errorf("the verified hashes (-want +got):\n%s", diff)
			}
			if verified["signer"] != p.reg.DefaultKey().Fingerprint() || verified["tier"] != "community" {
				t.Errorf("the verified fact is %v", verified)
			}

			// What was written is what Bazel writes: no command changes it, and it is still there after all of them.
			lock := p.lockfile()
			for _, command := range [][]string{{"query", "//..."}, {"mod", "deps"}, {"build", "@tf_toolchains//:mirror"}} {
				p.pass(command[0], command[1:]...)
			}
			p.newOutputBase("cold")
			p.pass("build", "--lockfile_mode=error", "@tf_toolchains//:mirror")
			if diff := cmp.Diff(lock, p.lockfile()); diff != "" {
				t.Errorf("the lockfile changed after locking (-locked +now):\n%s", diff)
			}
			p.wantSilence()

			// Checks: silence when nothing differs, with the registry and without.
			p.lock(0, nil, "--check")
			p.reg.Reset()
			p.setDown(true)
			if out := p.lock(0, nil, "--check", "--offline").Stdout; out != "" {
				t.Errorf("--check --offline printed %q, want silence", out)
			}
			p.wantSilence()
			p.lock(3, []string{"registry.acme.dev"}, "--check")
			p.setDown(false)

			// An edited hash refuses the package on the next command of this server and of a new one; the registry says what is right.
			sha := version.SHA256(hostPlatform())
			forged := strings.Repeat("0", len(sha))
			bound := fmt.Sprintf("%q: %q", hostPlatform(), sha)
			for range 2 {
				p.replace("MODULE.bazel.lock", bound, fmt.Sprintf("%q: %q", hostPlatform(), forged))
				p.fail([]string{"registry.acme.dev/acme/widget", "1.4.0", sha, forged, "bazel run //:providers_lock"}, "build", "@tf_toolchains//:mirror")
				p.lock(4, []string{forged, sha}, "--check")
				p.replace("MODULE.bazel.lock", forged, sha)
				p.pass("build", "@tf_toolchains//:mirror")
				p.shutdown()
			}

			// A changed manifest and the way back: the signer outlives versions, and going back brings the verified fact back with the lockfile.
			locked, module := p.lockfile(), p.read("MODULE.bazel")
			p.reg.Host(acmeHost).Provider("acme/widget").Version("1.5.0", defaultPlatforms)
			p.replace("MODULE.bazel", "acme/widget:1.4.0", "acme/widget:1.5.0")
			p.fail([]string{"1.5.0", "bazel run //:providers_lock"}, "build", "@tf_toolchains//:mirror")
			if signer := p.facts()["signer/registry.acme.dev/acme/widget"]; signer == nil {
				t.Errorf("the signer did not outlive its version:\n%s", p.lockfile())
			}
			p.lock(0, nil)
			p.pass("build", "@tf_toolchains//:mirror")
			p.write("MODULE.bazel", module)
			p.write("MODULE.bazel.lock", locked)
			p.pass("build", "--lockfile_mode=error", "@tf_toolchains//:mirror")
		})
	}
}

// Everything that may be wrong with what a registry serves is refused by the lock target with its own exit code, and by a strict build.
func TestLockRefusals(t *testing.T) {
	t.Parallel()
	p := newLockedProject(t)
	version := p.reg.Host(acmeHost).Provider("acme/widget").Version("1.4.0", defaultPlatforms)
	older := p.reg.Host(acmeHost).Provider("acme/widget").Version("1.3.0", defaultPlatforms)
	olderSums, err := older.Sums()
	if err != nil {
		t.Fatal(err)
	}
	olderSignature, err := older.Signature()
	if err != nil {
		t.Fatal(err)
	}
	p.pass("build", "@tf_toolchains//:manifest.json")
	p.pass("build", "@tf_toolchains//:manifest.json") // Bazel has seen the lockfile that it wrote, so its removal counts
	for _, test := range []struct {
		name   string
		spoil  func()
		repair func()
		want   []string
	}{
		{
			"a zip that was changed behind the registry's own shasum",
			func() {
				version.LieAbout("linux_amd64", registry.Lie{WrongShasum: true, WrongZip: true})
			},
			func() { version.LieAbout("linux_amd64", registry.Lie{}) },
			[]string{"registry.acme.dev/acme/widget", "linux_amd64", version.SHA256("linux_amd64")},
		},
		{
			"the genuine package of another platform",
			func() {
				version.LieAbout("linux_amd64", registry.Lie{
					DownloadURL: version.URL("linux_arm64"), Fields: map[string]any{"shasum": version.SHA256("linux_arm64")},
				})
			},
			func() { version.LieAbout("linux_amd64", registry.Lie{}) },
			[]string{"registry.acme.dev/acme/widget", "linux_amd64", "linux_arm64", version.SHA256("linux_arm64")},
		},
		{
			"the signed list of an older release",
			func() { version.SetSums(olderSums).SetSignature(olderSignature) },
			func() { version.SetSums(nil).SetSignature(nil) },
			[]string{"registry.acme.dev/acme/widget", "1.4.0", "another release"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.spoil()
			defer test.repair()
			// From nothing: the facts of the lie are what would be locked.
			if err := os.Remove(p.ws.Path("MODULE.bazel.lock")); err != nil {
				t.Fatal(err)
			}
			p.pass("build", "@tf_toolchains//:manifest.json")
			p.pass("build", "@tf_toolchains//:manifest.json")
			p.lock(4, test.want)
			for key := range p.facts() {
				if strings.HasPrefix(key, "verified/") || strings.HasPrefix(key, "signer/") {
					t.Errorf("a refused provider has the fact %s", key)
				}
			}
			p.replace("MODULE.bazel", "tf.download(", "tf.download(\n    provider_locks_strict = True,")
			p.fail([]string{"registry.acme.dev/acme/widget"}, "build", widget)
			p.replace("MODULE.bazel", "tf.download(\n    provider_locks_strict = True,", "tf.download(")
		})
	}
	p.lock(0, []string{"verified"}, "--upgrade")
}

// A key that changes with a version bump is where attacks happen: refused until the root module says so.
func TestSignerChangesWithVersion(t *testing.T) {
	t.Parallel()
	p := newLockedProject(t)
	p.pass("build", "@tf_toolchains//:manifest.json")
	p.lock(0, nil)

	other := registry.NewKey(registry.KeyOptions{Name: "Somebody Else", Email: "else@example.com", Created: time.Now().Add(-time.Hour)})
	p.reg.Host(acmeHost).Provider("acme/widget").Version("1.5.0", defaultPlatforms).Key(other)
	p.replace("MODULE.bazel", "acme/widget:1.4.0", "acme/widget:1.5.0")
	p.pass("build", "@tf_toolchains//:manifest.json")
	p.lock(4, []string{"registry.acme.dev/acme/widget", "1.5.0", other.Fingerprint(), p.reg.DefaultKey().Fingerprint(), "signers"})

	p.replace("MODULE.bazel", "tf.download(", fmt.Sprintf("tf.download(\n    signers = {\"registry.acme.dev/acme/widget\": [%q]},", other.Fingerprint()))
	p.lock(0, []string{"verified"})
	p.pass("build", "@tf_toolchains//:mirror")
}

// Locking changes no package's repository: what was fetched before stays as it is.
func TestLockRefetchesNothing(t *testing.T) {
	t.Parallel()
	p := newLockedProject(t)
	p.pass("build", "@tf_toolchains//:mirror")
	before := p.modified("widget")
	p.lock(0, nil)
	p.reg.Reset()
	p.pass("build", "@tf_toolchains//:mirror")
	p.wantSilence()
	if diff := cmp.Diff(before, p.modified("widget")); diff != "" {
		t.Errorf("packages were fetched again (-before +after):\n%s", diff)
	}
}

// modified returns when the package descriptions of fetched repositories were written.
func (p *project) modified(name string) map[string]time.Time {
	p.t.Helper()
	times := map[string]time.Time{}
	for _, dir := range p.external(name) {
		info, err := os.Stat(filepath.Join(dir, "package.json"))
		if err != nil {
			p.t.Fatal(err)
		}
		times[dir] = info.ModTime()
	}
	if len(times) == 0 {
		p.t.Fatalf("no repository of %s was fetched", name)
	}
	return times
}

// A release that was cut again under the same version is an alarm; builds go on with what is recorded.
func TestReleaseCutAgain(t *testing.T) {
	t.Parallel()
	p := newLockedProject(t)
	p.pass("build", "@tf_toolchains//:mirror")
	p.lock(0, nil)
	version := p.reg.Host(acmeHost).Provider("acme/widget").Version("1.4.0", defaultPlatforms)
	version.EachZip(func(z *registry.Zip) { z.Salt("cut again") })
	p.lock(4, []string{"registry.acme.dev/acme/widget", "1.4.0"})
	p.lock(4, []string{"registry.acme.dev/acme/widget"}, "--check")
	p.newOutputBase("cold")
	p.pass("build", "@tf_toolchains//:mirror")
}

// Official namespaces take no key but their publisher's, whatever the registry says (D10).
func TestOfficialNamespace(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/null:3.2.1"}})
	p.write("BUILD.bazel", fmt.Sprintf(lockRule, ""))
	p.pass("build", "@tf_toolchains//:manifest.json")
	p.lock(4, []string{"registry.terraform.io/hashicorp/null", p.reg.DefaultKey().Fingerprint(), "C874011F0AB405110D02105534365D9472D7468F"})
	p.replace("MODULE.bazel", "tf.download(", fmt.Sprintf("tf.download(\n    signers = {\"registry.terraform.io/hashicorp\": [%q]},", p.reg.DefaultKey().Fingerprint()))
	p.lock(0, []string{"community"})
}

// A dependency lock that terraform wrote is a second source of hashes, and one that we write is complete: terraform leaves it as it is.
func TestDependencyLocks(t *testing.T) {
	t.Parallel()
	terraform := testtools.Terraform(t)
	p := newLockedProject(t)
	required := [][2]string{{"registry.acme.dev/acme/widget", "1.4.0"}}

	p.write("live/main.tf", "") // a root module of the workspace, without a BUILD file
	// Ours: zh: for all, h1: for every platform, computed from packages that are downloaded once.
	p.write("BUILD.bazel", fmt.Sprintf(lockRule, `, lock_file = "live/.terraform.lock.hcl"`))
	p.pass("build", "@tf_toolchains//:mirror", "@tf_toolchains//:mirror_tree")
	p.reg.Reset()
	p.lock(0, nil)
	p.wantRequests(map[string]int{
		registry.EndpointDiscovery: 1, registry.EndpointDownload: p.reg.Count(registry.Filter{Endpoint: registry.EndpointDownload}),
		registry.EndpointSums: 1, registry.EndpointSignature: 1, registry.EndpointZip: len(defaultPlatforms),
	})
	ours := p.read("live/.terraform.lock.hcl")
	if h1, zh := strings.Count(ours, `"h1:`), strings.Count(ours, `"zh:`); h1 != len(defaultPlatforms) || zh != len(defaultPlatforms) {
		t.Errorf("%d h1: and %d zh: hashes, want %d of each:\n%s", h1, zh, len(defaultPlatforms), ours)
	}
	dir := p.configuration("readonly", required)
	lockPath := filepath.Join(dir, ".terraform.lock.hcl")
	if err := os.WriteFile(lockPath, []byte(ours), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-no-color", "-lockfile=readonly", "-plugin-dir=" + p.tree("mirror_tree")},
		{"init", "-no-color", "-plugin-dir=" + p.tree("mirror_tree")},
	} {
		if out, err := p.tool(terraform, dir, nil, args...); err != nil {
			t.Fatalf("terraform %v: %v\n%s", args, err, out)
		}
		if diff := cmp.Diff(ours, readLock(t, dir)); diff != "" {
			t.Errorf("terraform %v changed our dependency lock (-ours +terraform's):\n%s", args, diff)
		}
	}
	p.reg.Reset()
	p.lock(0, nil, "--check")
	if zips := p.reg.Count(registry.Filter{Endpoint: registry.EndpointZip}); zips != 0 {
		t.Errorf("--check downloaded %d packages", zips)
	}

	// Theirs: a strict build without verified facts.
	dir = p.configuration("theirs", required)
	if out, err := p.tool(terraform, dir, p.reg.Env(), "init", "-no-color"); err != nil {
		t.Fatalf("terraform init: %v\n%s", err, out)
	}
	p.write("theirs/.terraform.lock.hcl", readLock(t, dir))
	p.write("theirs/BUILD.bazel", "")
	if err := os.Remove(p.ws.Path("MODULE.bazel.lock")); err != nil {
		t.Fatal(err)
	}
	p.replace("MODULE.bazel", "tf.download(", "tf.download(\n    provider_locks = [\"//theirs:.terraform.lock.hcl\"],\n    provider_locks_strict = True,")
	p.newOutputBase("theirs")
	p.pass("build", "@tf_toolchains//:mirror")
	p.replace("theirs/.terraform.lock.hcl", "zh:", "zh:00")
	p.fail([]string{"registry.acme.dev/acme/widget"}, "build", "@tf_toolchains//:mirror")
}
