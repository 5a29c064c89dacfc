package requirements

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/versions"
)

// Options are the circumstances of a run.
type Options struct {
	Tool addrs.Tool
	Base string // directory to which shown paths are relative; empty for the working directory
	// DataDir is TF_DATA_DIR, where the tool keeps installed modules: relative to each root module, or absolute. Empty for .terraform.
	DataDir string
}

// Want is one module's word about a provider.
type Want struct {
	Text   string `json:"text"`   // the constraint as written, trimmed; empty for any version
	Module string `json:"module"` // address in its root module, such as module.net.module.vpc; empty for the root itself
	File   string `json:"file"`   // relative to Options.Base, with slashes
	Line   int    `json:"line"`   // from 1: of the version, or of what implies the provider

	label string
}

// Requirement is what the mirror must hold for one provider. A source has several only if root modules contradict each other.
type Requirement struct {
	Provider   addrs.Provider
	Constraint versions.Constraint // all wants together; Any if none has a constraint
	Entry      string              // as an entry of `mirror` in MODULE.bazel
	Wants      []Want              // by file and line
}

// Result is what configurations require.
type Result struct {
	Requirements []Requirement // by provider
	Warnings     []Problem     // by place
	Missing      []string      // module calls whose modules are not installed, such as "envs/prod: module.vpc"
}

// Gather reads configurations: directories of root modules, or files, of which those in one directory count as one module. The error is
// an *Error that holds every problem found.
func Gather(paths []string, o Options) (*Result, error) {
	w := &walker{options: o, modules: map[string]*module{}}
	var perRoot [][]located
	for _, r := range w.roots(paths) {
		perRoot = append(perRoot, w.walk(r))
	}
	result := &Result{Requirements: w.merge(perRoot), Missing: slices.Compact(slices.Sorted(slices.Values(w.missing)))}
	w.warnAliases(result.Requirements)
	if len(w.problems) > 0 {
		return nil, &Error{ordered(w.problems)}
	}
	result.Warnings = ordered(w.warnings)
	return result, nil
}

// roots sorts the paths into root modules, in an order that does not depend on that of the arguments.
func (w *walker) roots(paths []string) []root {
	roots := map[string]root{}
	whole := map[string]bool{}
	fail := func(path, format string, args ...any) {
		w.problems = append(w.problems, Problem{File: w.show(path), Message: fmt.Sprintf(format, args...)})
	}
	for _, path := range paths {
		path = filepath.Clean(path)
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fail(path, "there is no such file or directory")
		case err != nil:
			fail(path, "it cannot be read: %s", cause(err))
		case info.IsDir():
			id := identity(path)
			roots[id], whole[id] = root{dir: path}, true
		default:
			name := filepath.Base(path)
			if _, _, ok := splitName(name, w.options.Tool); !ok {
				fail(path, "the name is not that of a configuration file of %s, such as versions.tf or versions.tf.json", w.options.Tool)
				continue
			}
			id := identity(filepath.Dir(path))
			if r := roots[id]; !whole[id] && !slices.Contains(r.files, name) {
				roots[id] = root{filepath.Dir(path), append(r.files, name)}
			}
		}
	}
	var sorted []root
	for _, r := range roots {
		slices.Sort(r.files)
		sorted = append(sorted, r)
	}
	slices.SortFunc(sorted, func(a, b root) int { return cmp.Compare(w.show(a.dir), w.show(b.dir)) })
	return sorted
}

// warnAliases warns if two names of what is usually one provider are required together, as tofu does (R-ADDR-22).
func (w *walker) warnAliases(all []Requirement) {
	if w.options.Tool != addrs.OpenTofu {
		return
	}
	for _, r := range all {
		p := r.Provider
		if p.Namespace != "hashicorp" {
			continue
		}
		p.Namespace = "opentofu"
		if i := slices.IndexFunc(all, func(other Requirement) bool { return other.Provider == p }); i >= 0 {
			a, b := r.Wants[0], all[i].Wants[0]
			w.warnings = append(w.warnings, Problem{a.File, a.Line, fmt.Sprintf("%s is required here and %s at %s:%d; these are probably one provider under two names",
				r.Provider, p, b.File, b.Line)})
		}
	}
}
