package main

import (
	"strings"

	"github.com/bazelbuild/buildtools/build"
)

// The values of expressions that are constant, so far as a reference needs them: string, bool, nil, []any, *dict, *call, and unknown for
// everything else.
type (
	// dict keeps the order in which keys were written.
	dict struct {
		keys   []string
		values map[string]any
	}
	// call is a call of a function that is not known, such as attr.string or tag_class.
	call struct {
		function string // as written
		args     []any
		named    *dict
		file     *bzlFile // where it is written
	}
	// unknown is the source text of an expression.
	unknown string
)

func newDict() *dict { return &dict{values: map[string]any{}} }

func (d *dict) set(key string, value any) {
	if _, ok := d.values[key]; !ok {
		d.keys = append(d.keys, key)
	}
	d.values[key] = value
}

// text returns a named argument that is a string; empty if there is none.
func (c *call) text(name string) string {
	text, _ := c.named.values[name].(string)
	return text
}

// global returns the value of a global of the file, or of the file that it is loaded from.
func (f *bzlFile) global(name string) any {
	file, name, err := f.lookUp(name)
	if err != nil || file.values[name] == nil {
		return unknown(name)
	}
	return file.evaluate(file.values[name])
}

func (f *bzlFile) evaluate(expr build.Expr) any {
	switch e := expr.(type) {
	case *build.StringExpr:
		return e.Value
	case *build.ParenExpr:
		return f.evaluate(e.X)
	case *build.Ident:
		switch e.Name {
		case "True", "False":
			return e.Name == "True"
		case "None":
			return nil
		}
		return f.global(e.Name)
	case *build.ListExpr:
		return f.evaluateAll(e.List)
	case *build.TupleExpr:
		return f.evaluateAll(e.List)
	case *build.DictExpr:
		d := newDict()
		for _, pair := range e.List {
			key, ok := f.evaluate(pair.Key).(string)
			if !ok {
				return unknown(build.FormatString(expr))
			}
			d.set(key, f.evaluate(pair.Value))
		}
		return d
	case *build.BinaryExpr:
		return f.combine(e)
	case *build.CallExpr:
		return f.evaluateCall(e)
	}
	return unknown(build.FormatString(expr))
}

func (f *bzlFile) evaluateAll(exprs []build.Expr) []any {
	values := []any{}
	for _, expr := range exprs {
		values = append(values, f.evaluate(expr))
	}
	return values
}

// combine evaluates + of strings and lists, and | of dicts.
func (f *bzlFile) combine(e *build.BinaryExpr) any {
	switch x := f.evaluate(e.X).(type) {
	case string:
		if y, ok := f.evaluate(e.Y).(string); ok && e.Op == "+" {
			return x + y
		}
	case []any:
		if y, ok := f.evaluate(e.Y).([]any); ok && e.Op == "+" {
			return append(append([]any{}, x...), y...)
		}
	case *dict:
		if y, ok := f.evaluate(e.Y).(*dict); ok && e.Op == "|" {
			return merged(x, y)
		}
	}
	return unknown(build.FormatString(e))
}

func merged(dicts ...*dict) *dict {
	all := newDict()
	for _, d := range dicts {
		for _, key := range d.keys {
			all.set(key, d.values[key])
		}
	}
	return all
}

func (f *bzlFile) evaluateCall(e *build.CallExpr) any {
	c := &call{function: build.FormatString(e.X), named: newDict(), file: f}
	for _, argument := range e.List {
		switch a := argument.(type) {
		case *build.AssignExpr:
			c.named.set(a.LHS.(*build.Ident).Name, f.evaluate(a.RHS))
		case *build.UnaryExpr:
			more, ok := f.evaluate(a.X).(*dict)
			if a.Op != "**" || !ok {
				return unknown(build.FormatString(e))
			}
			c.named = merged(c.named, more)
		default:
			c.args = append(c.args, f.evaluate(argument))
		}
	}
	if c.function == "dict" {
		return asDict(c, e)
	}
	return c
}

// asDict evaluates dict(…) of dicts and named arguments.
func asDict(c *call, e *build.CallExpr) any {
	all := newDict()
	for _, argument := range c.args {
		d, ok := argument.(*dict)
		if !ok {
			return unknown(build.FormatString(e))
		}
		all = merged(all, d)
	}
	return merged(all, c.named)
}

// literal writes a value as Starlark does.
func literal(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return build.FormatString(&build.StringExpr{Value: v})
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, literal(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *dict:
		var items []string
		for _, key := range v.keys {
			items = append(items, literal(key)+": "+literal(v.values[key]))
		}
		return "{" + strings.Join(items, ", ") + "}"
	case *call:
		var items []string
		for _, item := range v.args {
			items = append(items, literal(item))
		}
		for _, key := range v.named.keys {
			items = append(items, key+" = "+literal(v.named.values[key]))
		}
		return v.function + "(" + strings.Join(items, ", ") + ")"
	case unknown:
		return strings.Join(strings.Fields(string(v)), " ")
	}
	return ""
}
