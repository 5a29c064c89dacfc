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

// player is a helper that notes where it is and its arguments, and ends as variables say.
const player = `#!/bin/sh
{ printf '%s:' "$PWD"; for a do printf ' <%s>' "$a"; done; printf '\n'; } >>"$LOG"
case "$1 $2" in
  "gather --check" | "gather --tool") case " $* " in *" --check "*) exit "${GATHER_CHECK:-0}" ;; esac; exit "${GATHER:-0}" ;;
  *) exit "${LOCK:-0}" ;;
esac
`

// scriptWithRunfiles writes a script beside a tree of its runfiles, in a folder whose name is hard to quote.
func scriptWithRunfiles(t *testing.T, text, manifest string) (dir, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a script for Unix")
	}
	dir = filepath.Join(t.TempDir(), "it's $HOME & a \"b\" *")
	script = filepath.Join(dir, "bin", "script")
	for name, content := range map[string]string{
		script: text, script + ".runfiles/" + helperRunfile: player, script + ".runfiles/" + manifestRunfile: manifest,
		dir + "/ws/x": "", script + ".runfiles/_main/x": "",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		testtools.WriteScript(t, name, content)
	}
	return dir, script
}

func gatherAttrs(lockFile, mirrorJSON string, requirements ...string) fakebazel.Struct {
	return fakebazel.Struct{"lock_file": lockFile, "lock_file_versions": m{}, "mirror_json": mirrorJSON, "requirements": requirements}
}

