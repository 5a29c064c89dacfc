package main

import (
	"regexp"
	"strings"
)

// table returns a Markdown table. Cells are Markdown; what would end a cell or a line is escaped here.
func table(header []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		for i, cell := range cells {
			cell = strings.Join(strings.Fields(cell), " ")
			if i == 0 {
				b.WriteString("|")
			}
			b.WriteString(" " + strings.ReplaceAll(cell, "|", `\|`) + " |")
		}
		b.WriteString("\n")
	}
	line(header)
	b.WriteString(strings.Repeat("|---", len(header)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// code returns a text as inline code; the empty text stays empty.
func code(text string) string {
	if text == "" {
		return ""
	}
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

// prose escapes what Markdown or HTML would read as markup in a text that is meant as it stands, outside of backticks.
func prose(text string) string {
	return outsideCode(text, strings.NewReplacer("<", "&lt;", "*", `\*`).Replace)
}

// docstring makes a Markdown docstring safe for GitHub: placeholders such as <os> outside of backticks are no HTML.
func docstring(text string) string {
	return outsideCode(text, strings.NewReplacer("<", "&lt;").Replace)
}

func outsideCode(text string, edit func(string) string) string {
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 { // an odd backtick is none
		return edit(text)
	}
	for i := 0; i < len(parts); i += 2 {
		parts[i] = edit(parts[i])
	}
	return strings.Join(parts, "`")
}

var internalNames = regexp.MustCompile(`\s*\((?:(?:R-[A-Z]+(?:-\d+)?|design §\d+(?:\.\d+)?|[A-F]\d\d)(?:, |; |\.\.)?)+\)`)

// withoutRuleNumbers removes references in parentheses to the rules that tests cite: readers of the page do not have them.
func withoutRuleNumbers(text string) string { return internalNames.ReplaceAllString(text, "") }

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]+`)

// anchor returns the fragment that GitHub gives to a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// demote puts the headings of a Markdown text below a heading of the given level.
func demote(text string, level int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "#") {
			lines[i] = strings.Repeat("#", level) + line
		}
	}
	return strings.Join(lines, "\n")
}
