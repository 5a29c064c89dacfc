package starlark_test

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.starlark.net/starlark"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

func names(t *testing.T, pairs ...[]any) map[string]any {
	t.Helper()
	list := l{}
	for _, p := range pairs {
		list = append(list, p)
	}
	return call(t, "repo_names.bzl", "repo_names", list).(map[string]any)
}

func TestRepoNames(t *testing.T) {
	t.Parallel()
	const key = "package/registry.terraform.io/hashicorp/random/3.3.2/linux_amd64"
	// The name that real Bazel gives: its hash and this interpreter's are the same.
	if diff := cmp.Diff(map[string]any{key: "random_00bed3fd"}, names(t, l{"random", key})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{key: "random_00bed3fd"}, names(t, l{"random", key}, l{"random", key})); diff != "" {
		t.Errorf("named twice:\n%s", diff)
	}
	// "Aa" and "BB" have the same hash: both get a name, whichever comes first, and others keep theirs.
	for _, pairs := range [][][]any{{{"x", "Aa"}, {"x", "BB"}, {"random", key}}, {{"random", key}, {"x", "BB"}, {"x", "Aa"}}} {
		if diff := cmp.Diff(map[string]any{"Aa": "x_00000840", "BB": "x_00000840_2", key: "random_00bed3fd"}, names(t, pairs...)); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff(map[string]any{"Aa": "x_00000840", "BB": "y_00000840"}, names(t, l{"x", "Aa"}, l{"y", "BB"})); diff != "" {
		t.Errorf("no collision:\n%s", diff)
	}
	valid := regexp.MustCompile(`^[a-z0-9][-.\w]*$`)
	for _, name := range names(t, l{"google-beta-with-a-long-name", "a"}, l{"9x", "b"}, l{"x--", "c"}) {
		if !valid.MatchString(name.(string)) || len(name.(string)) > 21 {
			t.Errorf("name %q", name)
		}
	}
}

// E13, F33: 259 characters, with an output base of 60, as seen from an action.
func TestWindowsPathLength(t *testing.T) {
	t.Parallel()
	const limit, outputBase = 259, 60
	for _, provider := range []struct{ host, namespace, providerType, version, file string }{
		{"registry.terraform.io", "hashicorp", "google-beta", "6.38.0", "terraform-provider-google-beta_v6.38.0_x5.exe"},
		{"registry.terraform.io", "hashicorp", "aws", "5.100.0", "terraform-provider-aws_v5.100.0_x5.exe"},
		{"registry.opentofu.org", "hashicorp", "kubernetes", "2.37.1", "terraform-provider-kubernetes_v2.37.1_x5.exe"},
	} {
		key := call(t, "fact_keys.bzl", "package_key", strings.Join([]string{provider.host, provider.namespace, provider.providerType}, "/"),
			provider.version, "windows_amd64").(string)
		name := names(t, l{provider.providerType, key})[key].(string)
		longest := path.Join(strings.Repeat("o", outputBase), "execroot/_main/external", "rules_tf_mirror++tf_repositories+"+name, "mirror",
			provider.host, provider.namespace, provider.providerType, provider.version, "windows_amd64", provider.file)
		if len(longest) > limit {
			t.Errorf("%d characters: %s", len(longest), longest)
		}
	}
}

// fetch evaluates the facts, and fetches one of the repositories that are declared.
func fetch(t *testing.T, fact map[string]any, host fakebazel.Host, prepare func(*fakebazel.RepositoryContext)) (*fakebazel.RepositoryContext, error) {
	t.Helper()
	key, good := packageFact("random", "3.3.2", "linux_amd64", "2")
	if fact == nil {
		fact = good
	}
	tag := m{"platforms": []string{"linux_amd64"}, "mirror": []string{"hashicorp/random:3.3.2"}}
	e := (&evaluation{t: t, modules: rootTag(tag), facts: map[string]any{key: fact}}).run()
	for _, repo := range e.interpreter.Declared {
		if repo.Name == "tf_toolchains" {
			continue
		}
		ctx := fakebazel.NewRepositoryContext(repo, host, nil)
		ctx.Zips["package.zip"] = map[string]string{"terraform-provider-random_v3.3.2": "x", "README.md": "y", "BUILD": "z"}
		ctx.Serve = func(fakebazel.Download) bool { return true }
		ctx.Exec = commands(t, ctx)
		if prepare != nil {
			prepare(ctx)
		}
		_, err := starlark.Call(e.interpreter.Thread(), repo.Rule.Implementation, starlark.Tuple{ctx}, nil)
		return ctx, err
	}
	t.Fatal("no package is declared")
	return nil, nil
}

const randomDir = "mirror/registry.terraform.io/hashicorp/random/3.3.2/linux_amd64"

func TestPackageRepository(t *testing.T) {
	t.Parallel()
	ctx, err := fetch(t, nil, linux, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []fakebazel.Download{{
		URLs: []string{"https://releases.example/terraform-provider-random_3.3.2_linux_amd64.zip"}, Output: "package.zip", SHA256: sha("2"),
		// Neither canonical_id, which would miss the cache, nor headers, which go along redirects.
		Kwargs: []string{"url", "output", "sha256", "allow_fail", "auth"},
	}}
	if diff := cmp.Diff(want, ctx.Downloads); diff != "" {
		t.Errorf("downloads -want +got:\n%s", diff)
	}
	for name, there := range map[string]bool{
		"package.zip": false, "BUILD.bazel": true, "package.json": true, randomDir + "/README.md": true, randomDir + "/terraform-provider-random_v3.3.2": true,
	} {
		if _, ok := ctx.Files[ctx.Dir+"/"+name]; ok != there {
			t.Errorf("%s is there: %v", name, ok)
		}
	}
	if got, want := ctx.Files[ctx.Dir+"/package.json"], `{"layout":1,"sha256":"`+sha("2")+"\"}\n"; got != want {
		t.Errorf("package.json: %s", got)
	}
	build := ctx.Files[ctx.Dir+"/BUILD.bazel"]
	contains(t, build, `srcs = ["mirror", "package.json"]`, `directory = "mirror"`, `host = "registry.terraform.io"`, `platform = "linux_amd64"`, `type = "random"`)
	if strings.Contains(build, "glob(") {
		t.Errorf("a glob:\n%s", build)
	}
	// C18: modes are normalised first, then the executable is made one.
	var commands []string
	for _, argv := range ctx.Executed {
		commands = append(commands, argv[0]+" "+argv[1]+" "+argv[len(argv)-1])
	}
	wantCommands := []string{"sh -c package.part", "chmod -R " + randomDir, "chmod a+x " + randomDir + "/terraform-provider-random_v3.3.2"}
	if diff := cmp.Diff(wantCommands, commands); diff != "" {
		t.Errorf("commands -want +got:\n%s", diff)
	}
}

func TestPackageRepositoryOnWindowsStartsNoProcess(t *testing.T) {
	t.Parallel()
	ctx, err := fetch(t, nil, windows, nil)
	if err != nil || len(ctx.Executed) != 0 {
		t.Errorf("executed %v, %v", ctx.Executed, err)
	}
}

func TestPackageRepositoryWithoutRepoMetadata(t *testing.T) {
	t.Parallel()
	if _, err := fetch(t, nil, linux, (*fakebazel.RepositoryContext).WithoutRepoMetadata); err != nil {
		t.Error(err)
	}
}

func TestPackageRepositoryFailures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fact    m
		prepare func(*fakebazel.RepositoryContext)
		want    []string
	}{
		"no download": {nil, func(c *fakebazel.RepositoryContext) { c.Serve = nil }, []string{
			"registry.terraform.io/hashicorp/random 3.3.2 for linux_amd64", "https://releases.example/terraform-provider-random_3.3.2_linux_amd64.zip",
			"--repository_cache", "credential_helper", "403, 404", "startup --host_jvm_args=-Djavax.net.ssl.trustStore=", // B04, F32
			"`bazel run //:providers_lock -- --upgrade=registry.terraform.io/hashicorp/random`", `"package/registry.terraform.io/hashicorp/random/3.3.2/linux_amd64"`,
		}},
		"no provider": {nil, func(c *fakebazel.RepositoryContext) { c.Zips["package.zip"] = map[string]string{"README.md": ""} }, []string{
			"random 3.3.2 for linux_amd64", `no file named "terraform-provider-random"`, "README.md", // R-CACHE-6
		}},
		"chmod": {nil, func(c *fakebazel.RepositoryContext) {
			c.Exec = func(argv []string, _ map[string]any) fakebazel.ExecResult {
				return fakebazel.ExecResult{Code: 1, Stderr: "not permitted"}
			}
		}, []string{"sh failed", "not permitted"}},
		"malformed": {m{"sha256": "x"}, nil, []string{"malformed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var fact map[string]any
			if tc.fact != nil {
				fact = tc.fact
			}
			_, err := fetch(t, fact, linux, tc.prepare)
			if err == nil {
				t.Fatal("no error")
			}
			contains(t, err.Error(), tc.want...)
		})
	}
}

