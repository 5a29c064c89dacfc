package starlark_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.starlark.net/starlark"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

const (
	randomZip  = "registry.terraform.io/hashicorp/random/terraform-provider-random_3.3.2_linux_amd64.zip"
	mirrorRoot = "third_party/providers"
	otherRoot  = "third_party/more providers"
)

// mirroredRepo evaluates a fact of a filesystem mirror and fetches its package.
func mirroredRepo(t *testing.T, sources []m, prepare func(*fakebazel.RepositoryContext)) (*fakebazel.RepositoryContext, error) {
	t.Helper()
	key, _ := packageFact("random", "3.3.2", "linux_amd64", "2")
	e := installation(t, m{"platforms": []string{"linux_amd64"}, "mirror": []string{"hashicorp/random:3.3.2"}}, sources, nil, nil)
	e.facts = map[string]any{key: m{"mirror": randomZip, "sha256": sha("2")}}
	e.run()
	if diff := cmp.Diff(e.facts, e.newFacts()); diff != "" {
		t.Errorf("facts:\n%s", diff)
	}
	for _, repo := range e.interpreter.Declared {
		if repo.Name == "tf_toolchains" {
			continue
		}
		ctx := fakebazel.NewRepositoryContext(repo, linux, nil)
		ctx.Zips["package.zip"] = map[string]string{"terraform-provider-random_v3.3.2": "x"}
		ctx.Exec = commands(t, ctx)
		prepare(ctx)
		_, err := starlark.Call(e.interpreter.Thread(), repo.Rule.Implementation, starlark.Tuple{ctx}, nil)
		return ctx, err
	}
	t.Fatal("no package is declared")
	return nil, nil
}

// Design §3.7: the file of the workspace, checked against the recorded hash by the downloader, so that the repository cache has it too.
func TestMirroredPackage(t *testing.T) {
	t.Parallel()
	both := []m{{"filesystem_mirror": mirrorFile}, {"direct": true}, {"filesystem_mirror": mirrorDir}}
	for name, tc := range map[string]struct {
		sources []m
		there   []string
		urls    []string
	}{
		"first":  {both, []string{mirrorRoot}, []string{"file:///ws/third_party/providers/" + randomZip}},
		"second": {both, []string{otherRoot}, []string{"file:///ws/third_party/more%20providers/" + randomZip}},
		"both":   {both, []string{mirrorRoot, otherRoot}, []string{"file:///ws/third_party/providers/" + randomZip, "file:///ws/third_party/more%20providers/" + randomZip}},
		// The cache is asked without any address.
		"gone":      {both, nil, []string{}},
		"no source": {nil, nil, []string{}},
	} {
		ctx, err := mirroredRepo(t, tc.sources, func(c *fakebazel.RepositoryContext) {
			c.Serve = func(fakebazel.Download) bool { return true }
			for _, root := range tc.there {
				c.Files["/ws/"+root+"/"+randomZip] = "zip"
			}
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := []fakebazel.Download{{URLs: tc.urls, Output: "package.zip", SHA256: sha("2"), Kwargs: []string{"url", "output", "sha256", "allow_fail"}}}
		if diff := cmp.Diff(want, ctx.Downloads); diff != "" {
			t.Errorf("%s: downloads -want +got:\n%s", name, diff)
		}
		if len(ctx.Watched) != 0 || len(ctx.Fetched) != 0 {
			t.Errorf("%s: watched %v, touched %v", name, ctx.Watched, ctx.Fetched)
		}
	}
}

func TestMirroredPackageIsNotThere(t *testing.T) {
	t.Parallel()
	const upgrade = "`bazel run //:providers_lock -- --upgrade=registry.terraform.io/hashicorp/random`"
	one := []m{{"filesystem_mirror": mirrorFile}}
	for name, tc := range map[string]struct {
		sources []m
		there   bool
		want    string
	}{
		"gone":      {one, false, "there is no " + mirrorRoot + "/" + randomZip},
		"other":     {one, true, mirrorRoot + "/" + randomZip + " is another file than the one that was recorded, which has sha256 " + sha("2")},
		"no source": {nil, false, "no tf.source(filesystem_mirror = …)"},
	} {
		_, err := mirroredRepo(t, tc.sources, func(c *fakebazel.RepositoryContext) {
			if tc.there {
				c.Files["/ws/"+mirrorRoot+"/"+randomZip] = "another zip"
			}
		})
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		contains(t, err.Error(), "random 3.3.2 for linux_amd64", randomZip, tc.want, upgrade)
	}
}

func TestMirroredFacts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fact m
		want string
	}{
		"good":           {m{"mirror": randomZip, "sha256": sha("2")}, ""},
		"case":           {m{"mirror": strings.Replace(randomZip, ".zip", ".ZIP", 1), "sha256": sha("2")}, ""},
		"url besides":    {m{"mirror": randomZip, "sha256": sha("2"), "download_url": "https://x/"}, "more than sha256"},
		"ephemeral":      {m{"mirror": randomZip, "sha256": sha("2"), "ephemeral": false}, "more than sha256"},
		"no hash":        {m{"mirror": randomZip}, "sha256 is not"},
		"unavailable":    {m{"mirror": randomZip, "sha256": sha("2"), "unavailable": true}, "unavailable and more"},
		"out of it":      {m{"mirror": "../../b/x.zip", "sha256": sha("2")}, "mirror is no path"},
		"absolute":       {m{"mirror": "/a/b/x.zip", "sha256": sha("2")}, "mirror is no path"},
		"dot":            {m{"mirror": "a/./b/x.zip", "sha256": sha("2")}, "mirror is no path"},
		"three":          {m{"mirror": "a/b/x.zip", "sha256": sha("2")}, "mirror is no path"},
		"five":           {m{"mirror": "a/b/c/d/x.zip", "sha256": sha("2")}, "mirror is no path"},
		"Windows":        {m{"mirror": `a/b/..\..\c/x.zip`, "sha256": sha("2")}, "mirror is no path"},
		"line":           {m{"mirror": "a/b/c\n/x.zip", "sha256": sha("2")}, "mirror is no path"},
		"no zip":         {m{"mirror": "a/b/c/x.tar", "sha256": sha("2")}, "mirror is no path"},
		"no string":      {m{"mirror": true, "sha256": sha("2")}, "mirror is no path"},
		"empty":          {m{"mirror": "", "sha256": sha("2")}, "mirror is no path"},
		"only file name": {m{"mirror": "///x.zip", "sha256": sha("2")}, "mirror is no path"},
	} {
		value, problem := pair(t, call(t, "fact_shapes.bzl", "read_package", tc.fact, "registry.terraform.io/hashicorp/random", "3.3.2", "linux_amd64"))
		if tc.want == "" {
			if want := (fakebazel.Struct{"unavailable": false, "url": "", "filename": "", "sha256": sha("2"), "ephemeral": false, "mirror": tc.fact["mirror"]}); problem != "" || cmp.Diff(want, value) != "" {
				t.Errorf("%s: %v, %s", name, value, problem)
			}
			continue
		}
		contains(t, problem, tc.want)
	}
}

