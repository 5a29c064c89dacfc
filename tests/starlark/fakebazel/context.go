package fakebazel

import (
	"fmt"
	"path"
	"strings"

	"go.starlark.net/starlark"
)

// ExecResult is what a process of a test leaves.
type ExecResult struct {
	Code           int
	Stdout, Stderr string
}

// Context is what module and repository contexts have in common. It is a Starlark value with these attributes; the embedding
// context adds its own.
type Context struct {
	Files   Files
	Dir     string            // working directory
	Labels  map[string]string // paths of labels that may be used
	Watched []string          // paths that were watched, by watch, watch_tree or read(watch = "yes")
	Fetched []string          // labels that path() was called for: these repositories are fetched
	// Exec plays the processes; nil: none may be started.
	Exec func(argv []string, kwargs map[string]any) ExecResult
	// Executed are the argument lists of all processes.
	Executed [][]string

	attrs map[string]starlark.Value
}

func (c *Context) abs(v starlark.Value) (string, error) {
	switch v := v.(type) {
	case filePath:
		return v.name, nil
	case starlark.String:
		if path.IsAbs(string(v)) {
			return path.Clean(string(v)), nil
		}
		return path.Join(c.Dir, string(v)), nil
	case Label:
		name, ok := c.Labels[string(v)]
		if !ok {
			return "", fmt.Errorf("the label %s is not to be touched", v)
		}
		c.Fetched = append(c.Fetched, string(v))
		return name, nil
	}
	return "", fmt.Errorf("no path: %s", v.Type())
}

// method adds a method whose named parameters are unpacked into pointers.
func (c *Context) method(name string, function builtinFunc) {
	if c.attrs == nil {
		c.attrs = map[string]starlark.Value{}
	}
	c.attrs[name] = starlark.NewBuiltin(name, function)
}

func (c *Context) addCommon() {
	c.method("path", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var p starlark.Value
		if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &p); err != nil {
			return nil, err
		}
		name, err := c.abs(p)
		return filePath{c.Files, name}, err
	})
	c.method("read", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var p starlark.Value
		watch := "auto"
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "path", &p, "watch?", &watch); err != nil {
			return nil, err
		}
		name, err := c.abs(p)
		if err != nil {
			return nil, err
		}
		text, ok := c.Files[name]
		if !ok {
			return nil, fmt.Errorf("read: %s: no such file", name)
		}
		if watch != "no" {
			c.Watched = append(c.Watched, name)
		}
		return starlark.String(text), nil
	})
	for _, name := range []string{"watch", "watch_tree"} {
		c.method(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var p starlark.Value
			if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &p); err != nil {
				return nil, err
			}
			name, err := c.abs(p)
			c.Watched = append(c.Watched, name)
			return starlark.None, err
		})
	}
	c.method("file", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var p starlark.Value
		var content string
		var executable bool
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "path", &p, "content?", &content, "executable?", &executable); err != nil {
			return nil, err
		}
		name, err := c.abs(p)
		c.Files[name] = content
		return starlark.None, err
	})
	c.method("report_progress", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		return starlark.None, nil
	})
	c.method("execute", c.execute)
}

func (c *Context) execute(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var arguments *starlark.List
	if err := starlark.UnpackPositionalArgs(b.Name(), args, nil, 1, &arguments); err != nil {
		return nil, err
	}
	named := map[string]any{}
	for _, pair := range kwargs {
		named[string(pair[0].(starlark.String))] = ToGo(pair[1])
	}
	var argv []string
	for n := range arguments.Len() {
		if text, ok := starlark.AsString(arguments.Index(n)); ok {
			argv = append(argv, text)
		} else {
			argv = append(argv, arguments.Index(n).String())
		}
	}
	c.Executed = append(c.Executed, argv)
	if c.Exec == nil {
		return nil, fmt.Errorf("no process may be started here: %s", strings.Join(argv, " "))
	}
	result := c.Exec(argv, named)
	return ToStarlark(Struct{"return_code": result.Code, "stdout": result.Stdout, "stderr": result.Stderr}), nil
}

// Attr makes the context's attributes visible; an unknown one is absent, as hasattr sees it.
func (c *Context) Attr(name string) (starlark.Value, error) { return c.attrs[name], nil }

// AttrNames lists the attributes.
func (c *Context) AttrNames() []string { return sortedKeys(c.attrs) }

func (c *Context) String() string        { return "<context>" }
func (c *Context) Type() string          { return "context" }
func (c *Context) Freeze()               {}
func (c *Context) Truth() starlark.Bool  { return true }
func (c *Context) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: context") }
