package fakebazel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.starlark.net/starlark"
)

// module writes files and returns an interpreter for them.
func module(t *testing.T, files map[string]string) *Interpreter {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return NewInterpreter(root)
}

func fails(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want one with %q", err, want)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	i := module(t, map[string]string{
		"a/x.bzl":     "load(':y.bzl', 'y')\nload('//b:z.bzl', 'z')\nvisibility(['//a/...'])\nx = y + z\n",
		"a/y.bzl":     "visibility('public')\ny = 1\n",
		"b/z.bzl":     "z = 2\n",
		"c/one.bzl":   "load(':two.bzl', 'two')\none = 1\n",
		"c/two.bzl":   "load(':one.bzl', 'one')\ntwo = 2\n",
		"c/while.bzl": "def f():\n    while True:\n        pass\n",
		"c/rec.bzl":   "def f():\n    return f()\n",
		"c/name.bzl":  "x = select({})\n",
		"c/other.bzl": "load('@bazel_skylib//lib:paths.bzl', 'paths')\n",
	})
	globals, err := i.Load("//a:x.bzl")
	if err != nil || globals["x"].String() != "3" {
		t.Errorf("got %v, %v", globals, err)
	}
	if diff := cmp.Diff(map[string][]string{"//a:x.bzl": {"//a/..."}, "//a:y.bzl": {"public"}}, i.Visibilities); diff != "" {
		t.Error(diff)
	}
	for label, want := range map[string]string{
		"//c:one.bzl": "cycle", "//c:while.bzl": "while", "//c:name.bzl": "undefined: select", "//c:other.bzl": "only files of the module",
		"//c:none.bzl": "no such file",
	} {
		_, err := i.Load(label)
		fails(t, err, want)
	}
	_, err = i.Call("//c:rec.bzl", "f")
	fails(t, err, "recursively")
	_, err = i.Call("//b:z.bzl", "nothing")
	fails(t, err, "has no nothing")
}

func TestValuesRoundTrip(t *testing.T) {
	t.Parallel()
	value := map[string]any{
		"none": nil, "bool": true, "int": 3, "text": "x", "list": []any{"a", 1}, "dict": map[string]any{"a": nil}, "struct": Struct{"b": "c"},
	}
	if diff := cmp.Diff(any(value), ToGo(ToStarlark(value))); diff != "" {
		t.Error(diff)
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown type does not panic")
		}
	}()
	ToStarlark(struct{}{})
}

func TestFactsOfferNoMoreThanBazels(t *testing.T) {
	t.Parallel()
	i := module(t, map[string]string{"x.bzl": `
def get(facts):
    return [facts["a"]["b"], "a" in facts, "c" in facts, facts["a"]]

def missing(facts):
    return facts["c"]

def iterate(facts):
    return [f for f in facts]

def keys(facts):
    return facts.keys()
`})
	facts := NewFacts(map[string]any{"a": map[string]any{"b": 1}})
	got, err := i.Call("//:x.bzl", "get", facts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any([]any{1, true, false, map[string]any{"b": 1}}), ToGo(got)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]bool{"a": true, "c": true}, facts.Asked); diff != "" {
		t.Error(diff)
	}
	for function, want := range map[string]string{"missing": "not in", "iterate": "not iterable", "keys": "keys"} {
		_, err := i.Call("//:x.bzl", function, facts)
		fails(t, err, want)
	}
}

func TestCheckFact(t *testing.T) {
	t.Parallel()
	deep := any("x")
	for range 8 {
		deep = []any{deep}
	}
	for _, tc := range []struct {
		value any
		want  string
	}{
		{map[string]any{"a": "b", "c": []any{1, true}}, ""},
		{map[string]any{"a": nil}, "None"},
		{map[string]any{"a": map[string]any{"b": nil}}, "None"},
		{Struct{}, "cannot be of type"},
		{nil, "cannot be of type"},
		{deep, "seven levels"},
	} {
		if err := CheckFact(tc.value); tc.want != "" {
			fails(t, err, tc.want)
		} else if err != nil {
			t.Error(err)
		}
	}
}

