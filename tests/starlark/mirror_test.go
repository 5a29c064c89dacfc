package starlark_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.starlark.net/starlark"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

// rules analyzes targets of the rules in mirror.bzl.
type rules struct {
	t       *testing.T
	i       *fakebazel.Interpreter
	globals starlark.StringDict
	actions []map[string]any // arguments of run_shell
}

func newRules(t *testing.T) *rules {
	t.Helper()
	i := fakebazel.NewInterpreter(moduleRoot)
	globals, err := i.Load("//tf/private:mirror.bzl")
	if err != nil {
		t.Fatal(err)
	}
	return &rules{t: t, i: i, globals: globals}
}

func (r *rules) provider(name string) *fakebazel.Provider {
	r.t.Helper()
	globals, err := r.i.Load("//tf/private:providers.bzl")
	if err != nil {
		r.t.Fatal(err)
	}
	return globals[name].(*fakebazel.Provider)
}

func builtin(name string, function func(kwargs map[string]any, args starlark.Tuple) starlark.Value) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		named := map[string]any{}
		for _, pair := range kwargs {
			named[string(pair[0].(starlark.String))] = fakebazel.ToGo(pair[1])
		}
		return function(named, args), nil
	})
}

// analyze calls the implementation of a rule.
func (r *rules) analyze(rule string, attrs, file fakebazel.Struct) (fakebazel.Target, error) {
	r.t.Helper()
	actions := fakebazel.Struct{
		"declare_directory": builtin("declare_directory", func(_ map[string]any, args starlark.Tuple) starlark.Value {
			return fakebazel.ToStarlark(fakebazel.Struct{"path": "bazel-out/" + fakebazel.ToGo(args[0]).(string)})
		}),
		"run_shell": builtin("run_shell", func(kwargs map[string]any, _ starlark.Tuple) starlark.Value {
			r.actions = append(r.actions, kwargs)
			return starlark.None
		}),
	}
	ctx := fakebazel.ToStarlark(fakebazel.Struct{
		"actions": actions, "attr": attrs, "file": file, "label": fakebazel.Struct{"name": "tree"},
		"runfiles": builtin("runfiles", func(map[string]any, starlark.Tuple) starlark.Value { return starlark.None }),
	})
	value, err := starlark.Call(r.i.Thread(), r.globals[rule].(*fakebazel.Definition).Implementation(), starlark.Tuple{ctx}, nil)
	if err != nil {
		return nil, err
	}
	target := fakebazel.Target{}
	list := value.(*starlark.List)
	for n := range list.Len() {
		instance := list.Index(n).(*fakebazel.Instance)
		target[instance.Provider] = instance
	}
	return target, nil
}

// packageTarget is a package in a repository of its own.
func (r *rules) packageTarget(repo string) fakebazel.Target {
	r.t.Helper()
	directory := fakebazel.Struct{"path": "external/" + repo + "/mirror"}
	items := []starlark.Value{
		fakebazel.ToStarlark(directory),
		fakebazel.ToStarlark(fakebazel.Struct{"path": "external/" + repo + "/package.json"}),
	}
	files := fakebazel.Target{fakebazel.DefaultInfo: {
		Provider: fakebazel.DefaultInfo,
		Fields:   map[string]starlark.Value{"files": &fakebazel.Depset{Items: items}},
	}}
	target, err := r.analyze("tf_package", fakebazel.Struct{
		"files": files, "host": "h", "namespace": "n", "type": "t", "version": "1.0.0", "platform": "linux_amd64",
	}, fakebazel.Struct{"directory": directory})
	if err != nil {
		r.t.Fatal(err)
	}
	return target
}

func paths(files starlark.Value) (list []string) {
	for _, item := range files.(*fakebazel.Depset).Items {
		list = append(list, fakebazel.ToGo(item).(fakebazel.Struct)["path"].(string))
	}
	return list
}

