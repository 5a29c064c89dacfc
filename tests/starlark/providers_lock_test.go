package starlark_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.starlark.net/starlark"
	"rules_tf_mirror/tests/starlark/fakebazel"
	"rules_tf_mirror/tests/testtools"
)

const (
	helperRunfile   = "rules_tf_mirror++tfmirror_helper+tfmirror_host/tfmirror"
	manifestRunfile = "rules_tf_mirror++tf_repositories+tf_toolchains/manifest.json"
)

// lockTarget analyzes a lock target in a package and returns its launcher: name, text, and the paths of its runfiles.
func lockTarget(t *testing.T, pkg, helper, lockFile string) (name, text string, runfiles []string, err error) {
	t.Helper()
	return scriptTarget(t, "providers_lock", pkg, helper, fakebazel.Struct{"lock_file": lockFile, "lock_file_versions": m{}, "mirror_json": "", "requirements": []string{}})
}

// scriptTarget analyzes a target of a rule that makes a script of the same name.
func scriptTarget(t *testing.T, rule, pkg, helper string, attrs fakebazel.Struct) (name, text string, runfiles []string, err error) {
	t.Helper()
	i := fakebazel.NewInterpreter(moduleRoot)
	globals, err := i.Load("//tf/private:" + rule + ".bzl")
	if err != nil {
		t.Fatal(err)
	}
	file := func(shortPath string) fakebazel.Struct {
		return fakebazel.Struct{"short_path": shortPath, "extension": strings.TrimPrefix(filepath.Ext(shortPath), ".")}
	}
	mirrorJSON := file("live/providers.json")
	mirrorJSON["owner"] = fakebazel.Struct{"package": "live", "name": "providers.json"}
	executable := false
	ctx := fakebazel.ToStarlark(fakebazel.Struct{
		"actions": fakebazel.Struct{
			"declare_file": builtin("declare_file", func(_ map[string]any, args starlark.Tuple) starlark.Value {
				name = fakebazel.ToGo(args[0]).(string)
				return fakebazel.ToStarlark(fakebazel.Struct{"path": name})
			}),
			"write": builtin("write", func(kwargs map[string]any, args starlark.Tuple) starlark.Value {
				text, executable = fakebazel.ToGo(args[1]).(string), kwargs["is_executable"] == true
				return starlark.None
			}),
		},
		"attr": attrs, "label": fakebazel.Struct{"name": rule, "package": pkg},
		"file":           fakebazel.Struct{"_helper": file("../" + helper), "manifest": file("../" + manifestRunfile), "mirror_json": mirrorJSON},
		"files":          fakebazel.Struct{"srcs": []any{file("live/main.tf")}},
		"workspace_name": "_main",
		"runfiles": builtin("runfiles", func(_ map[string]any, args starlark.Tuple) starlark.Value {
			for _, f := range fakebazel.ToGo(args[0]).([]any) {
				runfiles = append(runfiles, f.(fakebazel.Struct)["short_path"].(string))
			}
			return starlark.None
		}),
	})
	_, err = starlark.Call(i.Thread(), globals[rule].(*fakebazel.Definition).Implementation(), starlark.Tuple{ctx}, nil)
	if err == nil && !executable {
		t.Error("the launcher is not executable")
	}
	return name, text, runfiles, err
}

