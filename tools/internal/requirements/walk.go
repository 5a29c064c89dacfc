package requirements

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// maxModules is how many modules of a configuration are visited.
const maxModules = 10_000

// root is a configuration to read: a directory, or some files of one.
type root struct {
	dir   string   // as given, without a trailing slash
	files []string // names; nil for all
}

// walker reads the modules of configurations.
type walker struct {
	options Options
	report
	modules map[string]*module // by directory
	missing []string           // labels of calls whose modules are not installed

	// Of one root:
	root      root
	installed map[string]record
	visited   int
	local     map[string]bool // directories whose modules have been read for this root and call nothing that was installed
	wants     []located
}

// located is a demand with the module that has it.
type located struct {
	demand
	module string // "" for the root, else like module.a.module.b
	label  string // the file, in words that do not depend on whether and where modules are installed
}

// visit is one module on its way from the root.
type visit struct {
	dir      string
	keys     []string // names of calls
	trail    []string // directories above, for cycles
	package_ string   // address of the nearest call whose module was installed, "" if the files are in the user's own tree
	base     string   // directory of that module
}

func address(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return "module." + strings.Join(keys, ".module.")
}

// walk reads a root and all it calls, and returns who wants what.
func (w *walker) walk(r root) []located {
	w.root, w.visited, w.local, w.wants = r, 0, map[string]bool{}, nil
	var err error
	if w.installed, err = readInstalled(w.options.manifest(r.dir)); err != nil {
		w.problems = append(w.problems, Problem{File: w.show(w.options.manifest(r.dir)),
			Message: fmt.Sprintf("this record of installed modules cannot be read (%v); run `%s get`", err, w.options.Tool)})
		return nil
	}
	m, err := w.load(r.dir, r.files)
	if err != nil {
		w.problems = append(w.problems, w.unreadable(r.dir, err))
		return nil
	}
	w.module(m, visit{dir: r.dir})
	return w.wants
}

// unreadable describes a root that cannot be read.
func (w *walker) unreadable(dir string, err error) Problem {
	p := Problem{File: w.show(dir)}
	switch {
	case errors.Is(err, errNoFiles):
		p.Message = fmt.Sprintf("this directory has no configuration files of %s", w.options.Tool)
	case errors.Is(err, fs.ErrNotExist):
		p.Message = "there is no such directory"
	default:
		p.Message = "the directory cannot be read: " + cause(err)
	}
	return p
}

var errNoFiles = errors.New("no configuration files")

// cause returns the text of an error without the path, which is shown in another form already.
func cause(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}

// load reads the files of a module, once. Only a root must have files.
func (w *walker) load(dir string, names []string) (*module, error) {
	key := dir + "\x00" + strings.Join(names, "\x00")
	if m, ok := w.modules[key]; ok {
		return m, nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("it is no directory")
	}
	if err != nil {
		return nil, err
	}
	if names == nil {
		if names, err = listFiles(dir, w.options.Tool); err != nil {
			return nil, err
		}
		if len(names) == 0 && dir == w.root.dir {
			return nil, errNoFiles
		}
	}
	var files []source
	var failed []Problem
	for _, name := range names {
		path := filepath.Join(dir, name)
		text, err := readFile(path)
		if err != nil {
			failed = append(failed, Problem{File: w.show(path), Message: "the file cannot be read: " + cause(err)})
			continue
		}
		files = append(files, source{name, w.show(path), text})
	}
	m := decodeModule(files, w.options.Tool)
	m.report.problems = append(m.report.problems, failed...)
	w.add(m.report)
	w.modules[key] = m
	return m, nil
}

