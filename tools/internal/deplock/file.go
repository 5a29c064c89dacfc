package deplock

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/inputfile"
	"rules_tf_mirror/tools/internal/versions"
)

// FileName is the name that the tools give the file (R-LOCK-1).
const FileName = ".terraform.lock.hcl"

// Entry is what a lock file says about one provider.
type Entry struct {
	Provider    addrs.Provider
	Version     versions.Version
	Constraints string        // canonical text (R-CANON), "" for none; may be older than the configuration (R-LOCK-11)
	Hashes      []hashes.Hash // sorted, each once; may hold schemes that nobody compares
	Path        string        // the file it was read from, "" for an entry made by us
	Line        int           // of the block, from 1
}

// ZipHashes returns the zh: hashes, sorted: the packages of every platform that the signed list had, without saying which is which.
func (e Entry) ZipHashes() []hashes.Hash { return e.scheme(hashes.SchemeZip) }

// DirHashes returns the h1: hashes, sorted. Which platform one belongs to is not said.
func (e Entry) DirHashes() []hashes.Hash { return e.scheme(hashes.SchemeDir) }

// Binds reports whether the entry has a hash that the tools compare; without one they install anything (R-HASH-9).
func (e Entry) Binds() bool { return slices.ContainsFunc(e.Hashes, hashes.Hash.Preferred) }

// Place returns path:line, for messages.
func (e Entry) Place() string { return fmt.Sprintf("%s:%d", e.Path, e.Line) }

func (e Entry) scheme(scheme string) []hashes.Hash {
	var found []hashes.Hash
	for _, h := range e.Hashes {
		if h.Scheme == scheme {
			found = append(found, h)
		}
	}
	return found
}

// File is a lock file as it was read.
type File struct {
	Path     string
	Missing  bool     // there was no such file
	Text     []byte   // as read
	Entries  []Entry  // sorted as R-ADDR-14, one for each provider
	Warnings []string // with path and line
}

// Find returns the entry of the provider.
func (f *File) Find(p addrs.Provider) (Entry, bool) {
	i := slices.IndexFunc(f.Entries, func(e Entry) bool { return e.Provider == p })
	if i < 0 {
		return Entry{}, false
	}
	return f.Entries[i], true
}

// Foreign returns a warning for each entry of the other tool's default registry: this tool never looks at it, so it locks nothing (A20).
// tofu takes the version of hashicorp/* from such an entry, the hashes never (R-LOCK-16).
func (f *File) Foreign(tool addrs.Tool) []string {
	other := addrs.OpenTofu
	if tool == addrs.OpenTofu {
		other = addrs.Terraform
	}
	var warnings []string
	for _, e := range f.Entries {
		if e.Provider.Host != other.DefaultHost() {
			continue
		}
		own := e.Provider
		own.Host = tool.DefaultHost()
		if _, ok := f.Find(own); ok {
			continue // a file for both tools
		}
		warnings = append(warnings, fmt.Sprintf("%s: %s is locked for another registry: the default of %s is %s, so this entry locks nothing; "+
			"the two registries serve different packages, so lock %s as well", e.Place(), e.Provider, tool, tool.DefaultHost(), own))
	}
	return warnings
}

// Read reads the lock file at path by the rules of the tool. A missing file is an empty one (R-LOCK-6). Defects are an *Error.
func Read(path string, tool addrs.Tool) (*File, error) {
	text, err := inputfile.Read(path, inputfile.Most)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{Path: path, Missing: true}, nil
	}
	if err != nil {
		return nil, err
	}
	return Parse(path, text, tool)
}

// Set is what several lock files say together. Files of different root modules may lock different versions of one provider.
type Set struct {
	files  []*File
	Broken []Broken // files that cannot be used, in their order
}

// Broken is a file that is there and cannot be read.
type Broken struct {
	Path string
	Err  error // names the file, and the line if it was read
}

// ReadAll reads the files, each of which must exist: a file that is named and is not there would silently lock nothing. One that cannot be
// read has no entries and is in Broken, for the caller to say what it would have locked. With an error the Set says what the other files are.
func ReadAll(paths []string, tool addrs.Tool) (*Set, error) {
	set := &Set{}
	var missing []error
	for _, path := range paths {
		f, err := Read(path, tool)
		switch {
		case err != nil:
			set.Broken = append(set.Broken, Broken{path, err})
		case f.Missing:
			missing = append(missing, fmt.Errorf("%s: there is no such dependency lock file", path))
		default:
			set.files = append(set.files, f)
		}
	}
	return set, errors.Join(missing...)
}

// All returns the entries of all files, in the order of the files.
func (s *Set) All() []Entry {
	var all []Entry
	for _, f := range s.files {
		all = append(all, f.Entries...)
	}
	return all
}

// Find returns the entries for exactly this version of the provider, in the order of the files.
func (s *Set) Find(p addrs.Provider, v versions.Version) []Entry {
	var found []Entry
	for _, f := range s.files {
		if e, ok := f.Find(p); ok && e.Version == v {
			found = append(found, e)
		}
	}
	return found
}

// Others returns the entries for other versions of the provider, for the message that says why none was found.
func (s *Set) Others(p addrs.Provider, v versions.Version) []Entry {
	var found []Entry
	for _, f := range s.files {
		if e, ok := f.Find(p); ok && e.Version != v {
			found = append(found, e)
		}
	}
	return found
}

// Warnings returns the warnings of all files and their entries of the other tool's registry.
func (s *Set) Warnings(tool addrs.Tool) []string {
	var warnings []string
	for _, f := range s.files {
		warnings = append(warnings, f.Warnings...)
		warnings = append(warnings, f.Foreign(tool)...)
	}
	return warnings
}
