package starlark_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// F26: one failure spoils nothing else.
func TestFailures(t *testing.T) {
	t.Parallel()
	const host = "registry.terraform.io/hashicorp/"
	tag := m{"platforms": twoPlatforms, "mirror": []string{
		"hashicorp/good:1.0.0", "hashicorp/dead:~> 1.0", "hashicorp/exact:1.0.0", "hashicorp/half:1.0.0",
	}}
	helper := registry{digit: "a", errors: map[string]string{
		host + "dead": "hashicorp/dead: no route to host", host + "exact": "wrong address", host + "half windows_amd64": "HTML instead of JSON",
	}}.answer
	e := (&evaluation{t: t, modules: rootTag(tag), helper: helper}).run()
	wantFacts := []string{
		"package/" + host + "good/1.0.0/linux_amd64", "package/" + host + "good/1.0.0/windows_amd64",
		"package/" + host + "half/1.0.0/linux_amd64",
		"retry/" + host + "dead/~> 1.0", "retry/" + host + "exact/1.0.0", "retry/" + host + "half/1.0.0",
	}
	if diff := cmp.Diff(wantFacts, slices.Sorted(maps.Keys(e.newFacts()))); diff != "" {
		t.Errorf("facts -want +got:\n%s", diff)
	}
	for key, want := range map[string]string{
		"good 1.0.0 linux_amd64": "", "good 1.0.0 windows_amd64": "", "half 1.0.0 linux_amd64": "",
		"half 1.0.0 windows_amd64": "HTML instead of JSON", "exact 1.0.0 linux_amd64": "wrong address", "exact 1.0.0 windows_amd64": "wrong address",
	} {
		attrs, ok := e.packages()[key]
		if !ok {
			t.Errorf("no repository for %s", key)
			continue
		}
		got := attrs["error"].(string)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: error %q, want %q", key, got, want)
		}
		if want != "" && attrs["url"] != nil {
			t.Errorf("%s: a failed package has the address %v", key, attrs["url"])
		}
	}
	errors := e.hub()["errors"].([]any)
	if len(errors) != 1 || !strings.HasPrefix(errors[0].(string), "error_") {
		t.Errorf("error repositories: %v", errors)
	}
	contains(t, strings.Join(e.interpreter.Printed, "\n"), "no route to host", "wrong address", "HTML instead of JSON")
}

// Design §3.2: the mark differs from evaluation to evaluation, and success drops it.
func TestRetryFlips(t *testing.T) {
	t.Parallel()
	const source = "registry.terraform.io/hashicorp/dead"
	const key = "retry/" + source + "/~> 1.0"
	tag := m{"platforms": []string{"linux_amd64"}, "mirror": []string{"hashicorp/dead:~> 1.0"}}
	failing := registry{errors: map[string]string{source: "dead"}}.answer
	var facts map[string]any
	for n, want := range []int{0, 1, 0, 1} {
		e := (&evaluation{t: t, modules: rootTag(tag), facts: facts, helper: failing}).run()
		facts = e.newFacts()
		if diff := cmp.Diff(map[string]any{key: m{"turn": want}}, facts); diff != "" {
			t.Errorf("evaluation %d:\n%s", n, diff)
		}
	}
	e := (&evaluation{
		t: t, modules: rootTag(tag), facts: facts,
		helper: registry{digit: "a", versions: map[string]string{source + " ~> 1.0": "1.2.3"}}.answer,
	}).run()
	if _, ok := e.newFacts()[key]; ok || len(e.newFacts()) != 2 {
		t.Errorf("after success: %v", e.newFacts())
	}
	for _, odd := range []any{"x", m{}, m{"turn": "0"}, m{"turn": nil}, l{}} {
		e := (&evaluation{t: t, modules: rootTag(tag), facts: map[string]any{key: odd}, helper: failing}).run()
		if diff := cmp.Diff(map[string]any{key: m{"turn": 0}}, e.newFacts()); diff != "" {
			t.Errorf("recorded %v:\n%s", odd, diff)
		}
	}
}

func TestUnavailable(t *testing.T) {
	t.Parallel()
	const host = "registry.terraform.io/hashicorp/"
	for _, optional := range []bool{false, true} {
		t.Run(fmt.Sprint("optional ", optional), func(t *testing.T) {
			t.Parallel()
			tag := m{"platforms": twoPlatforms, "mirror": []string{"hashicorp/old:1.0.0"}}
			if optional {
				tag["optional_platforms"] = []string{"windows_amd64"}
			}
			e := (&evaluation{t: t, modules: rootTag(tag), helper: registry{digit: "a", missing: map[string]bool{host + "old windows_amd64": true}}.answer}).run()
			fact := e.newFacts()["package/"+host+"old/1.0.0/windows_amd64"]
			if diff := cmp.Diff(any(m{"unavailable": true}), fact); diff != "" {
				t.Error(diff)
			}
			printed := strings.Join(e.interpreter.Printed, "\n")
			if got := strings.Contains(printed, host+"old 1.0.0 has no package for windows_amd64"); got != optional {
				t.Errorf("warned %v: %s", got, printed)
			}
			if len(e.packages()) != 1 {
				t.Errorf("packages: %v", e.packages())
			}
			build := call(t, "hub_build.bzl", "hub_build", e.hub(), "//:r.bzl").(string)
			complaint := "no package of " + host + "old 1.0.0 for windows_amd64"
			mirror := build[strings.Index(build, `name = "mirror_windows_amd64"`):]
			mirror = mirror[:strings.Index(mirror, "\n)")]
			if got := strings.Contains(mirror, complaint); got == optional {
				t.Errorf("the mirror complains: %v:\n%s", got, mirror)
			}
			// A second evaluation asks nobody.
			if again := (&evaluation{t: t, modules: rootTag(tag), facts: e.newFacts()}).run(); !cmp.Equal(again.newFacts(), e.newFacts()) {
				t.Error("the facts are not stable")
			}
		})
	}
}

