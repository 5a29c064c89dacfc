package main

import (
	"fmt"
	"strings"

	"github.com/bazelbuild/buildtools/build"
)

const (
	extensionFile = "//tf:extensions.bzl"
	defsFile      = "//tf:defs.bzl"
	providersFile = "//tf/private:providers.bzl"
)

// starlarkSections returns what users load.
func starlarkSections(m *modules) (string, error) {
	var page strings.Builder
	for _, section := range []func(*modules) (string, error){extensionSection, rulesSection, providersSection} {
		text, err := section(m)
		if err != nil {
			return "", err
		}
		page.WriteString(text)
	}
	return page.String(), nil
}

// tag is one tag class of the extension.
type tag struct {
	name     string
	doc      string
	rootOnly bool // all of it
	attrs    []attribute
}

// readTags returns the tag classes of the one extension of //tf:extensions.bzl, and its doc.
func readTags(m *modules) (file *bzlFile, doc string, tags []tag, err error) {
	if file, err = m.load(extensionFile); err != nil {
		return nil, "", nil, err
	}
	extension, ok := file.global("tf_repositories").(*call)
	if !ok || extension.function != "module_extension" {
		return nil, "", nil, fmt.Errorf("%s defines no tf_repositories = module_extension(…)", extensionFile)
	}
	classes, ok := extension.named.values["tag_classes"].(*dict)
	if !ok {
		return nil, "", nil, fmt.Errorf("%s: tag_classes of tf_repositories is no dict that can be read", extensionFile)
	}
	for _, name := range classes.keys {
		class, ok := classes.values[name].(*call)
		if !ok || class.function != "tag_class" {
			return nil, "", nil, fmt.Errorf("%s: tag class %s cannot be found", extensionFile, name)
		}
		t := tag{name: name}
		t.doc, t.rootOnly = splitRootOnly(class.text("doc"))
		if t.attrs, err = attributesOf(class, "tag class "+name); err != nil {
			return nil, "", nil, err
		}
		tags = append(tags, t)
	}
	return file, extension.text("doc"), tags, nil
}

func extensionSection(m *modules) (string, error) {
	file, doc, tags, err := readTags(m)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## The extension and its hub\n\n%s\n\n%s\n", docstring(doc), demote(withoutRuleNumbers(file.doc), 2))
	fmt.Fprintf(&b, "\n## Tags\n")
	for _, t := range tags {
		note := ""
		if t.rootOnly {
			note = " " + rootOnlyNote
		}
		fmt.Fprintf(&b, "\n### tf.%s\n\n%s%s\n\n%s", t.name, docstring(t.doc), note, attributeTable(t.attrs, true, t.rootOnly))
	}
	return b.String(), nil
}

func rulesSection(m *modules) (string, error) {
	file, err := m.load(defsFile)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## Rules\n\n%s\n", demote(withoutRuleNumbers(file.doc), 3))
	for _, name := range file.public() {
		text, err := ruleText(file, name)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// ruleText describes a macro or a rule that //tf:defs.bzl defines or hands on; other globals are no part of the reference.
func ruleText(file *bzlFile, name string) (string, error) {
	target, targetName := file, name
	if alias, ok := file.values[name].(*build.Ident); ok {
		var err error
		if target, targetName, err = file.lookUp(alias.Name); err != nil {
			return "", err
		}
	}
	if def := target.defs[targetName]; def != nil {
		return macroText(target, def, name)
	}
	c, ok := target.global(targetName).(*call)
	if !ok {
		return "", nil
	}
	switch c.function {
	case "rule", "macro":
		attrs, err := attributesOf(c, c.function+" "+name)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("\n### %s\n\n%s\n\n%s", name, docstring(cleanDocstring(c.text("doc"))), attributeTable(attrs, false, false)), nil
	}
	return "", nil // providers have a section of their own
}

func macroText(file *bzlFile, def *build.DefStmt, name string) (string, error) {
	doc := readFunctionDoc(def)
	if doc.text == "" {
		return "", fmt.Errorf("%s: %s has no docstring", file.label, name)
	}
	var names []string
	var rows [][]string
	for _, p := range parametersOf(file, def) {
		fallback, shown := "mandatory", p.name
		if p.optional {
			fallback = code(p.fallback)
		}
		if p.fallback != "" {
			shown += " = " + p.fallback
		}
		if doc.args[p.name] == "" {
			return "", fmt.Errorf("%s: the docstring of %s does not describe %s", file.label, name, p.name)
		}
		names = append(names, shown)
		rows = append(rows, []string{code(p.name), fallback, docstring(doc.args[p.name])})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n```starlark\n%s(%s)\n```\n\n%s\n\n", name, name, strings.Join(names, ", "), withoutRuleNumbers(doc.text))
	b.WriteString(table([]string{"argument", "default", "meaning"}, rows))
	if doc.returns != "" {
		fmt.Fprintf(&b, "\nReturns: %s\n", docstring(doc.returns))
	}
	return b.String(), nil
}

func providersSection(m *modules) (string, error) {
	file, err := m.load(providersFile)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## Providers\n\n%s The targets of the hub return them; load them from `@rules_tf_mirror//tf:defs.bzl`.\n", file.doc)
	for _, name := range file.public() {
		if c, ok := file.global(name).(*call); ok && c.function == "provider" {
			text, err := providerText(name, c)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		}
	}
	return b.String(), nil
}

func providerText(name string, c *call) (string, error) {
	fields, ok := c.named.values["fields"].(*dict)
	if !ok {
		return "", fmt.Errorf("provider %s in %s: fields is no dict with docs", name, c.file.label)
	}
	var rows [][]string
	for _, field := range fields.keys {
		text, _ := fields.values[field].(string)
		rows = append(rows, []string{code(field), docstring(text)})
	}
	return fmt.Sprintf("\n### %s\n\n%s\n\n%s", name, docstring(cleanDocstring(c.text("doc"))), table([]string{"field", "meaning"}, rows)), nil
}
