package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gatherIn runs `tfmirror gather` for the folder dir, DIR in arguments and output.
func gatherIn(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	all := []string{"gather"}
	for _, arg := range args {
		all = append(all, strings.ReplaceAll(arg, "DIR", dir))
	}
	code = Run(context.Background(), Env{Args: all, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errOut})
	return code, strings.ReplaceAll(out.String(), dir, "DIR"), strings.ReplaceAll(errOut.String(), dir, "DIR")
}

func put(t *testing.T, text string, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

const gatherMain = `module "a" {
  source = "./a"
}
terraform {
  required_providers {
    random = { source = "hashicorp/random", version = "~> 3.1" }
  }
}
`

const gatherFile = `[
  {
    "entry": "hashicorp/null",
    "wanted_by": [
      "infra/a/main.tf: any version"
    ]
  },
  {
    "entry": "hashicorp/random:~> 3.1",
    "wanted_by": [
      "infra/main.tf: ~> 3.1"
    ]
  }
]
`

func gatherDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, gatherMain, dir, "infra", "main.tf")
	put(t, "resource \"null_resource\" \"x\" {}\n", dir, "infra", "a", "main.tf")
	return dir
}

// A17: written, found current, stale after a change of a child module, repaired by the command that is printed.
func TestGatherAndCheck(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := gatherDir(t)
	out := filepath.Join(dir, "providers.json")
	code, stdout, stderr := gatherIn(t, dir, "--out", "DIR/providers.json", "--check", "DIR/infra")
	if code != 1 || stdout != "" || !strings.Contains(stderr, `+    "entry": "hashicorp/null",`) {
		t.Errorf("check before the first run: %d %s", code, stderr)
	}
	if code, stdout, stderr = gatherIn(t, dir, "--out", "DIR/providers.json", "DIR/infra"); code != 0 || stdout+stderr != "" {
		t.Fatalf("%d %s%s", code, stdout, stderr)
	}
	if got, _ := os.ReadFile(out); string(got) != gatherFile {
		t.Errorf("wrote\n%s", got)
	}
	before, _ := os.Stat(out)
	for _, args := range [][]string{{"--check"}, {}} {
		if code, stdout, stderr = gatherIn(t, dir, append(args, "--out", "DIR/providers.json", "DIR/infra")...); code != 0 || stdout+stderr != "" {
			t.Errorf("%v: %d %s%s", args, code, stdout, stderr)
		}
	}
	if after, _ := os.Stat(out); !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Error("an unchanged file was written")
	}

	put(t, "# more lines do not make the file stale\n"+gatherMain, dir, "infra", "main.tf")
	if code, _, stderr = gatherIn(t, dir, "--out", "DIR/providers.json", "--check", "DIR/infra"); code != 0 {
		t.Errorf("after a comment: %d %s", code, stderr)
	}
	put(t, strings.Replace(gatherMain, "~> 3.1", "~> 3.5", 1), dir, "infra", "main.tf")
	code, stdout, stderr = gatherIn(t, dir, "--out", "DIR/providers.json", "--check", "DIR/infra")
	want := `tfmirror: DIR/providers.json is not what the configuration requires:
--- DIR/providers.json
+++ required by the configuration
@@ -6,9 +6,9 @@
     ]
   },
   {
-    "entry": "hashicorp/random:~> 3.1",
-    "wanted_by": [
-      "infra/main.tf: ~> 3.1"
+    "entry": "hashicorp/random:~> 3.5",
+    "wanted_by": [
+      "infra/main.tf: ~> 3.5"
     ]
   }
 ]
repair: tfmirror gather --tool terraform --out DIR/providers.json DIR/infra
`
	if code != 1 || stdout != "" || stderr != want {
		t.Errorf("%d %s%s\nwant %s", code, stdout, stderr, want)
	}
	if got, _ := os.ReadFile(out); string(got) != gatherFile {
		t.Error("check wrote")
	}
	_, _, stderr = gatherIn(t, dir, "--out", "DIR/providers.json", "--check", "--repair", "bazel run //:providers_lock", "DIR/infra")
	if !strings.HasSuffix(stderr, "\nrepair: bazel run //:providers_lock\n") {
		t.Error(stderr)
	}
}

func TestGatherKeepsStrings(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := gatherDir(t)
	out := put(t, `["acme/widget:1.4.0", {"entry": "x/gone", "wanted_by": []}]`, dir, "providers.json")
	if code, _, stderr := gatherIn(t, dir, "--out", "DIR/providers.json", "DIR/infra"); code != 0 {
		t.Fatalf("%d %s", code, stderr)
	}
	if got, _ := os.ReadFile(out); string(got) != "[\n  \"acme/widget:1.4.0\",\n"+strings.TrimPrefix(gatherFile, "[\n") {
		t.Errorf("wrote\n%s", got)
	}
}

