package lock

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/foreign"
)

// Difference is something that a check found.
type Difference struct {
	File   string   `json:"file"`             // the file that is not as it should be
	Name   string   `json:"name"`             // a fact's key, or a provider
	Lines  []string `json:"lines"`            // "- " what is there, "+ " what should be, or a sentence
	Repair string   `json:"repair,omitempty"` // what repairs it where the lock target alone does not; else empty
}

// differ notes a difference in words.
func (r *run) differ(file, name string, lines ...string) {
	r.report.Differences = append(r.report.Differences, Difference{File: file, Name: name, Lines: lines})
}

// compare notes where the recorded facts are not what verification gives.
func (r *run) compare(now edits) {
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if strings.HasPrefix(key, "retry/") || same(r.facts[key], now[key]) {
			continue // a mark of the extension that goes when the entry is answered
		}
		r.differ(r.Lockfile, key, factLines(r.facts[key], now[key])...)
	}
}

// factLines shows two values of a fact, field by field if both have the same form.
func factLines(old, new json.RawMessage) []string {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(old, &a) != nil || json.Unmarshal(new, &b) != nil {
		var lines []string
		if old != nil {
			lines = append(lines, "- "+compact(old))
		}
		if new != nil {
			lines = append(lines, "+ "+compact(new))
		}
		return lines
	}
	var lines []string
	left, right := flatten(a), flatten(b)
	for _, name := range slices.Sorted(maps.Keys(union(left, right))) {
		x, inOld := left[name]
		y, inNew := right[name]
		if x == y && inOld == inNew {
			continue
		}
		if inOld {
			lines = append(lines, "- "+name+": "+x)
		}
		if inNew {
			lines = append(lines, "+ "+name+": "+y)
		}
	}
	return lines
}

// flatten gives each member of a fact a line, those of objects under zh.linux_amd64.
func flatten(object map[string]json.RawMessage) map[string]string {
	flat := map[string]string{}
	for name, raw := range object {
		var inner map[string]json.RawMessage
		if json.Unmarshal(raw, &inner) == nil && inner != nil {
			for key, value := range inner {
				flat[name+"."+key] = compact(value)
			}
			continue
		}
		flat[name] = compact(raw)
	}
	return flat
}

func union(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func compact(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	return string(encode(v))
}

// WriteDifferences writes what a check found for people, with the command that repairs it. Without differences it writes nothing.
func (r *Report) WriteDifferences(w io.Writer) error {
	if len(r.Differences) == 0 {
		return nil
	}
	var b strings.Builder
	file, locking := "", false
	for _, d := range r.Differences {
		if d.File != file {
			file = d.File
			fmt.Fprintf(&b, "%s differs:\n", foreign.Line(file))
		}
		fmt.Fprintf(&b, "  %s\n", foreign.Line(d.Name))
		for _, line := range d.Lines {
			fmt.Fprintf(&b, "    %s\n", foreign.Line(line))
		}
		if d.Repair != "" {
			fmt.Fprintf(&b, "    repair: %s\n", foreign.Line(d.Repair))
		}
		locking = locking || d.Repair == ""
	}
	if locking {
		b.WriteString("repair: bazel run //:providers_lock (or this command without --check), look at the changes, commit them\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
