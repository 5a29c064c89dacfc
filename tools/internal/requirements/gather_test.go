package requirements

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tools/internal/addrs"
)

// gathered returns the lines of the file that would be written for some roots below dir, and warnings.
func gathered(t *testing.T, dir string, tool addrs.Tool, roots ...string) (entries, warnings []string) {
	t.Helper()
	var paths []string
	for _, r := range roots {
		paths = append(paths, filepath.Join(dir, r))
	}
	result, err := Gather(paths, Options{Tool: tool, Base: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range new(File).Update(result).Gathered {
		entries = append(entries, g.Entry+" <- "+strings.Join(g.WantedBy, "; "))
	}
	for _, w := range result.Warnings {
		warnings = append(warnings, w.Error())
	}
	return entries, warnings
}

func failure(t *testing.T, dir string, roots ...string) string {
	t.Helper()
	var paths []string
	for _, r := range roots {
		paths = append(paths, filepath.Join(dir, r))
	}
	_, err := Gather(paths, Options{Tool: addrs.Terraform, Base: dir})
	if err == nil {
		t.Fatal("no error")
	}
	return err.Error()
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func requires(source, version string) string {
	return "terraform {\n  required_providers {\n    p = { source = \"" + source + "\", version = \"" + version + "\" }\n  }\n}\n"
}

// A13, A17: who wants what, also from a child of a child, with the place and the module.
func TestWants(t *testing.T) {
	t.Parallel()
	dir := write(t, `-- main.tf --
module "a" {
  source = "./a"
}
provider "aws" {
  version = "!= 4.1"
}
-- a/main.tf --
module "b" {
  source = "../b"
}
resource "aws_x" "y" {}
resource "aws_x" "z" {}
-- b/versions.tf --
# comment
terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 4.0"
    }
    template = "2.2.0"
  }
}
`)
	result, err := Gather([]string{dir}, Options{Tool: addrs.Terraform, Base: dir})
	if err != nil {
		t.Fatal(err)
	}
	wants := map[string][]string{}
	for _, r := range result.Requirements {
		for _, w := range r.Wants {
			wants[r.Entry] = append(wants[r.Entry], fmt.Sprintf("%s:%d %q %q", w.File, w.Line, w.Text, w.Module))
		}
	}
	equal(t, wants, map[string][]string{
		"hashicorp/aws:~> 4.0, != 4.1.0": {
			`a/main.tf:4 "" "module.a"`, `b/versions.tf:6 "~> 4.0" "module.a.module.b"`, `main.tf:5 "!= 4.1" ""`,
		},
		"hashicorp/template:2.2.0": {`b/versions.tf:8 "2.2.0" "module.a.module.b"`},
	})
}

// A01: a prerelease named by one module is among the wants of the merged entry.
func TestPrereleaseOfOneModule(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- main.tf --\nmodule \"m\" {\n  source = \"./m\"\n}\n"+requires("x/y", "~> 2.0, != 2.0.1-alpha1")+"-- m/main.tf --\n"+requires("x/y", "2.0.1-alpha2"))
	entries, _ := gathered(t, dir, addrs.Terraform, ".")
	equal(t, entries, []string{"x/y:~> 2.0, != 2.0.1-alpha1, 2.0.1-alpha2 <- m/main.tf: 2.0.1-alpha2; main.tf: ~> 2.0, != 2.0.1-alpha1"})
}

// Several roots share an entry while they can, and the order of the arguments does not matter.
func TestRoots(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- a/main.tf --\n"+requires("x/y", "~> 4.0")+"-- b/main.tf --\n"+requires("x/y", ">= 4.2, < 6")+
		"-- c/main.tf --\n"+requires("x/y", "~> 5.0")+"-- d/main.tf --\nresource \"p_x\" \"y\" {}\n"+requires("x/y", "5.1.0"))
	want := []string{
		"x/y:~> 4.0, >= 4.2.0, < 6.0.0 <- a/main.tf: ~> 4.0; b/main.tf: >= 4.2, < 6",
		"x/y:~> 5.0, 5.1.0 <- c/main.tf: ~> 5.0; d/main.tf: 5.1.0",
	}
	for _, roots := range [][]string{{"a", "b", "c", "d"}, {"d", "c", "b", "a"}, {"b/", "d", "a", "./c", "a"}} {
		entries, _ := gathered(t, dir, addrs.Terraform, roots...)
		equal(t, entries, want)
	}
}

// Within one configuration no init could succeed.
func TestContradiction(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- main.tf --\nmodule \"m\" {\n  source = \"./m\"\n}\n"+requires("x/y", "~> 4.0")+"-- m/main.tf --\n"+requires("x/y", "~> 5.0"))
	equal(t, failure(t, dir, "."), `main.tf:6: registry.terraform.io/x/y: there can be no version that meets "~> 5.0" (m/main.tf:3) and "~> 4.0" (main.tf:6); change the configuration`)
}

