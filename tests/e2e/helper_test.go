package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/workspace"
)

// copyModule copies what git would check out of this repository, and what is new in it, to a folder that a test may change.
func copyModule(t *testing.T, to string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = moduleDir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(moduleDir, name))
		if os.IsNotExist(err) {
			continue // deleted and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(moduleDir, name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
}

// The helper is built from the module's sources, and built again after an edit of them; an edit of anything else leaves it alone.
func TestHelperIsRebuiltAfterAnEdit(t *testing.T) {
	t.Parallel()
	source := filepath.Join(t.TempDir(), "rules_tf_mirror")
	copyModule(t, source)
	p := newProject(t, workspace.Module{Source: source, Mirror: []string{"hashicorp/null:3.2.1"}})
	p.write("BUILD.bazel", `genrule(
    name = "version",
    srcs = ["@rules_tf_mirror//tools:tfmirror"],
    outs = ["version.txt"],
    cmd = "$(location @rules_tf_mirror//tools:tfmirror) --version > $@",
)
`)
	p.pass("build", "//:version")
	if got := p.read("bazel-bin/version.txt"); !strings.Contains(got, "tfmirror") {
		t.Errorf("tfmirror --version printed %q", got)
	}
	edit(t, filepath.Join(source, "tools", "tfmirror", "main.go"), "func main() {", "func main() {\n\tos.Stdout.WriteString(\"edited \")\n")
	edit(t, filepath.Join(source, "README.md"), "\n", "\n\n")
	p.pass("build", "//:version")
	if got := p.read("bazel-bin/version.txt"); !strings.Contains(got, "edited") {
		t.Errorf("tfmirror --version printed %q after the edit", got)
	}
}

func edit(t *testing.T, path, old, new string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s does not contain %q", path, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Without HOME and without Go's variables the caches are the repository's own.
func TestHelperWithoutHome(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/null:3.2.1"}})
	var env []string
	for _, assignment := range p.ws.Env {
		name, _, _ := strings.Cut(assignment, "=")
		if name != "HOME" && name != "GOCACHE" && name != "GOMODCACHE" {
			env = append(env, assignment)
		}
	}
	p.ws.Env = env
	p.ws.Startup = append(p.ws.Startup, "--output_user_root="+filepath.Join(p.scratch, "user_root"))
	p.pass("build", "@tf_toolchains//:mirror")
	p.wantRequests(map[string]int{registry.EndpointDownload: 5, registry.EndpointZip: 1})
}

// This module works as the root module too.
func TestAsRootModule(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{})
	if err := os.RemoveAll(p.ws.Dir); err != nil {
		t.Fatal(err)
	}
	copyModule(t, p.ws.Dir)
	p.write("MODULE.bazel", p.read("MODULE.bazel")+`
tf = use_extension("//tf:extensions.bzl", "tf_repositories")
tf.download(mirror = ["hashicorp/random:~> 3.1.0"])
use_repo(tf, "tf_toolchains")
`)
	p.pass("build", "@tf_toolchains//:mirror")
	p.pass("build", "@tf_toolchains//:mirror")
	p.wantRequests(map[string]int{registry.EndpointVersions: 1, registry.EndpointDownload: 5, registry.EndpointZip: 1})
	lock := p.lockfile()
	if len(p.facts()) != 6 {
		t.Errorf("%d facts, want 6", len(p.facts()))
	}
	p.newOutputBase("second")
	p.pass("build", "--lockfile_mode=error", "@tf_toolchains//:mirror")
	p.reg.Reset()
	if p.lockfile() != lock {
		t.Error("the lockfile changed")
	}
}

// A module that is not the root adds providers; it cannot set policy.
func TestSeveralModules(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{
		Mirror: []string{"hashicorp/random:3.3.2"},
		Deps:   []string{`bazel_dep(name = "library", version = "1.0")`, `local_path_override(module_name = "library", path = "library")`},
	})
	library := workspace.Module{Source: moduleDir, Mirror: []string{"hashicorp/random:~> 3.1.0"}}.String()
	library = strings.Replace(library, `module(name = "example")`, `module(name = "library", version = "1.0")`, 1)
	// Only the root module's overrides count.
	start := strings.Index(library, "local_path_override(")
	end := start + strings.Index(library[start:], ")\n") + 2
	library = library[:start] + library[end:]
	p.write("library/MODULE.bazel", library)
	p.write("library/BUILD.bazel", "")
	p.pass("build", "@tf_toolchains//:registry.terraform.io/hashicorp/random/3.1.3/linux_amd64", "@tf_toolchains//:registry.terraform.io/hashicorp/random/3.3.2/linux_amd64")
	p.wantRequests(map[string]int{registry.EndpointVersions: 1, registry.EndpointDownload: 10, registry.EndpointZip: 2})

	p.write("library/MODULE.bazel", strings.Replace(library, "tf.download(", "tf.download(\n    platforms = [\"linux_amd64\"],", 1))
	p.fail([]string{"library", "platforms"}, "build", "@tf_toolchains//:manifest.json")
}
