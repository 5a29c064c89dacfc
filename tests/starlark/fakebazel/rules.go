package fakebazel

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// Attribute is the value of attr.string(…) and the like.
type Attribute struct {
	Kind      string // bool, label, label_list, string, string_dict, string_list, string_list_dict
	Mandatory bool
}

func attrModule() *starlarkstruct.Module {
	members := starlark.StringDict{}
	for _, kind := range []string{"bool", "label", "label_list", "string", "string_dict", "string_list", "string_list_dict"} {
		members[kind] = starlark.NewBuiltin("attr."+kind, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			a := &Attribute{Kind: kind}
			var doc string
			var mandatory bool
			var ignored starlark.Value
			err := starlark.UnpackArgs(b.Name(), args, kwargs, "doc?", &doc, "mandatory?", &mandatory, "default?", &ignored, "providers?", &ignored,
				"allow_single_file?", &ignored, "allow_files?", &ignored)
			a.Mandatory = mandatory
			return a, err
		})
	}
	return &starlarkstruct.Module{Name: "attr", Members: members}
}

// Zero returns the value of an attribute that is not set.
func (a *Attribute) Zero() any {
	switch a.Kind {
	case "bool":
		return false
	case "string":
		return ""
	case "label":
		return nil
	case "string_dict", "string_list_dict":
		return map[string]any{}
	}
	return []string{}
}

func (a *Attribute) check(v starlark.Value) error {
	wanted := map[string]string{"bool": "bool", "string": "string", "label": "Label", "string_dict": "dict", "string_list_dict": "dict"}[a.Kind]
	if wanted == "" {
		wanted = "list"
	}
	if v.Type() != wanted {
		return fmt.Errorf("wants %s, got %s", a.Kind, v.Type())
	}
	return nil
}

func (a *Attribute) String() string        { return "<attr." + a.Kind + ">" }
func (a *Attribute) Type() string          { return "Attribute" }
func (a *Attribute) Freeze()               {}
func (a *Attribute) Truth() starlark.Bool  { return true }
func (a *Attribute) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: Attribute") }

// RepositoryRule is the value of repository_rule(…).
type RepositoryRule struct {
	interpreter    *Interpreter
	Implementation starlark.Value
	Attrs          map[string]*Attribute
}

func (i *Interpreter) newRepositoryRule(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	r := &RepositoryRule{interpreter: i, Attrs: map[string]*Attribute{}}
	attrs := new(starlark.Dict)
	var doc string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "implementation", &r.Implementation, "attrs?", &attrs, "doc?", &doc); err != nil {
		return nil, err
	}
	for _, item := range attrs.Items() {
		r.Attrs[string(item[0].(starlark.String))] = item[1].(*Attribute)
	}
	return r, nil
}

// CallInternal declares a repository, as a call in an extension does. Attributes are checked.
func (r *RepositoryRule) CallInternal(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		return nil, fmt.Errorf("repository rule: unexpected positional arguments")
	}
	declared := Repository{Rule: r, Attrs: map[string]any{}}
	for _, pair := range kwargs {
		name, value := string(pair[0].(starlark.String)), pair[1]
		if name == "name" {
			declared.Name = string(value.(starlark.String))
			continue
		}
		attribute, ok := r.Attrs[name]
		if !ok {
			return nil, fmt.Errorf("repository rule: no attribute %q", name)
		}
		if err := attribute.check(value); err != nil {
			return nil, fmt.Errorf("repository rule: attribute %q: %w", name, err)
		}
		declared.Attrs[name] = ToGo(value)
	}
	for name, attribute := range r.Attrs {
		if _, ok := declared.Attrs[name]; attribute.Mandatory && !ok {
			return nil, fmt.Errorf("repository rule: mandatory attribute %q is missing", name)
		}
	}
	for _, other := range r.interpreter.Declared {
		if other.Name == declared.Name {
			return nil, fmt.Errorf("a repository named %q was declared before", declared.Name)
		}
	}
	r.interpreter.Declared = append(r.interpreter.Declared, declared)
	return starlark.None, nil
}

func (r *RepositoryRule) Name() string          { return "repository_rule" }
func (r *RepositoryRule) String() string        { return "<repository_rule>" }
func (r *RepositoryRule) Type() string          { return "repository_rule" }
func (r *RepositoryRule) Freeze()               {}
func (r *RepositoryRule) Truth() starlark.Bool  { return true }
func (r *RepositoryRule) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: repository_rule") }
