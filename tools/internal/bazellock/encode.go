package bazellock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep Bazel lets facts be nested: the facts of the extension are level 1, the value of one fact level 2.
const maxDepth = 7

const indentation = "  "

// integer is what a number must look like, so that every reader and writer agrees on it.
var integer = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// normalize reads facts into plain values, refusing what Bazel would not write back as it is. Names and texts of the result are valid
// UTF-8, numbers are json.Number.
func normalize(facts map[string]json.RawMessage) (map[string]any, error) {
	tree := make(map[string]any, len(facts))
	for _, name := range slices.Sorted(maps.Keys(facts)) {
		if !utf8.ValidString(name) {
			return nil, fmt.Errorf("fact %q: the name is not UTF-8", name)
		}
		s, err := newScanner("fact "+name, facts[name])
		if err != nil {
			return nil, err
		}
		if _, err := s.value(s.space(0)); err != nil {
			return nil, err
		}
		decoder := json.NewDecoder(bytes.NewReader(facts[name]))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, fmt.Errorf("fact %s: %w", name, err)
		}
		if err := check(value, 2); err != nil {
			return nil, fmt.Errorf("fact %s: %w", name, err)
		}
		tree[name] = value
	}
	return tree, nil
}

func check(value any, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested more than %d levels deep", maxDepth)
	}
	switch value := value.(type) {
	case nil:
		return fmt.Errorf("null is no value of a fact")
	case json.Number:
		if !integer.MatchString(value.String()) {
			return fmt.Errorf("the number %s is no integer in its plain form", value)
		}
	case []any:
		for _, element := range value {
			if err := check(element, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, element := range value {
			if err := check(element, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// encode writes a value as Bazel does. indent is the indentation of the line that the value begins in, eol the end of a line.
func encode(out *strings.Builder, value any, indent, eol string) {
	inner := indent + indentation
	switch value := value.(type) {
	case map[string]any:
		list(out, '{', '}', slices.Sorted(maps.Keys(value)), indent, eol, func(name string) {
			quote(out, name)
			out.WriteString(": ")
			encode(out, value[name], inner, eol)
		})
	case []any:
		list(out, '[', ']', value, indent, eol, func(element any) { encode(out, element, inner, eol) })
	case string:
		quote(out, value)
	case json.Number:
		out.WriteString(value.String())
	default:
		fmt.Fprint(out, value) // true and false
	}
}

// list writes the elements of an object or an array between its brackets, one a line.
func list[T any](out *strings.Builder, open, end byte, elements []T, indent, eol string, write func(T)) {
	out.WriteByte(open)
	for i, element := range elements {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(eol + indent + indentation)
		write(element)
	}
	if len(elements) > 0 {
		out.WriteString(eol + indent)
	}
	out.WriteByte(end)
}

var escapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\u2028': `\u2028`, '\u2029': `\u2029`,
}

// quote writes a string as Gson does with its HTML escaping off.
func quote(out *strings.Builder, text string) {
	out.WriteByte('"')
	for _, r := range text {
		switch escaped, ok := escapes[r]; {
		case ok:
			out.WriteString(escaped)
		case r < 0x20:
			fmt.Fprintf(out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
}
