package requirements

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/strictjson"
)

// File is the content of a mirror_json file: a JSON array of entries for the Bazel extension. A string is an entry that somebody wrote, an
// object is one that was gathered:
//
//	["acme/widget:1.4.0",
//	 {"entry": "hashicorp/random:~> 3.1.0", "wanted_by": ["main.tf: ~> 3.1", "modules/a/versions.tf: any version"]}]
//
// There are no line numbers in it, so that a file is not stale because a comment was added above a constraint.
type File struct {
	Written  []string // in the file's order
	Gathered []Gathered
}

// Gathered is one entry that was gathered.
type Gathered struct {
	Entry    string   `json:"entry"`
	WantedBy []string `json:"wanted_by"` // file: constraint
}

// ParseFile reads a mirror_json file strictly: what is not understood must not be overwritten.
func ParseFile(text []byte) (*File, error) {
	var elements []json.RawMessage
	if err := strictjson.Unmarshal(text, &elements); err != nil {
		return nil, err
	}
	if elements == nil {
		return nil, fmt.Errorf("it must hold a JSON array")
	}
	file := &File{}
	for i, element := range elements {
		if bytes.HasPrefix(element, []byte(`"`)) {
			var entry string
			if err := strictjson.Unmarshal(element, &entry); err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
			file.Written = append(file.Written, entry)
			continue
		}
		var gathered Gathered
		if err := strictjson.Unmarshal(element, &gathered); err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		if gathered.Entry == "" {
			return nil, fmt.Errorf(`[%d]: an object must have "entry"`, i)
		}
		if gathered.WantedBy == nil {
			gathered.WantedBy = []string{} // to be written as an array again
		}
		file.Gathered = append(file.Gathered, gathered)
	}
	return file, nil
}

// Update returns the file with the result of a run in place of what was gathered before. Strings stay.
func (f *File) Update(result *Result) *File {
	updated := &File{Written: f.Written}
	for _, r := range result.Requirements {
		g := Gathered{Entry: r.Entry}
		for _, want := range r.Wants {
			g.WantedBy = append(g.WantedBy, want.wantedBy())
		}
		slices.Sort(g.WantedBy)
		g.WantedBy = slices.Compact(g.WantedBy)
		updated.Gathered = append(updated.Gathered, g)
	}
	return updated
}

func (w Want) wantedBy() string {
	if w.Text == "" {
		return w.label + ": any version"
	}
	return w.label + ": " + strings.Join(strings.Fields(w.Text), " ")
}

// Lost returns what the file holds on behalf of modules that could not be read this time: writing would forget it.
func (f *File) Lost(missing []string) []string {
	var lost []string
	for _, g := range f.Gathered {
		for _, wanted := range g.WantedBy {
			for _, module := range missing {
				if strings.HasPrefix(wanted, module+": ") || strings.HasPrefix(wanted, module+".") {
					lost = append(lost, wanted+" ("+g.Entry+")")
				}
			}
		}
	}
	return lost
}

// Format returns the bytes of the file: sorted as the result was, two spaces, a final newline.
func (f *File) Format() []byte {
	all := []any{}
	for _, entry := range f.Written {
		all = append(all, entry)
	}
	for _, g := range f.Gathered {
		all = append(all, g)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(all); err != nil {
		panic(err) // strings cannot fail
	}
	return b.Bytes()
}
