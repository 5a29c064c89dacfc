package bazellock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"rules_tf_mirror/tools/internal/inputfile"
)

// File is a lockfile as it was read. It is never changed; edits give new text.
type File struct {
	path     string
	text     []byte
	top      []member
	sections map[string][]section // by the name of the member of the top
}

// section is one member of "facts", "factsVersions" or "moduleExtensions".
type section struct {
	member
	id ID
	ok bool // whether the name could be read as an id
}

// Open reads the lockfile at path. A missing file is an error with ErrMissing in its chain, a file that is no lockfile a *ParseError.
func Open(path string) (*File, error) {
	text, err := inputfile.Read(path, inputfile.Most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w; run a Bazel command, such as bazel mod deps, which makes it: %w", path, ErrMissing, err)
	}
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads text, the content of the file at path. Lockfiles of all Bazel versions are read, whatever their lockFileVersion, if they
// have this form: an object with a number lockFileVersion and, each optional, the objects moduleExtensions, facts and factsVersions.
func Parse(path string, text []byte) (*File, error) {
	s, err := newScanner(path, text)
	if err != nil {
		return nil, err
	}
	start := s.space(len(text) - len(bytes.TrimPrefix(text, byteOrderMark)))
	if text[start] != '{' {
		return nil, s.errorAt(start, "a lockfile is a JSON object")
	}
	f := &File{path: path, text: text, sections: map[string][]section{}}
	if f.top, _, err = s.object(start); err != nil {
		return nil, err
	}
	version := f.member("lockFileVersion")
	if version == nil || !json.Valid(f.value(*version)) || !isDigit(f.value(*version)[0]) {
		return nil, s.errorAt(start, "not a lockfile of Bazel: there is no number lockFileVersion; "+
			"delete the file, and the next Bazel command makes a new one")
	}
	for _, name := range []string{"moduleExtensions", "facts", "factsVersions"} {
		if m := f.member(name); m != nil {
			if f.sections[name], err = s.sections(*m); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// sections reads the members of a member of the top whose names are extension ids. A name that is no id is let pass: later versions may
// have other forms, and it cannot be ours. One id in both spellings is an error, as it is for Bazel.
func (s *scanner) sections(m member) ([]section, error) {
	if s.text[m.valueStart] != '{' {
		return nil, s.errorAt(m.valueStart, "%s is not an object", m.name)
	}
	members, _, err := s.object(m.valueStart)
	if err != nil {
		return nil, err
	}
	seen := map[ID]bool{}
	sections := make([]section, len(members))
	for i, m := range members {
		id, err := ParseID(m.name)
		sections[i] = section{m, id, err == nil}
		if err == nil && seen[id] {
			return nil, s.errorAt(m.start, "the extension %s is given twice, with and without @@", id)
		}
		seen[id] = err == nil
	}
	return sections, nil
}

// HasFacts reports whether the file has a member "facts" at all, empty or not: Bazel versions that know facts always write one.
func (f *File) HasFacts() bool { return f.member("facts") != nil }

// Facts returns the facts recorded for the extension and the name of their member as it is in the file. ok is false if there is no such
// member; Bazel has none for an extension without facts. The error is a *ParseError for a member that is no object.
func (f *File) Facts(id ID) (facts map[string]json.RawMessage, key string, ok bool, err error) {
	entry := f.find("facts", id)
	if entry == nil {
		return nil, "", false, nil
	}
	if f.text[entry.valueStart] != '{' {
		s := &scanner{f.path, f.text}
		return nil, "", false, s.errorAt(entry.valueStart, "the facts of %s are not an object", entry.name)
	}
	if err := json.Unmarshal(f.value(entry.member), &facts); err != nil {
		return nil, "", false, fmt.Errorf("%s: %w", f.path, err)
	}
	return facts, entry.name, true, nil
}

// OtherSpellings returns the names of members of "facts" that are this extension's under the repository name of another Bazel version
// (~ against +, or with a version). Bazel ignores and drops them, so an upgrade across them begins without facts; the caller says so.
func (f *File) OtherSpellings(id ID) []string {
	var names []string
	for _, s := range f.sections["facts"] {
		if s.ok && id.respelled(s.id) {
			names = append(names, s.name)
		}
	}
	return names
}

// find returns the member of the named section that belongs to id, or nil.
func (f *File) find(name string, id ID) *section {
	i := slices.IndexFunc(f.sections[name], func(s section) bool { return s.ok && s.id == id })
	if i < 0 {
		return nil
	}
	return &f.sections[name][i]
}

// member returns the member of the top with that name, or nil.
func (f *File) member(name string) *member {
	i := slices.IndexFunc(f.top, func(m member) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return &f.top[i]
}

func (f *File) value(m member) []byte { return f.text[m.valueStart:m.valueEnd] }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