// A dependency lock has one version of each source; the rule says which, where several are stocked.
func TestLockFileVersions(t *testing.T) {
	t.Parallel()
	attrs := func(lockFile string, versions m) fakebazel.Struct {
		return fakebazel.Struct{"lock_file": lockFile, "lock_file_versions": versions, "mirror_json": "", "requirements": []string{}}
	}
	_, text, _, err := scriptTarget(t, "providers_lock", "", helperRunfile, attrs("a.hcl", m{"hashicorp/random": "3.1.3", "acme/x": "1"}))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, text, ` --dependency-lock-provider 'acme/x:1' --dependency-lock-provider 'hashicorp/random:3.1.3' "$@"`)
	_, text, _, err = scriptTarget(t, "providers_lock", "", helperRunfile+".exe", attrs("a.hcl", m{"hashicorp/random": "3.1.3"}))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, text, ` --dependency-lock-provider "hashicorp/random:3.1.3" %*`)
	for want, bad := range map[string]fakebazel.Struct{
		"name the file with lock_file": attrs("", m{"hashicorp/random": "3.1.3"}),
		"no exact version":             attrs("a.hcl", m{"hashicorp/random": "~> 3"}),
	} {
		if _, _, _, err := scriptTarget(t, "providers_lock", "", helperRunfile, bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// The rule knows the hub's manifest and the helper, and nothing else: no package, no binary of a target platform.
func TestLockRule(t *testing.T) {
	t.Parallel()
	name, _, runfiles, err := lockTarget(t, "", helperRunfile, "")
	if err != nil {
		t.Fatal(err)
	}
	if name != "providers_lock" {
		t.Errorf("launcher %s", name)
	}
	if diff := cmp.Diff([]string{"../" + helperRunfile, "../" + manifestRunfile}, runfiles); diff != "" {
		t.Errorf("runfiles:\n%s", diff)
	}
	for path, want := range map[string]string{"../other/a": "other/a", "a/b": "_main/a/b"} {
		if got := call(t, "script_parts.bzl", "runfiles_path", path, "_main"); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// The macro leaves the label of the hub a string, so that Bazel resolves it where the macro is called.
func TestLockMacro(t *testing.T) {
	t.Parallel()
	i := fakebazel.NewInterpreter(moduleRoot)
	globals, err := i.Load("//tf:defs.bzl")
	if err != nil {
		t.Fatal(err)
	}
	if got := i.Visibilities["//tf:defs.bzl"]; got != nil {
		t.Errorf("visibility %v", got)
	}
	var given map[string]any
	rule, err := i.Load("//tf/private:providers_lock.bzl")
	if err != nil {
		t.Fatal(err)
	}
	rule["providers_lock"].(*fakebazel.Definition).Instantiate = func(kwargs map[string]any) { given = kwargs }
	for _, tc := range []struct{ kwargs, want m }{
		{m{"name": "l"}, m{"name": "l", "lock_file": nil, "lock_file_versions": m{}, "manifest": "@tf_toolchains//:manifest.json", "mirror_json": nil, "requirements": l{}, "tags": l{"manual"}}},
		{
			m{"name": "l", "lock_file": "a.hcl", "lock_file_versions": m{"acme/widget": "1.4.0"}, "manifest": "@other//:manifest.json", "mirror_json": "p.json", "requirements": []string{"live"}, "tags": []string{"x"}, "visibility": []string{"//v"}},
			m{"name": "l", "lock_file": "a.hcl", "lock_file_versions": m{"acme/widget": "1.4.0"}, "manifest": "@other//:manifest.json", "mirror_json": "p.json", "requirements": l{"live"}, "tags": l{"x", "manual"}, "visibility": l{"//v"}},
		},
	} {
		var kwargs []starlark.Tuple
		for name, value := range tc.kwargs {
			kwargs = append(kwargs, starlark.Tuple{starlark.String(name), fakebazel.ToStarlark(value)})
		}
		if _, err := starlark.Call(i.Thread(), globals["tf_providers_lock"], nil, kwargs); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]any(tc.want), given); diff != "" {
			t.Error(diff)
		}
	}
}

// installed writes a launcher into a folder whose name is hard to quote, and a helper that prints where it is and its arguments.
func installed(t *testing.T, lockFile string, link bool) (dir, launcher string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a script for Unix")
	}
	_, text, _, err := lockTarget(t, "", helperRunfile, lockFile)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "it's $HOME & a \"b\" *")
	launcher = filepath.Join(dir, "bin", "providers_lock")
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		testtools.WriteScript(t, path, text)
	}
	const helper = "#!/bin/sh\nprintf 'cwd=%s\\n' \"$PWD\"\nfor a do printf '%s\\n' \"$a\"; done\nexit 7\n"
	write(launcher, text)
	runfiles := launcher + ".runfiles"
	if !link {
		runfiles = filepath.Join(dir, "elsewhere")
		write(launcher+".runfiles_manifest", "_main/x /nowhere\n"+helperRunfile+" "+filepath.Join(runfiles, helperRunfile)+"\n"+manifestRunfile+" "+filepath.Join(runfiles, manifestRunfile)+"\n")
	}
	write(filepath.Join(runfiles, helperRunfile), helper)
	write(filepath.Join(runfiles, manifestRunfile), "{}")
	for _, sub := range []string{"ws/pkg", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return dir, launcher
}

