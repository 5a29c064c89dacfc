package starlark_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.starlark.net/starlark"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

func callImplementation(i *fakebazel.Interpreter, implementation starlark.Value, ctx starlark.Value) error {
	_, err := starlark.Call(i.Thread(), implementation, starlark.Tuple{ctx}, nil)
	return err
}

// helperRepo evaluates the private extension and fetches the repository that it declares.
func helperRepo(t *testing.T, host fakebazel.Host, environ m, prepare func(*fakebazel.RepositoryContext)) (*fakebazel.RepositoryContext, error) {
	t.Helper()
	i := fakebazel.NewInterpreter(moduleRoot)
	globals, err := i.Load("//tf/private:helper.bzl")
	if err != nil {
		t.Fatal(err)
	}
	extension := globals["tfmirror_helper"].(*fakebazel.Definition)
	module, err := fakebazel.NewModuleContext(extension, nil, nil, host)
	if err != nil {
		t.Fatal(err)
	}
	module.Metadata = nil
	_ = callImplementation(i, extension.Implementation(), noMetadata{module})
	if len(i.Declared) != 1 || i.Declared[0].Name != "tfmirror_host" {
		t.Fatalf("declared %v", i.Declared)
	}
	ctx := fakebazel.NewRepositoryContext(i.Declared[0], host, environ)
	ctx.Labels["@@rules_tf_mirror+//:go.mod"] = "/module/go.mod"
	ctx.Files["/module/go.mod"] = "module x\n\ngo 1.26.0\n"
	ctx.Which["go"] = "/usr/bin/go"
	ctx.Exec = goCommand("go version go1.26.8 linux/amd64", 0)
	if prepare != nil {
		prepare(ctx)
	}
	return ctx, callImplementation(i, i.Declared[0].Rule.Implementation, ctx)
}

// noMetadata lets any metadata pass: that of this extension names no dependencies.
type noMetadata struct{ *fakebazel.ModuleContext }

func (n noMetadata) Attr(name string) (starlark.Value, error) {
	if name == "extension_metadata" {
		return starlark.NewBuiltin(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, nil
		}), nil
	}
	return n.ModuleContext.Attr(name)
}

// goCommand plays go: its version, and the exit code of the build.
func goCommand(version string, code int) func([]string, map[string]any) fakebazel.ExecResult {
	return func(argv []string, kwargs map[string]any) fakebazel.ExecResult {
		if argv[1] == "version" {
			return fakebazel.ExecResult{Stdout: version + "\n"}
		}
		return fakebazel.ExecResult{Code: code, Stderr: "compiler says no"}
	}
}

