package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tests/workspace"
)

// A package may hold anything: a BUILD file, names with spaces, directory entries, no executable bit, read-only files, a symbolic link. Its host may have
// a port. What Bazel makes of it has the same files and bytes as terraform's cache.
func TestOddPackages(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{Mirror: []string{"acme.example:8443/acme/odd:1.0.0"}})
	version := p.reg.Host("acme.example:8443").Provider("acme/odd").Version("1.0.0", defaultPlatforms)
	version.EachZip(func(z *registry.Zip) {
		z.Files(
			registry.File{Name: "BUILD", Content: []byte("this is no BUILD file\n"), Mode: 0o644},
			registry.File{Name: "docs/", Mode: fs.ModeDir | 0o755},
			registry.File{Name: "docs/BUILD.bazel", Content: []byte("nor this\n"), Mode: 0o444},
			registry.File{Name: "docs/read me first.txt", Content: []byte("spaces\n"), Mode: 0o444},
			registry.File{Name: "licence", Content: []byte("docs/read me first.txt"), Mode: fs.ModeSymlink | 0o777},
			registry.File{Name: "terraform-provider-odd_v1.0.0", Content: []byte("#!/bin/sh\nexit 1\n"), Mode: 0o644},
		)
	})
	p.pass("build", "@tf_toolchains//:mirror", "@tf_toolchains//:mirror_tree")

	terraform := testtools.Terraform(t)
	cache := filepath.Join(p.scratch, "cache")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	dir := p.configuration("odd", [][2]string{{"acme.example:8443/acme/odd", "1.0.0"}})
	if out, err := p.tool(terraform, dir, append(p.reg.Env(), "TF_PLUGIN_CACHE_DIR="+cache), "init", "-no-color"); err != nil {
		t.Fatalf("terraform init: %v\n%s", err, out)
	}
	want := digests(t, cache)
	if diff := cmp.Diff(want, digests(t, p.tree("mirror_tree"))); diff != "" {
		t.Errorf("the tree differs from terraform's plugin cache (-terraform +ours):\n%s", diff)
	}
	for _, dir := range p.packageDirs() {
		if diff := cmp.Diff(want, digests(t, dir)); diff != "" {
			t.Errorf("the package differs from terraform's plugin cache (-terraform +ours):\n%s", diff)
		}
		executable := filepath.Join(dir, "acme.example:8443", "acme", "odd", "1.0.0", hostPlatform(), "terraform-provider-odd_v1.0.0")
		info, err := os.Stat(executable)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o111 == 0 {
			t.Errorf("%s has mode %s, want it executable", executable, info.Mode())
		}
		wantNoReadOnly(t, dir)
	}
	p.shutdown()
	p.pass("clean", "--expunge")
}

func wantNoReadOnly(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o200 == 0 {
			t.Errorf("%s has mode %s, want it writable", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// When the recorded content of a package changes, the actions that use it run again.
func TestOtherContentRunsActionsAgain(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/null:3.2.1"}})
	p.write("BUILD.bazel", `genrule(
    name = "listing",
    srcs = ["@tf_toolchains//:mirror"],
    outs = ["listing.txt"],
    cmd = "for f in $(SRCS); do find -L $$f -type f -exec cat {} + ; done > $@",
)
`)
	version := p.reg.Host(terraformHost).Provider("hashicorp/null").Version("3.2.1", defaultPlatforms)
	p.pass("build", "//:listing")
	before, sha := p.read("bazel-bin/listing.txt"), version.SHA256(hostPlatform())

	version.EachZip(func(z *registry.Zip) { z.Salt("cut again") })
	p.replace("MODULE.bazel.lock", sha, version.SHA256(hostPlatform()))
	p.pass("build", "//:listing")
	if p.read("bazel-bin/listing.txt") == before {
		t.Error("the action was not run again although its package has other content")
	}
}

// A zip that is not what was recorded is never unpacked, and the error shows both hashes (C05, C24).
func TestWrongBytes(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/null:3.2.1", "hashicorp/random:3.3.2"}})
	version := p.reg.Host(terraformHost).Provider("hashicorp/null").Version("3.2.1", defaultPlatforms)
	version.Lie(registry.Lie{WrongZip: true})
	p.fail([]string{"registry.terraform.io/hashicorp/null", "3.2.1", version.SHA256(hostPlatform())}, "build", "@tf_toolchains//:mirror")
	p.pass("build", "@tf_toolchains//:registry.terraform.io/hashicorp/random/3.3.2")
	version.Lie(registry.Lie{})
	p.pass("build", "@tf_toolchains//:mirror")
}

// A registry that answers one platform with another's package is refused before anything is recorded.
func TestWrongPlatform(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/null:3.2.1"}})
	version := p.reg.Host(terraformHost).Provider("hashicorp/null").Version("3.2.1", defaultPlatforms)
	version.LieAbout("linux_amd64", registry.Lie{Filename: version.Filename("linux_arm64")})
	p.fail([]string{"terraform-provider-null_3.2.1_linux_arm64.zip", "linux_amd64"}, "build", "@tf_toolchains//:mirror_linux_amd64")
	for key := range p.facts() {
		if strings.HasSuffix(key, "/linux_amd64") {
			t.Errorf("the refused answer was recorded: %s", key)
		}
	}
	p.pass("build", "@tf_toolchains//:mirror_linux_arm64")
}
