package commands

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
)

// The real Bazel takes a package from the cache that fetch filled, though its address leads nowhere.
func TestBazelTakesFromTheCache(t *testing.T) {
	t.Parallel()
	bazel := testtools.RequireBazel(t)
	reg := registry.Start(t)
	reg.Host(host).Provider("acme/widget").Version("1.4.0", registry.Platforms("linux_amd64"))
	dir := t.TempDir()
	cache, workspace, output := filepath.Join(dir, "cache"), filepath.Join(dir, "workspace"), filepath.Join(dir, "output")
	stdout, stderr, code := tfmirror(t, reg, requestJSON([]string{"linux_amd64"}, widget), "fetch", "--request", "-", "--repository_cache", cache, "--json")
	var report struct{ Packages []struct{ SHA256 string } }
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 0 || len(report.Packages) != 1 {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	for name, text := range map[string]string{
		"BUILD.bazel":  "",
		"MODULE.bazel": "module(name = \"workspace\")\npackage_repo = use_repo_rule(\"//:repo.bzl\", \"package_repo\")\npackage_repo(name = \"package\")\n",
		"repo.bzl": fmt.Sprintf(`def _impl(ctx):
    ctx.download("https://nowhere.invalid/p.zip", "p.zip", sha256 = %q)
    ctx.file("BUILD.bazel", "exports_files(['p.zip'])")

package_repo = repository_rule(_impl)
`, report.Packages[0].SHA256),
	} {
		if err := os.MkdirAll(workspace, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(workspace, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.Command(bazel, append([]string{"--output_user_root=" + output, "--nosystem_rc", "--nohome_rc"}, args...)...)
		cmd.Dir = workspace
		return cmd.CombinedOutput()
	}
	t.Cleanup(func() {
		_, _ = run("shutdown")
		// Bazel makes its output read-only, which t.TempDir could not remove.
		_ = filepath.WalkDir(output, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(path, 0o755)
			}
			return nil
		})
	})
	if out, err := run("build", "--repository_cache="+cache, "@package//:p.zip"); err != nil {
		t.Errorf("bazel build: %v\n%s", err, out)
	}
}
