package starlark_test

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

var twoPlatforms = []string{"linux_amd64", "windows_amd64"}

// manifestTag asks for one source at a constraint and at an exact version (C26).
func manifestTag() m {
	return m{
		"version": "1.9.5", "platforms": twoPlatforms,
		"mirror": []string{"hashicorp/random:~> 3.1.0", "hashicorp/random:3.3.2"},
	}
}

// manifestFacts answer manifestTag.
func manifestFacts() map[string]any {
	facts := map[string]any{"resolve/registry.terraform.io/hashicorp/random/~> 3.1.0": m{"version": "3.1.3"}}
	for n, version := range []string{"3.1.3", "3.3.2"} {
		for k, platform := range twoPlatforms {
			key, fact := packageFact("random", version, platform, fmt.Sprint(2*n+k))
			facts[key] = fact
		}
	}
	return facts
}

// registry is a helper that knows packages; what it is not told about fails.
type registry struct {
	versions map[string]string // by "<source> <constraint>"
	errors   map[string]string // by source: the entry fails; by "<source> <platform>": the package does
	missing  map[string]bool   // by "<source> <platform>"
	digit    string
}

// answer plays the helper: recorded facts first, as design §3.3 wants it.
func (r registry) answer(request m) m {
	known, _ := request["facts"].(map[string]any)
	facts, providers := m{}, l{}
	for _, p := range request["providers"].([]any) {
		entry := p.(map[string]any)
		source, constraint := entry["source"].(string), entry["version"]
		text := fmt.Sprint(constraint)
		if constraint == nil {
			text = ""
		}
		answer := m{"source": source, "constraint": text, "version": "", "packages": m{}, "error": nil}
		providers = append(providers, answer)
		if message, ok := r.errors[source]; ok {
			answer["error"] = m{"kind": "network", "message": message}
			continue
		}
		version := text
		if selected, ok := r.versions[source+" "+text]; ok {
			version = selected
			key := "resolve/" + source + "/" + text
			if text == "" {
				key += "latest"
			}
			facts[key] = m{"version": version}
		}
		answer["version"] = version
		for _, q := range request["platforms"].([]any) {
			platform := q.(string)
			key := "package/" + source + "/" + version + "/" + platform
			fact, ok := known[key].(map[string]any)
			switch {
			case ok:
			case r.errors[source+" "+platform] != "":
				answer["packages"].(m)[platform] = m{"error": m{"kind": "response", "message": r.errors[source+" "+platform]}}
				continue
			case r.missing[source+" "+platform]:
				fact = m{"unavailable": true}
			default:
				name := "terraform-provider-" + source[strings.LastIndex(source, "/")+1:] + "_" + version + "_" + platform + ".zip"
				fact = m{"download_url": "https://releases.example/" + source + "/" + name, "filename": name, "sha256": sha(r.digit)}
			}
			facts[key] = fact
			answer["packages"].(m)[platform] = fact
		}
	}
	return m{"schema": 1, "facts": facts, "providers": providers, "warnings": l{}}
}

func TestFactsAnswer(t *testing.T) {
	t.Parallel()
	e := (&evaluation{t: t, modules: rootTag(manifestTag()), facts: manifestFacts()}).run()
	if len(e.ctx.Executed) != 0 || len(e.ctx.Fetched) != 0 {
		t.Errorf("facts answer, but: executed %v, touched %v", e.ctx.Executed, e.ctx.Fetched)
	}
	if diff := cmp.Diff(manifestFacts(), e.newFacts()); diff != "" {
		t.Errorf("facts -given +returned:\n%s", diff)
	}
	if e.ctx.Metadata["reproducible"] != true {
		t.Error("not reproducible")
	}
	if got := slices.Sorted(maps.Keys(e.packages())); !slices.Equal(got, []string{
		"random 3.1.3 linux_amd64", "random 3.1.3 windows_amd64", "random 3.3.2 linux_amd64", "random 3.3.2 windows_amd64",
	}) {
		t.Errorf("packages: %v", got)
	}
	want := map[string]any{
		"error": "", "host": "registry.terraform.io", "namespace": "hashicorp", "type": "random", "version": "3.1.3", "platform": "linux_amd64",
		"url":      "https://releases.example/terraform-provider-random_3.1.3_linux_amd64.zip",
		"filename": "terraform-provider-random_3.1.3_linux_amd64.zip", "sha256": sha("0"), "ephemeral": false,
		"refuse": "",
	}
	if diff := cmp.Diff(want, e.packages()["random 3.1.3 linux_amd64"]); diff != "" {
		t.Errorf("attributes -want +got:\n%s", diff)
	}
	wantManifest := m{
		"schema": 1.0, "tool": "terraform", "tool_version": "1.9.5", "platforms": l{"linux_amd64", "windows_amd64"},
		"providers": l{
			m{"source": "registry.terraform.io/hashicorp/random", "version": "3.3.2", "selected": "3.3.2"},
			m{"source": "registry.terraform.io/hashicorp/random", "version": "~> 3.1.0", "selected": "3.1.3"},
		},
	}
	if diff := cmp.Diff(wantManifest, e.hub()["manifest"].(m)); diff != "" {
		t.Errorf("manifest -want +got:\n%s", diff)
	}
}

