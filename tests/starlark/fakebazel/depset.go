package fakebazel

import (
	"fmt"

	"go.starlark.net/starlark"
)

// Depset is a depset; only its elements are kept, in order and each once.
type Depset struct{ Items []starlark.Value }

func newDepset(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	direct, transitive := new(starlark.List), new(starlark.List)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "direct?", &direct, "transitive?", &transitive); err != nil {
		return nil, err
	}
	d := &Depset{}
	for n := range transitive.Len() {
		part, ok := transitive.Index(n).(*Depset)
		if !ok {
			return nil, fmt.Errorf("depset: transitive wants depsets, got %s", transitive.Index(n).Type())
		}
		d.add(part.Items...)
	}
	for n := range direct.Len() {
		d.add(direct.Index(n))
	}
	return d, nil
}

func (d *Depset) add(items ...starlark.Value) {
	for _, item := range items {
		known := false
		for _, other := range d.Items {
			same, err := starlark.Equal(item, other)
			known = known || err == nil && same
		}
		if !known {
			d.Items = append(d.Items, item)
		}
	}
}

func (d *Depset) String() string        { return fmt.Sprintf("depset(%v)", d.Items) }
func (d *Depset) Type() string          { return "depset" }
func (d *Depset) Freeze()               {}
func (d *Depset) Truth() starlark.Bool  { return len(d.Items) > 0 }
func (d *Depset) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: depset") }
