package archive

import (
	"archive/zip"
	"fmt"
	"path"
	"slices"
	"strings"
)

// file is one file that will be written.
type file struct {
	path       string // slash-separated, below the target
	executable bool
	source     *zip.File
}

// plan is what an archive will become. It is complete before anything is written.
type plan struct {
	dirs  []string // in the order of the archive, parents not listed; with "." never
	files []file
}

// newPlan checks all entries. size is that of the zip file in bytes.
func newPlan(r *zip.Reader, size int64, opts Options) (*plan, *Error) {
	if len(r.File) == 0 {
		return nil, &Error{Problem: "the zip is empty"}
	}
	if err := opts.Limits.check(r.File, size); err != nil {
		return nil, err
	}
	p := &plan{}
	tree := newTree(opts.foldCase())
	for _, entry := range r.File {
		clean, problem := cleanName(entry.Name, opts.windows())
		if problem != "" {
			return nil, &Error{Entry: entry.Name, Problem: problem}
		}
		isDir, problem := entryType(entry, clean)
		if problem != "" {
			return nil, &Error{Entry: entry.Name, Problem: problem}
		}
		if problem := tree.add(clean, isDir); problem != "" {
			return nil, &Error{Entry: entry.Name, Problem: problem}
		}
		switch {
		case !isDir:
			p.files = append(p.files, file{path: clean, executable: entry.Mode()&0o111 != 0 && entry.Mode().IsRegular(), source: entry})
		case clean != ".":
			p.dirs = append(p.dirs, clean)
		}
	}
	if len(p.files) == 0 {
		return nil, &Error{Problem: "the zip holds no file, only directories"}
	}
	return p, p.markProvider(opts.ProviderType)
}

// The upper four bits of a Unix mode, which stands in the upper half of an entry's attributes.
const (
	typeNone   = 0
	typeFolder = 4
	typeFile   = 8
	typeLink   = 10
)

// entryType tells directories from files. Link entries are files (R-HASH-7). Whatever system the zip names as its own, the attributes
// are read as Bazel reads them, so that both unpack the same (tf/private/zip_entries.bzl).
func entryType(entry *zip.File, clean string) (isDir bool, problem string) {
	const encrypted, dosFolder = 0x1, 0x10
	mode := entry.ExternalAttrs >> 16
	kind := mode >> 12
	known := kind == typeNone || kind == typeFolder || kind == typeFile
	switch {
	case entry.Flags&encrypted != 0:
		return false, "the entry is encrypted"
	case entry.Method != zip.Store && entry.Method != zip.Deflate:
		return false, fmt.Sprintf("the entry has compression method %d, which is not supported", entry.Method)
	case strings.HasSuffix(entry.Name, "/"):
		isDir = true
	case mode == 0:
		isDir = entry.ExternalAttrs&dosFolder != 0
	default:
		isDir, known = kind == typeFolder, known || kind == typeLink
	}
	switch {
	case !known:
		return false, fmt.Sprintf("the entry is neither file, directory nor link (mode %#x)", mode)
	case isDir && entry.UncompressedSize64 != 0:
		return false, "a directory with content"
	case !isDir && clean == ".":
		return false, "the name of a file is that of the package directory itself"
	case !isDir && entry.Method == zip.Store && entry.UncompressedSize64 != entry.CompressedSize64:
		return false, "the archive is damaged: the entry has two sizes"
	}
	return isDir, ""
}

// markProvider makes the file that the tools will start executable (R-CACHE-6): of the files at the top, in byte order, the first with the
// provider's name. Without a provider type nothing is wanted.
func (p *plan) markProvider(providerType string) *Error {
	if providerType == "" {
		return nil
	}
	name := "terraform-provider-" + providerType
	found := -1
	for i, f := range p.files {
		rest, ok := strings.CutPrefix(f.path, name)
		if !ok || strings.Contains(f.path, "/") || (rest != "" && rest[0] != '_' && rest[0] != '.') {
			continue
		}
		if found < 0 || f.path < p.files[found].path {
			found = i
		}
	}
	if found < 0 {
		return &Error{Problem: fmt.Sprintf("no provider executable: wanted a file %s_… at the top, found %s", name, p.topNames())}
	}
	p.files[found].executable = true
	return nil
}

// topNames lists up to five names at the top of the package, for an error.
func (p *plan) topNames() string {
	var names []string
	for _, f := range p.files {
		top, _, _ := strings.Cut(f.path, "/")
		if quoted := fmt.Sprintf("%q", top); !slices.Contains(names, quoted) {
			names = append(names, quoted)
		}
	}
	slices.Sort(names)
	if len(names) > 5 {
		names = append(names[:5], fmt.Sprintf("and %d more", len(names)-5))
	}
	return strings.Join(names, ", ")
}

// tree remembers what each path is, to find entries that contradict each other.
type tree struct {
	fold  bool
	nodes map[string]node // by key
}

type node struct {
	path  string // as first seen
	isDir bool
}

func newTree(fold bool) *tree { return &tree{fold: fold, nodes: map[string]node{}} }

// add enters a path and its parents. The result says what contradicts it, or is "".
func (t *tree) add(p string, isDir bool) string {
	for parent := path.Dir(p); parent != "."; parent = path.Dir(parent) {
		if problem := t.enter(parent, true); problem != "" {
			return problem
		}
	}
	if p == "." {
		return ""
	}
	return t.enter(p, isDir)
}

func (t *tree) enter(p string, isDir bool) string {
	key := p
	if t.fold {
		key = foldName(p)
	}
	known, exists := t.nodes[key]
	switch {
	case !exists:
		t.nodes[key] = node{path: p, isDir: isDir}
		return ""
	case known.path != p:
		return fmt.Sprintf("this system takes the name for the same as %q (case or accents differ)", known.path)
	case known.isDir != isDir:
		return fmt.Sprintf("%q is a file and a directory at once", p)
	case !isDir:
		return "two entries have this name"
	default:
		return ""
	}
}
