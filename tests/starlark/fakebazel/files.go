package fakebazel

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"go.starlark.net/starlark"
)

// Files is a file system in memory: absolute paths with their content. Directories exist where something is in them.
type Files map[string]string

func (f Files) isDir(p string) bool {
	for name := range f {
		if strings.HasPrefix(name, p+"/") {
			return true
		}
	}
	return false
}

func (f Files) exists(p string) bool {
	_, ok := f[p]
	return ok || f.isDir(p)
}

// children returns the paths of what is directly in a directory, sorted.
func (f Files) children(p string) []string {
	seen := map[string]bool{}
	for name := range f {
		if rest, ok := strings.CutPrefix(name, p+"/"); ok {
			seen[p+"/"+strings.SplitN(rest, "/", 2)[0]] = true
		}
	}
	return sortedKeys(seen)
}

func (f Files) remove(p string) {
	for name := range f {
		if name == p || strings.HasPrefix(name, p+"/") {
			delete(f, name)
		}
	}
}

// filePath is a path object of a context.
type filePath struct {
	files Files
	name  string
}

var _ starlark.HasAttrs = filePath{}

func (p filePath) Attr(name string) (starlark.Value, error) {
	switch name {
	case "basename":
		return starlark.String(path.Base(p.name)), nil
	case "dirname":
		return filePath{p.files, path.Dir(p.name)}, nil
	case "exists":
		return starlark.Bool(p.files.exists(p.name)), nil
	case "is_dir":
		return starlark.Bool(p.files.isDir(p.name)), nil
	case "get_child":
		return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			child := p.name
			for _, arg := range args {
				text, ok := starlark.AsString(arg)
				if !ok {
					return nil, fmt.Errorf("get_child: got %s, want string", arg.Type())
				}
				child = path.Join(child, text)
			}
			return filePath{p.files, child}, nil
		}), nil
	case "readdir":
		return starlark.NewBuiltin(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			var children []starlark.Value
			for _, child := range p.files.children(p.name) {
				children = append(children, filePath{p.files, child})
			}
			return starlark.NewList(children), nil
		}), nil
	}
	return nil, nil
}

func (p filePath) AttrNames() []string {
	names := []string{"basename", "dirname", "exists", "get_child", "is_dir", "readdir"}
	sort.Strings(names)
	return names
}

func (p filePath) String() string        { return p.name }
func (p filePath) Type() string          { return "path" }
func (p filePath) Freeze()               {}
func (p filePath) Truth() starlark.Bool  { return true }
func (p filePath) Hash() (uint32, error) { return starlark.String(p.name).Hash() }