const rules = `
def _impl(ctx):
    ctx.file("out", ctx.attr.text + str(ctx.attr.flag))

repo = repository_rule(implementation = _impl, attrs = {"text": attr.string(mandatory = True), "flag": attr.bool()})

def declare(**kwargs):
    repo(**kwargs)
`

func TestRepositoryRuleChecksAttributes(t *testing.T) {
	t.Parallel()
	i := module(t, map[string]string{"x.bzl": rules})
	globals, err := i.Load("//:x.bzl")
	if err != nil {
		t.Fatal(err)
	}
	declare := func(attrs map[string]any) error {
		var kwargs []starlark.Tuple
		for name, value := range attrs {
			kwargs = append(kwargs, starlark.Tuple{starlark.String(name), ToStarlark(value)})
		}
		_, err := starlark.Call(i.Thread(), globals["declare"], nil, kwargs)
		return err
	}
	if err := declare(map[string]any{"name": "a", "text": "x"}); err != nil {
		t.Fatal(err)
	}
	fails(t, declare(map[string]any{"name": "b"}), "mandatory attribute \"text\"")
	fails(t, declare(map[string]any{"name": "b", "text": 1}), "wants string, got int")
	fails(t, declare(map[string]any{"name": "b", "text": nil}), "wants string, got NoneType")
	fails(t, declare(map[string]any{"name": "b", "text": "x", "more": "y"}), "no attribute \"more\"")
	fails(t, declare(map[string]any{"name": "a", "text": "x"}), "was declared before")

	ctx := NewRepositoryContext(i.Declared[0], Host{"linux", "amd64"}, nil)
	if _, err := starlark.Call(i.Thread(), i.Declared[0].Rule.Implementation, starlark.Tuple{ctx}, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Files{"/output_base/external/a/out": "xFalse"}, ctx.Files); diff != "" {
		t.Error(diff)
	}
}

const extension = `
def _impl(ctx):
    return ctx.extension_metadata(**{k: v for k, v in ctx.modules[0].tags.t[0].metadata.items()})

def _modules(ctx):
    return [(m.name, m.is_root, [(t.text, t.list) for t in m.tags.t]) for m in ctx.modules]

def _has(ctx):
    return [hasattr(ctx, "facts"), ctx.root_module_has_non_dev_dependency]

def _read(ctx):
    ctx.read("missing")

def _label(ctx):
    ctx.path(Label("//x:y"))

def _execute(ctx):
    ctx.execute(["tool"])

t = tag_class(attrs = {"text": attr.string(), "list": attr.string_list()})
modules = module_extension(implementation = _modules, tag_classes = {"t": t})
has = module_extension(implementation = _has, tag_classes = {"t": t})
read = module_extension(implementation = _read, tag_classes = {"t": t})
label = module_extension(implementation = _label, tag_classes = {"t": t})
execute = module_extension(implementation = _execute, tag_classes = {"t": t})
`

