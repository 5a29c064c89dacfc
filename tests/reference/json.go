package main

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// errorKind is the type of error kinds, whose constants are those of several packages.
const errorKind = "problem.Kind"

// formats are the roots of the JSON section: structs, or functions that print an anonymous one.
var formats = []struct{ heading, intro, pkg, name, function string }{
	{"manifest.Request", "Input of `resolve` and `fetch`; the manifest of the hub, input of `lock`, is one too. An unknown field is an error.", "manifest", "Request", ""},
	{"manifest.Response", "Output of `resolve`.", "manifest", "Response", ""},
	{"lock --json", "What `lock --json` prints.", "lock", "", "Report.Encode"},
	{"fetch --json", "What `fetch --json` prints.", "fetch", "", "Report.Encode"},
	{"gather --json", "What `gather --json` prints.", "cli", "", "printRequirements"},
	{"hash --json", "What `hash --json` prints.", "cli", "", "printHashes"},
}

// recorded are the values of facts by the form of their keys, which package facts makes.
var recorded = []struct{ heading, keys, pkg, name string }{
	{"facts.Resolve", "resolve/<host>/<namespace>/<type>/<constraint or latest>", "facts", "Resolve"},
	{"facts.Package", "package/<host>/<namespace>/<type>/<version>/<os>_<arch>", "facts", "Package"},
	{"facts.Tool", "tool/<terraform or tofu>/<version>/<os>_<arch>", "facts", "Tool"},
	{"trust.Verified", "verified/<host>/<namespace>/<type>/<version>", "trust", "Verified"},
	{"trust.Signer", "signer/<host>/<namespace>/<type>", "trust", "Signer"},
}

// jsonSections describes the helper's JSON, the facts and the error kinds.
func jsonSections(root string) (string, error) {
	o := &objects{sources: newGoSources(root), known: map[string]bool{}, values: map[string]bool{}}
	for _, f := range formats {
		o.known[f.heading] = true
	}
	for _, f := range recorded {
		o.known[f.heading] = true
	}
	var b strings.Builder
	b.WriteString("\n## JSON\n\nNew optional fields do not change `schema`. Fields that are not optional are always there.\n")
	for _, f := range formats {
		text, err := o.format(f.heading, f.intro, f.pkg, f.name, f.function)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	b.WriteString("\n## Facts\n\nWhat `MODULE.bazel.lock` records for the extension, each under a key of its own; see [locks](lock.md#facts).\n")
	for _, f := range recorded {
		text, err := o.format(f.heading, "Key: "+code(f.keys)+".", f.pkg, f.name, "")
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	values, err := o.valueSections()
	return b.String() + values, err
}

// format describes a root and what it refers to, but for what has been described.
func (o *objects) format(heading, intro, pkg, name, function string) (string, error) {
	p, err := o.sources.load(pkg)
	if err != nil {
		return "", err
	}
	var text string
	if name != "" {
		text, err = o.object(p, name, intro)
	} else {
		printed := p.funcs[function]
		if printed == nil || anonymousStruct(printed) == nil {
			return "", fmt.Errorf("%s.%s prints no struct", pkg, function)
		}
		text, err = o.printed(p, heading, intro, printed)
	}
	for err == nil && len(o.queue) > 0 {
		next := o.queue[0]
		o.queue = o.queue[1:]
		var more string
		if p, err = o.sources.load(next[0]); err == nil {
			more, err = o.object(p, next[1], "")
			text += more
		}
	}
	return text, err
}

// printed describes the anonymous struct that a function prints. The imports of its file are found by the types that it uses.
func (o *objects) printed(p *goPackage, heading, intro string, function *ast.FuncDecl) (string, error) {
	imports := map[string]string{}
	for _, t := range p.types {
		maps.Copy(imports, t.imports)
	}
	list, err := o.fieldsOf(p, anonymousStruct(function), imports)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("\n### %s\n\n%s\n\n%s", heading, intro, fieldTable(heading, list)), nil
}

// object describes a struct.
func (o *objects) object(p *goPackage, name, intro string) (string, error) {
	declared := p.types[name]
	if declared == nil {
		return "", fmt.Errorf("there is no type %s.%s", p.name, name)
	}
	s, ok := declared.expr.(*ast.StructType)
	if !ok {
		return "", fmt.Errorf("%s.%s is no struct", p.name, name)
	}
	list, err := o.fieldsOf(p, s, declared.imports)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	heading := p.name + "." + name
	fmt.Fprintf(&b, "\n### %s\n\n", heading)
	if doc := goDoc(wordsFor(heading, withoutSubject(declared.doc, name)), list); doc != "" || intro != "" {
		b.WriteString(strings.TrimSpace(intro+" "+doc) + "\n\n")
	}
	if len(list) > 0 {
		b.WriteString(fieldTable(heading, list))
		return b.String(), nil
	}
	docs := map[string]string{}
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			docs[n.Name] = comment(f.Doc, f.Comment)
		}
	}
	written := forms(p, name)
	if len(written) == 0 {
		return "", fmt.Errorf("%s.%s has neither json tags nor a MarshalJSON that writes structs", p.name, name)
	}
	b.WriteString("It has one of these forms:\n")
	for _, form := range written {
		list, err := o.fieldsOf(p, form.expr.(*ast.StructType), form.imports)
		if err != nil {
			return "", err
		}
		for i := range list {
			if list[i].doc == "" {
				list[i].doc = docs[list[i].goName]
			}
		}
		b.WriteString("\n" + fieldTable(heading, list))
	}
	return b.String(), nil
}

