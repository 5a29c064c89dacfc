package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bazelbuild/buildtools/build"
)

// modules are the parsed .bzl files of this module, by label without target repository.
type modules struct {
	root  string
	files map[string]*bzlFile
}

// bzlFile is one parsed file.
type bzlFile struct {
	all    *modules
	label  string // such as //tf:defs.bzl
	doc    string // module docstring
	order  []string
	values map[string]build.Expr // by name of the global
	defs   map[string]*build.DefStmt
	loads  map[string][2]string // by local name: label of the file, name there
}

func newModules(root string) *modules { return &modules{root: root, files: map[string]*bzlFile{}} }

// load parses the file of a label like //tf:defs.bzl.
func (m *modules) load(label string) (*bzlFile, error) {
	if file := m.files[label]; file != nil {
		return file, nil
	}
	pkg, name, ok := strings.Cut(strings.TrimPrefix(label, "//"), ":")
	if !ok || !strings.HasPrefix(label, "//") {
		return nil, fmt.Errorf("%s is no file of this module", label)
	}
	data, err := os.ReadFile(filepath.Join(m.root, filepath.FromSlash(pkg), filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	parsed, err := build.ParseBzl(path.Join(pkg, name), data)
	if err != nil {
		return nil, err
	}
	f := &bzlFile{all: m, label: label, values: map[string]build.Expr{}, defs: map[string]*build.DefStmt{}, loads: map[string][2]string{}}
	f.read(parsed, pkg)
	m.files[label] = f
	return f, nil
}

func (f *bzlFile) read(parsed *build.File, pkg string) {
	first := true
	for _, statement := range parsed.Stmt {
		switch s := statement.(type) {
		case *build.CommentBlock:
			continue
		case *build.StringExpr:
			if first {
				f.doc = strings.TrimSpace(s.Value) // not indented: what is, is code
			}
		case *build.LoadStmt:
			for i, name := range s.To {
				// buildtools calls the local name To, whatever its comment says.
				f.loads[name.Name] = [2]string{absolute(s.Module.Value, pkg), s.From[i].Name}
			}
		case *build.AssignExpr:
			if name, ok := s.LHS.(*build.Ident); ok && s.Op == "=" {
				f.values[name.Name] = s.RHS
				f.order = append(f.order, name.Name)
			}
		case *build.DefStmt:
			f.defs[s.Name] = s
			f.order = append(f.order, s.Name)
		}
		first = false
	}
}

func absolute(label, pkg string) string {
	if strings.HasPrefix(label, ":") {
		return "//" + pkg + label
	}
	return label
}

// lookUp follows a name through load statements to where it is defined.
func (f *bzlFile) lookUp(name string) (*bzlFile, string, error) {
	from, ok := f.loads[name]
	if !ok {
		return f, name, nil
	}
	file, err := f.all.load(from[0])
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", f.label, err)
	}
	return file.lookUp(from[1])
}

// public returns the names of globals that are not private, in order of definition.
func (f *bzlFile) public() []string {
	var names []string
	for _, name := range f.order {
		if !strings.HasPrefix(name, "_") {
			names = append(names, name)
		}
	}
	return names
}