// Named files of one directory are one module, and others of it are not read.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- versions.tf --\n"+requires("x/y", "1")+"-- main.tf --\nresource \"p_x\" \"y\" {}\nmodule \"m\" {\n  source = \"./m\"\n}\n"+
		"-- other.tf --\nresource \"other_x\" \"y\" {}\n-- m/main.tf --\nresource \"m_x\" \"y\" {}\n")
	entries, _ := gathered(t, dir, addrs.Terraform, "main.tf", "versions.tf")
	equal(t, entries, []string{"hashicorp/m <- m/main.tf: any version", "x/y:1.0.0 <- versions.tf: 1"})
	entries, _ = gathered(t, dir, addrs.Terraform, "main.tf", ".") // the directory includes the file
	equal(t, entries, []string{"hashicorp/m <- m/main.tf: any version", "hashicorp/other <- other.tf: any version", "x/y:1.0.0 <- versions.tf: 1"})
}

func TestPaths(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- empty/readme.md --\n-- a.tfvars --\n-- b.tofu --\n-- good.tf --\nresource \"_\" \"x\" {}\n")
	equal(t, strings.Split(failure(t, dir, "gone", "empty", "a.tfvars", "b.tofu", "good.tf"), "\n"), []string{
		"a.tfvars: the name is not that of a configuration file of terraform, such as versions.tf or versions.tf.json",
		"b.tofu: the name is not that of a configuration file of terraform, such as versions.tf or versions.tf.json",
		"empty: this directory has no configuration files of terraform",
		"gone: there is no such file or directory",
		`good.tf:1: the provider's local name "" is not valid: must have at least one character`,
	})
}

func TestCycles(t *testing.T) {
	t.Parallel()
	dir := write(t, `-- main.tf --
module "a" {
  source = "./a"
}
-- a/main.tf --
module "b" {
  source = "../b"
}
-- b/main.tf --
module "a" {
  source = "../a"
}
-- self/main.tf --
module "me" {
  source = "./."
}
-- link/main.tf --
module "me" {
  source = "./again"
}
`)
	equal(t, failure(t, dir, "."), `b/main.tf:1: module "a" calls a module that it is part of: a → b → a`)
	equal(t, failure(t, dir, "self"), `self/main.tf:1: module "me" calls a module that it is part of: self → self`)
	if err := os.Symlink(".", filepath.Join(dir, "link", "again")); err != nil {
		t.Skip(err) // Windows without the privilege
	}
	if got := failure(t, dir, "link"); !strings.HasPrefix(got, `link/main.tf:1: module "me" calls a module that it is part of: `) {
		t.Error(got)
	}
}

// Modules that are called along exponentially many ways are read once.
func TestDiamonds(t *testing.T) {
	t.Parallel()
	var files strings.Builder
	for i := range 40 {
		fmt.Fprintf(&files, "-- m%d/main.tf --\nmodule \"a\" {\n  source = \"../m%d\"\n}\nmodule \"b\" {\n  source = \"../m%d\"\n}\n", i, i+1, i+1)
	}
	files.WriteString("-- m40/main.tf --\nresource \"end_x\" \"y\" {}\n")
	dir := write(t, files.String())
	entries, _ := gathered(t, dir, addrs.Terraform, "m0")
	equal(t, entries, []string{"hashicorp/end <- m40/main.tf: any version"})
}

