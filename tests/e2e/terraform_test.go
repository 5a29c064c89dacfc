package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tests/workspace"
)

func hostPlatform() string { return runtime.GOOS + "_" + runtime.GOARCH }

// tool runs terraform or tofu in a folder with an isolated configuration; more is added to the environment. Its output is returned.
func (p *project) tool(binary, dir string, more []string, args ...string) (string, error) {
	p.t.Helper()
	config := filepath.Join(p.scratch, "empty.tfrc")
	if err := os.WriteFile(config, nil, 0o644); err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.CommandContext(p.t.Context(), binary, args...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"HOME=" + filepath.Join(p.scratch, "home"), "PATH=" + os.Getenv("PATH"), "TF_CLI_CONFIG_FILE=" + config, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
	}, more...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// configuration writes a root module that requires the providers, given as source and constraint.
func (p *project) configuration(dir string, required [][2]string) string {
	p.t.Helper()
	var b strings.Builder
	b.WriteString("terraform {\n  required_providers {\n")
	for i, r := range required {
		fmt.Fprintf(&b, "    p%d = {\n      source  = %q\n      version = %q\n    }\n", i, r[0], r[1])
	}
	b.WriteString("  }\n}\n")
	path := filepath.Join(p.scratch, dir)
	if err := os.MkdirAll(path, 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "main.tf"), []byte(b.String()), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// digests returns the SHA-256 of every file below root, symbolic links followed, by slash-separated name.
func digests(t *testing.T, root string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	var walk func(dir, name string)
	walk = func(dir, name string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			path := filepath.Join(dir, entry.Name())
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case info.IsDir():
				walk(path, name+entry.Name()+"/")
			case info.Mode().Type() == 0 || info.Mode().Type() == fs.ModeSymlink:
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				sum := sha256.Sum256(data)
				sums[name+entry.Name()] = hex.EncodeToString(sum[:])
			}
		}
	}
	walk(root, "")
	return sums
}

// compareWithTerraformCache fills terraform's own plugin cache with the versions of mainEntries, from the same registry, and compares names and
// bytes.
func compareWithTerraformCache(p *project, tree string) {
	p.t.Helper()
	terraform := testtools.Terraform(p.t)
	cache := filepath.Join(p.scratch, "plugin_cache")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		p.t.Fatal(err)
	}
	for i, required := range [][][2]string{
		{{"hashicorp/random", "~> 3.1.0"}, {"hashicorp/null", "3.2.1"}, {"registry.acme.dev/acme/widget", ">= 1.0"}},
		{{"hashicorp/random", "3.3.2"}},
	} {
		dir := p.configuration(fmt.Sprintf("cache%d", i), required)
		if out, err := p.tool(terraform, dir, append(p.reg.Env(), "TF_PLUGIN_CACHE_DIR="+cache), "init", "-no-color"); err != nil {
			p.t.Fatalf("terraform init: %v\n%s", err, out)
		}
	}
	p.reg.Reset()
	if diff := cmp.Diff(digests(p.t, cache), digests(p.t, tree)); diff != "" {
		p.t.Errorf("the mirror differs from terraform's plugin cache (-terraform +ours):\n%s", diff)
	}
}

// The real tools initialise from the built mirror with the network cut, and write the lock file that they always write.
func TestInitWithoutNetwork(t *testing.T) {
	t.Parallel()
	t.Run("terraform", func(t *testing.T) {
		initWithoutNetwork(t, testtools.Terraform(t), terraformHost, nil)
	})
	t.Run("tofu", func(t *testing.T) {
		initWithoutNetwork(t, testtools.Tofu(t), "registry.opentofu.org", []string{"use_tofu = True"})
	})
}

func initWithoutNetwork(t *testing.T, binary, defaultHost string, attrs []string) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), "unshare", "-n", "true").CombinedOutput(); err != nil {
		t.Skipf("no network namespaces here (unshare -n): %v %s", err, out)
	}
	p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/random:~> 3.1.0", "acme.example:8443/acme/widget:1.4.0"}, Attrs: attrs})
	p.reg.Host(defaultHost).Provider("hashicorp/random").Version("3.1.3", defaultPlatforms)
	p.reg.Host("acme.example:8443").Provider("acme/widget").Version("1.4.0", defaultPlatforms)
	p.pass("build", "@tf_toolchains//:mirror", "@tf_toolchains//:mirror_tree")

	dir := p.configuration("init", [][2]string{{"hashicorp/random", "~> 3.1.0"}, {"acme.example:8443/acme/widget", "1.4.0"}})
	out, err := p.tool("unshare", dir, nil, "-n", binary, "init", "-no-color", "-plugin-dir="+p.tree("mirror_tree"))
	if err != nil {
		t.Fatalf("init: %v\n%s", err, out)
	}
	fromMirror := readLock(t, dir)

	// The same from the packages' own folders, one -plugin-dir each, as rules do.
	args := []string{"-n", binary, "init", "-no-color"}
	for _, mirror := range p.packageDirs() {
		args = append(args, "-plugin-dir="+mirror)
	}
	dir = p.configuration("init_packages", [][2]string{{"hashicorp/random", "~> 3.1.0"}, {"acme.example:8443/acme/widget", "1.4.0"}})
	if out, err := p.tool("unshare", dir, nil, args...); err != nil {
		t.Fatalf("init: %v\n%s", err, out)
	}
	if diff := cmp.Diff(fromMirror, readLock(t, dir)); diff != "" {
		t.Errorf("the lock file depends on how the mirror is passed:\n%s", diff)
	}

	// And from the registry, where the tool adds the signed zh: lines: everything else is the same.
	dir = p.configuration("init_direct", [][2]string{{"hashicorp/random", "~> 3.1.0"}, {"acme.example:8443/acme/widget", "1.4.0"}})
	if out, err := p.tool(binary, dir, p.reg.Env(), "init", "-no-color"); err != nil {
		t.Fatalf("init: %v\n%s", err, out)
	}
	var direct []string
	for _, line := range strings.SplitAfter(readLock(t, dir), "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), `"zh:`) {
			direct = append(direct, line)
		}
	}
	if diff := cmp.Diff(strings.Join(direct, ""), fromMirror); diff != "" {
		t.Errorf("the lock file from the mirror differs (-direct +mirror):\n%s", diff)
	}
}

// packageDirs returns the source directory `mirror` of every package that was fetched.
func (p *project) packageDirs() []string {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.ws.OutputBase, "external", "*tf_repositories*", "mirror"))
	if err != nil || len(found) == 0 {
		p.t.Fatalf("no package was fetched: %v", err)
	}
	return found
}

func readLock(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, ".terraform.lock.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