// module takes over what a module wants and visits what it calls. The result is whether all of that was in local modules, whose content
// does not depend on the way to them.
func (w *walker) module(m *module, v visit) bool {
	if w.visited++; w.visited > maxModules {
		if w.visited == maxModules+1 {
			w.problems = append(w.problems, Problem{File: w.show(w.root.dir), Message: fmt.Sprintf("more than %d modules are called", maxModules)})
		}
		return false
	}
	for _, d := range m.demands {
		w.wants = append(w.wants, located{d, address(v.keys), w.label(d.at, v)})
	}
	v.trail = append(slices.Clip(v.trail), identity(v.dir))
	onlyLocal := true
	for _, c := range m.calls {
		onlyLocal = w.call(c, v) && onlyLocal
	}
	return onlyLocal
}

func (w *walker) call(c call, v visit) bool {
	next := visit{keys: append(slices.Clip(v.keys), c.name), trail: v.trail, package_: v.package_, base: v.base}
	local := isLocal(c.source)
	if local {
		next.dir = filepath.Join(v.dir, filepath.FromSlash(strings.ReplaceAll(c.source, `\`, "/")))
	} else if !w.find(c, &next) {
		return false
	}
	id := identity(next.dir)
	if i := slices.Index(v.trail, id); i >= 0 {
		w.problem(c.at, "module %q calls a module that it is part of: %s", c.name, w.cycle(v.trail[i:], id))
		return local
	}
	if local && w.local[id] {
		return true
	}
	m, err := w.load(next.dir, nil)
	if err != nil {
		why := "cannot be read: " + cause(err)
		if errors.Is(err, fs.ErrNotExist) {
			why = "does not exist"
		}
		w.problem(c.at, "the directory of module %q, %s, %s", c.name, w.show(next.dir), why)
		return local
	}
	onlyLocal := w.module(m, next)
	if local && onlyLocal {
		w.local[id] = true
	}
	return local && onlyLocal
}

// find looks up the installed module of a call whose source is not local.
func (w *walker) find(c call, next *visit) bool {
	key := strings.Join(next.keys, ".")
	r, ok := w.installed[key]
	why := "it is not installed"
	if ok {
		next.dir = r.Dir
		if !filepath.IsAbs(r.Dir) {
			next.dir = filepath.Join(w.root.dir, r.Dir)
		}
		if why = r.stale(c); why == "" {
			if info, err := os.Stat(next.dir); err != nil || !info.IsDir() {
				why = w.show(next.dir) + " is gone"
			}
		}
		if why == "" {
			next.package_, next.base = address(next.keys), next.dir
			return true
		}
	}
	shown := shownSource(c.source)
	if shown == "" {
		shown = "computed source"
	}
	w.missing = append(w.missing, w.inRoot(address(next.keys)))
	w.warn(c.at, "%s (%s) is not read, and what it requires is not known: %s; run `%s get` in %s", address(next.keys), shown, why, w.options.Tool, w.show(w.root.dir))
	return false
}

// inRoot names a module of this root.
func (w *walker) inRoot(address string) string {
	if shown := w.show(w.root.dir); shown != "." {
		return shown + ": " + address
	}
	return address
}

// label names the file of a demand. Below an installed module that is the call and a path inside of the module.
func (w *walker) label(at hcl.Range, v visit) string {
	if v.package_ == "" {
		return at.Filename
	}
	file := at.Filename
	if inside, err := filepath.Rel(filepath.FromSlash(w.show(v.base)), filepath.FromSlash(file)); err == nil {
		file = filepath.ToSlash(inside)
	}
	return w.inRoot(v.package_) + ": " + file
}

func (w *walker) cycle(trail []string, end string) string {
	var names []string
	for _, dir := range append(slices.Clip(trail), end) {
		names = append(names, w.show(dir))
	}
	return strings.Join(names, " → ")
}

// identity returns one name of a directory, however it is reached.
func identity(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	return dir
}

// show returns a path as people see it: relative to the base, with slashes.
func (w *walker) show(path string) string { return show(w.options.Base, path) }

func show(base, path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	if base, err = filepath.Abs(base); err == nil {
		if relative, err := filepath.Rel(base, absolute); err == nil {
			absolute = relative
		}
	}
	return filepath.ToSlash(absolute)
}