func fieldTable(heading string, list []field) string {
	var rows [][]string
	for _, f := range list {
		optional := ""
		if f.optional {
			optional = "yes"
		}
		doc := goDoc(wordsFor(heading+"."+f.name, f.doc), list)
		if f.optional {
			doc = strings.ReplaceAll(doc, "nil:", "absent:")
		}
		rows = append(rows, []string{code(f.name), f.kind, optional, doc})
	}
	return table([]string{"field", "type", "optional", "meaning"}, rows)
}

var word = regexp.MustCompile(`\b[A-Z]\w*\b`)

// goDoc makes a doc comment into Markdown for readers of JSON: fields have the names that they have there.
func goDoc(text string, fields []field) string {
	names := map[string]string{}
	for _, f := range fields {
		names[f.goName] = f.name
	}
	text = outsideCode(withoutRuleNumbers(text), func(part string) string {
		return word.ReplaceAllStringFunc(part, func(w string) string {
			if name, ok := names[w]; ok {
				return code(name)
			}
			return w
		})
	})
	return prose(text)
}

// valueSections lists the constants of string types that fields have.
func (o *objects) valueSections() (string, error) {
	packages, err := o.sources.all()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	kinds := constantRows(packages, errorKind)
	b.WriteString("\n## Error kinds\n\n`kind` of an error is for programs and keeps its meaning; `message` is for people and may change.\n\n")
	b.WriteString(table([]string{"kind", "meaning"}, kinds))
	b.WriteString("\n## Values\n")
	for _, name := range slices.Sorted(maps.Keys(o.values)) {
		pkg, local, _ := strings.Cut(name, ".")
		p, err := o.sources.load(pkg)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n%s", name, goDoc(wordsFor(name, withoutSubject(p.types[local].doc, local)), nil), table([]string{"value", "meaning"}, constantRows(packages, name)))
	}
	return b.String(), nil
}

// constantRows returns value and meaning of all constants of a type, in whatever package they are; its own package comes first.
func constantRows(packages []*goPackage, name string) [][]string {
	own, local, _ := strings.Cut(name, ".")
	var rows [][]string
	add := func(p *goPackage, kind string) {
		for _, c := range p.constants {
			value, ok := c.value.(*ast.BasicLit)
			if !ok || c.kind != kind {
				continue
			}
			text, err := strconv.Unquote(value.Value)
			if err != nil {
				continue
			}
			doc := strings.TrimSuffix(withoutSubject(strings.TrimPrefix(c.doc, c.name+": "), c.name), ".")
			doc = goDoc(wordsFor(name+"."+text, doc), nil)
			at := slices.IndexFunc(rows, func(row []string) bool { return row[0] == code(text) })
			switch {
			case at < 0:
				rows = append(rows, []string{code(text), doc})
			case rows[at][1] == "":
				rows[at][1] = doc
			}
		}
	}
	for _, p := range packages {
		if p.name == own {
			add(p, local)
		}
	}
	for _, p := range packages {
		if p.name != own {
			add(p, name)
		}
	}
	return rows
}
