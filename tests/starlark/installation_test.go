package starlark_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

const (
	mirrorFile = fakebazel.Label("@@//third_party/providers:BUILD.bazel")
	mirrorDir  = fakebazel.Label("@@//third_party:more providers")
)

// installed is an evaluation of a root module with sources and hosts.
func installation(t *testing.T, download m, sources, hosts []m, helper func(m) m) *evaluation {
	t.Helper()
	return &evaluation{
		t: t, helper: helper,
		modules: []fakebazel.Module{{Name: "ws", Root: true, Tags: tags{"download": {download}, "source": sources, "host": hosts}}},
		labels: map[string]string{
			string(mirrorFile): "/ws/third_party/providers/BUILD.bazel",
			string(mirrorDir):  "/ws/third_party/more providers",
		},
		files: fakebazel.Files{"/ws/third_party/providers/BUILD.bazel": "", "/ws/third_party/more providers/h/n/t/x.zip": ""},
	}
}

// Tags reach the helper in their order, and the manifest of the lock target with paths that hold for every checkout.
func TestInstallation(t *testing.T) {
	t.Parallel()
	download := m{"use_tofu": true, "platforms": []string{"linux_amd64"}, "mirror": []string{"hashicorp/random:1.0.0"}}
	e := installation(t, download, []m{
		{"network_mirror": "https://mirror.acme.dev/p/", "include": []string{"hashicorp/*"}},
		{"filesystem_mirror": mirrorFile, "exclude": []string{"a.example/*/*"}},
		{"oci_mirror": "oci.acme.dev/${namespace}/${type}"},
		{"filesystem_mirror": mirrorDir},
		{"direct": true},
	}, []m{
		{"host": "registry.acme.dev", "providers": "https://registry.acme.dev/api/v1/"},
		{"host": "localhost:8443", "providers": "http://localhost:80/v1/"},
	}, registry{digit: "a"}.answer).run()
	want := func(first, second string) m {
		return m{
			"sources": l{
				m{"kind": "network_mirror", "url": "https://mirror.acme.dev/p/", "include": l{"hashicorp/*"}},
				m{"kind": "filesystem_mirror", "path": first, "exclude": l{"a.example/*/*"}},
				m{"kind": "oci_mirror", "repository_template": "oci.acme.dev/${namespace}/${type}"},
				m{"kind": "filesystem_mirror", "path": second},
				m{"kind": "direct"},
			},
			"hosts": m{"registry.acme.dev": m{"providers.v1": "https://registry.acme.dev/api/v1/"}, "localhost:8443": m{"providers.v1": "http://localhost:80/v1/"}},
		}
	}
	for name, tc := range map[string]struct{ got, want m }{
		"request":  {e.requests[0], want("/ws/third_party/providers", "/ws/third_party/more providers")},
		"manifest": {e.hub()["manifest"].(m), want("third_party/providers", "third_party/more providers")},
	} {
		for _, member := range []string{"sources", "hosts", "installation"} {
			if diff := cmp.Diff(tc.want[member], tc.got[member]); diff != "" {
				t.Errorf("%s, %s -want +got:\n%s", name, member, diff)
			}
		}
	}
}

func TestInstallationConfig(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]any{"config": "config", "direct": nil, "": nil} {
		e := installation(t, m{"installation": value, "mirror": []string{"hashicorp/random:1.0.0"}}, nil, nil, registry{digit: "a"}.answer).run()
		for name, got := range map[string]m{"request": e.requests[0], "manifest": e.hub()["manifest"].(m)} {
			if got["installation"] != want || got["sources"] != nil || got["hosts"] != nil {
				t.Errorf("%q: %s has %v, %v, %v", value, name, got["installation"], got["sources"], got["hosts"])
			}
		}
	}
}