// F09, F10: neither facts nor repositories may depend on the machine.
func TestThreeHosts(t *testing.T) {
	t.Parallel()
	var first *evaluation
	for _, host := range []fakebazel.Host{linux, mac, windows} {
		e := &evaluation{t: t, modules: rootTag(m{"mirror": []string{"hashicorp/random:1.0.0", "hashicorp/null"}}), host: host, helper: registry{
			digit: "a", versions: map[string]string{"registry.terraform.io/hashicorp/null ": "3.2.1"},
		}.answer}
		e.run()
		if len(e.newFacts()) != 11 {
			t.Errorf("%d facts, want 2 providers on 5 platforms and one selection", len(e.newFacts()))
		}
		if first == nil {
			first = e
			continue
		}
		if diff := cmp.Diff(first.ctx.Metadata, e.ctx.Metadata); diff != "" {
			t.Errorf("metadata on %s and %s:\n%s", linux.Name, host.Name, diff)
		}
		if diff := cmp.Diff(first.requests, e.requests); diff != "" {
			t.Errorf("requests:\n%s", diff)
		}
		for n, repo := range e.interpreter.Declared {
			if diff := cmp.Diff(first.interpreter.Declared[n].Attrs, repo.Attrs); diff != "" || first.interpreter.Declared[n].Name != repo.Name {
				t.Errorf("repository %s:\n%s", repo.Name, diff)
			}
		}
	}
}

func TestOrderOfTagsAndModulesDoesNotMatter(t *testing.T) {
	t.Parallel()
	tag := func(entries ...string) map[string][]map[string]any {
		return map[string][]map[string]any{"download": {{"mirror": entries}}}
	}
	one := []fakebazel.Module{
		{Name: "ws", Root: true, Tags: tag("hashicorp/random:3.3.2", "hashicorp/random:= 3.3.2", "a.example/b/c:1")},
		{Name: "dep", Tags: tag("hashicorp/null:1.0", "registry.terraform.io/hashicorp/random:3.3.2")},
	}
	other := []fakebazel.Module{
		{Name: "ws", Root: true, Tags: tag("hashicorp/null:1.0")},
		{Name: "dep", Tags: tag("a.example/b/c:1")},
		{Name: "dep2", Tags: tag("hashicorp/random:3.3.2")},
	}
	a := (&evaluation{t: t, modules: one, helper: registry{digit: "a"}.answer}).run()
	b := (&evaluation{t: t, modules: other, helper: registry{digit: "a"}.answer}).run()
	if diff := cmp.Diff(a.newFacts(), b.newFacts()); diff != "" {
		t.Errorf("facts:\n%s", diff)
	}
	if diff := cmp.Diff(a.hub(), b.hub()); diff != "" {
		t.Errorf("hub:\n%s", diff)
	}
	if len(a.requests) != 1 || len(a.requests[0]["providers"].([]any)) != 3 {
		t.Errorf("duplicates do not collapse: %v", a.requests)
	}
}

// What is asked for by name is what survives, so each fact must be asked for, also those of the lock command.
func TestEveryFactIsCarriedByName(t *testing.T) {
	t.Parallel()
	facts := manifestFacts()
	const source = "registry.terraform.io/hashicorp/random"
	facts["signer/"+source] = m{"fingerprints": l{"AB"}, "tier": "official"}
	facts["verified/"+source+"/3.1.3"] = m{"zh": m{"linux_amd64": sha("0")}, "other": l{sha("9")}, "signer": "AB", "tier": "official"}
	facts["verified/"+source+"/3.3.2"] = m{"zh": m{}, "signer": "AB", "tier": "official"}
	kept := maps.Clone(facts)
	// Of entries that are gone.
	facts["verified/"+source+"/3.0.0"] = m{"zh": m{}}
	facts["signer/registry.terraform.io/hashicorp/null"] = m{"fingerprints": l{}}
	facts["resolve/"+source+"/~> 2"] = m{"version": "2.0.0"}
	facts["retry/"+source+"/3.3.2"] = m{"turn": 1}
	e := (&evaluation{t: t, modules: rootTag(manifestTag()), facts: facts}).run()
	if diff := cmp.Diff(kept, e.newFacts()); diff != "" {
		t.Errorf("facts -want +got:\n%s", diff)
	}
	for key := range kept {
		if !e.ctx.Facts.Asked[key] {
			t.Errorf("%s was not asked for by name", key)
		}
	}
}