// A17: modules from elsewhere are read where the tool has installed them; otherwise the call is named.
func TestInstalledModules(t *testing.T) {
	t.Parallel()
	const configuration = `-- prod/main.tf --
module "vpc" {
  source  = "terraform-aws-modules/vpc/aws"
  version = "~> 5.0"
}
module "git" {
  source = "git::https://example.com/x.git?ref=v1"
}
-- prod/.terraform/modules/vpc/main.tf --
module "sub" {
  source = "./modules/sub"
}
module "far" {
  source = "acme/far/aws//x"
}
-- prod/.terraform/modules/vpc/modules/sub/main.tf --
terraform {
  required_providers {
    aws = { source = "hashicorp/aws", version = ">= 4" }
  }
}
-- prod/.terraform/modules/far/x/main.tf --
resource "far_x" "y" {}
-- prod/.terraform/modules/git/main.tf --
resource "git_x" "y" {}
`
	record := func(key, source, version, dir string) string {
		return `{"Key":"` + key + `","Source":"` + source + `","Version":"` + version + `","Dir":"` + dir + `"}`
	}
	vpc := record("vpc", "registry.terraform.io/terraform-aws-modules/vpc/aws", "5.1.0", ".terraform/modules/vpc")
	far := record("vpc.far", "registry.terraform.io/acme/far/aws//x", "1.0.0", ".terraform/modules/far/x")
	git := record("git", "git::https://example.com/x.git?ref=v1", "", ".terraform/modules/git")
	awsEntry := "hashicorp/aws:>= 4.0.0 <- prod: module.vpc: modules/sub/main.tf: >= 4"
	farEntry := "hashicorp/far <- prod: module.vpc.module.far: main.tf: any version"
	gitEntry := "hashicorp/git <- prod: module.git: main.tf: any version"
	for _, c := range []struct {
		name              string
		records           []string
		entries, warnings []string
	}{
		{"all", []string{vpc, far, git}, []string{awsEntry, farEntry, gitEntry}, nil},
		{"nothing installed", nil, nil, []string{
			"prod/main.tf:1: module.vpc (terraform-aws-modules/vpc/aws) is not read, and what it requires is not known: it is not installed; run `terraform get` in prod",
			"prod/main.tf:5: module.git (git::https://example.com/x.git) is not read, and what it requires is not known: it is not installed; run `terraform get` in prod",
		}},
		{"nested is missing", []string{vpc, git}, []string{awsEntry, gitEntry}, []string{
			"prod/.terraform/modules/vpc/main.tf:4: module.vpc.module.far (acme/far/aws//x) is not read, and what it requires is not known: it is not installed; run `terraform get` in prod",
		}},
		{"another version", []string{record("vpc", "registry.terraform.io/terraform-aws-modules/vpc/aws", "4.9.0", ".terraform/modules/vpc"), git}, []string{gitEntry}, []string{
			"prod/main.tf:1: module.vpc (terraform-aws-modules/vpc/aws) is not read, and what it requires is not known: installed is version 4.9.0; run `terraform get` in prod",
		}},
		{"another source", []string{record("vpc", "registry.terraform.io/acme/vpc/aws", "5.9.0", ".terraform/modules/vpc"), git}, []string{gitEntry}, []string{
			"prod/main.tf:1: module.vpc (terraform-aws-modules/vpc/aws) is not read, and what it requires is not known: installed is registry.terraform.io/acme/vpc/aws; run `terraform get` in prod",
		}},
		{"gone", []string{vpc, far, record("git", "git::https://example.com/x.git?ref=v1", "", ".terraform/modules/gone")}, []string{awsEntry, farEntry}, []string{
			"prod/main.tf:5: module.git (git::https://example.com/x.git) is not read, and what it requires is not known: prod/.terraform/modules/gone is gone; run `terraform get` in prod",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, configuration)
			manifest := filepath.Join(dir, "prod", ".terraform", "modules", "modules.json")
			if err := os.WriteFile(manifest, []byte(`{"Modules":[`+strings.Join(c.records, ",")+`]}`), 0o644); err != nil {
				t.Fatal(err)
			}
			entries, warnings := gathered(t, dir, addrs.Terraform, "prod")
			equal(t, entries, c.entries)
			equal(t, warnings, c.warnings)
		})
	}
	dir := write(t, configuration+"-- prod/.terraform/modules/modules.json --\n{")
	if got := failure(t, dir, "prod"); !strings.HasPrefix(got, "prod/.terraform/modules/modules.json: this record of installed modules cannot be read") {
		t.Error(got)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, files string
		tool        addrs.Tool
		want        []string
	}{
		{"unknown blocks", "resorce \"a_x\" \"y\" {}\nterraform {\n  required_provider {}\n  required_versoin = \"1\"\n}\n", addrs.Terraform, []string{
			`main.tf:1: block "resorce" is not known here and is passed over`,
			`main.tf:3: setting in a terraform block "required_provider" is not known here and is passed over`,
			`main.tf:4: setting in a terraform block "required_versoin" is not known here and is passed over`,
		}},
		{"unknown blocks in JSON", "-- a.tf.json --\n{\"//\": \"x\", \"locals\": {},\n\"resorce\": {}}\n", addrs.Terraform, []string{
			`a.tf.json:2: block "resorce" is not known here and is passed over`,
		}},
		{"functions of providers", "output \"a\" {\n  value = provider::time::parse(provider::other::east::f())\n}\nterraform {\n  required_providers {\n    time = {}\n  }\n}\n", addrs.Terraform, []string{
			`main.tf:2: a function of provider "other" is called, but required_providers of this module has no "other"; the tools take functions of required providers only`,
		}},
		{"two names for one, R-ADDR-22", "resource \"a_x\" \"y\" {}\nterraform {\n  required_providers {\n    b = { source = \"opentofu/a\" }\n  }\n}\n", addrs.OpenTofu, []string{
			"main.tf:1: registry.opentofu.org/hashicorp/a is required here and registry.opentofu.org/opentofu/a at main.tf:4; these are probably one provider under two names",
		}},
		{"computed source of a module", "module \"m\" {\n  source = var.x\n}\n", addrs.OpenTofu, []string{
			"main.tf:1: module.m (computed source) is not read, and what it requires is not known: it is not installed; run `tofu get` in .",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, warnings := gathered(t, write(t, c.files), c.tool, ".")
			equal(t, warnings, c.want)
		})
	}
}