// The file is brought up to date first; a changed file ends the run, since the manifest was made from the old one (A17).
func TestLockGathersFirst(t *testing.T) {
	t.Parallel()
	_, text, _, err := scriptTarget(t, "providers_lock", "live", helperRunfile, gatherAttrs("", "it's.json", ".", "a b/main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	const (
		gather = "ws: <gather> <--tool> <terraform> <--out> <live/it's.json> <--repair> <bazel run //live:providers_lock> "
		paths  = " <--> <live> <live/a b/main.tf>"
		check  = gather + "<--check>" + paths
		write  = gather + "<--quiet>" + paths
	)
	for name, tc := range map[string]struct {
		args []string
		env  []string
		want []string // the beginnings of what the helper notes
		code int
		says bool
	}{
		"up to date":            {nil, nil, []string{check, "ws/x: <lock>"}, 0, false},
		"up to date, lock":      {nil, []string{"LOCK=4"}, []string{check, "ws/x: <lock>"}, 4, false},
		"stale":                 {[]string{"--upgrade"}, []string{"GATHER_CHECK=1"}, []string{check, write}, 1, true},
		"cannot be written":     {nil, []string{"GATHER_CHECK=1", "GATHER=2"}, []string{check, write}, 2, false},
		"wrong":                 {nil, []string{"GATHER_CHECK=2"}, []string{check}, 2, false},
		"check":                 {[]string{"--offline", "--check"}, nil, []string{check, "ws/x: <lock>"}, 0, false},
		"check, stale":          {[]string{"--check"}, []string{"GATHER_CHECK=1"}, []string{check, "ws/x: <lock>"}, 1, false},
		"check full, stale":     {[]string{"--check=full"}, []string{"GATHER_CHECK=1"}, []string{check, "ws/x: <lock>"}, 1, false},
		"check, both":           {[]string{"--check"}, []string{"GATHER_CHECK=1", "LOCK=3"}, []string{check, "ws/x: <lock>"}, 3, false},
		"check, wrong and lock": {[]string{"--check"}, []string{"GATHER_CHECK=2", "LOCK=1"}, []string{check, "ws/x: <lock>"}, 2, false},
		"no check":              {[]string{"--json", "--", "x--check"}, []string{"GATHER_CHECK=1"}, []string{check, write}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, script := scriptWithRunfiles(t, text, `{"tool": "terraform"}`)
			log := filepath.Join(dir, "log")
			if err := os.Remove(dir + "/ws/x"); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(dir+"/ws/x", 0o777); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(script, tc.args...)
			cmd.Dir = "/"
			cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "LOG=" + log, "BUILD_WORKSPACE_DIRECTORY=" + dir + "/ws", "BUILD_WORKING_DIRECTORY=" + dir + "/ws/x"}, tc.env...)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != tc.code {
				t.Errorf("exit code %d, want %d: %s", code, tc.code, out)
			}
			if says := strings.Contains(string(out), "Run the same command again: bazel run //live:providers_lock"); says != tc.says {
				t.Errorf("said: %s", out)
			}
			noted, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(string(noted), "\n"), "\n")
			for n := range lines {
				lines[n] = strings.TrimPrefix(lines[n], dir+"/")
				if n < len(tc.want) && strings.Contains(tc.want[n], "<lock>") {
					for _, arg := range tc.args {
						contains(t, lines[n], "<"+arg+">")
					}
					lines[n] = lines[n][:min(len(lines[n]), len(tc.want[n]))]
				}
			}
			if diff := cmp.Diff(tc.want, lines); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The manifest of the hub says whose rules count.
func TestGatherKnowsTheTool(t *testing.T) {
	t.Parallel()
	_, text, _, err := scriptTarget(t, "requirements_test", "live", helperRunfile, fakebazel.Struct{"requirements": []string{"."}, "repair": "bazel run //:x"})
	if err != nil {
		t.Fatal(err)
	}
	for manifest, want := range map[string]string{
		"{\n  \"tool\": \"tofu\"\n}\n": "tofu", "{\n  \"tool\": \"terraform\"\n}\n": "terraform",
		"{\n  \"tool\": \"terraform\",\n  \"tool_version\": \"\\\"tool\\\": \\\"tofu\\\"\"\n}": "terraform",
	} {
		dir, script := scriptWithRunfiles(t, text, manifest)
		cmd := exec.Command(script)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LOG=" + dir + "/log"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		noted, err := os.ReadFile(dir + "/log")
		if err != nil {
			t.Fatal(err)
		}
		wanted := script + ".runfiles/_main: <gather> <--tool> <" + want + "> <--out> <live/providers.json> <--repair> <bazel run //:x> <--check> <--> <live>\n"
		if diff := cmp.Diff(wanted, string(noted)); diff != "" {
			t.Error(diff)
		}
	}
}

// The test's exit code is that of the comparison; it sees nothing but its runfiles.
func TestRequirementsTest(t *testing.T) {
	t.Parallel()
	attrs := fakebazel.Struct{"requirements": []string{"a", "b.tf"}, "repair": "bazel run //:x"}
	name, text, runfiles, err := scriptTarget(t, "requirements_test", "live", helperRunfile, attrs)
	if err != nil || name != "requirements_test" {
		t.Fatal(name, err)
	}
	if diff := cmp.Diff([]string{"../" + helperRunfile, "../" + manifestRunfile, "live/providers.json", "live/main.tf"}, runfiles); diff != "" {
		t.Errorf("runfiles:\n%s", diff)
	}
	dir, script := scriptWithRunfiles(t, text, "{}")
	for _, tc := range []struct {
		env  string
		code int
		want string
	}{{"GATHER_CHECK=1", 1, ""}, {"GATHER_CHECK=2", 2, ""}, {"RUNFILES_DIR=/nowhere", 2, "--enable_runfiles"}} {
		cmd := exec.Command(script)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LOG=" + dir + "/log", tc.env}
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != tc.code || !strings.Contains(string(out), tc.want) {
			t.Errorf("%s: exit code %d: %s", tc.env, code, out)
		}
	}
	if _, _, _, err := scriptTarget(t, "requirements_test", "other", helperRunfile, attrs); err == nil || !strings.Contains(err.Error(), "must be of this package, //other") {
		t.Errorf("of another package: %v", err)
	}
}

// There is no cmd here to run the scripts, so their parts are looked at.
func TestWindowsGather(t *testing.T) {
	t.Parallel()
	name, text, _, err := scriptTarget(t, "providers_lock", "live", helperRunfile+".exe", gatherAttrs("", "100%.json", "a b"))
	if err != nil || name != "providers_lock.bat" {
		t.Fatal(name, err)
	}
	const gather = `"%TF_HELPER%" gather --tool %TF_TOOL% --out "live/100%%.json" --repair "bazel run //live:providers_lock"`
	contains(t, text, `findstr /r /c:"^ *\"tool\": *\"tofu\"" "%TF_MANIFEST%"`, gather+` --check -- "live/a b"`, gather+` --quiet -- "live/a b"`, `shift /1`,
		`if %ERRORLEVEL% LSS %TF_GATHERED% exit /b %TF_GATHERED%`, `Run the same command again: "bazel run //live:providers_lock" 1>&2`)
	name, test, _, err := scriptTarget(t, "requirements_test", "live", helperRunfile+".exe", fakebazel.Struct{"requirements": []string{"."}, "repair": "x"})
	if err != nil || name != "requirements_test.bat" {
		t.Fatal(name, err)
	}
	contains(t, test, `gather --tool %TF_TOOL% --out "live/providers.json" --repair "x" --check -- "live"`, `cd /d "%RUNFILES_DIR%/_main"`, "--enable_runfiles")
	for _, script := range []string{text, test} {
		if strings.Count(script, "\n") != strings.Count(script, "\r\n") {
			t.Error("lines must end as cmd wants them")
		}
	}
}

func TestRequirementsAttributes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		attrs fakebazel.Struct
		want  string
	}{
		"no file":    {gatherAttrs("", "", "live"), "requirements and mirror_json belong together"},
		"no modules": {gatherAttrs("", "p.json"), "requirements and mirror_json belong together"},
		"file":       {gatherAttrs("", "../p.json", "live"), `mirror_json = "../p.json" must be a path below`},
		"directory":  {gatherAttrs("", ".", "live"), `mirror_json = "." must be a path below`},
		"module":     {gatherAttrs("", "p.json", "live", "/abs"), `requirements = "/abs" must be a path below`},
		"empty":      {gatherAttrs("", "p.json", ""), `requirements = "" must be a path below`},
	} {
		_, _, _, err := scriptTarget(t, "providers_lock", "", helperRunfile, tc.attrs)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRequirementsTestMacro(t *testing.T) {
	t.Parallel()
	i := fakebazel.NewInterpreter(moduleRoot)
	globals, err := i.Load("//tf:defs.bzl")
	if err != nil {
		t.Fatal(err)
	}
	rule, err := i.Load("//tf/private:requirements_test.bzl")
	if err != nil {
		t.Fatal(err)
	}
	var given map[string]any
	rule["requirements_test"].(*fakebazel.Definition).Instantiate = func(kwargs map[string]any) { given = kwargs }
	var kwargs []starlark.Tuple
	for name, value := range (m{"name": "t", "srcs": []string{"a.tf"}, "requirements": []string{"."}, "size": "small"}) {
		kwargs = append(kwargs, starlark.Tuple{starlark.String(name), fakebazel.ToStarlark(value)})
	}
	if _, err := starlark.Call(i.Thread(), globals["tf_requirements_test"], nil, kwargs); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"name": "t", "srcs": l{"a.tf"}, "requirements": l{"."}, "size": "small", "mirror_json": "providers.json", "manifest": "@tf_toolchains//:manifest.json",
		"repair": "bazel run //:providers_lock", "tags": l{"no-remote-exec"},
	}
	if diff := cmp.Diff(want, given); diff != "" {
		t.Error(diff)
	}
}
