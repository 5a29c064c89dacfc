package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/workspace"
)

// mainEntries is one constrained source that is also stocked at an exact version, one exact version and one source on a host that has to be
// discovered: 2 lists, and 4 versions on 5 platforms.
var mainEntries = []string{
	"hashicorp/random:~> 3.1.0",
	"hashicorp/random:3.3.2",
	"hashicorp/null:3.2.1",
	"registry.acme.dev/acme/widget:>= 1.0",
}

// Cold, second on a new output base, and offline; then adding a provider: the life of a workspace, in the order in which it happens.
func TestMainJob(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{Mirror: mainEntries, Register: true})

	// Cold: two lists (C26), 4 versions × 5 platforms, one discovery, and this platform's four packages.
	p.pass("build", "@tf_toolchains//:mirror", "@tf_toolchains//:mirror_tree")
	p.wantRequests(map[string]int{
		registry.EndpointDiscovery: 1, registry.EndpointVersions: 2, registry.EndpointDownload: 20, registry.EndpointZip: 4,
	})
	wantFacts := 2 + 20 // one selection for each constraint, one package for each version and platform
	facts := p.facts()
	if len(facts) != wantFacts {
		t.Errorf("%d facts, want %d: %v", len(facts), wantFacts, facts)
	}
	wantSelection := map[string]any{"version": "3.1.3"}
	if diff := cmp.Diff(wantSelection, facts["resolve/registry.terraform.io/hashicorp/random/~> 3.1.0"]); diff != "" {
		t.Errorf("the selection (-want +got):\n%s", diff)
	}
	sha := p.reg.Host(terraformHost).Provider("hashicorp/random").Version("3.1.3", defaultPlatforms).SHA256("linux_arm64")
	if got := facts["package/registry.terraform.io/hashicorp/random/3.1.3/linux_arm64"]["sha256"]; got != sha {
		t.Errorf("recorded sha256 = %v, want %s", got, sha)
	}
	tree := p.tree("mirror_tree")
	compareWithTerraformCache(p, tree)

	// A second command settles the watch on the lockfile; from then on the file keeps its bytes.
	p.pass("build", "@tf_toolchains//:mirror")
	p.pass("mod", "deps")
	p.wantSilence()
	lock := p.lockfile()

	// A new output base: the facts answer.
	p.newOutputBase("second")
	p.pass("build", "@tf_toolchains//:mirror")
	p.wantSilence()
	if p.helperBuilt() {
		t.Error("the helper was built although facts answered everything")
	}
	if got := p.lockfile(); got != lock {
		t.Errorf("the lockfile changed (-before +after):\n%s", cmp.Diff(lock, got))
	}
	p.pass("build", "--lockfile_mode=error", "@tf_toolchains//:mirror")
	p.wantSilence()

	// The registry is gone: a warm repository cache is enough.
	p.setDown(true)
	p.newOutputBase("offline")
	p.pass("build", "--lockfile_mode=error", "@tf_toolchains//:mirror")
	p.wantSilence()

	// And without it the error says what was wanted from where.
	p.newOutputBase("empty")
	warm := p.ws.RepositoryCache
	p.ws.RepositoryCache = filepath.Join(p.scratch, "empty_cache")
	p.fail([]string{
		"registry.terraform.io/hashicorp/null", "3.2.1",
		p.reg.Host(terraformHost).Provider("hashicorp/null").Version("3.2.1", nil).URL(hostPlatform()),
	}, "build", "--keep_going", "@tf_toolchains//:mirror")
	p.ws.RepositoryCache = warm
	p.setDown(false)
	p.reg.Reset()

	// Adding one provider asks for one provider, on all platforms, and fetches one package.
	p.newOutputBase("added")
	p.pass("build", "@tf_toolchains//:mirror")
	p.wantSilence()
	p.reg.Host(acmeHost).Provider("acme/gadget").Version("0.1.0", defaultPlatforms)
	p.replace("MODULE.bazel", `        "hashicorp/null:3.2.1",`, "        \"hashicorp/null:3.2.1\",\n        \"registry.acme.dev/acme/gadget:0.1.0\",")
	p.pass("build", "@tf_toolchains//:mirror")
	p.wantRequests(map[string]int{registry.EndpointDiscovery: 1, registry.EndpointDownload: 5, registry.EndpointZip: 1})
}

