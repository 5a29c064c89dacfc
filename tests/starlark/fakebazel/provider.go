package fakebazel

import (
	"fmt"

	"go.starlark.net/starlark"
)

// Provider is the value of provider(…), and DefaultInfo. Without Fields any field may be given.
type Provider struct {
	Fields []string
}

// DefaultInfo is Bazel's own; here it has any field.
var DefaultInfo = &Provider{}

// Instance is what a rule returns of a provider.
type Instance struct {
	Provider *Provider
	Fields   map[string]starlark.Value
}

func newProvider(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var doc string
	fields := new(starlark.Dict)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "doc?", &doc, "fields?", &fields); err != nil {
		return nil, err
	}
	p := &Provider{}
	for _, key := range fields.Keys() {
		p.Fields = append(p.Fields, string(key.(starlark.String)))
	}
	return p, nil
}

// CallInternal makes an instance; a field that was not declared is an error.
func (p *Provider) CallInternal(_ *starlark.Thread, _ starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	instance := &Instance{Provider: p, Fields: map[string]starlark.Value{}}
	for _, pair := range kwargs {
		name := string(pair[0].(starlark.String))
		known := p.Fields == nil
		for _, field := range p.Fields {
			known = known || field == name
		}
		if !known {
			return nil, fmt.Errorf("provider: no field %q", name)
		}
		instance.Fields[name] = pair[1]
	}
	return instance, nil
}

// Name is what a Starlark callable needs.
func (p *Provider) Name() string { return "provider" }

func (p *Provider) String() string        { return "<provider>" }
func (p *Provider) Type() string          { return "Provider" }
func (p *Provider) Freeze()               {}
func (p *Provider) Truth() starlark.Bool  { return true }
func (p *Provider) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: Provider") }

// Attr returns a field.
func (i *Instance) Attr(name string) (starlark.Value, error) { return i.Fields[name], nil }

// AttrNames lists the fields.
func (i *Instance) AttrNames() []string { return sortedKeys(i.Fields) }

func (i *Instance) String() string        { return i.Provider.String() }
func (i *Instance) Type() string          { return "struct" }
func (i *Instance) Freeze()               {}
func (i *Instance) Truth() starlark.Bool  { return true }
func (i *Instance) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: provider instance") }

// Target is a dependency of a rule: target[Provider] gives an instance.
type Target map[*Provider]*Instance

// Get makes `[]` and `in` work.
func (t Target) Get(key starlark.Value) (starlark.Value, bool, error) {
	provider, ok := key.(*Provider)
	if !ok {
		return nil, false, fmt.Errorf("a target is indexed by providers, got %s", key.Type())
	}
	instance, ok := t[provider]
	if !ok {
		return nil, false, nil
	}
	return instance, true, nil
}

func (t Target) String() string        { return "<target>" }
func (t Target) Type() string          { return "Target" }
func (t Target) Freeze()               {}
func (t Target) Truth() starlark.Bool  { return true }
func (t Target) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: Target") }
