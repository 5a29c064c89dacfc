package bazellock

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// change replaces the bytes from start to end.
type change struct {
	start, end int
	text       string
}

// SetFacts returns the text of the file with exactly these facts for the extension, and whether that is another text. Everything outside
// the extension's member stays byte for byte, and so does the member if it says the same already, however it is formatted. No facts
// remove the member, as Bazel does; a stale number in factsVersions goes with it. A new member is put where Bazel puts it.
//
// Facts that Bazel would not keep as they are (see the package's limits) are an error.
func (f *File) SetFacts(id ID, facts map[string]json.RawMessage) (text []byte, changed bool, err error) {
	tree, err := normalize(facts)
	if err != nil {
		return nil, false, err
	}
	old, _, found, err := f.Facts(id)
	if err != nil {
		return nil, false, err
	}
	var changes []change
	switch {
	case len(tree) == 0 && !found:
	case len(tree) == 0:
		changes = append(changes, f.removal("facts", id), f.removal("factsVersions", id))
	case !found:
		changes = append(changes, f.insertion(id, tree))
	case !sameFacts(old, tree):
		entry := f.find("facts", id)
		changes = append(changes, change{entry.valueStart, entry.valueEnd, f.render(tree, indentation+indentation)})
	}
	text = f.apply(changes)
	return text, !bytes.Equal(text, f.text), nil
}

// sameFacts reports whether the recorded facts say what tree does. What could not have been written by SetFacts is different.
func sameFacts(old map[string]json.RawMessage, tree map[string]any) bool {
	recorded, err := normalize(old)
	return err == nil && reflect.DeepEqual(recorded, tree)
}

// apply returns the text with the changes, which do not overlap.
func (f *File) apply(changes []change) []byte {
	slices.SortFunc(changes, func(a, b change) int { return a.start - b.start })
	var out bytes.Buffer
	done := 0
	for _, c := range changes {
		out.Write(f.text[done:c.start])
		out.WriteString(c.text)
		done = c.end
	}
	out.Write(f.text[done:])
	return out.Bytes()
}

// removal takes the member of id out of the named section. It is an empty change if there is none.
func (f *File) removal(name string, id ID) change {
	all := f.sections[name]
	i := slices.IndexFunc(all, func(s section) bool { return s.ok && s.id == id })
	switch {
	case i < 0:
		return change{}
	case len(all) == 1:
		whole := f.member(name)
		return change{whole.valueStart, whole.valueEnd, "{}"}
	case i+1 < len(all):
		return change{all[i].start, all[i+1].start, ""}
	default:
		return change{all[i-1].valueEnd, all[i].valueEnd, ""}
	}
}

// insertion adds a member for id.
func (f *File) insertion(id ID, tree map[string]any) change {
	eol, entry := f.eol(), f.entry(id, tree)
	newLine := eol + indentation + indentation
	whole := "{" + newLine + entry + eol + indentation + "}"
	facts, all := f.member("facts"), f.sections["facts"]
	switch {
	case facts == nil:
		return f.newSection(whole)
	case len(all) == 0:
		return change{facts.valueStart, facts.valueEnd, whole}
	}
	for _, s := range all {
		if s.ok && compare(s.id, id) > 0 {
			return change{s.start, s.start, entry + "," + newLine}
		}
	}
	end := all[len(all)-1].valueEnd
	return change{end, end, "," + newLine + entry}
}

// newSection adds the member "facts" to the top: behind moduleExtensions, else before factsVersions, else at the end.
func (f *File) newSection(value string) change {
	newLine := f.eol() + indentation
	text := `"facts": ` + value
	versions := f.member("factsVersions")
	before := f.member("moduleExtensions")
	if before == nil && versions != nil {
		return change{versions.start, versions.start, text + "," + newLine}
	}
	if before == nil {
		before = &f.top[len(f.top)-1]
	}
	return change{before.valueEnd, before.valueEnd, "," + newLine + text}
}

// entry returns name and value of a new member. An id of the root module is spelled as Bazel does, without "@@", unless the file's other
// entries of the root module have it.
func (f *File) entry(id ID, tree map[string]any) string {
	key := id.key()
	if id.Repo == "" && f.spelledOut() {
		key = id.String()
	}
	var out strings.Builder
	quote(&out, key)
	out.WriteString(": ")
	encode(&out, tree, indentation+indentation, f.eol())
	return out.String()
}

// spelledOut reports whether the file has ids that begin with "@@//", and none without "@@".
func (f *File) spelledOut() bool {
	with, without := false, false
	for _, sections := range f.sections {
		for _, s := range sections {
			with = with || strings.HasPrefix(s.name, "@@//")
			without = without || strings.HasPrefix(s.name, "//")
		}
	}
	return with && !without
}

func (f *File) render(tree map[string]any, indent string) string {
	var out strings.Builder
	encode(&out, tree, indent, f.eol())
	return out.String()
}

// eol returns the line end of the file's first line, so that a file that git checked out with CRLF keeps one kind.
func (f *File) eol() string {
	if i := bytes.IndexByte(f.text, '\n'); i > 0 && f.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