func TestFindExecutable(t *testing.T) { // R-CACHE-6
	t.Parallel()
	for name, tc := range map[string]struct {
		entries l
		want    any
	}{
		"plain":       {l{l{"terraform-provider-random", false}}, "terraform-provider-random"},
		"version":     {l{l{"README", false}, l{"terraform-provider-random_v3", false}}, "terraform-provider-random_v3"},
		"windows":     {l{l{"terraform-provider-random.exe", false}}, "terraform-provider-random.exe"},
		"byte order":  {l{l{"terraform-provider-random_v3", false}, l{"terraform-provider-random.exe", false}}, "terraform-provider-random.exe"},
		"directory":   {l{l{"terraform-provider-random", true}, l{"terraform-provider-random_v3", false}}, "terraform-provider-random_v3"},
		"longer type": {l{l{"terraform-provider-randomx", false}}, nil},
		"other type":  {l{l{"terraform-provider-null_v3", false}}, nil},
		"empty":       {l{}, nil},
	} {
		if got := call(t, "unpack.bzl", "find_executable", tc.entries, "random"); got != tc.want {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}

// Design §3.5: what is recorded of an ephemeral address is never requested.
func TestEphemeral(t *testing.T) {
	t.Parallel()
	_, fact := packageFact("random", "3.3.2", "linux_amd64", "2")
	fact["ephemeral"] = true

	t.Run("cached", func(t *testing.T) {
		t.Parallel()
		ctx, err := fetch(t, fact, linux, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(ctx.Downloads) != 1 || len(ctx.Downloads[0].URLs) != 0 || ctx.Downloads[0].SHA256 != sha("2") {
			t.Errorf("downloads: %v", ctx.Downloads)
		}
		if len(ctx.Fetched) != 0 {
			t.Errorf("touched %v", ctx.Fetched)
		}
	})
	t.Run("fetched", func(t *testing.T) {
		t.Parallel()
		var request m
		ctx, err := fetch(t, fact, linux, func(c *fakebazel.RepositoryContext) {
			c.Serve = func(d fakebazel.Download) bool { return len(d.URLs) > 0 }
			c.Labels[helperLabel] = helperFile
			c.Exec = func(argv []string, _ map[string]any) fakebazel.ExecResult {
				if argv[0] == helperFile {
					if got := fmt.Sprint(argv[1:]); got != "[fetch --request fetch.json --repository_cache fetched]" {
						t.Errorf("arguments %s", got)
					}
					if err := json.Unmarshal([]byte(c.Files[c.Dir+"/fetch.json"]), &request); err != nil {
						t.Error(err)
					}
					return fakebazel.ExecResult{}
				}
				return commands(t, c)(argv, nil)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		want := "file://" + ctx.Dir + "/fetched/content_addressable/sha256/" + sha("2") + "/file"
		if len(ctx.Downloads) != 2 || ctx.Downloads[1].URLs[0] != want || ctx.Downloads[1].SHA256 != sha("2") {
			t.Errorf("downloads: %v", ctx.Downloads)
		}
		key, _ := packageFact("random", "3.3.2", "linux_amd64", "2")
		wantRequest := m{
			"schema": 1.0, "tool": "terraform", "platforms": l{"linux_amd64"}, "facts": m{key: fact},
			"providers": l{m{"source": "registry.terraform.io/hashicorp/random", "version": "3.3.2", "selected": "3.3.2"}},
		}
		if diff := cmp.Diff(wantRequest, request); diff != "" {
			t.Errorf("request -want +got:\n%s", diff)
		}
	})
	t.Run("failed", func(t *testing.T) {
		t.Parallel()
		_, err := fetch(t, fact, linux, func(c *fakebazel.RepositoryContext) {
			c.Serve = nil
			c.Labels[helperLabel] = helperFile
			c.Exec = func([]string, map[string]any) fakebazel.ExecResult {
				return fakebazel.ExecResult{Code: 3, Stderr: "the registry is down"}
			}
		})
		if err == nil {
			t.Fatal("no error")
		}
		contains(t, err.Error(), "random 3.3.2 for linux_amd64", "exit code 3", "the registry is down")
	})
}