func TestHelperIsBuiltFromSource(t *testing.T) {
	t.Parallel()
	var environment, directory any
	ctx, err := helperRepo(t, linux, m{"HOME": "/home/x", "GOPROXY": "https://proxy.example"}, func(c *fakebazel.RepositoryContext) {
		play := c.Exec
		c.Exec = func(argv []string, kwargs map[string]any) fakebazel.ExecResult {
			if argv[1] == "build" {
				environment, directory = kwargs["environment"], kwargs["working_directory"]
			}
			return play(argv, kwargs)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	build := ctx.Executed[len(ctx.Executed)-1]
	if diff := cmp.Diff([]string{"/usr/bin/go", "build", "-trimpath", "-buildvcs=false", "-o", ctx.Dir + "/tfmirror", "./tools/tfmirror"}, build); diff != "" {
		t.Error(diff)
	}
	want := m{"CGO_ENABLED": "0", "GOARCH": "amd64", "GOFLAGS": "-mod=readonly", "GOOS": "linux", "GOTOOLCHAIN": "local", "GOWORK": "off"}
	if diff := cmp.Diff(any(want), environment); diff != "" {
		t.Errorf("environment -want +got:\n%s", diff)
	}
	if directory != "/module" {
		t.Errorf("built in %v", directory)
	}
	if diff := cmp.Diff([]string{"/module/go.mod", "/module/go.sum", "/module/tools/tfmirror", "/module/tools/internal"}, ctx.Watched); diff != "" {
		t.Errorf("watched -want +got:\n%s", diff)
	}
	contains(t, ctx.Files[ctx.Dir+"/BUILD.bazel"], `glob(["tfmirror*"])`)
	if len(ctx.Downloads) != 0 {
		t.Errorf("downloaded %v", ctx.Downloads)
	}
}

func TestHelperBuildFails(t *testing.T) {
	t.Parallel()
	_, err := helperRepo(t, linux, nil, func(c *fakebazel.RepositoryContext) { c.Exec = goCommand("go version go1.27 linux/amd64", 1) })
	if err == nil {
		t.Fatal("no error")
	}
	contains(t, err.Error(), "cannot build tfmirror", "compiler says no", "GOPROXY", "Go 1.26.0 or newer", "go mod download")
}

func TestHelperOnWindows(t *testing.T) {
	t.Parallel()
	ctx, err := helperRepo(t, windows, m{"USERPROFILE": `C:\Users\x`}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := ctx.Files[ctx.Dir+"/tfmirror"]; !ok {
		t.Error("one label must do everywhere")
	}
}

func TestPinnedGo(t *testing.T) {
	t.Parallel()
	const prefix = "golang.org/toolchain@v0.0.1-go1.26.8.darwin-arm64"
	for name, which := range map[string]map[string]string{"none": {}, "old": {"go": "/usr/bin/go"}} {
		ctx, err := helperRepo(t, mac, nil, func(c *fakebazel.RepositoryContext) {
			c.Which = which
			c.Exec = goCommand("go version go1.25.9 darwin/arm64", 0)
			c.Zips["v0.0.1-go1.26.8.darwin-arm64.zip"] = map[string]string{prefix + "/src/_go.mod": "module std", prefix + "/src/cmd/_go.mod": "module cmd"}
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(ctx.Downloads) != 1 || len(ctx.Downloads[0].SHA256) != 64 {
			t.Errorf("%s: downloads %v", name, ctx.Downloads)
		}
		if build := ctx.Executed[len(ctx.Executed)-1]; build[0] != ctx.Dir+"/go/bin/go" {
			t.Errorf("%s: built with %v", name, build)
		}
		for file := range ctx.Files {
			if strings.HasPrefix(file, ctx.Dir+"/go/") {
				t.Errorf("%s: left behind: %s", name, file)
			}
		}
	}
	_, err := helperRepo(t, windows, nil, func(c *fakebazel.RepositoryContext) { c.Which = nil })
	if err == nil {
		t.Fatal("no error")
	}
	contains(t, err.Error(), "Go 1.26.0 or newer on PATH", "windows-amd64", "https://go.dev/dl/")
}

func TestBuildEnvironmentCaches(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		host    fakebazel.Host
		environ m
		want    []string
	}{
		{"nothing", linux, m{}, []string{"GOCACHE=/own/build", "GOMODCACHE=/own/mod"}},
		{"home", linux, m{"HOME": "/home/x"}, nil},
		{"empty home", linux, m{"HOME": ""}, []string{"GOCACHE=/own/build", "GOMODCACHE=/own/mod"}},
		{"both caches", linux, m{"GOCACHE": "/c", "GOMODCACHE": "/m"}, nil},
		{"gopath", linux, m{"GOCACHE": "/c", "GOPATH": "/p"}, nil},
		{"one cache", linux, m{"GOCACHE": "/c"}, []string{"GOMODCACHE=/own/mod"}},
		{"xdg", linux, m{"XDG_CACHE_HOME": "/c"}, []string{"GOMODCACHE=/own/mod"}},
		{"xdg on a mac", mac, m{"XDG_CACHE_HOME": "/c"}, []string{"GOCACHE=/own/build", "GOMODCACHE=/own/mod"}},
		{"home on windows", windows, m{"HOME": "/home/x"}, []string{"GOCACHE=/own/build", "GOMODCACHE=/own/mod"}},
		{"windows", windows, m{"USERPROFILE": "C:/x", "LOCALAPPDATA": "C:/y"}, nil},
	} {
		got := call(t, "helper.bzl", "build_environment", tc.environ, tc.host.Name, tc.host.Arch, "/own").(map[string]any)
		var caches []string
		for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
			if value, ok := got[name]; ok {
				caches = append(caches, fmt.Sprint(name, "=", value))
			}
		}
		if !slices.Equal(caches, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, caches, tc.want)
		}
		if _, own := got["GOMODCACHE"]; strings.Contains(got["GOFLAGS"].(string), "-modcacherw") != own {
			t.Errorf("%s: GOFLAGS %v", tc.name, got["GOFLAGS"])
		}
	}
}

func TestGoVersions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"go version go1.26.8 linux/amd64": l{1, 26, 8}, "go 1.26.0": l{1, 26, 0}, "go version go1.27 linux/amd64": l{1, 27}, "go version go1.27rc1 linux/amd64": l{1, 27},
		"go version go1.28-devel_0a1b2c linux/amd64": l{1, 28}, "go version devel +abc": nil, "": nil,
	} {
		if diff := cmp.Diff(want, call(t, "go_toolchain.bzl", "parse_go_version", text)); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}