// The launcher works from every directory, with a tree of runfiles or with a list of them, whatever characters are in the paths.
func TestUnixLauncher(t *testing.T) {
	t.Parallel()
	for _, link := range []bool{true, false} {
		dir, launcher := installed(t, "sub dir/it's.terraform.lock.hcl", link)
		workspace := filepath.Join(dir, "ws")
		root := launcher + ".runfiles"
		if !link {
			root = filepath.Join(dir, "elsewhere")
		}
		for _, tc := range []struct {
			name, program, cwd string
			env                []string
			wantCwd            string
		}{
			{"absolute", launcher, "/", []string{"BUILD_WORKING_DIRECTORY=" + filepath.Join(workspace, "pkg")}, filepath.Join(workspace, "pkg")},
			{"relative", "bin/providers_lock", dir, nil, workspace},
			{"dot", "./providers_lock", filepath.Join(dir, "bin"), nil, workspace},
			// What another script with runfiles has left.
			{"foreign variables", launcher, "/", []string{"RUNFILES_DIR=/nowhere", "RUNFILES_MANIFEST_FILE=/dev/null"}, workspace},
		} {
			cmd := exec.Command("/bin/sh", "-c", `exec "$0" "$@"`, tc.program, "--check", "a b", "")
			cmd.Dir = tc.cwd
			cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "BUILD_WORKSPACE_DIRECTORY=" + workspace}, tc.env...)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != 7 {
				t.Errorf("%s: %v: %s", tc.name, err, out)
				continue
			}
			want := []string{
				"cwd=" + tc.wantCwd, "lock", "--manifest", filepath.Join(root, manifestRunfile), "--lockfile", workspace + "/MODULE.bazel.lock",
				"--extension", extensionID, "--dependency-lock", workspace + "/sub dir/it's.terraform.lock.hcl", "--check", "a b", "", "",
			}
			got := strings.Split(string(out), "\n")
			got[3] = filepath.Clean(strings.Replace(got[3], "/./", "/", 1))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s -want +got:\n%s", tc.name, diff)
			}
		}
	}
}

func TestUnixLauncherComplains(t *testing.T) {
	t.Parallel()
	dir, launcher := installed(t, "", true)
	run := func(env ...string) (string, int) {
		cmd := exec.Command(launcher)
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := run(); code != 2 || !strings.Contains(out, "Start this with bazel run") {
		t.Errorf("without a workspace: %d, %s", code, out)
	}
	if err := os.Remove(filepath.Join(launcher+".runfiles", manifestRunfile)); err != nil {
		t.Fatal(err)
	}
	if out, code := run("BUILD_WORKSPACE_DIRECTORY=" + dir); code != 2 || !strings.Contains(out, manifestRunfile+" is not among the runfiles") {
		t.Errorf("without a manifest: %d, %s", code, out)
	}
}

// The helper's name tells that the machine runs Windows. There is no cmd here to run the script, so its parts are looked at.
func TestWindowsLauncher(t *testing.T) {
	t.Parallel()
	name, text, _, err := lockTarget(t, "pkg", helperRunfile+".exe", "100% a.hcl")
	if err != nil {
		t.Fatal(err)
	}
	if name != "providers_lock.bat" {
		t.Errorf("launcher %s", name)
	}
	if strings.Count(text, "\n") != strings.Count(text, "\r\n") || strings.Contains(text, "bash") {
		t.Error("lines must end as cmd wants them, and no bash is needed")
	}
	contains(t, text, "DisableDelayedExpansion", `if "%%A"=="`+helperRunfile+`.exe" set "TF_HELPER=%%B"`, `if "%%A"=="`+manifestRunfile+`" set "TF_MANIFEST=%%B"`,
		`"%TF_HELPER%" lock --manifest "%TF_MANIFEST%" --lockfile "%BUILD_WORKSPACE_DIRECTORY%/MODULE.bazel.lock"`,
		`--extension "`+strings.ReplaceAll(extensionID, "%", "%%")+`" --dependency-lock "%BUILD_WORKSPACE_DIRECTORY%/pkg/100%% a.hcl" %*`, `exit /b %ERRORLEVEL%`)
	if strings.Contains(text, "gather ") {
		t.Errorf("gathers:\n%s", text)
	}
}

func TestPathBelowPackage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pkg, file   string
		directories bool
		want        string
	}{
		{"", ".terraform.lock.hcl", false, ".terraform.lock.hcl"}, {"a/b", "c d/e.hcl", false, "a/b/c d/e.hcl"}, {"a/b", "c", true, "a/b/c"},
		{"", ".", true, "."}, {"a/b", ".", true, "a/b"},
	} {
		got, problem := pair(t, call(t, "script_parts.bzl", "path_below_package", "lock_file", tc.pkg, tc.file, "x.hcl", tc.directories))
		if problem != "" || got != tc.want {
			t.Errorf("%+v: %v, %s", tc, got, problem)
		}
	}
	for _, file := range []string{"/etc/x", "../x", "a/../x", "./x", ".", "a//b", "a/", "//a:b", ":b", `a\b`, "a\"b", "a\nb", "C:/x"} {
		_, _, _, err := lockTarget(t, "", helperRunfile, file)
		if err == nil || !strings.Contains(err.Error(), `must be a path below the directory of this package, with forward slashes, such as "providers.terraform.lock.hcl"`) {
			t.Errorf("%q: %v", file, err)
		}
	}
}
