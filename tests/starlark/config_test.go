package starlark_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

type tags = map[string][]map[string]any

// download makes the tags of a module.
func download(list ...m) tags {
	return tags{"download": list}
}

func TestConfigErrors(t *testing.T) {
	t.Parallel()
	label := fakebazel.Label("@@//:mirror.json")
	root := func(list ...m) []fakebazel.Module {
		return []fakebazel.Module{{Name: "ws", Root: true, Tags: download(list...)}}
	}
	foreign := func(tag m) []fakebazel.Module {
		return []fakebazel.Module{{Name: "ws", Root: true}, {Name: "dep", Tags: download(tag)}}
	}
	for name, tc := range map[string]struct {
		modules []fakebazel.Module
		want    []string
	}{
		"two versions":        {root(m{"version": "1.9.5"}, m{"version": "1.9.6"}), []string{"differ in version", `"1.9.5"`, `"1.9.6"`}},
		"two platforms":       {root(m{"platforms": []string{"linux_amd64"}}, m{"platforms": []string{"linux_arm64"}}), []string{"differ in platforms", "linux_amd64", "linux_arm64"}},
		"two optional":        {root(m{"optional_platforms": []string{"a_b"}}, m{"optional_platforms": []string{"c_d"}}), []string{"differ in optional_platforms"}},
		"constraint":          {root(m{"version": "~> 1.9"}), []string{`"~> 1.9"`, "one exact version", `"1.9.5"`}},
		"two numbers":         {root(m{"version": "1.9"}), []string{"one exact version"}},
		"leading v":           {root(m{"version": "v1.9.5"}), []string{"one exact version"}},
		"leading zero":        {root(m{"version": "1.09.5"}), []string{"one exact version"}},
		"metadata":            {root(m{"version": "1.9.5+x"}), []string{"one exact version"}},
		"platform":            {root(m{"platforms": []string{"linux-amd64"}}), []string{`"linux-amd64" is no platform`, `"linux_amd64"`}},
		"optional platform":   {root(m{"optional_platforms": []string{"x"}}), []string{"optional_platforms", `"x" is no platform`}},
		"both mirrors":        {root(m{"mirror": []string{"a/b"}, "mirror_json": label}), []string{"both mirror and mirror_json", `module "ws"`}},
		"entry":               {root(m{"mirror": []string{"random:1"}}), []string{`module "ws"`, `"hashicorp/random:1"`}},
		"foreign version":     {foreign(m{"version": "1.9.5"}), []string{`module "dep" sets version`, "Only the root module"}},
		"foreign tofu":        {foreign(m{"use_tofu": true}), []string{`module "dep" sets use_tofu`}},
		"foreign platforms":   {foreign(m{"platforms": []string{"linux_amd64"}, "optional_platforms": []string{"a_b"}}), []string{`module "dep" sets platforms, optional_platforms`}},
		"foreign entry":       {foreign(m{"mirror": []string{"A/b"}}), []string{`module "dep"`, `"a/b"`}},
		"unnamed root module": {[]fakebazel.Module{{Root: true, Tags: download(m{"mirror": []string{"x"}})}}, []string{"the root module:"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := (&evaluation{t: t, modules: tc.modules}).try()
			if err == nil {
				t.Fatal("no error")
			}
			contains(t, err.Error(), tc.want...)
		})
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	manifest := func(modules ...fakebazel.Module) (m, *evaluation) {
		e := (&evaluation{t: t, modules: modules, helper: registry{digit: "a"}.answer}).run()
		return e.hub()["manifest"].(m), e
	}
	root := func(list ...m) fakebazel.Module {
		return fakebazel.Module{Name: "ws", Root: true, Tags: download(list...)}
	}
	sources := func(manifest m) (list []string) {
		for _, p := range manifest["providers"].([]any) {
			list = append(list, p.(m)["source"].(string))
		}
		return list
	}

	got, e := manifest(root(m{}))
	want := m{"schema": 1.0, "tool": "terraform", "providers": l{}, "platforms": l{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults -want +got:\n%s", diff)
	}
	if len(e.requests) != 0 {
		t.Error("asked about nothing")
	}

	got, _ = manifest(root(m{"use_tofu": true, "version": "1.10.0-rc1", "mirror": []string{"hashicorp/random:1", "registry.terraform.io/hashicorp/random:1"}}))
	if got["tool"] != "tofu" || got["tool_version"] != "1.10.0-rc1" {
		t.Errorf("got %v", got)
	}
	if diff := cmp.Diff([]string{"registry.opentofu.org/hashicorp/random", "registry.terraform.io/hashicorp/random"}, sources(got)); diff != "" { // R-ADDR-2
		t.Error(diff)
	}

	// Equal settings may be repeated, in any order; an optional platform is a platform.
	got, _ = manifest(
		root(m{"version": "1.9.5", "platforms": []string{"linux_arm64", "linux_amd64"}}, m{"platforms": []string{"linux_amd64", "linux_arm64"}, "version": "1.9.5"},
			m{"optional_platforms": []string{"windows_arm64", "linux_amd64"}}),
		fakebazel.Module{Name: "dep", Tags: download(m{"mirror": []string{"acme/x:1"}}, m{"mirror": []string{"acme/y:1"}})},
	)
	if diff := cmp.Diff(any(l{"linux_amd64", "linux_arm64", "windows_arm64"}), got["platforms"]); diff != "" {
		t.Error(diff)
	}
	if len(sources(got)) != 2 {
		t.Errorf("entries of another module: %v", sources(got))
	}
}

func TestIgnoredAttributesWarnOnce(t *testing.T) {
	t.Parallel()
	e := (&evaluation{t: t, modules: []fakebazel.Module{
		{Name: "ws", Root: true, Tags: download(m{"tflint_version": "0.1"}, m{"tflint_version": "0.2", "tfdoc_version": "0.3"})},
		{Name: "dep", Tags: download(m{"tflint_version": "0.4"})}, // no error: rules_tf's users have it
	}}).run()
	if len(e.interpreter.Printed) != 1 {
		t.Fatalf("printed %q", e.interpreter.Printed)
	}
	contains(t, e.interpreter.Printed[0], "WARNING", "tfdoc_version and tflint_version", "ignored")
}

func TestLockfileIsWatched(t *testing.T) {
	t.Parallel()
	for _, facts := range []map[string]any{nil, manifestFacts()} {
		e := &evaluation{t: t, modules: rootTag(m{}), facts: facts}
		e.run()
		if diff := cmp.Diff([]string{lockfile}, e.ctx.Watched); diff != "" {
			t.Errorf("with %d facts:\n%s", len(facts), diff)
		}
	}
	// Without the marker in the output base there is the label, which needs a BUILD file.
	e := &evaluation{t: t, modules: rootTag(m{}), noMarker: true}
	e.labels = map[string]string{"@@//:MODULE.bazel.lock": "/elsewhere/MODULE.bazel.lock"}
	e.run()
	if diff := cmp.Diff([]string{"/elsewhere/MODULE.bazel.lock"}, e.ctx.Watched); diff != "" {
		t.Error(diff)
	}
}

// Going back: where the lockfile has no entry, the facts that Bazel has are another commit's.
func TestFactsOfAnotherCommitAreNotUsed(t *testing.T) {
	t.Parallel()
	const foreign = `{"facts": {"@@rules_tf+//tf:extensions.bzl%tf_repositories": {"a": 1}}}`
	for name, text := range map[string]string{"empty": "", "no facts": `{"lockFileVersion": 13}`, "rules_tf's": foreign, "list": "[]", "odd": `{"facts": []}`} {
		e := &evaluation{
			t: t, modules: rootTag(manifestTag()), facts: manifestFacts(), files: fakebazel.Files{lockfile: text},
			helper: registry{digit: "e", versions: map[string]string{"registry.terraform.io/hashicorp/random ~> 3.1.0": "3.1.3"}}.answer,
		}
		e.run()
		if len(e.requests) != 1 || len(e.requests[0]["facts"].(map[string]any)) != 0 {
			t.Errorf("%s: requests %v", name, e.requests)
		}
	}
}

func TestRecordedNames(t *testing.T) {
	t.Parallel()
	lock := func(key string) string { return `{"facts": {"` + key + `": {"a": {}}}}` }
	const suffix = "//tf:extensions.bzl%tf_repositories"
	for _, tc := range []struct {
		text, extension string
		want            bool
	}{
		{lock("@@rules_tf_mirror+" + suffix), "@@rules_tf_mirror+" + suffix, true},
		{lock("@@rules_tf_mirror~" + suffix), "@@rules_tf_mirror~" + suffix, true},
		{lock("@@rules_tf_mirror~" + suffix), "@@rules_tf_mirror+" + suffix, false},
		{lock("@@rules_tf+" + suffix), "@@rules_tf_mirror+" + suffix, false},
		{lock(suffix), "@@rules_tf_mirror+" + suffix, false},
		// As root module, both spellings.
		{lock(suffix), "@@" + suffix, true},
		{lock("@@" + suffix), "@@" + suffix, true},
		{lock("@@rules_tf+" + suffix), "@@" + suffix, false},
		// The text elsewhere in the file.
		{`{"moduleExtensions": {"@@` + suffix + `": {}}, "facts": {}}`, "@@" + suffix, false},
		{strings.Replace(lock("x"), "x", `\"@@`+suffix+`\"`, 1), "@@" + suffix, false},
	} {
		var want any
		if tc.want {
			want = l{"a"}
		}
		if diff := cmp.Diff(want, call(t, "lockfile.bzl", "recorded_names", tc.text, tc.extension)); diff != "" {
			t.Errorf("%s in %s: -want +got:\n%s", tc.extension, tc.text, diff)
		}
	}

	// The usage is isolated (isolate = True): Bazel puts its name behind the id.
	const isolated = `{"facts": {"@@rules_tf_mirror+` + suffix + `%<root>+tf": {"a": {}}, "@@rules_tf+` + suffix + `%<root>+tf": {"b": {}}}}`
	for _, tc := range []struct {
		isolated bool
		want     any
	}{{true, l{"a"}}, {false, nil}} {
		if diff := cmp.Diff(tc.want, call(t, "lockfile.bzl", "recorded_names", isolated, "@@rules_tf_mirror+"+suffix, tc.isolated)); diff != "" {
			t.Errorf("isolated %v: -want +got:\n%s", tc.isolated, diff)
		}
	}
}

// Bazel reads a lockfile that is nearly JSON; facts in such a file must not count as absent, or the next lock would trust whoever signs then.
func TestUnreadableLockfileIsAnError(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"byte order mark": "\xef\xbb\xbf" + `{"facts": {}}`,
		"comment":         "{\n// pinned\n\"facts\": {}}",
		"single quotes":   "{'facts': {}}",
		"conflict":        "<<<<<<< ours\n{}\n",
	} {
		e := &evaluation{t: t, modules: rootTag(m{"mirror": l{"hashicorp/random:3.3.2"}}), files: fakebazel.Files{lockfile: text}}
		err := e.try()
		if err == nil || !strings.Contains(err.Error(), "MODULE.bazel.lock is not plain JSON") {
			t.Errorf("%s: got %v, want an error about the lockfile", name, err)
		}
	}
	for _, text := range []string{"", "\n", "{}", "\r\n{\r\n}\r\n"} {
		if got := call(t, "lockfile.bzl", "recorded_names", text); got != nil {
			t.Errorf("recorded_names(%q) = %v, want none", text, got)
		}
	}
}
