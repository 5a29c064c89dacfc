package fakebazel

import (
	"fmt"

	"go.starlark.net/starlark"
)

// Module is a module that uses the extension.
type Module struct {
	Name string
	Root bool
	Dev  bool // all its tags are of a development dependency
	Tags map[string][]map[string]any
}

// Host is what module_ctx.os says of the machine.
type Host struct{ Name, Arch string }

// ModuleContext is module_ctx.
type ModuleContext struct {
	Context
	Modules []Module
	Host    Host
	// Facts are those of Bazel; nil is a Bazel without facts.
	Facts *Facts
	// Metadata are the arguments of extension_metadata.
	Metadata map[string]any
}

// NewModuleContext returns a context for the evaluation of an extension.
func NewModuleContext(extension *Definition, modules []Module, facts *Facts, host Host) (*ModuleContext, error) {
	m := &ModuleContext{Modules: modules, Host: host, Facts: facts}
	m.Files = Files{}
	m.Dir = "/output_base/modextwd/extension"
	m.Labels = map[string]string{}
	m.addCommon()
	m.attrs["os"] = ToStarlark(Struct{"name": host.Name, "arch": host.Arch, "environ": map[string]any{}})
	if facts != nil {
		m.attrs["facts"] = facts
	}
	classes, _ := ToGo(extension.Args["tag_classes"]).(map[string]any)
	nonDev := false
	var list []starlark.Value
	for _, module := range modules {
		nonDev = nonDev || module.Root && !module.Dev
		value, err := module.value(classes)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	m.attrs["modules"] = starlark.NewList(list)
	m.attrs["root_module_has_non_dev_dependency"] = starlark.Bool(nonDev)
	m.method("extension_metadata", func(_ *starlark.Thread, _ *starlark.Builtin, _ starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		m.Metadata = map[string]any{}
		for _, pair := range kwargs {
			m.Metadata[string(pair[0].(starlark.String))] = ToGo(pair[1])
		}
		return starlark.None, m.checkMetadata()
	})
	return m, nil
}

// value is the module as the extension sees it. Every attribute of a tag has a value.
func (m Module) value(classes map[string]any) (starlark.Value, error) {
	tags := Struct{}
	for name, class := range classes {
		attrs := ToGo(class.(*Definition).Args["attrs"]).(map[string]any)
		list := []any{}
		for _, given := range m.Tags[name] {
			tag := Struct{}
			for attribute, definition := range attrs {
				tag[attribute] = definition.(*Attribute).Zero()
			}
			for attribute, value := range given {
				definition, ok := attrs[attribute]
				if !ok {
					return nil, fmt.Errorf("tag %s: no attribute %q", name, attribute)
				}
				converted := ToStarlark(value)
				if err := definition.(*Attribute).check(converted); err != nil {
					return nil, fmt.Errorf("tag %s: attribute %q: %w", name, attribute, err)
				}
				tag[attribute] = converted
			}
			list = append(list, ToStarlark(tag))
		}
		tags[name] = list
	}
	return ToStarlark(Struct{"name": m.Name, "is_root": m.Root, "tags": tags}), nil
}

// checkMetadata refuses what Bazel refuses.
func (m *ModuleContext) checkMetadata() error {
	facts, given := m.Metadata["facts"]
	if given && m.Facts == nil {
		return fmt.Errorf("extension_metadata: unexpected keyword argument facts")
	}
	if given {
		for key, value := range facts.(map[string]any) {
			if err := CheckFact(value); err != nil {
				return fmt.Errorf("fact %q: %w", key, err)
			}
		}
	}
	rootUses, nonDev := false, false
	for _, module := range m.Modules {
		rootUses = rootUses || module.Root
		nonDev = nonDev || module.Root && !module.Dev
	}
	direct, dev := m.Metadata["root_module_direct_deps"].([]any), m.Metadata["root_module_direct_dev_deps"].([]any)
	if len(direct) > 0 && !nonDev || len(dev) > 0 && (!rootUses || nonDev) {
		return fmt.Errorf("extension_metadata: the root module does not use the extension in that way: %v, %v", direct, dev)
	}
	return nil
}
