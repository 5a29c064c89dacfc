package starlark_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

const (
	locksLabel, locksFile = "@@//env:a.terraform.lock.hcl", "/ws/env/a.terraform.lock.hcl"
	otherLabel, otherFile = "@@//:b.hcl", "/ws/b.hcl"
)

// locked is one entry of a dependency lock, as the helper tells it.
func locked(file string, hashes ...any) m { return m{"path": file, "line": 7, "hashes": l(hashes)} }

// withLocks is an evaluation with two dependency locks, and a helper that has read them.
func withLocks(t *testing.T, tag m, facts map[string]any, answer m) *evaluation {
	t.Helper()
	full := widgetTag(widgetSource, m{"provider_locks": l{fakebazel.Label(locksLabel), fakebazel.Label(otherLabel)}})
	for name, value := range tag {
		full[name] = value
	}
	e := &evaluation{t: t, modules: rootTag(full), facts: facts, labels: map[string]string{locksLabel: locksFile, otherLabel: otherFile}}
	if answer != nil {
		e.helper = func(request m) m {
			response := registry{digit: "a"}.answer(request)
			response["provider_locks"] = answer
			response["warnings"] = l{locksFile + ":9: an entry of another registry"}
			return response
		}
	}
	return e.run()
}

// unverifiedFacts answer everything but who signed.
func unverifiedFacts() map[string]any {
	facts := widgetFacts()
	delete(facts, widgetVerified)
	delete(facts, widgetSigner)
	return facts
}

func entries(byKey m) m { return m{"entries": byKey, "problems": l{}} }

// A file decides for a version without a verified fact: each that has zh: hashes must have the package's. Which platform it is of, no file says.
func TestProviderLocks(t *testing.T) {
	t.Parallel()
	zh := func(digit string) string { return "zh:" + sha(digit) }
	const key = widgetSource + "/1.4.0"
	for name, tc := range map[string]struct {
		answer  m
		refused int // under strictness
		lax     int
		want    string
	}{
		"covered":              {entries(m{key: l{locked(locksFile, "h1:x", zh("0"), zh("1"))}}), 0, 0, ""},
		"two files":            {entries(m{key: l{locked(locksFile, zh("0"), zh("1")), locked(otherFile, zh("1"), zh("2"), zh("0"))}}), 0, 0, ""},
		"one has no zh":        {entries(m{key: l{locked(locksFile, "h1:x"), locked(otherFile, zh("1"), zh("0"))}}), 0, 0, ""},
		"one platform":         {entries(m{key: l{locked(locksFile, zh("0"))}}), 1, 1, "not among the zh: hashes in //env:a.terraform.lock.hcl:7: found sha256 " + sha("1") + ". Either that file is out of date"},
		"conflict":             {entries(m{key: l{locked(locksFile, zh("0"), zh("1")), locked(otherFile, zh("1"))}}), 1, 1, "hashes in //:b.hcl:7: found sha256 " + sha("0")},
		"neither":              {entries(m{key: l{locked(locksFile, zh("5")), locked(otherFile, zh("6"))}}), 2, 2, "hashes in //env:a.terraform.lock.hcl:7 and //:b.hcl:7"},
		"h1 only":              {entries(m{key: l{locked(locksFile, "h1:x")}}), 2, 0, "wants that. provider_locks has no zh: hash of it. Run"},
		"no hashes":            {entries(m{key: l{locked(locksFile)}}), 2, 0, "provider_locks has no zh: hash of it"},
		"another version":      {entries(m{widgetSource + "/1.3.0": l{locked(locksFile, zh("0"))}, widgetSource + "x/1.4.0": l{}}), 2, 0, "provider_locks has other versions of it: 1.3.0. Run"},
		"nothing":              {entries(m{}), 2, 0, "it is not verified, and provider_locks_strict wants that. Run"},
		"missing":              {m{"entries": m{}, "problems": l{locksFile + ": there is no such dependency lock file", otherFile + ":3: no."}}, 2, 2, "provider_locks cannot be read: //env:a.terraform.lock.hcl: there is no such dependency lock file; //:b.hcl:3: no. Correct the file"},
		"a helper that is old": {nil, 2, 0, "it is not verified"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, strict := range []bool{true, false} {
				answer := tc.answer
				if answer == nil {
					answer = m{}
				}
				e := withLocks(t, m{"provider_locks_strict": strict}, unverifiedFacts(), answer)
				refused := e.refusals()
				if want := map[bool]int{true: tc.refused, false: tc.lax}[strict]; len(refused) != want {
					t.Errorf("strict %v: refused %v, want %d", strict, refused, want)
				}
				found := false
				for _, text := range refused {
					found = found || strings.Contains(text, tc.want)
				}
				if strict && tc.refused > 0 && !found {
					t.Errorf("refused %v, want %q", refused, tc.want)
				}
				if strings.Contains(e.warnings(), "/ws/") {
					t.Errorf("a path of this machine: %s", e.warnings())
				}
				contains(t, e.warnings(), "WARNING: //env:a.terraform.lock.hcl:9: an entry of another registry") // A20
			}
		})
	}
}