// Signers outlive versions: a provider whose version is not known keeps its own.
func TestSignerOutlivesVersions(t *testing.T) {
	t.Parallel()
	const source = "registry.terraform.io/hashicorp/random"
	signer := map[string]any{"signer/" + source: m{"fingerprints": l{"AB"}}}
	e := (&evaluation{
		t: t, modules: rootTag(m{"mirror": []string{"hashicorp/random:~> 9"}}), facts: signer,
		helper: registry{errors: map[string]string{source: "dead"}}.answer,
	}).run()
	if _, ok := e.newFacts()["signer/"+source]; !ok {
		t.Errorf("facts: %v", e.newFacts())
	}
}

func TestOnlyWhatIsOpenIsAsked(t *testing.T) {
	t.Parallel()
	facts := manifestFacts()
	delete(facts, "package/registry.terraform.io/hashicorp/random/3.3.2/windows_amd64")
	e := (&evaluation{t: t, modules: rootTag(manifestTag()), facts: facts, helper: registry{digit: "f"}.answer}).run()
	if len(e.requests) != 1 {
		t.Fatalf("%d requests", len(e.requests))
	}
	key, fact := packageFact("random", "3.3.2", "linux_amd64", "2")
	want := m{
		"schema": 1.0, "tool": "terraform", "tool_version": "1.9.5", "platforms": l{"linux_amd64", "windows_amd64"},
		"providers": l{m{"source": "registry.terraform.io/hashicorp/random", "version": "3.3.2"}},
		"facts":     m{key: fact},
	}
	if diff := cmp.Diff(want, e.requests[0]); diff != "" {
		t.Errorf("request -want +got:\n%s", diff)
	}
	if got := e.packages()["random 3.3.2 windows_amd64"]["sha256"]; got != sha("f") {
		t.Errorf("sha256 %v", got)
	}
	if len(e.newFacts()) != len(manifestFacts()) {
		t.Errorf("facts: %v", slices.Sorted(maps.Keys(e.newFacts())))
	}
}

// The helper may return facts that nobody asked for: they are not recorded.
func TestForeignFactsAreNotRecorded(t *testing.T) {
	t.Parallel()
	e := (&evaluation{t: t, modules: rootTag(manifestTag()), helper: func(request m) m {
		response := registry{digit: "a", versions: map[string]string{"registry.terraform.io/hashicorp/random ~> 3.1.0": "3.1.3"}}.answer(request)
		response["facts"].(m)["verified/registry.terraform.io/hashicorp/null/1.0.0"] = m{}
		response["facts"].(m)["tool/terraform/1.9.5/linux_amd64"] = m{}
		return response
	}}).run()
	if diff := cmp.Diff(slices.Sorted(maps.Keys(manifestFacts())), slices.Sorted(maps.Keys(e.newFacts()))); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutFacts(t *testing.T) {
	t.Parallel()
	versions := map[string]string{"registry.terraform.io/hashicorp/random ~> 3.1.0": "3.1.3"}
	e := (&evaluation{t: t, modules: rootTag(manifestTag()), noFacts: true, helper: registry{digit: "a", versions: versions}.answer}).run()
	if e.ctx.Metadata["reproducible"] != nil {
		t.Error("reproducible: then the lockfile would not keep the selection")
	}
	if len(e.ctx.Watched) != 0 {
		t.Errorf("watched: %v", e.ctx.Watched)
	}
	if len(e.packages()) != 4 {
		t.Errorf("packages: %v", e.packages())
	}
	err := (&evaluation{t: t, modules: rootTag(m{"mirror": []string{"hashicorp/a:1.0.0", "hashicorp/b:~> 1"}}), noFacts: true, helper: registry{
		errors: map[string]string{"registry.terraform.io/hashicorp/a": "first reason", "registry.terraform.io/hashicorp/b": "second reason"},
	}.answer}).try()
	if err == nil {
		t.Fatal("a failed entry does not fail the extension, which would keep the failure for good")
	}
	contains(t, err.Error(), "first reason", "second reason")
}

func TestHelperFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		helper func(m) m
		want   string
	}{
		"schema":       {func(m) m { return m{"schema": 2} }, "schema 2, wanted 1"},
		"other source": {func(m) m { return m{"schema": 1, "providers": l{m{"source": "a/b/c"}}} }, "does not answer what was asked"},
		"nothing":      {func(m) m { return m{"schema": 1} }, "does not answer what was asked"},
	} {
		err := (&evaluation{t: t, modules: rootTag(manifestTag()), helper: tc.helper}).try()
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		contains(t, err.Error(), tc.want)
	}
}

