package bazellock

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tests/workspace"
)

// The extension watches the lockfile, as ours does, and returns the facts that it finds, or at first facts that are odd to spell.
const watchingExtension = `
def _repo_impl(ctx):
    ctx.file("BUILD.bazel", "")

repo = repository_rule(_repo_impl)

ODD = json.decode(r'''ODD_FACTS''')
NAMES = sorted(ODD.keys()) + ["verified/registry.acme.dev/acme/widget/1.0.0"]

def _impl(ctx):
    marker = ctx.path(".").dirname.dirname.get_child("DO_NOT_BUILD_HERE")
    lockfile = ctx.path(ctx.read(marker, watch = "no").strip()).get_child("MODULE.bazel.lock")
    ctx.watch(lockfile)
    text = ctx.read(lockfile, watch = "no") if lockfile.exists else ""
    facts = ODD
    if "//tf:extensions.bzl%tf_repositories\"" in text:
        facts = {name: ctx.facts[name] for name in NAMES if name in ctx.facts}
    print("FACTS " + json.encode(facts))
    repo(name = "made")
    return ctx.extension_metadata(reproducible = True, facts = facts)

tf_repositories = module_extension(_impl)
`

// In Bazel 7 json.decode gives other strings for \u and four digits beyond ASCII than a source file does, so those stand as they are.
const oddFacts = `{"html":"<>&'\"=\\/","control":"\u0000\u0001\t\n\b\f\r\u001f\u007f","separators":"` + "\u2028\u2029\u00a0\ufeff" + `","unicode":"äöü € 😀",
"<k>&'=\"":1,"":2,"B":3,"_":4,"a":5,"ä":6,"` + "\ue000" + `":7,"😀":8,"a b":9,"a-":10,"a/b":11,
"empty":{},"none":[],"nested":{"b":{"a":[1,[2,[]],{},{"x":"y"}]},"a":true},"ints":[0,-1,2147483648,123456789012345678901234567890],"false":false}`

// TestBazel lets the Bazel at hand write odd facts, which this package must spell in the same bytes; then edits them, after which Bazel
// must see the edit and leave the file as it is, also with --lockfile_mode=error.
func TestBazel(t *testing.T) {
	t.Parallel()
	bazel := testtools.RequireBazel(t)
	dir := t.TempDir()
	ws := &workspace.Workspace{Bazel: bazel, Dir: filepath.Join(dir, "ws"), OutputBase: filepath.Join(dir, "out"), Env: os.Environ()}
	t.Cleanup(func() {
		if err := ws.Shutdown(context.Background()); err != nil { // t.Context is done by now
			t.Error(err)
		}
		mustDo(t, workspace.RemoveAll(ws.OutputBase))
	})
	for name, text := range map[string]string{
		"MODULE.bazel": "module(name = \"rules_tf_mirror\")\ntf = use_extension(\"//tf:extensions.bzl\", \"tf_repositories\")\nuse_repo(tf, \"made\")\n",
		"BUILD.bazel":  "", "tf/BUILD.bazel": "",
		"tf/extensions.bzl": strings.Replace(watchingExtension, "ODD_FACTS", oddFacts, 1),
	} {
		mustDo(t, ws.Write(name, text))
	}
	id := mustID(t, "@@//tf:extensions.bzl%tf_repositories")
	path := ws.Path("MODULE.bazel.lock")

	build(t, ws)
	written := readFile(t, path)
	f, err := Open(path)
	mustDo(t, err)
	recorded, key, ok, err := f.Facts(id)
	if err != nil || !ok {
		t.Fatalf("no facts of %s in\n%s", id, written)
	}
	t.Logf("Bazel spells the id %q", key)
	var odd facts
	mustDo(t, json.Unmarshal([]byte(oddFacts), &odd))
	checkSame(t, recorded, odd)
	without := mustSet(t, f, id, nil)
	if again := mustSet(t, mustParse(t, without), id, odd); again != written {
		t.Errorf("ours:\n%s\nBazel's:\n%s", again, written)
	}

	const verified = "verified/registry.acme.dev/acme/widget/1.0.0"
	mustEdit(t, path, id, func(now facts) {
		now[verified] = json.RawMessage(`{"zh":{"linux_amd64":"abc"},"signer":"F00","tier":"community"}`)
		now["html"] = json.RawMessage(`"</script>\u2028"`)
		delete(now, "unicode")
	})
	edited := readFile(t, path)
	for _, args := range [][]string{nil, {"--lockfile_mode=error"}} {
		seen := build(t, ws, args...)
		if after := readFile(t, path); after != edited {
			t.Fatalf("bazel build %v changed the file from\n%s\nto\n%s", args, edited, after)
		}
		if args == nil && (seen[verified] == nil || seen["unicode"] != nil || string(seen["html"]) != "\"</script>\u2028\"") {
			t.Errorf("the extension saw %s", seen)
		}
	}

	// A file with Windows' line ends keeps them, and is as good.
	mustDo(t, os.WriteFile(path, []byte(strings.ReplaceAll(edited, "\n", "\r\n")), 0o644))
	mustEdit(t, path, id, func(now facts) { delete(now, verified) })
	edited = readFile(t, path)
	if seen := build(t, ws); seen[verified] != nil || len(seen) == 0 {
		t.Errorf("the extension saw %s", seen)
	}
	if after := readFile(t, path); after != edited || strings.Count(after, "\n") != strings.Count(after, "\r\n") {
		t.Errorf("got %q\nwant %q", after, edited)
	}
}

// build builds the extension's repository and returns the facts that the extension printed, nil if it was not evaluated.
func build(t *testing.T, ws *workspace.Workspace, args ...string) facts {
	t.Helper()
	result, err := ws.Run(t.Context(), "build", append([]string{"@made//:all"}, args...)...)
	mustDo(t, err)
	if result.ExitCode != 0 {
		t.Fatal(result)
	}
	for _, line := range strings.Split(result.Stderr, "\n") {
		if _, text, ok := strings.Cut(line, "FACTS "); ok {
			var seen facts
			if err := json.Unmarshal([]byte(text), &seen); err != nil {
				t.Fatalf("%v in %q", err, text)
			}
			return seen
		}
	}
	return nil
}

func mustEdit(t *testing.T, path string, id ID, edit func(facts)) {
	t.Helper()
	changed, err := Edit(path, id, func(now facts) (facts, error) {
		edit(now)
		return now, nil
	})
	if err != nil || !changed {
		t.Fatalf("Edit = %v, %v", changed, err)
	}
}