// The helper is asked only about what no verified fact decides, and not about providers. The files are inputs, missing or not.
func TestProviderLocksAreReadWhenNeeded(t *testing.T) {
	t.Parallel()
	e := withLocks(t, nil, unverifiedFacts(), entries(m{}))
	want := []m{{
		"schema": 1.0, "tool": "terraform", "platforms": l{"linux_amd64", "windows_amd64"}, "providers": l{}, "facts": m{},
		"provider_locks": l{locksFile, otherFile},
	}}
	if diff := cmp.Diff(want, e.requests); diff != "" {
		t.Errorf("requests:\n%s", diff)
	}
	for _, file := range []string{locksFile, otherFile} {
		if !slices.Contains(e.ctx.Watched, file) {
			t.Errorf("%s is not watched: %v", file, e.ctx.Watched)
		}
	}

	// A verified fact alone decides: no process, no file, whatever they would say.
	e = withLocks(t, m{"provider_locks_strict": true}, widgetFacts(), nil)
	if len(e.ctx.Executed)+len(e.ctx.Fetched) != 0 || len(e.refusals()) != 0 {
		t.Errorf("executed %v, touched %v, refused %v", e.ctx.Executed, e.ctx.Fetched, e.refusals())
	}

	// One request for both what is open and the files.
	e = withLocks(t, nil, nil, entries(m{}))
	if len(e.requests) != 1 || len(e.requests[0]["providers"].([]any)) != 1 || len(e.requests[0]["provider_locks"].([]any)) != 2 {
		t.Errorf("requests: %v", e.requests)
	}
}

// A Bazel without facts has only the files.
func TestProviderLocksWithoutFacts(t *testing.T) {
	t.Parallel()
	e := &evaluation{
		t: t, modules: rootTag(widgetTag(widgetSource, m{"provider_locks": l{fakebazel.Label(locksLabel)}, "provider_locks_strict": true})), noFacts: true,
		labels: map[string]string{locksLabel: locksFile},
		helper: func(request m) m {
			response := registry{digit: "a"}.answer(request)
			response["provider_locks"] = entries(m{widgetSource + "/1.4.0": l{locked(locksFile, "zh:"+sha("a"))}})
			return response
		},
	}
	e.run()
	if len(e.refusals())+len(e.interpreter.Printed) != 0 || len(e.packages()) != 2 {
		t.Errorf("refused %v, printed %q", e.refusals(), e.interpreter.Printed)
	}
}

// The manifest names the files for the lock command, by paths that are the same on every machine.
func TestProviderLocksInManifest(t *testing.T) {
	t.Parallel()
	tag := m{"provider_locks": l{fakebazel.Label(locksLabel), fakebazel.Label(otherLabel), fakebazel.Label("@@other+//x:y.hcl")}}
	e := (&evaluation{t: t, modules: rootTag(widgetTag(widgetSource, tag)), facts: widgetFacts()}).run()
	if diff := cmp.Diff(any(l{"env/a.terraform.lock.hcl", "b.hcl"}), e.hub()["manifest"].(m)["provider_locks"]); diff != "" {
		t.Error(diff)
	}
}
