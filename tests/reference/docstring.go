package main

import (
	"regexp"
	"strings"

	"github.com/bazelbuild/buildtools/build"
)

// cleanDocstring removes the indentation that all lines but the first share, and blank lines around.
func cleanDocstring(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	indent := -1
	for _, line := range lines[1:] {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if width := len(line) - len(strings.TrimLeft(line, " ")); indent < 0 || width < indent {
			indent = width
		}
	}
	for i, line := range lines {
		if i > 0 && len(line) >= indent && indent > 0 {
			line = line[indent:]
		}
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// functionDoc is the docstring of a function, taken apart.
type functionDoc struct {
	text    string            // without the sections
	args    map[string]string // by name, `**kwargs` with its stars
	returns string
}

var (
	sectionLine  = regexp.MustCompile(`^(Args|Returns|Yields|Raises|Deprecated|Example|Examples|Note|Notes):$`)
	argumentLine = regexp.MustCompile(`^    (\*{0,2}\w+)(?: \([^)]*\))?: ?(.*)$`)
)

// readFunctionDoc reads the docstring of a function; without one all is empty.
func readFunctionDoc(def *build.DefStmt) functionDoc {
	doc := functionDoc{args: map[string]string{}}
	if len(def.Body) == 0 {
		return doc
	}
	literal, ok := def.Body[0].(*build.StringExpr)
	if !ok {
		return doc
	}
	section, argument := "", ""
	var text, returns []string
	for _, line := range strings.Split(cleanDocstring(literal.Value), "\n") {
		if match := sectionLine.FindStringSubmatch(line); match != nil {
			section = match[1]
			continue
		}
		if section != "" && line != "" && !strings.HasPrefix(line, " ") {
			section = "" // a section ends where the indentation does
		}
		switch section {
		case "Args":
			if match := argumentLine.FindStringSubmatch(line); match != nil {
				argument = match[1]
				line = match[2]
			}
			doc.args[argument] = strings.TrimSpace(doc.args[argument] + " " + strings.TrimSpace(line))
		case "Returns":
			returns = append(returns, strings.TrimSpace(line))
		default:
			text = append(text, line)
		}
	}
	doc.text = strings.TrimSpace(strings.Join(text, "\n"))
	doc.returns = strings.TrimSpace(strings.Join(returns, " "))
	return doc
}

// parameter is one parameter of a function.
type parameter struct {
	name     string // with the stars of *args and **kwargs
	fallback string // Starlark, resolved if it names a constant
	optional bool
}

func parametersOf(f *bzlFile, def *build.DefStmt) []parameter {
	var list []parameter
	for _, p := range def.Params {
		switch p := p.(type) {
		case *build.AssignExpr:
			list = append(list, parameter{name: build.FormatString(p.LHS), fallback: literal(f.evaluate(p.RHS)), optional: true})
		case *build.UnaryExpr:
			if p.X != nil { // a lone star is no parameter
				list = append(list, parameter{name: p.Op + build.FormatString(p.X), optional: true})
			}
		default:
			list = append(list, parameter{name: build.FormatString(p)})
		}
	}
	return list
}
