package main

import (
	"fmt"
	"go/ast"
	"reflect"
	"strconv"
	"strings"
)

// field is one member of a JSON object.
type field struct {
	goName, name string
	kind         string // in words, Markdown
	optional     bool   // left out when empty
	doc          string
}

// objects describes Go types as JSON. What they refer to is described too, once.
type objects struct {
	sources *goSources
	known   map[string]bool // headings of objects that are described or in the queue
	queue   [][2]string     // package and name of structs
	values  map[string]bool // package.name of string types with constants
}

// fieldsOf returns the members that encoding/json writes for a struct. A struct without tags has none.
func (o *objects) fieldsOf(pkg *goPackage, s *ast.StructType, imports map[string]string) ([]field, error) {
	var list []field
	for _, f := range s.Fields.List {
		if f.Tag == nil || len(f.Names) != 1 {
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return nil, err
		}
		name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		kind, err := o.kindOf(pkg, f.Type, imports)
		if err != nil {
			return nil, fmt.Errorf("%s, field %s: %w", pkg.name, name, err)
		}
		_, pointer := f.Type.(*ast.StarExpr)
		optional := strings.Contains(options, "omitempty")
		if pointer && !optional {
			kind += " or null"
		}
		list = append(list, field{goName: f.Names[0].Name, name: name, kind: kind, optional: optional, doc: comment(f.Doc, f.Comment)})
	}
	return list, nil
}

// kindOf names a type in words, and puts structs that are met into the queue.
func (o *objects) kindOf(pkg *goPackage, expr ast.Expr, imports map[string]string) (string, error) {
	switch e := expr.(type) {
	case *ast.StarExpr:
		return o.kindOf(pkg, e.X, imports)
	case *ast.ArrayType:
		element, err := o.kindOf(pkg, e.Elt, imports)
		return "array of " + element, err
	case *ast.MapType:
		element, err := o.kindOf(pkg, e.Value, imports)
		return "object, each value " + element, err
	case *ast.Ident:
		switch e.Name {
		case "string":
			return "string", nil
		case "bool":
			return "boolean", nil
		case "int", "int64", "uint64":
			return "number", nil
		case "any":
			return "any", nil
		}
		return o.named(pkg, e.Name)
	case *ast.SelectorExpr:
		if typeName(e) == "json.RawMessage" {
			return "object", nil
		}
		other, ok := imports[typeName(e.X)]
		if !ok {
			break
		}
		loaded, err := o.sources.load(other)
		if err != nil {
			return "", err
		}
		return o.named(loaded, e.Sel.Name)
	}
	return "", fmt.Errorf("the reference has no words for the type %s", typeName(expr))
}

// named returns a link to a struct or to the constants of a string type of a package.
func (o *objects) named(pkg *goPackage, name string) (string, error) {
	declared := pkg.types[name]
	if declared == nil {
		return "", fmt.Errorf("there is no type %s.%s", pkg.name, name)
	}
	heading := pkg.name + "." + name
	if _, ok := declared.expr.(*ast.StructType); ok {
		if !o.known[heading] {
			o.known[heading] = true
			o.queue = append(o.queue, [2]string{pkg.name, name})
		}
		return fmt.Sprintf("[%s](#%s)", heading, anchor(heading)), nil
	}
	kind, err := o.kindOf(pkg, declared.expr, declared.imports)
	if err != nil || kind != "string" {
		return kind, err
	}
	if heading == errorKind {
		return "[error kind](#error-kinds)", nil
	}
	o.values[heading] = true
	return fmt.Sprintf("[%s](#%s)", heading, anchor(heading)), nil
}

// forms returns the structs that a hand-written MarshalJSON makes, in its order.
func forms(pkg *goPackage, name string) []*goType {
	method := pkg.funcs[name+".MarshalJSON"]
	if method == nil {
		return nil
	}
	var list []*goType
	ast.Inspect(method, func(node ast.Node) bool {
		if literal, ok := node.(*ast.CompositeLit); ok {
			if form := pkg.types[typeName(literal.Type)]; form != nil {
				list = append(list, form)
			}
		}
		return true
	})
	return list
}

// anonymousStruct returns the first struct type that a function writes down, which is the object that it prints.
func anonymousStruct(d *ast.FuncDecl) *ast.StructType {
	var found *ast.StructType
	ast.Inspect(d, func(node ast.Node) bool {
		if s, ok := node.(*ast.StructType); ok && found == nil {
			found = s
		}
		return found == nil
	})
	return found
}