func TestFileURL(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/a/b.zip": "file:///a/b.zip", "/a b/c%20#d?e/[x]": "file:///a%20b/c%2520%23d%3Fe/%5Bx%5D", "C:/a/b": "file:///C:/a/b", `C:\a\b`: "file:///C:/a/b",
		"/localhost:8443/x": "file:///localhost:8443/x",
	} {
		if got := call(t, "file_urls.bzl", "file_url", path); got != want {
			t.Errorf("%s: got %v, want %s", path, got, want)
		}
	}
}

// The helper is to ask for an ephemeral package as it asked when it was resolved; nothing of this is in other repositories.
func TestEphemeralRequest(t *testing.T) {
	t.Parallel()
	key, fact := packageFact("random", "3.3.2", "linux_amd64", "2")
	const plain = `{"hosts":{"a.dev":{"providers.v1":"https://a.dev/v1/"}},"sources":[{"kind":"filesystem_mirror","path":"third_party/more providers"},` +
		`{"kind":"oci_mirror","repository_template":"o/${type}"}],"tool":"tofu"`
	for _, c := range []struct {
		ephemeral   bool
		toolVersion any
		want        string
	}{{false, "1.10.0", ""}, {true, nil, plain + `}`}, {true, "1.10.0", plain + `,"tool_version":"1.10.0"}`}} {
		ephemeral, want := c.ephemeral, c.want
		recorded := map[string]any{}
		for name, value := range fact {
			recorded[name] = value
		}
		if ephemeral {
			recorded["ephemeral"] = true
		}
		tag := m{"use_tofu": true, "platforms": []string{"linux_amd64"}, "mirror": []string{"registry.terraform.io/hashicorp/random:3.3.2"}}
		if c.toolVersion != nil {
			tag["version"] = c.toolVersion
		}
		e := installation(t, tag, []m{{"filesystem_mirror": mirrorDir}, {"oci_mirror": "o/${type}"}}, []m{{"host": "a.dev", "providers": "https://a.dev/v1/"}}, nil)
		e.facts = map[string]any{key: recorded}
		attrs := e.run().packages()["random 3.3.2 linux_amd64"]
		if !ephemeral {
			if attrs["request"] != nil || attrs["mirror_files"] != nil {
				t.Errorf("attributes %v", attrs)
			}
			continue
		}
		if diff := cmp.Diff(any(want), attrs["request"]); diff != "" {
			t.Error(diff)
		}
		attr := fakebazel.Struct{"host": "h", "namespace": "n", "type": "t", "version": "1.0.0", "platform": "linux_amd64", "url": "", "filename": "", "sha256": "", "request": want}
		request := call(t, "ephemeral.bzl", "fetch_request", attr, "/other/ws").(m)
		wantSources := l{m{"kind": "filesystem_mirror", "path": "/other/ws/third_party/more providers"}, m{"kind": "oci_mirror", "repository_template": "o/${type}"}}
		if diff := cmp.Diff(any(wantSources), request["sources"]); diff != "" || request["tool"] != "tofu" || request["schema"] != 1 || request["tool_version"] != c.toolVersion {
			t.Errorf("request %v:\n%s", request, diff)
		}
	}
}