// Entries leave out the tool's own registry and no other, and are spelt as the extension wants them.
func TestEntries(t *testing.T) {
	t.Parallel()
	const both = `terraform {
  required_providers {
    a = { source = "registry.terraform.io/x/a" }
    b = { source = "Registry.OpenTofu.org/X/b", version = "~>1" }
    c = { source = "acme.dev:0443/x/c", version = "=1.0" }
  }
}`
	dir := write(t, both)
	entries, _ := gathered(t, dir, addrs.Terraform, ".")
	equal(t, entries, []string{"acme.dev/x/c:1.0.0 <- main.tf: =1.0", "registry.opentofu.org/x/b:~> 1.0 <- main.tf: ~>1", "x/a <- main.tf: any version"})
	entries, _ = gathered(t, dir, addrs.OpenTofu, ".")
	equal(t, entries, []string{"acme.dev/x/c:1.0.0 <- main.tf: =1.0", "x/b:~> 1.0 <- main.tf: ~>1", "registry.terraform.io/x/a <- main.tf: any version"})
	equal(t, failure(t, write(t, requires("acme/bücher", "1")), "."), "main.tf:3: provider registry.terraform.io/acme/bücher cannot be in a mirror: Bazel's names are ASCII")
}

// All problems of all modules come at once, by place.
func TestAllProblems(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- main.tf --\nmodule \"m\" {\n  source = \"./m\"\n}\nprovider \"A\" {}\n"+requires("x/y", "one")+"-- m/main.tf --\n"+requires("x/y/z/a", "1"))
	var places []string
	for line := range strings.Lines(failure(t, dir, ".")) {
		places = append(places, strings.SplitN(line, " ", 2)[0])
	}
	equal(t, places, []string{"m/main.tf:3:", "main.tf:4:", "main.tf:7:"})
}

// Runfiles of Bazel are links to files elsewhere; names must come from the tree of links.
func TestLinkedFiles(t *testing.T) {
	t.Parallel()
	real := write(t, "-- versions.tf --\n"+requires("x/y", "1"))
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(real, "versions.tf"), filepath.Join(dir, "versions.tf")); err != nil {
		t.Skip(err) // Windows without the privilege
	}
	entries, _ := gathered(t, dir, addrs.Terraform, ".")
	equal(t, entries, []string{"x/y:1.0.0 <- versions.tf: 1"})
}

func TestConfigurationFiles(t *testing.T) {
	t.Parallel()
	names := []string{"a.tf", "a.tofu", "b.tf.json", "b.tofu.json", "c.tf", "c.tofu.json", "d.tftest.hcl", "e.tofutest.json", "f_override.tf", "g.tf.bak", ".tf", "x.tfvars"}
	slices.Reverse(names)
	equal(t, configurationFiles(names, addrs.Terraform), []string{"a.tf", "b.tf.json", "c.tf", "f_override.tf"})
	equal(t, configurationFiles(names, addrs.OpenTofu), []string{"a.tofu", "b.tofu.json", "c.tf", "c.tofu.json", "f_override.tf"})
	for name, want := range map[string]bool{"override.tf": true, "x_override.tf.json": true, "override.tofu": false, "overrides.tf": false, "xoverride.tf": false} {
		equal(t, isOverride(name, addrs.Terraform), want)
	}
	equal(t, isOverride("override.tofu", addrs.OpenTofu), true)
}