func TestModuleContext(t *testing.T) {
	t.Parallel()
	i := module(t, map[string]string{"x.bzl": extension})
	globals, err := i.Load("//:x.bzl")
	if err != nil {
		t.Fatal(err)
	}
	root := []Module{{Name: "a", Root: true, Tags: map[string][]map[string]any{"t": {{"text": "x"}, {"list": []string{"y"}}}}}}
	run := func(name string, facts *Facts) (any, error) {
		definition := globals[name].(*Definition)
		ctx, err := NewModuleContext(definition, root, facts, Host{"linux", "amd64"})
		if err != nil {
			return nil, err
		}
		got, err := starlark.Call(i.Thread(), definition.Implementation(), starlark.Tuple{ctx}, nil)
		if err != nil {
			return nil, err
		}
		return ToGo(got), nil
	}
	for _, tc := range []struct {
		name  string
		facts *Facts
		want  any
	}{
		{"modules", nil, []any{[]any{"a", true, []any{[]any{"x", []any{}}, []any{"", []any{"y"}}}}}},
		{"has", nil, []any{false, true}},
		{"has", NewFacts(nil), []any{true, true}},
	} {
		got, err := run(tc.name, tc.facts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s:\n%s", tc.name, diff)
		}
	}
	for name, want := range map[string]string{"read": "no such file", "label": "not to be touched", "execute": "no process may be started"} {
		_, err := run(name, nil)
		fails(t, err, want)
	}
	root[0].Tags["t"][0]["more"] = "x"
	_, err = run("has", nil)
	fails(t, err, "no attribute \"more\"")
}

func TestFiles(t *testing.T) {
	t.Parallel()
	f := Files{"/a/b/c": "1", "/a/d": "2", "/ab": "3"}
	if !f.isDir("/a") || !f.isDir("/a/b") || f.isDir("/a/d") || !f.exists("/ab") || f.exists("/a/x") {
		t.Error("directories are those with something in them")
	}
	if diff := cmp.Diff([]string{"/a/b", "/a/d"}, f.children("/a")); diff != "" {
		t.Error(diff)
	}
	f.remove("/a/b")
	if diff := cmp.Diff(Files{"/a/d": "2", "/ab": "3"}, f); diff != "" {
		t.Error(diff)
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"//a:b": "@@rules_tf_mirror+//a:b", "@platforms//os:linux": "@@platforms//os:linux", "@@//:MODULE.bazel.lock": "@@//:MODULE.bazel.lock",
		"@tfmirror_host//:tfmirror": helperRepo + "//:tfmirror",
	} {
		got, err := newLabel(nil, starlark.NewBuiltin("Label", newLabel), starlark.Tuple{starlark.String(text)}, nil)
		if err != nil || got.String() != want {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	_, err := newLabel(nil, starlark.NewBuiltin("Label", newLabel), starlark.Tuple{starlark.String("@foreign//a:b")}, nil)
	fails(t, err, "no repository visible")
}

// A rule makes targets where a test waits for them; what is no rule is not called.
func TestTargetsOfRules(t *testing.T) {
	t.Parallel()
	i := module(t, map[string]string{"a/x.bzl": "r = rule(implementation = None)\nc = tag_class(attrs = {'d': attr.string_list_dict()})\n"})
	globals, err := i.Load("//a:x.bzl")
	if err != nil {
		t.Fatal(err)
	}
	rule, class := globals["r"].(*Definition), globals["c"].(*Definition)
	kwargs := []starlark.Tuple{{starlark.String("name"), starlark.String("n")}}
	_, err = starlark.Call(i.Thread(), rule, nil, kwargs)
	fails(t, err, "a rule is not to be called here")
	var got map[string]any
	rule.Instantiate = func(kwargs map[string]any) { got = kwargs }
	class.Instantiate = rule.Instantiate
	if _, err = starlark.Call(i.Thread(), rule, nil, kwargs); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]any{"name": "n"}, got); diff != "" {
		t.Error(diff)
	}
	_, err = starlark.Call(i.Thread(), rule, starlark.Tuple{starlark.String("n")}, nil)
	fails(t, err, "positional arguments")
	_, err = starlark.Call(i.Thread(), class, nil, kwargs)
	fails(t, err, "a tag_class is not to be called here")

	dict := ToGo(class.Args["attrs"]).(map[string]any)["d"].(*Attribute)
	if diff := cmp.Diff(any(map[string]any{}), dict.Zero()); diff != "" || dict.check(new(starlark.Dict)) != nil {
		t.Errorf("a dict that is not set: %s", diff)
	}
	fails(t, dict.check(starlark.String("x")), "wants string_list_dict")
}