// An answer without a fact and without an error is said to be a bug, and asked again.
func TestUnansweredIsAnError(t *testing.T) {
	t.Parallel()
	e := (&evaluation{t: t, modules: rootTag(m{"platforms": []string{"linux_amd64"}, "mirror": []string{"hashicorp/a:1.0.0"}}), helper: func(m) m {
		return m{"schema": 1, "facts": m{}, "providers": l{m{"source": "registry.terraform.io/hashicorp/a", "packages": m{}, "error": nil}}}
	}}).run()
	contains(t, e.packages()["a 1.0.0 linux_amd64"]["error"].(string), "neither an answer nor a reason")
	if len(e.newFacts()) != 1 {
		t.Errorf("facts: %v", e.newFacts())
	}
}

func TestWindowsHelperHasItsExtension(t *testing.T) {
	t.Parallel()
	e := &evaluation{t: t, modules: rootTag(manifestTag()), helper: registry{digit: "a"}.answer}
	e.files = fakebazel.Files{helperFile + ".exe": ""}
	// The fake helper is called by another name than it expects, and says so.
	if err := e.try(); err == nil || !strings.Contains(err.Error(), "exit code 2") {
		t.Errorf("got %v", err)
	}
	if len(e.ctx.Executed) != 1 || e.ctx.Executed[0][0] != helperFile+".exe" {
		t.Errorf("executed %v", e.ctx.Executed)
	}
}

func TestDirectDependencies(t *testing.T) {
	t.Parallel()
	tags := map[string][]map[string]any{"download": {{}}}
	hub := l{"tf_toolchains"}
	for name, tc := range map[string]struct {
		modules     []fakebazel.Module
		direct, dev l
	}{
		"root":          {[]fakebazel.Module{{Root: true, Tags: tags}}, hub, l{}},
		"root, dev":     {[]fakebazel.Module{{Root: true, Dev: true, Tags: tags}}, l{}, hub},
		"only another":  {[]fakebazel.Module{{Name: "dep", Tags: tags}}, l{}, l{}},
		"dev and other": {[]fakebazel.Module{{Root: true, Dev: true, Tags: tags}, {Name: "dep", Tags: tags}}, l{}, hub},
		"no tag":        {[]fakebazel.Module{{Root: true}}, hub, l{}},
	} {
		e := (&evaluation{t: t, modules: tc.modules}).run()
		got := []any{e.ctx.Metadata["root_module_direct_deps"], e.ctx.Metadata["root_module_direct_dev_deps"]}
		if diff := cmp.Diff([]any{[]any(tc.direct), []any(tc.dev)}, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestMirrorJSON(t *testing.T) {
	t.Parallel()
	const label, file = "@@//:mirror.json", "/ws/mirror.json"
	run := func(content string) (*evaluation, error) {
		e := &evaluation{
			t: t, modules: rootTag(m{"mirror_json": fakebazel.Label(label)}), helper: registry{digit: "a"}.answer,
			files: fakebazel.Files{file: content}, labels: map[string]string{label: file},
		}
		return e, e.try()
	}
	e, err := run(`["hashicorp/random:1.0.0"]`)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(e.ctx.Watched, file) {
		t.Errorf("watched: %v", e.ctx.Watched)
	}
	if len(e.packages()) != 5 {
		t.Errorf("packages: %v", e.packages())
	}
	for content, want := range map[string]string{"{}": "JSON array of entries", "[": "JSON array", "[1]": "1 is neither string nor object", `["x"]`: "hashicorp/x", "": "JSON array"} {
		if _, err := run(content); err == nil {
			t.Errorf("%s: no error", content)
		} else {
			contains(t, err.Error(), want)
		}
	}
}

// Names of packages must not depend on other entries, or adding one would fetch all (issue: adding one provider fetches one).
func TestAddingAnEntryChangesNoOther(t *testing.T) {
	t.Parallel()
	tag := manifestTag()
	before := (&evaluation{t: t, modules: rootTag(tag), facts: manifestFacts()}).run()
	tag["mirror"] = append(tag["mirror"].([]string), "hashicorp/null:1.0.0")
	after := (&evaluation{t: t, modules: rootTag(tag), facts: before.newFacts(), helper: registry{digit: "a"}.answer}).run()
	declared := map[string]map[string]any{}
	for _, repo := range after.interpreter.Declared {
		declared[repo.Name] = repo.Attrs
	}
	var names []string
	for _, repo := range before.interpreter.Declared {
		if repo.Name != "tf_toolchains" {
			names = append(names, repo.Name)
			if diff := cmp.Diff(repo.Attrs, declared[repo.Name]); diff != "" {
				t.Errorf("%s:\n%s", repo.Name, diff)
			}
		}
	}
	sort.Strings(names)
	if len(names) != 4 || len(declared) != 7 {
		t.Errorf("%v, then %d", names, len(declared))
	}
}
