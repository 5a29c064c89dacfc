package starlark_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

func TestParseMirrorJSON(t *testing.T) {
	t.Parallel()
	value, problem := pair(t, call(t, "mirror_json.bzl", "parse_mirror_json", `["a/b:1", {"entry": "c/d", "wanted_by": ["x.tf: ~> 1", "y"]}, {"wanted_by": [], "entry": "e/f"}, {"entry": "g/h"}]`))
	want := l{
		fakebazel.Struct{"text": "a/b:1", "wanted_by": l{}}, fakebazel.Struct{"text": "c/d", "wanted_by": l{"x.tf: ~> 1", "y"}},
		fakebazel.Struct{"text": "e/f", "wanted_by": l{}}, fakebazel.Struct{"text": "g/h", "wanted_by": l{}},
	}
	if diff := cmp.Diff(any(want), value); diff != "" {
		t.Errorf("%s\n%s", problem, diff)
	}
	for text, want := range map[string]string{
		`[null]`: "null is neither string nor object", `[["a/b"]]`: `["a/b"] is neither`, `[{}]`: "{} is not of the form", `[{"entry": 1, "wanted_by": []}]`: "is not of the form",
		`[{"entry": "a/b", "wanted_by": "x"}]`: "is not of the form", `[{"entry": "a/b", "wanted_by": [1]}]`: "is not of the form", `[{"entry": "a/b", "wanted_by": null}]`: "is not of the form",
		`[{"entry": "a/b", "wanted_by": [], "z": 1, "constraint": ""}]`: "more than entry and wanted_by: constraint, z", `{"entry": "a/b"}`: "JSON array",
	} {
		_, problem := pair(t, call(t, "mirror_json.bzl", "parse_mirror_json", text))
		contains(t, problem, want)
	}
}

// A13: who wants a provider is said where it fails, whatever fails.
func TestWantedBy(t *testing.T) {
	t.Parallel()
	const label, file = fakebazel.Label("@@//:providers.json"), "/ws/providers.json"
	const host = "registry.terraform.io/hashicorp/"
	run := func(json string, helper registry, more ...m) (*evaluation, error) {
		e := &evaluation{
			t: t, helper: helper.answer, files: fakebazel.Files{file: json}, labels: map[string]string{string(label): file},
			modules: []fakebazel.Module{{Name: "ws", Root: true, Tags: download(append(more, m{"mirror_json": label, "platforms": []string{"linux_amd64"}})...)}},
		}
		return e, e.try()
	}
	_, err := run(`[{"entry": "random:1", "wanted_by": ["modules/a/main.tf: 1"]}]`, registry{})
	if err == nil {
		t.Fatal("no error")
	}
	contains(t, err.Error(), `"hashicorp/random:1"`, "(wanted by modules/a/main.tf: 1)")

	// The same provider from elsewhere: the entry is one, wanted by all.
	const both = "(wanted by main.tf: ~> 2.2; modules/a/main.tf: 2.2.0)"
	e, err := run(`[{"entry": "hashicorp/dead:~> 1.0", "wanted_by": ["b.tf: ~> 1", "a.tf: ~> 1.0"]}, {"entry": "hashicorp/half:1.0.0", "wanted_by": ["c.tf: 1.0.0"]},
		{"entry": "hashicorp/template:2.2.0", "wanted_by": ["modules/a/main.tf: 2.2.0"]}, {"entry": "hashicorp/template:~> 2.2", "wanted_by": ["main.tf: ~> 2.2"]},
		{"entry": "hashicorp/good:1.0.0", "wanted_by": ["d.tf: 1.0.0"]}]`, registry{
		digit: "a", versions: map[string]string{host + "template ~> 2.2": "2.2.0"}, missing: map[string]bool{host + "template linux_amd64": true},
		errors: map[string]string{host + "dead": "no route to host", host + "half linux_amd64": "HTML instead of JSON"},
	}, m{"mirror": []string{"hashicorp/good:1.0.0", "hashicorp/dead:~> 1.0"}})
	if err != nil {
		t.Fatal(err)
	}
	contains(t, strings.Join(e.interpreter.Printed, "\n"), "no route to host (wanted by a.tf: ~> 1.0; b.tf: ~> 1)", "HTML instead of JSON (wanted by c.tf: 1.0.0)")
	if got := e.packages()["half 1.0.0 linux_amd64"]["error"].(string); !strings.HasSuffix(got, "(wanted by c.tf: 1.0.0)") {
		t.Errorf("error of the repository: %s", got)
	}
	for key, attrs := range e.packages() {
		if strings.HasPrefix(key, "good") && strings.Contains(attrs["refuse"].(string)+attrs["error"].(string), "wanted") {
			t.Errorf("%s: %v", key, attrs)
		}
	}
	if len(e.requests[0]["providers"].([]any)) != 5 {
		t.Errorf("asked for %v", e.requests[0]["providers"])
	}
	for _, p := range e.hub()["packages"].([]any) {
		p := p.(m)
		if want := any(l{"main.tf: ~> 2.2", "modules/a/main.tf: 2.2.0"}); p["type"] == "template" && cmp.Diff(want, p["wanted_by"]) != "" {
			t.Errorf("template: %v", p["wanted_by"])
		} else if p["type"] != "template" && p["wanted_by"] != nil {
			t.Errorf("%v", p)
		}
	}
	missing := targets(t, call(t, "hub_build.bzl", "hub_build", e.hub(), "@@x//:rules.bzl").(string))["mirror_linux_amd64"].AttrStrings("missing")
	if len(missing) != 1 || !strings.HasSuffix(missing[0], both) {
		t.Errorf("missing: %q", missing)
	}
}

// A refused package says it too; the words are in no repository that may be fetched, so that they fetch nothing anew.
func TestRefusedIsWantedBy(t *testing.T) {
	t.Parallel()
	const label, file = fakebazel.Label("@@//:providers.json"), "/ws/providers.json"
	key, fact := packageFact("random", "3.3.2", "linux_amd64", "2")
	e := (&evaluation{
		t: t, files: fakebazel.Files{file: `[{"entry": "hashicorp/random:3.3.2", "wanted_by": ["a.tf: 3.3.2"]}]`}, labels: map[string]string{string(label): file},
		modules: rootTag(m{"mirror_json": label, "platforms": []string{"linux_amd64"}, "provider_locks_strict": true}), facts: map[string]any{key: fact},
	}).run()
	contains(t, e.packages()["random 3.3.2 linux_amd64"]["refuse"].(string), "is refused", "(wanted by a.tf: 3.3.2)")
	// The lock command is told, and says it too.
	provider := e.hub()["manifest"].(m)["providers"].([]any)[0].(m)
	if diff := cmp.Diff(any(l{"a.tf: 3.3.2"}), provider["wanted_by"]); diff != "" {
		t.Errorf("wanted_by in the manifest (-want +got):\n%s", diff)
	}
}
