package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bazelbuild/buildtools/build"
	"github.com/google/go-cmp/cmp"
)

// workspace writes .bzl files and returns their modules.
func workspace(t *testing.T, files map[string]string) *modules {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return newModules(root)
}

// Tables of attributes may be put together from others, in other files, under other names.
func TestAttributesThatArePutTogether(t *testing.T) {
	t.Parallel()
	m := workspace(t, map[string]string{
		"tf/extensions.bzl": `
load("//tf/private:tags.bzl", renamed = "download", "source")
tf_repositories = module_extension(doc = "It " + "resolves.", tag_classes = {"download": renamed} | dict(source = source))
`,
		"tf/private/tags.bzl": `
load(":more.bzl", "MORE")
_NAMES = ["a"] + ["b"]
_OWN = {"kind": attr.string(doc = """What
    kind. Root module only.""", values = ["x", "y"], default = "x"), "_hidden": attr.label()}
download = tag_class(attrs = dict(_OWN | MORE, last = attr.int(doc = "L.", mandatory = True)), doc = "Download.")
source = tag_class(attrs = {"names": attr.string_list(default = _NAMES, doc = "N.")}, doc = "Source. Root module only.")
`,
		"tf/private/more.bzl": `MORE = {"flag": attr.bool(doc = "Flag | pipe (design §3.3, R-CLI-14).")}`,
	})
	text, err := extensionSection(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| `kind` | string | `\"x\"` | yes | What kind. One of \"x\", \"y\". |\n",
		"| `flag` | boolean | `False` |  | Flag \\| pipe. |\n",
		"| `last` | integer | mandatory |  | L. |\n",
		"| `names` | list of strings | `[\"a\", \"b\"]` | yes | N. |\n",
		"Source. Root module only.\n", "It resolves.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "_hidden") {
		t.Error("a private attribute is listed")
	}
}

// What cannot be read is an error that names it, and never missing from the page without a word.
func TestAttributesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const extension = "load(\":tags.bzl\", \"t\")\ntf_repositories = module_extension(tag_classes = {\"t\": t})\n"
	for name, test := range map[string]struct{ tags, want string }{
		"computed table": {`t = tag_class(attrs = {n: attr.string(doc = n) for n in X})`, "{n: attr.string"},
		"no attribute":   {`t = tag_class(attrs = {"a": make("a")})`, `attribute a is make("a")`},
		"no doc":         {`t = tag_class(attrs = {"a": attr.string()})`, "attribute a has no doc"},
		"no class":       {`t = 1`, "tag class t"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := extensionSection(workspace(t, map[string]string{"tf/extensions.bzl": extension, "tf/tags.bzl": test.tags}))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want it to say %q", err, test.want)
			}
		})
	}
}

const defs = `"""Rules.

    call(
        name = "a",
    )
"""
load("//tf/private:rules.bzl", _twin = "twin", "info", "other")

_X = "@hub//:x"
twin = _twin
Info = info

def macro(name, *, x = _X, tags = [], **kwargs):
    """Does it.

    More (A07).

        code
            deeper

    Args:
        name: the
            name.
        x: a <b>.
        tags: tags: of it.
        **kwargs: the rest.

    Returns:
        Nothing.
    """

def _private():
    pass
`

func TestRules(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"tf/defs.bzl": defs,
		"tf/private/rules.bzl": `twin = rule(doc = "Twin.", attrs = {"deps": attr.label_list(mandatory = True, doc = "D.")})
info = provider(doc = "Info.", fields = {"a": "A."})
`,
	}
	got, err := rulesSection(workspace(t, files))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(`
## Rules

Rules.

    call(
        name = "a",
    )

### twin

Twin.

| attribute | type | default | meaning |
|---|---|---|---|
| 'deps' | list of labels | mandatory | D. |

### macro

'''starlark
macro(name, x = "@hub//:x", tags = [], **kwargs)
'''

Does it.

More.

    code
        deeper

| argument | default | meaning |
|---|---|---|
| 'name' | mandatory | the name. |
| 'x' | '"@hub//:x"' | a &lt;b>. |
| 'tags' | '[]' | tags: of it. |
| '**kwargs' |  | the rest. |

Returns: Nothing.
`, "'", "`")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	files["tf/defs.bzl"] = strings.Replace(defs, "        tags: tags: of it.\n", "", 1)
	if _, err := rulesSection(workspace(t, files)); err == nil || !strings.Contains(err.Error(), "does not describe tags") {
		t.Errorf("an argument without description: %v", err)
	}
}

// TestRootOnly: the page and the docs say of the same attributes that only the root module may set them as the code does.
func TestRootOnly(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	m := newModules(root)
	config, err := m.load("//tf/private:config.bzl")
	if err != nil {
		t.Fatal(err)
	}
	enforced, ok := config.global("_ROOT_ONLY").([]any)
	if !ok {
		t.Fatalf("_ROOT_ONLY cannot be read: %s", literal(config.global("_ROOT_ONLY")))
	}
	var want, got []string
	for _, name := range enforced {
		want = append(want, name.(string))
	}
	_, _, tags, err := readTags(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range tags {
		for _, a := range tag.attrs {
			if tag.name == "download" && a.rootOnly {
				got = append(got, a.name)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("root only attributes (-enforced +documented); end the doc with %q:\n%s", rootOnlyNote, diff)
	}
}

// TestMigratingSnippets: what docs/migrating.md tells people to write exists.
func TestMigratingSnippets(t *testing.T) {
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	_, _, tags, err := readTags(newModules(root))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, tag := range tags {
		for _, a := range tag.attrs {
			known[tag.name+"."+a.name] = true
		}
	}
	calls := 0
	for _, snippet := range snippets(read(t, "docs/migrating.md"), "starlark") {
		parsed, err := build.ParseModule("MODULE.bazel", []byte(snippet))
		if err != nil {
			t.Errorf("%v in\n%s", err, snippet)
			continue
		}
		build.Walk(parsed, func(expr build.Expr, _ []build.Expr) {
			c, ok := expr.(*build.CallExpr)
			if !ok || !strings.HasPrefix(build.FormatString(c.X), "tf.") {
				return
			}
			calls++
			for _, argument := range c.List {
				if a, ok := argument.(*build.AssignExpr); ok {
					if name := strings.TrimPrefix(build.FormatString(c.X), "tf.") + "." + build.FormatString(a.LHS); !known[name] {
						t.Errorf("there is no attribute %s", name)
					}
				}
			}
		})
	}
	if calls == 0 {
		t.Error("no snippet calls a tag")
	}
}

// snippets returns the fenced code of a language.
func snippets(text, language string) []string {
	var list []string
	for _, part := range strings.Split(text, "\n```"+language+"\n")[1:] {
		code, _, _ := strings.Cut(part, "\n```")
		list = append(list, code)
	}
	return list
}