// A package's files are the directory and what changes with its content (design §3.6).
func TestPackageRule(t *testing.T) {
	t.Parallel()
	r := newRules(t)
	target := r.packageTarget("a")
	want := []string{"external/a/mirror", "external/a/package.json"}
	if diff := cmp.Diff(want, paths(target[fakebazel.DefaultInfo].Fields["files"])); diff != "" {
		t.Errorf("files:\n%s", diff)
	}
	info := target[r.provider("TfPackageInfo")]
	if diff := cmp.Diff(want, paths(info.Fields["files"])); diff != "" {
		t.Errorf("files of TfPackageInfo:\n%s", diff)
	}
	if got := info.Fields["type"].String() + info.Fields["platform"].String(); got != `"t""linux_amd64"` {
		t.Errorf("got %s", got)
	}
}

func TestMirrorRule(t *testing.T) {
	t.Parallel()
	r := newRules(t)
	packages := starlark.NewList([]starlark.Value{r.packageTarget("a"), r.packageTarget("b")})
	target, err := r.analyze("tf_mirror", fakebazel.Struct{"missing": l{}, "packages": packages, "platform": "linux_amd64"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"external/a/mirror", "external/a/package.json", "external/b/mirror", "external/b/package.json"}
	if diff := cmp.Diff(want, paths(target[fakebazel.DefaultInfo].Fields["files"])); diff != "" {
		t.Error(diff)
	}
	if got := target[r.provider("TfMirrorInfo")].Fields["packages"].(*starlark.List).Len(); got != 2 {
		t.Errorf("%d packages", got)
	}

	_, err = r.analyze("tf_mirror", fakebazel.Struct{"missing": l{"one", "two"}, "packages": l{}, "platform": "linux_amd64"}, nil)
	if err == nil {
		t.Fatal("a mirror that cannot be had passes")
	}
	contains(t, err.Error(), "one\ntwo")
}

// The copy follows links, keeps the executable bit, and can be made of read-only directories (C18, E17).
func TestMirrorTree(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the command is for the shell of Bazel, which Windows does not have by itself")
	}
	r := newRules(t)
	packages := starlark.NewList([]starlark.Value{r.packageTarget("a"), r.packageTarget("b")})
	mirror, err := r.analyze("tf_mirror", fakebazel.Struct{"missing": l{}, "packages": packages, "platform": "linux_amd64"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.analyze("tf_mirror_tree", fakebazel.Struct{"mirror": mirror}, nil); err != nil {
		t.Fatal(err)
	}
	action := r.actions[0]
	if diff := cmp.Diff(any(l{"bazel-out/tree", "external/a/mirror", "external/b/mirror"}), action["arguments"]); diff != "" {
		t.Fatal(diff)
	}

	dir := t.TempDir()
	real := t.TempDir()
	for _, repo := range []string{"a", "b"} {
		leaf := filepath.Join(real, repo, "h", "n", repo)
		if err := os.MkdirAll(leaf, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, mode := range map[string]os.FileMode{"terraform-provider-x": 0o555, "a b": 0o444} {
			if err := os.WriteFile(filepath.Join(leaf, name), []byte(repo), mode); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Join(dir, "external", repo), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(real, repo), filepath.Join(dir, "external", repo, "mirror")); err != nil {
			t.Fatal(err)
		}
		shared := filepath.Join(real, repo, "h", "n")
		if err := os.Chmod(shared, 0o555); err != nil { // as in a read-only repository; both packages copy into h/n
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(shared, 0o755) })
	}
	if err := os.MkdirAll(filepath.Join(dir, "bazel-out", "tree"), 0o755); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("bash", "-c", action["command"].(string), "bash", "bazel-out/tree", "external/a/mirror", "external/b/mirror")
	command.Dir = dir
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	for _, repo := range []string{"a", "b"} {
		file := filepath.Join(dir, "bazel-out", "tree", "h", "n", repo, "terraform-provider-x")
		info, err := os.Lstat(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if !info.Mode().IsRegular() || info.Mode()&0o100 == 0 {
			t.Errorf("%s has mode %v", file, info.Mode())
		}
	}
}
