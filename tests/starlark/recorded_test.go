package starlark_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

const randomSource = "registry.terraform.io/hashicorp/random"

// A recorded selection that is no answer to its constraint is that entry's error, at its repository. Nothing is asked, and no fact of the
// provider is pruned: they are right again when the one line is.
func TestSelectionThatContradictsItsConstraint(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"3.3.2":            `3.3.2 is not admitted by "~> 3.1.0"`,
		"3.1.4-rc1":        "3.1.4-rc1 is a prerelease",
		"3.1.3+x y":        "no version in canonical form",
		"3.1.3\x1b[31mred": `"3.1.3\033[31mred" is no version`,
	} {
		facts := map[string]any{
			"resolve/" + randomSource + "/~> 3.1.0": m{"version": version},
			"verified/" + randomSource + "/3.1.3":   m{"zh": m{"linux_amd64": sha("2")}, "signer": strings.Repeat("A", 40), "tier": "community"},
		}
		for _, other := range []string{"3.1.3", "3.3.2"} {
			key, fact := packageFact("random", other, "linux_amd64", "2")
			facts[key] = fact
		}
		foreignKey, foreign := packageFact("null", "3.2.1", "linux_amd64", "3")
		facts[foreignKey] = foreign
		tag := m{"platforms": []string{"linux_amd64"}, "mirror": []string{"hashicorp/random:~> 3.1.0"}}
		e := (&evaluation{t: t, modules: rootTag(tag), facts: facts}).run()

		kept := maps.Clone(facts)
		delete(kept, foreignKey) // of no entry
		if diff := cmp.Diff(kept, e.newFacts()); diff != "" {
			t.Errorf("%q: facts -want +got:\n%s", version, diff)
		}
		var text string
		for _, repo := range e.interpreter.Declared {
			if message, ok := repo.Attrs["error"].(string); ok && message != "" {
				text = message
			}
		}
		contains(t, text, `the fact "resolve/`+randomSource+`/~> 3.1.0" in MODULE.bazel.lock is malformed`, want, "Restore that line")
		if strings.Contains(text, "\x1b") {
			t.Errorf("the text reaches the terminal as it is: %q", text)
		}
	}
}

// Another release's file under a key, or members that mean nothing, are that package's error; the others are declared as ever.
func TestPackageFactOfAnotherRelease(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(m){
		"filename is":             func(f m) { f["filename"] = "terraform-provider-random_3.1.3_linux_amd64.zip" },
		"members that mean noth":  func(f m) { f["size"] = 3 },
		"query or a fragment":     func(f m) { f["ephemeral"], f["download_url"] = true, "https://x.example/a.zip?sig=1" },
		"character that no URL":   func(f m) { f["download_url"] = "https://x.example/a\x1b[31m.zip" },
		"host that is none":       func(f m) { f["download_url"] = "https://x.example:y/a.zip" },
		"character that no URL h": func(f m) { f["download_url"] = "https://x.example/\u00fc.zip" },
	} {
		key, bad := packageFact("random", "3.3.2", "linux_amd64", "2")
		change(bad)
		otherKey, good := packageFact("random", "3.3.2", "darwin_arm64", "3")
		facts := map[string]any{key: bad, otherKey: good}
		tag := m{"platforms": []string{"linux_amd64", "darwin_arm64"}, "mirror": []string{"hashicorp/random:3.3.2"}}
		e := (&evaluation{t: t, modules: rootTag(tag), facts: facts}).run()
		if diff := cmp.Diff(facts, e.newFacts()); diff != "" {
			t.Errorf("%s: facts -want +got:\n%s", name, diff)
		}
		packages := e.packages()
		text := packages["random 3.3.2 linux_amd64"]["error"].(string)
		contains(t, text, key, "malformed", name)
		if strings.ContainsAny(text, "\x1b") || packages["random 3.3.2 darwin_arm64"]["error"] != "" {
			t.Errorf("%s: %q, %v", name, text, packages["random 3.3.2 darwin_arm64"])
		}
	}
}

// A version of the tool that no parser can hold is the tag's error, not one of the helper.
func TestToolVersionOutOfBounds(t *testing.T) {
	t.Parallel()
	for version, ok := range map[string]bool{
		"1.9.5": true, "1.10.0-rc1": true, "9223372036854775807.0.0": true,
		"9223372036854775808.0.0": false, "99999999999999999999.0.0": false, "1.9.5-" + strings.Repeat("a", 123): false, "1.9": false, "1.9.5-a_b": false,
	} {
		err := (&evaluation{t: t, modules: rootTag(m{"version": version})}).try()
		if (err == nil) != ok {
			t.Errorf("%s: %v", version, err)
		}
	}
}

// A file that an editor has marked as UTF-8 is read; one that is not there is an error that says who wants it.
func TestMirrorJSONFile(t *testing.T) {
	t.Parallel()
	const label = "@@//:mirror.json"
	key, fact := packageFact("random", "3.3.2", "linux_amd64", "2")
	evaluate := func(files fakebazel.Files) (*evaluation, error) {
		e := &evaluation{
			t: t, modules: rootTag(m{"platforms": []string{"linux_amd64"}, "mirror_json": fakebazel.Label(label)}), facts: map[string]any{key: fact},
			labels: map[string]string{label: "/ws/mirror.json"}, files: files,
		}
		return e, e.try()
	}
	e, err := evaluate(fakebazel.Files{"/ws/mirror.json": "\xef\xbb\xbf[\"hashicorp/random:3.3.2\"]"})
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(maps.Keys(e.packages())); !slices.Equal(got, []string{"random 3.3.2 linux_amd64"}) {
		t.Errorf("packages %v", got)
	}
	_, err = evaluate(nil)
	if err == nil {
		t.Fatal("a missing file is no error")
	}
	contains(t, err.Error(), `module "ws"`, "mirror_json", "mirror.json", "tf.download", "no such file")
}