// Another platform's package is fetched when its target is built, and not before.
func TestOnePlatformAtATime(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/null:3.2.1", "hashicorp/random:3.3.2"}})
	p.pass("build", "@tf_toolchains//:mirror_darwin_arm64")
	for _, request := range p.reg.Select(registry.Filter{Endpoint: registry.EndpointZip}) {
		if request.Platform != "darwin_arm64" {
			t.Errorf("the package of %s for %s was fetched, want darwin_arm64 only", request.Provider, request.Platform)
		}
	}
	p.wantRequests(map[string]int{registry.EndpointDownload: 10, registry.EndpointZip: 2})
	p.pass("build", "@tf_toolchains//:registry.terraform.io/hashicorp/null/3.2.1/windows_amd64")
	p.wantRequests(map[string]int{registry.EndpointZip: 1})
}

// Nothing but a use of the packages fetches them, and a target that needs none of this costs no request to anybody, cold.
func TestUnrelatedTargetsAndQueries(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{
		Mirror:   []string{"hashicorp/random:~> 3.1.0", "registry.acme.dev/acme/widget:1.4.0"},
		Deps:     []string{`bazel_dep(name = "rules_cc", version = "0.0.17")`},
		Register: true,
	})
	p.write("BUILD.bazel", `load("@rules_cc//cc:defs.bzl", "cc_binary")
cc_binary(name = "hello", srcs = ["hello.cc"])
filegroup(name = "providers", srcs = ["@tf_toolchains//:mirror"])
`)
	p.write("hello.cc", "int main() { return 0; }\n")
	warmBuildozer(p)
	p.pass("mod", "deps")
	p.pass("query", "//...")
	p.pass("build", "//:hello")
	p.pass("mod", "tidy")
	if zips := p.reg.Count(registry.Filter{Endpoint: registry.EndpointZip}); zips != 0 {
		t.Errorf("%d packages were fetched, want none", zips)
	}
	if module := p.read("MODULE.bazel"); !strings.Contains(module, `use_repo(tf, "tf_toolchains")`) {
		t.Errorf("mod tidy changed use_repo:\n%s", module)
	}
	p.pass("mod", "deps") // settles the watch on the lockfile

	p.reg.Reset()
	p.newOutputBase("cold")
	p.pass("build", "--lockfile_mode=error", "//:hello")
	p.pass("query", "//...")
	p.pass("mod", "deps")
	p.pass("mod", "tidy")
	p.wantSilence()
	if p.helperBuilt() {
		t.Error("the helper was built for a target that does not need it")
	}
	if dirs := p.external("random"); len(dirs) > 0 {
		t.Errorf("packages were fetched: %v", dirs)
	}
}

// tree returns the folder that a target of the hub builds.
func (p *project) tree(target string) string {
	p.t.Helper()
	out := strings.TrimSpace(p.pass("cquery", "--output=files", "@tf_toolchains//:"+target).Stdout)
	path := filepath.Join(p.ws.Dir, filepath.FromSlash(out))
	if _, err := os.Stat(path); err != nil {
		root := strings.TrimSpace(p.pass("info", "execution_root").Stdout)
		path = filepath.Join(root, filepath.FromSlash(out))
	}
	return path
}

// warmBuildozer lets Bazel fetch the buildozer that `mod tidy` runs, which has nothing to do with this module, with the caller's own network and
// into the caches that the project uses.
func warmBuildozer(p *project) {
	p.t.Helper()
	other := *p.ws
	other.Dir = filepath.Join(p.scratch, "buildozer")
	other.OutputBase = filepath.Join(p.scratch, "buildozer_output_base")
	other.Env = append(os.Environ(), goEnv[0], goEnv[1])
	other.Startup = nil
	if err := other.Write("MODULE.bazel", ""); err != nil {
		p.t.Fatal(err)
	}
	result, err := other.Run(p.t.Context(), "mod", "tidy")
	if err != nil || result.ExitCode != 0 {
		p.t.Fatalf("%v %s", err, result)
	}
	if err := other.Shutdown(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	if err := workspace.RemoveAll(other.OutputBase); err != nil {
		p.t.Fatal(err)
	}
}
