package main

import (
	"fmt"
	"strings"
)

// attribute is one attribute of a tag class or rule.
type attribute struct {
	name, kind, fallback string
	mandatory, rootOnly  bool
	doc                  string
}

// rootOnlyNote ends the doc of what only the root module may say.
const rootOnlyNote = "Root module only."

// kinds are types of attributes in words, each with the default that it has without `default`.
var kinds = map[string][2]string{
	"attr.bool":                    {"boolean", "False"},
	"attr.int":                     {"integer", "0"},
	"attr.int_list":                {"list of integers", "[]"},
	"attr.label":                   {"label", "None"},
	"attr.label_keyed_string_dict": {"dict of strings by label", "{}"},
	"attr.label_list":              {"list of labels", "[]"},
	"attr.output":                  {"output", "None"},
	"attr.output_list":             {"list of outputs", "[]"},
	"attr.string":                  {"string", `""`},
	"attr.string_dict":             {"dict of strings", "{}"},
	"attr.string_keyed_label_dict": {"dict of labels", "{}"},
	"attr.string_list":             {"list of strings", "[]"},
	"attr.string_list_dict":        {"dict of lists of strings", "{}"},
}

// attributesOf returns the attributes that a call of tag_class, rule or the like declares. What cannot be evaluated is an error: a reference
// that leaves something out is wrong.
func attributesOf(c *call, what string) ([]attribute, error) {
	value, ok := c.named.values["attrs"]
	if !ok {
		return nil, nil
	}
	attrs, ok := value.(*dict)
	if !ok {
		return nil, fmt.Errorf("%s in %s: attrs is %s, which is no table that can be read without running it", what, c.file.label, literal(value))
	}
	var list []attribute
	for _, name := range attrs.keys {
		if strings.HasPrefix(name, "_") {
			continue
		}
		declared, ok := attrs.values[name].(*call)
		if !ok || !strings.HasPrefix(declared.function, "attr.") {
			return nil, fmt.Errorf("%s in %s: attribute %s is %s, not a call of attr", what, c.file.label, name, literal(attrs.values[name]))
		}
		a, err := readAttribute(name, declared)
		if err != nil {
			return nil, fmt.Errorf("%s in %s: %w", what, c.file.label, err)
		}
		list = append(list, a)
	}
	return list, nil
}

func readAttribute(name string, c *call) (attribute, error) {
	a := attribute{name: name, kind: strings.TrimPrefix(c.function, "attr.")}
	if known, ok := kinds[c.function]; ok {
		a.kind, a.fallback = known[0], known[1]
	}
	if value, ok := c.named.values["default"]; ok {
		a.fallback = literal(value)
	}
	a.mandatory, _ = c.named.values["mandatory"].(bool)
	a.doc, a.rootOnly = splitRootOnly(c.text("doc"))
	if a.doc == "" {
		return a, fmt.Errorf("attribute %s has no doc that can be read", name)
	}
	if values, ok := c.named.values["values"].([]any); ok {
		a.doc += " One of " + strings.Trim(literal(values), "[]") + "."
	}
	return a, nil
}

// splitRootOnly takes the note about the root module from the end of a doc.
func splitRootOnly(doc string) (string, bool) {
	doc = strings.Join(strings.Fields(withoutRuleNumbers(doc)), " ")
	rest, found := strings.CutSuffix(doc, rootOnlyNote)
	return strings.TrimSpace(rest), found
}

// attributeTable lists attributes; of tags also whether only the root module may set them.
func attributeTable(list []attribute, ofTag, allRootOnly bool) string {
	header := []string{"attribute", "type", "default"}
	if ofTag {
		header = append(header, "root module only")
	}
	var rows [][]string
	for _, a := range list {
		fallback := code(a.fallback)
		if a.mandatory {
			fallback = "mandatory"
		}
		row := []string{code(a.name), a.kind, fallback}
		if ofTag {
			note := ""
			if a.rootOnly || allRootOnly {
				note = "yes"
			}
			row = append(row, note)
		}
		rows = append(rows, append(row, docstring(a.doc)))
	}
	return table(append(header, "meaning"), rows)
}
