package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tests/workspace"
)

// factModes returns the behaviours of BAZEL_OFFLINE_FACTS that have facts. A Bazel that was released has its own behaviour only.
func factModes(t *testing.T) []string {
	t.Helper()
	if workspace.Offline(testtools.RequireBazel(t)) {
		return []string{"9.1", "9.3", "9.3-eval"}
	}
	return []string{"own"}
}

// An edit of a fact is seen by the next command, of the same server and of a new one, and survives it; going back to an older lockfile and
// to the newer again works in both modes.
func TestEditedFacts(t *testing.T) {
	t.Parallel()
	for _, mode := range factModes(t) {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/random:~> 3.1.0"}})
			p.setEnv("BAZEL_OFFLINE_FACTS=" + mode)
			p.pass("build", "@tf_toolchains//:manifest.json")
			p.pass("build", "@tf_toolchains//:manifest.json")
			newer := p.lockfile()
			p.selected("3.1.3")

			// An edit: the selection is held at 3.1.0, as somebody does who wants the older release.
			const old, edited = `"version": "3.1.3"`, `"version": "3.1.0"`
			p.replace("MODULE.bazel.lock", old, edited)
			p.pass("build", "@tf_toolchains//:manifest.json")
			p.selected("3.1.0")
			p.pass("mod", "deps")
			older := p.lockfile()
			if !strings.Contains(older, edited) {
				t.Fatalf("the edit did not survive:\n%s", older)
			}

			// The same seen by a new server.
			p.shutdown()
			p.replace("MODULE.bazel.lock", edited, old)
			p.pass("build", "@tf_toolchains//:manifest.json")
			p.selected("3.1.3")
			p.pass("query", "@tf_toolchains//:all")
			if got := p.lockfile(); !strings.Contains(got, old) {
				t.Errorf("the edit did not survive a new server:\n%s", got)
			}

			// Checking out the older lockfile and the newer again, in both modes. Facts of another commit do not leak in.
			for _, flag := range []string{"--lockfile_mode=update", "--lockfile_mode=error"} {
				for _, commit := range []struct{ lock, version string }{{older, "3.1.0"}, {newer, "3.1.3"}, {older, "3.1.0"}} {
					p.write("MODULE.bazel.lock", commit.lock)
					p.pass("build", flag, "@tf_toolchains//:manifest.json")
					p.selected(commit.version)
				}
			}
		})
	}
}

// A lockfile without our entry starts anew instead of taking over what Bazel remembers of another commit.
func TestDeletedLockfile(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/random:~> 3.1.0"}})
	p.pass("build", "@tf_toolchains//:manifest.json")
	p.selected("3.1.3")
	p.reg.Host(terraformHost).Provider("hashicorp/random").Version("3.1.9", defaultPlatforms)
	p.pass("build", "@tf_toolchains//:manifest.json")
	p.selected("3.1.3")
	if err := os.Remove(p.ws.Path("MODULE.bazel.lock")); err != nil {
		t.Fatal(err)
	}
	p.pass("build", "@tf_toolchains//:manifest.json")
	p.selected("3.1.9")
}

// A workspace whose root package has no BUILD file works all the same.
func TestRootWithoutBuildFile(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/random:~> 3.1.0"}})
	if err := os.Remove(p.ws.Path("BUILD.bazel")); err != nil {
		t.Fatal(err)
	}
	p.pass("build", "@tf_toolchains//:manifest.json")
	p.replace("MODULE.bazel.lock", `"version": "3.1.3"`, `"version": "3.1.0"`)
	p.pass("build", "@tf_toolchains//:manifest.json")
	p.selected("3.1.0")
}

// A Bazel without facts: the extension works, and Bazel's own lock of generated repositories holds the selection.
func TestWithoutFacts(t *testing.T) {
	t.Parallel()
	if !workspace.Offline(testtools.RequireBazel(t)) {
		t.Skip("only the offline Bazel can do without facts")
	}
	p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/random:~> 3.1.0", "registry.acme.dev/acme/widget:1.4.0"}})
	p.setEnv("BAZEL_OFFLINE_FACTS=none")
	p.pass("build", "@tf_toolchains//:mirror")
	p.selected("3.1.3")
	if p.facts() != nil || strings.Contains(p.lockfile(), `"facts"`) {
		t.Error("the lockfile has facts")
	}
	p.wantRequests(map[string]int{registry.EndpointDiscovery: 1, registry.EndpointVersions: 1, registry.EndpointDownload: 10, registry.EndpointZip: 2})

	// A newer release does not move it, nor does a new output base, nor a registry that is gone.
	p.reg.Host(terraformHost).Provider("hashicorp/random").Version("3.1.9", defaultPlatforms)
	p.pass("build", "@tf_toolchains//:mirror")
	p.newOutputBase("cold")
	p.setDown(true)
	p.pass("build", "--lockfile_mode=error", "@tf_toolchains//:mirror")
	p.selected("3.1.3")
	p.wantSilence()

	// A failed entry fails the extension, and no lockfile remembers it.
	p.replace("MODULE.bazel", `"hashicorp/random:~> 3.1.0"`, `"hashicorp/random:~> 3.3.0"`)
	p.fail([]string{"hashicorp/random", "~> 3.3.0"}, "build", "@tf_toolchains//:manifest.json")
	p.setDown(false)
	p.shutdown() // such a server remembers the failure; nothing on disk does
	p.pass("build", "@tf_toolchains//:manifest.json")
	p.selected("3.3.2")
}

// selected compares the version of hashicorp/random in the hub's manifest.
func (p *project) selected(want string) {
	p.t.Helper()
	out := strings.TrimSpace(p.pass("cquery", "--output=files", "@tf_toolchains//:manifest.json").Stdout)
	path := filepath.Join(p.ws.Dir, out)
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join(p.ws.OutputBase, strings.TrimPrefix(out, "./"))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	if text := `"selected": "` + want + `"`; !strings.Contains(strings.ReplaceAll(string(data), `":"`, `": "`), text) {
		p.t.Errorf("the manifest has no %s:\n%s", text, data)
	}
}

// The facts of an isolated usage are under a key of its own, which the extension is not told; they answer all the same.
func TestIsolatedUsage(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/random:~> 3.1.0"}})
	p.replace("MODULE.bazel", `"tf_repositories")`, `"tf_repositories", isolate = True)`)
	p.ws.Flags = append(p.ws.Flags, "--experimental_isolated_extension_usages")
	p.pass("build", "@tf_toolchains//:manifest.json")
	if !strings.Contains(p.lockfile(), extensionName+"%") {
		t.Fatalf("the usage is not isolated:\n%s", p.lockfile())
	}
	p.newOutputBase("second")
	p.reg.Reset()
	p.pass("build", "@tf_toolchains//:manifest.json")
	p.wantSilence()
}
