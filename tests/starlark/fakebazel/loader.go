package fakebazel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Interpreter loads .bzl files of a module. It is not safe for concurrent use; tests make one each, which is cheap.
type Interpreter struct {
	root    string // directory of the module
	modules map[string]starlark.StringDict
	loading map[string]bool
	// Declared are the repositories that repository rules were called for, in order.
	Declared []Repository
	// Printed are the arguments of print, each call one text.
	Printed []string
	// Visibilities are the arguments of visibility() by file label.
	Visibilities map[string][]string
}

// Repository is one call of a repository rule.
type Repository struct {
	Rule  *RepositoryRule
	Name  string
	Attrs map[string]any // as given, converted by ToGo; without the name
}

// NewInterpreter returns an interpreter for the module in the directory root.
func NewInterpreter(root string) *Interpreter {
	return &Interpreter{
		root:         root,
		modules:      map[string]starlark.StringDict{},
		loading:      map[string]bool{},
		Visibilities: map[string][]string{},
	}
}

// Thread returns a thread whose print and repository rules report to the interpreter.
func (i *Interpreter) Thread() *starlark.Thread {
	return &starlark.Thread{
		Print: func(_ *starlark.Thread, text string) { i.Printed = append(i.Printed, text) },
	}
}

// Load returns the globals of a file given by its label in the module, such as "//tf:extensions.bzl".
func (i *Interpreter) Load(label string) (starlark.StringDict, error) { return i.load(label, "") }

func (i *Interpreter) load(label, from string) (starlark.StringDict, error) {
	if label == "@bazel_tools//tools/build_defs/repo:utils.bzl" {
		return starlark.StringDict{"get_auth": starlark.NewBuiltin("get_auth", getAuth)}, nil
	}
	if strings.HasPrefix(label, ":") {
		label = strings.SplitN(from, ":", 2)[0] + label
	}
	pkg, file, ok := strings.Cut(strings.TrimPrefix(label, "//"), ":")
	if !strings.HasPrefix(label, "//") || !ok {
		return nil, fmt.Errorf("%s: the fake loads only files of the module, by //package:file.bzl or :file.bzl", label)
	}
	if globals, ok := i.modules[label]; ok {
		return globals, nil
	}
	if i.loading[label] {
		return nil, fmt.Errorf("cycle of loads at %s", label)
	}
	i.loading[label] = true
	defer delete(i.loading, label)
	data, err := os.ReadFile(filepath.Join(i.root, filepath.FromSlash(pkg), file))
	if err != nil {
		return nil, err
	}
	thread := i.Thread()
	thread.Name = label
	thread.Load = func(_ *starlark.Thread, module string) (starlark.StringDict, error) { return i.load(module, label) }
	globals, err := starlark.ExecFileOptions(&syntax.FileOptions{}, thread, label, data, i.predeclared(label))
	if err != nil {
		return nil, explain(err)
	}
	i.modules[label] = globals
	return globals, nil
}

// Call calls a function of a file with arguments that are converted by ToStarlark, and returns its result.
func (i *Interpreter) Call(label, function string, args ...any) (starlark.Value, error) {
	globals, err := i.Load(label)
	if err != nil {
		return nil, err
	}
	callable, ok := globals[function]
	if !ok {
		return nil, fmt.Errorf("%s has no %s", label, function)
	}
	tuple := make(starlark.Tuple, len(args))
	for n, arg := range args {
		tuple[n] = ToStarlark(arg)
	}
	value, err := starlark.Call(i.Thread(), callable, tuple, nil)
	return value, explain(err)
}

// explain puts the stack into the message of a failed evaluation.
func explain(err error) error {
	if failed, ok := err.(*starlark.EvalError); ok {
		return fmt.Errorf("%s\n%w", failed.Backtrace(), failed)
	}
	return err
}

func getAuth(_ *starlark.Thread, _ *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return new(starlark.Dict), nil
}
