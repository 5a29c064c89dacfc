package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// goSources are the packages below tools/internal, parsed when they are needed.
type goSources struct {
	root     string
	packages map[string]*goPackage // by folder below tools/internal
}

// goPackage is what the reference needs of one package.
type goPackage struct {
	name      string
	types     map[string]*goType
	funcs     map[string]*ast.FuncDecl // methods as Type.Method
	constants []goConstant             // in the order of the sources
}

// goType is a type declaration.
type goType struct {
	doc     string
	expr    ast.Expr
	imports map[string]string // of its file: folder below tools/internal by local name
}

// goConstant is a constant with its value in the source.
type goConstant struct {
	name, doc string
	kind      string // its type as written: Kind, problem.Kind; empty if it has none
	value     ast.Expr
}

func newGoSources(root string) *goSources {
	return &goSources{root: root, packages: map[string]*goPackage{}}
}

// load parses a package, without its tests.
func (s *goSources) load(name string) (*goPackage, error) {
	if p := s.packages[name]; p != nil {
		return p, nil
	}
	dir := filepath.Join(s.root, "tools", "internal", filepath.FromSlash(name))
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("there is no package %s", dir)
	}
	p := &goPackage{name: name, types: map[string]*goType{}, funcs: map[string]*ast.FuncDecl{}}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.read(parsed)
	}
	s.packages[name] = p
	return p, nil
}

// all loads every package below tools/internal, sorted by name.
func (s *goSources) all() ([]*goPackage, error) {
	entries, err := os.ReadDir(filepath.Join(s.root, "tools", "internal"))
	if err != nil {
		return nil, err
	}
	var list []*goPackage
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		p, err := s.load(entry.Name())
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

func (p *goPackage) read(file *ast.File) {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		if full, err := strconv.Unquote(spec.Path.Value); err == nil && strings.Contains(full, "/tools/internal/") {
			_, name, _ := strings.Cut(full, "/tools/internal/")
			imports[path.Base(name)] = name
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			p.funcs[functionName(d)] = d
		case *ast.GenDecl:
			p.readSpecs(d, imports)
		}
	}
}

func (p *goPackage) readSpecs(d *ast.GenDecl, imports map[string]string) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			doc := comment(spec.Doc, spec.Comment)
			if doc == "" && len(d.Specs) == 1 {
				doc = comment(d.Doc)
			}
			p.types[spec.Name.Name] = &goType{doc: doc, expr: spec.Type, imports: imports}
		case *ast.ValueSpec:
			if d.Tok != token.CONST || len(spec.Names) != len(spec.Values) {
				continue
			}
			for i, name := range spec.Names {
				c := goConstant{name: name.Name, doc: comment(spec.Doc, spec.Comment), value: spec.Values[i]}
				if spec.Type != nil {
					c.kind = typeName(spec.Type)
				}
				p.constants = append(p.constants, c)
			}
		}
	}
}

// functionName returns Name or Type.Name.
func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	return strings.TrimPrefix(typeName(d.Recv.List[0].Type), "*") + "." + d.Name.Name
}

// typeName returns the source form of a simple type; empty for others.
func typeName(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return typeName(e.X) + "." + e.Sel.Name
	case *ast.StarExpr:
		return "*" + typeName(e.X)
	}
	return ""
}

// comment joins comments into one text without line breaks inside of paragraphs; code in them stays as it is.
func comment(groups ...*ast.CommentGroup) string {
	var texts []string
	for _, group := range groups {
		if text := strings.TrimSpace(group.Text()); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " ")
}