// A malformed fact is an error of its package, stays where it is and reaches neither the helper nor the downloader.
func TestMalformedFacts(t *testing.T) {
	t.Parallel()
	key, _ := packageFact("random", "3.1.3", "linux_amd64", "0")
	good := func(change m) m {
		_, fact := packageFact("random", "3.1.3", "linux_amd64", "0")
		maps.Copy(fact, change)
		return fact
	}
	for name, value := range map[string]any{
		"string": "x", "list": l{}, "empty": m{}, "no sha": m{"download_url": "https://a.example/x", "filename": "a.zip"},
		"short sha": good(m{"sha256": "abc"}), "upper case": good(m{"sha256": strings.Repeat("A", 64)}), "number": good(m{"sha256": 1}),
		"file url": good(m{"download_url": "file:///etc/passwd"}), "userinfo": good(m{"download_url": "https://u:p@a.example/x"}),
		"query": good(m{"download_url": "https://a.example/x?token=1"}), "no host": good(m{"download_url": "https:///x"}),
		"space": good(m{"download_url": "https://a.example/a b"}), "no url": good(m{"download_url": 1}),
		"path": good(m{"filename": "../a.zip"}), "no zip": good(m{"filename": "a.tar"}), "both": good(m{"unavailable": true}),
		"flag": good(m{"ephemeral": "yes"}), "unavailable": m{"unavailable": 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := manifestFacts()
			facts[key] = value
			e := (&evaluation{t: t, modules: rootTag(manifestTag()), facts: facts}).run()
			attrs := e.packages()["random 3.1.3 linux_amd64"]
			contains(t, attrs["error"].(string), key, "MODULE.bazel.lock is malformed", "remove it")
			if attrs["url"] != nil || attrs["sha256"] != nil {
				t.Errorf("handed on: %v", attrs)
			}
			if diff := cmp.Diff(facts, e.newFacts()); diff != "" {
				t.Errorf("facts -given +returned:\n%s", diff)
			}
			if got := e.packages()["random 3.1.3 windows_amd64"]["error"]; got != "" {
				t.Errorf("another package: %v", got)
			}
		})
	}
}

func TestMalformedSelection(t *testing.T) {
	t.Parallel()
	const key = "resolve/registry.terraform.io/hashicorp/random/~> 3.1.0"
	for _, value := range []any{"3.1.3", m{}, m{"version": 3}, m{"version": "3.1"}, m{"version": "../../x"}, m{"version": "0.0.0"}, m{"version": "v3.1.3"}} {
		facts := manifestFacts()
		facts[key] = value
		e := (&evaluation{t: t, modules: rootTag(manifestTag()), facts: facts}).run()
		if len(e.packages()) != 2 || len(e.hub()["errors"].([]any)) != 1 {
			t.Errorf("%v: packages %v", value, e.packages())
		}
		if diff := cmp.Diff(value, e.newFacts()[key]); diff != "" {
			t.Errorf("%v:\n%s", value, diff)
		}
		for _, repo := range e.interpreter.Declared {
			if strings.HasPrefix(repo.Name, "error_") {
				contains(t, repo.Attrs["error"].(string), key, "malformed")
			}
		}
	}
}

// A malformed fact is kept even when the helper is asked about another platform of the same entry.
func TestMalformedFactIsNotReplaced(t *testing.T) {
	t.Parallel()
	facts := manifestFacts()
	bad, _ := packageFact("random", "3.3.2", "linux_amd64", "0")
	open, _ := packageFact("random", "3.3.2", "windows_amd64", "0")
	facts[bad] = m{"sha256": "x"}
	delete(facts, open)
	e := (&evaluation{t: t, modules: rootTag(manifestTag()), facts: facts, helper: registry{digit: "f"}.answer}).run()
	if given := e.requests[0]["facts"].(map[string]any); len(given) != 0 {
		t.Errorf("handed to the helper: %v", given)
	}
	if diff := cmp.Diff(any(m{"sha256": "x"}), e.newFacts()[bad]); diff != "" {
		t.Error(diff)
	}
	if e.newFacts()[open] == nil {
		t.Error("the other platform has no answer")
	}
}