func TestInstallationErrors(t *testing.T) {
	t.Parallel()
	direct := m{"direct": true}
	for name, tc := range map[string]struct {
		download       m
		sources, hosts []m
		want           []string
	}{
		"no kind":       {m{}, []m{{"include": []string{"a/b"}}}, nil, []string{"says no place", "tf.source(direct = True)", "${namespace}/${type}"}},
		"two kinds":     {m{}, []m{direct, {"direct": true, "network_mirror": "https://x/"}}, nil, []string{"says direct and network_mirror"}},
		"oci":           {m{}, []m{{"oci_mirror": "x"}}, nil, []string{"only OpenTofu", "use_tofu"}},
		"other repo":    {m{}, []m{{"filesystem_mirror": fakebazel.Label("@@other+//a:b")}}, nil, []string{"@@other+//a:b is not of this workspace"}},
		"config too":    {m{"installation": "config"}, []m{direct}, nil, []string{`installation = "config"`, "tf.source", "Keep one"}},
		"installation":  {m{"installation": "x"}, nil, nil, []string{`installation = "x"`, `"direct" or "config"`}},
		"host case":     {m{}, nil, []m{{"host": "Acme.dev", "providers": "https://a/"}}, []string{`tf.host(host = "Acme.dev")`, `Write it "acme.dev"`}},
		"host port":     {m{}, nil, []m{{"host": "acme.dev:443", "providers": "https://a/"}}, []string{`Write it "acme.dev"`}},
		"host URL":      {m{}, nil, []m{{"host": "https://acme.dev", "providers": "https://a/"}}, []string{`like "registry.acme.dev"`}},
		"host twice":    {m{}, nil, []m{{"host": "a.dev", "providers": "https://a/"}, {"host": "a.dev", "providers": "https://b/"}}, []string{`"a.dev"`, "two such tags"}},
		"relative host": {m{}, nil, []m{{"host": "a.dev", "providers": "/v1/"}}, []string{`providers = "/v1/"`, "https://a.dev/v1/providers/"}},
	} {
		err := installation(t, tc.download, tc.sources, tc.hosts, nil).try()
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		contains(t, err.Error(), tc.want...)
	}
	// Only the root module decides where a build's programs come from.
	for name, foreign := range map[string]tags{
		`module "dep" has a tf.source tag`: {"source": {direct}},
		`module "dep" has a tf.host tag`:   {"host": {{"host": "a.dev", "providers": "https://a/"}}},
		`module "dep" sets installation`:   {"download": {{"installation": "config"}}},
	} {
		err := (&evaluation{t: t, modules: []fakebazel.Module{{Name: "ws", Root: true}, {Name: "dep", Tags: foreign}}}).try()
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is declared and said has no path of this machine; the workspace's lockfile of a Bazel without facts would have it.
func TestMirrorPathsAreNotDeclared(t *testing.T) {
	t.Parallel()
	const source = "registry.terraform.io/hashicorp/random"
	helper := func(request m) m {
		response := registry{digit: "a", errors: map[string]string{
			source + " linux_amd64": source + ": the filesystem mirror /ws/third_party/providers has it only unpacked",
		}}.answer(request)
		response["warnings"] = l{"/ws/third_party/more providers is empty"}
		return response
	}
	e := installation(t, m{"platforms": []string{"linux_amd64"}, "mirror": []string{"hashicorp/random:1.0.0"}},
		[]m{{"filesystem_mirror": mirrorFile}, {"filesystem_mirror": mirrorDir}}, nil, helper).run()
	contains(t, strings.Join(e.interpreter.Printed, "\n"), "filesystem mirror //third_party/providers:BUILD.bazel has", "//third_party:more providers is empty")
	for _, repo := range e.interpreter.Declared {
		text, err := json.Marshal(repo.Attrs)
		if err != nil || strings.Contains(string(text), "/ws/") {
			t.Errorf("%s: %s, %v", repo.Name, text, err)
		}
	}
	if slices.ContainsFunc(e.ctx.Watched, func(name string) bool { return name != lockfile }) {
		t.Errorf("watched %v", e.ctx.Watched)
	}
}