// What modules that are not installed here once asked for is neither forgotten nor reported as stale.
func TestGatherForgetsNothing(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	put(t, "module \"vpc\" {\n  source = \"acme/vpc/aws\"\n}\n", dir, "main.tf")
	const old = `[{"entry": "hashicorp/aws:~> 5.0", "wanted_by": ["module.vpc: main.tf: ~> 5.0"]}]`
	out := put(t, old, dir, "providers.json")
	for _, args := range [][]string{{"--check"}, {}} {
		code, _, stderr := gatherIn(t, dir, append(args, "--out", "DIR/providers.json", "DIR")...)
		if code != 2 || !strings.Contains(stderr, "tfmirror: warning: main.tf:1: module.vpc (acme/vpc/aws) is not read") ||
			!strings.Contains(stderr, "\n  module.vpc: main.tf: ~> 5.0 (hashicorp/aws:~> 5.0)\n") {
			t.Errorf("%v: %d %s", args, code, stderr)
		}
	}
	if got, _ := os.ReadFile(out); string(got) != old {
		t.Errorf("wrote %s", got)
	}
	put(t, `[]`, dir, "providers.json")
	if code, _, stderr := gatherIn(t, dir, "--quiet", "--out", "DIR/providers.json", "DIR"); code != 0 || stderr != "" {
		t.Errorf("%d %s", code, stderr)
	}
}

// The TF_DATA_DIR of the environment is where modules are looked for.
func TestGatherDataDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, "module \"git\" {\n  source = \"git::https://example.com/x.git\"\n}\n", dir, "main.tf")
	put(t, "resource \"null_resource\" \"x\" {}\n", dir, "data", "modules", "git", "main.tf")
	put(t, `{"Modules":[{"Key":"git","Source":"git::https://example.com/x.git","Dir":"data/modules/git"}]}`, dir, "data", "modules", "modules.json")
	for data, want := range map[string]bool{"data": true, filepath.Join(dir, "data"): true, "": false} {
		var out, errOut bytes.Buffer
		code := Run(context.Background(), Env{Args: []string{"gather", "--out", "-", dir}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errOut, Environ: []string{"TF_DATA_DIR=" + data}})
		if got := strings.Contains(out.String(), `"hashicorp/null"`); code != 0 || got != want || strings.Contains(errOut.String(), "is not installed") == want {
			t.Errorf("%q: %d\n%s%s", data, code, &out, &errOut)
		}
	}
}

func TestGatherJSON(t *testing.T) {
	t.Parallel()
	dir := gatherDir(t)
	code, stdout, stderr := gatherIn(t, dir, "--json", "--tool=tofu", "DIR/infra")
	if code != 0 || stderr != "" {
		t.Fatalf("%d %s", code, stderr)
	}
	var got struct {
		Schema    int
		Tool      string
		Providers []struct {
			Source, Constraint, Entry string
			Constraints               []struct {
				Text, Module, File string
				Line               int
			}
		}
		Warnings []string
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != 1 || got.Tool != "tofu" || len(got.Providers) != 2 || got.Warnings == nil || len(got.Warnings) != 0 {
		t.Fatalf("%+v", got)
	}
	null, random := got.Providers[0], got.Providers[1]
	if null.Source != "registry.opentofu.org/hashicorp/null" || null.Constraint != "" || null.Entry != "hashicorp/null" ||
		null.Constraints[0].Module != "module.a" || null.Constraints[0].Line != 1 || filepath.Base(null.Constraints[0].File) != "main.tf" {
		t.Errorf("%+v", null)
	}
	if random.Entry != "hashicorp/random:~> 3.1" || random.Constraint != "~> 3.1" || random.Constraints[0].Text != "~> 3.1" || random.Constraints[0].Line != 6 {
		t.Errorf("%+v", random)
	}
}

func TestGatherUsage(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := gatherDir(t)
	put(t, "{}", dir, "package.json")
	put(t, "terraform {\n  required_providers {\n    a = \"one\"\n  }\n}\nprovider \"X\u001b[31m\" {}\n", dir, "bad", "main.tf")
	for _, c := range []struct{ args, want string }{
		{"DIR/infra", "gather needs --out, the file to write, or --json"},
		{"--out p.json", "requires at least 1 arg"},
		{"--check DIR/infra", "gather needs --out"},
		{"--check --out - DIR/infra", "gather --check needs --out, the file to compare with"},
		{"--json --out - DIR/infra", "only one of --json and --out=-"},
		{"--tool pulumi --json DIR/infra", `tool "pulumi" is not known`},
		{"--out DIR/none/p.json DIR/infra", "its folder does not exist"},
		{"--out DIR/package.json DIR/infra", "DIR/package.json is no mirror_json file"},
		{"--out DIR/package.json --check DIR/infra", "DIR/package.json is no mirror_json file"},
		{"--out DIR/p.json DIR/bad DIR/nowhere", "bad/main.tf:3: required_providers: a: version constraint \"one\""},
		{"--out DIR/p.json DIR/bad DIR/nowhere", "\nnowhere: there is no such file or directory"},
	} {
		code, stdout, stderr := gatherIn(t, dir, strings.Fields(c.args)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "\x1b") {
			t.Errorf("%s: %d %s%q\nwant %s", c.args, code, stdout, stderr, c.want)
		}
	}
	if code, stdout, _ := gatherIn(t, dir, "--out", "-", "DIR/infra"); code != 0 || !strings.Contains(stdout, `"entry": "hashicorp/null"`) {
		t.Errorf("%d %s", code, stdout)
	}
}
