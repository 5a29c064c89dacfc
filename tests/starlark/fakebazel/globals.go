package fakebazel

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

type builtinFunc = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// predeclared returns what Bazel predeclares in a .bzl file of this label, as far as the module uses it.
func (i *Interpreter) predeclared(label string) starlark.StringDict {
	builtins := map[string]builtinFunc{
		"Label":            newLabel,
		"depset":           newDepset,
		"hash":             hashBytes,
		"module_extension": newDefinition,
		"provider":         newProvider,
		"repository_rule":  i.newRepositoryRule,
		"rule":             newDefinition,
		"struct":           starlarkstruct.Make,
		"tag_class":        newDefinition,
		"visibility": func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var value starlark.Value
			if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &value); err != nil {
				return nil, err
			}
			if text, ok := starlark.AsString(value); ok {
				i.Visibilities[label] = []string{text}
				return starlark.None, nil
			}
			for _, item := range ToGo(value).([]any) {
				i.Visibilities[label] = append(i.Visibilities[label], item.(string))
			}
			return starlark.None, nil
		},
	}
	globals := starlark.StringDict{"attr": attrModule(), "json": jsonModule(), "DefaultInfo": DefaultInfo}
	for name, function := range builtins {
		globals[name] = starlark.NewBuiltin(name, function)
	}
	return globals
}

// hashBytes is Java's hash of a string that has one character per byte, as all strings in Bazel have; the interpreter's own decodes UTF-8.
func hashBytes(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var text string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &text); err != nil {
		return nil, err
	}
	var hash int32
	for _, c := range []byte(text) {
		hash = 31*hash + int32(c)
	}
	return starlark.MakeInt(int(hash)), nil
}

// jsonModule is that of go.starlark.net with Bazel's encode_indent.
func jsonModule() *starlarkstruct.Module {
	members := maps.Clone(json.Module.Members)
	members["encode_indent"] = starlark.NewBuiltin("json.encode_indent", func(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var value starlark.Value
		indent := "\t"
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &value, "indent?", &indent); err != nil {
			return nil, err
		}
		text, err := starlark.Call(thread, json.Module.Members["encode"], starlark.Tuple{value}, nil)
		if err != nil {
			return nil, err
		}
		return starlark.Call(thread, json.Module.Members["indent"], starlark.Tuple{text},
			[]starlark.Tuple{{starlark.String("indent"), starlark.String(indent)}})
	})
	return &starlarkstruct.Module{Name: "json", Members: members}
}

// Label is the value of Label("…"), in canonical form.
type Label string

// Labels of the module and of what it depends on, as Bazel 8 and later write them for a dependent root module.
const (
	moduleRepo = "@@rules_tf_mirror+"
	helperRepo = "@@rules_tf_mirror++tfmirror_helper+tfmirror_host"
)

func newLabel(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var text string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &text); err != nil {
		return nil, err
	}
	repo, rest, ok := strings.Cut(text, "//")
	switch {
	case !ok:
		return nil, fmt.Errorf("Label: %q has no //", text)
	case repo == "":
		repo = moduleRepo
	case repo == "@tfmirror_host":
		repo = helperRepo
	case repo == "@platforms":
		repo = "@@platforms"
	case !strings.HasPrefix(repo, "@@"):
		return nil, fmt.Errorf("Label: no repository visible as %q", repo)
	}
	return Label(repo + "//" + rest), nil
}

func (l Label) String() string        { return string(l) }
func (l Label) Type() string          { return "Label" }
func (l Label) Freeze()               {}
func (l Label) Truth() starlark.Bool  { return true }
func (l Label) Hash() (uint32, error) { return starlark.String(l).Hash() }

// Definition is what tag_class, module_extension, rule and provider return: their arguments.
type Definition struct {
	Kind string
	Args map[string]starlark.Value
	// Instantiate is called for each target, as a macro makes them of a rule. nil: there must be none.
	Instantiate func(kwargs map[string]any)
}

func newDefinition(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		return nil, fmt.Errorf("%s: arguments must be named", b.Name())
	}
	d := &Definition{Kind: b.Name(), Args: map[string]starlark.Value{}}
	for _, pair := range kwargs {
		d.Args[string(pair[0].(starlark.String))] = pair[1]
	}
	return d, nil
}

// Implementation returns the function that implements an extension or a rule.
func (d *Definition) Implementation() starlark.Value { return d.Args["implementation"] }

// CallInternal makes a target of a rule.
func (d *Definition) CallInternal(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if d.Instantiate == nil || d.Kind != "rule" || len(args) > 0 {
		return nil, fmt.Errorf("a %s is not to be called here, nor with positional arguments", d.Kind)
	}
	named := map[string]any{}
	for _, pair := range kwargs {
		named[string(pair[0].(starlark.String))] = ToGo(pair[1])
	}
	d.Instantiate(named)
	return starlark.None, nil
}

// Name is what a Starlark callable needs.
func (d *Definition) Name() string { return d.Kind }

func (d *Definition) String() string        { return "<" + d.Kind + ">" }
func (d *Definition) Type() string          { return d.Kind }
func (d *Definition) Freeze()               {}
func (d *Definition) Truth() starlark.Bool  { return true }
func (d *Definition) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: %s", d.Kind) }