func TestNoneIsNotReturned(t *testing.T) {
	t.Parallel()
	facts := manifestFacts()
	const verified = "verified/registry.terraform.io/hashicorp/random/3.1.3"
	facts[verified] = m{"zh": m{"linux_amd64": nil, "windows_amd64": sha("1")}, "tier": nil, "signer": "AB"}
	e := (&evaluation{t: t, modules: rootTag(manifestTag()), facts: facts}).run() // the fake refuses None
	if diff := cmp.Diff(any(m{"zh": m{"windows_amd64": sha("1")}, "signer": "AB"}), e.newFacts()[verified]); diff != "" {
		t.Error(diff)
	}
}

// A recorded hash wins: where the registry says otherwise, that is an error and not a new fact (design §3.1).
func TestContentChanged(t *testing.T) {
	t.Parallel()
	const selection = "resolve/registry.terraform.io/hashicorp/random/~> 3.1.0"
	facts := manifestFacts()
	delete(facts, selection) // so that the version and hence the packages must be asked for again
	helper := registry{digit: "f", versions: map[string]string{"registry.terraform.io/hashicorp/random ~> 3.1.0": "3.1.3"}}.answer
	for range 2 {
		e := (&evaluation{t: t, modules: rootTag(manifestTag()), facts: facts, helper: helper}).run()
		key, fact := packageFact("random", "3.1.3", "linux_amd64", "0")
		attrs := e.packages()["random 3.1.3 linux_amd64"]
		contains(t, attrs["error"].(string), key, sha("f"), sha("0"), "remove that fact")
		if diff := cmp.Diff(any(fact), e.newFacts()[key]); diff != "" {
			t.Error(diff)
		}
		if e.newFacts()[selection] != nil {
			t.Error("the selection is recorded, so the next evaluation would say nothing")
		}
		facts = e.newFacts()
	}
}

func TestZeroVersionIsNeverAnswered(t *testing.T) { // R-CON-11
	t.Parallel()
	key, fact := packageFact("random", "0.0.0", "linux_amd64", "0")
	e := (&evaluation{
		t: t, modules: rootTag(m{"platforms": []string{"linux_amd64"}, "mirror": []string{"hashicorp/random:0.0.0"}}), facts: map[string]any{key: fact},
		helper: registry{errors: map[string]string{"registry.terraform.io/hashicorp/random": "0.0.0 cannot be selected"}}.answer,
	}).run()
	contains(t, e.packages()["random 0.0.0 linux_amd64"]["error"].(string), "cannot be selected")
}

// The same text about several platforms is said once, with their names; without facts it fails the evaluation, and says how to get rid of it.
func TestFailuresAreGrouped(t *testing.T) {
	t.Parallel()
	const source = "registry.terraform.io/acme/widget"
	tag := m{"platforms": []string{"linux_arm64", "linux_amd64", "darwin_arm64"}, "mirror": []string{"acme/widget:1.0.0", "acme/dead:1.0.0"}}
	helper := registry{digit: "a", errors: map[string]string{
		source + " linux_amd64": "no JSON", source + " darwin_arm64": "no JSON", source + " linux_arm64": "no page", "registry.terraform.io/acme/dead": "no route",
	}}.answer
	want := []string{
		`mirror entry "acme/dead:1.0.0": no route`, `mirror entry "acme/widget:1.0.0": no JSON (darwin_arm64, linux_amd64)`, `mirror entry "acme/widget:1.0.0": no page (linux_arm64)`,
	}
	e := (&evaluation{t: t, modules: rootTag(tag), facts: map[string]any{}, helper: helper}).run()
	var failures []string
	for _, text := range e.interpreter.Printed {
		failures = append(failures, strings.TrimPrefix(text, "WARNING: "))
	}
	if diff := cmp.Diff(want, failures); diff != "" {
		t.Errorf("printed -want +got:\n%s", diff)
	}
	err := (&evaluation{t: t, modules: rootTag(tag), noFacts: true, helper: helper}).try()
	if err == nil {
		t.Fatal("no error")
	}
	text := err.Error()
	contains(t, text, strings.Join(want, "\n\n")+"\n\nNo lockfile keeps this failure, but this Bazel server remembers it until `bazel shutdown`: run that before you try again.")
}

func TestPlatformsToGoWithoutAreGrouped(t *testing.T) {
	t.Parallel()
	const source = "registry.terraform.io/acme/widget"
	tag := m{"platforms": []string{"linux_amd64"}, "optional_platforms": []string{"windows_arm64", "windows_386"}, "mirror": []string{"acme/widget:1.0.0"}}
	helper := registry{digit: "a", missing: map[string]bool{source + " windows_arm64": true, source + " windows_386": true}}.answer
	e := (&evaluation{t: t, modules: rootTag(tag), helper: helper}).run()
	if len(e.interpreter.Printed) != 2 { // the other one: not verified
		t.Errorf("printed %q", e.interpreter.Printed)
	}
	contains(t, e.interpreter.Printed[0], source+" 1.0.0 has no package for windows_386, windows_arm64: such a mirror goes without, as optional_platforms says")
}
