package main

import (
	"context"
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// commandSections describes the helper's command line. Packages below tools/internal cannot be imported here, and need not be: what the built
// program says about itself is what its users see.
func commandSections(ctx context.Context, root string) (string, error) {
	dir, err := os.MkdirTemp("", "reference")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	helper := filepath.Join(dir, "tfmirror.exe") // the suffix is needed on Windows and harmless elsewhere
	build := exec.CommandContext(ctx, "go", "build", "-o", helper, "./tools/tfmirror")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./tools/tfmirror: %w\n%s", err, out)
	}
	help := func(args ...string) (helpText, error) {
		out, err := exec.CommandContext(ctx, helper, append(args, "--help")...).Output()
		if err != nil {
			return helpText{}, fmt.Errorf("tfmirror %s --help: %w", strings.Join(args, " "), err)
		}
		return readHelp(string(out)), nil
	}
	var b strings.Builder
	top, err := help()
	if err != nil {
		return "", err
	}
	flags, err := flagTable(top.sections["Flags"])
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "\n## tfmirror\n\n%s. Beside the flags of its commands:\n\n%s", prose(top.intro), flags)
	for _, name := range top.commands() {
		text, err := help(name)
		if err != nil {
			return "", err
		}
		described, err := commandText(name, text)
		if err != nil {
			return "", fmt.Errorf("tfmirror %s --help: %w", name, err)
		}
		b.WriteString(described)
	}
	codes, err := exitCodes(root)
	if err != nil {
		return "", err
	}
	return b.String() + codes, nil
}

func commandText(name string, text helpText) (string, error) {
	flags, err := flagTable(text.sections["Flags"])
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n### tfmirror %s\n\n%s", name, block(strings.TrimSuffix(text.sections["Usage"], " [flags]")))
	fmt.Fprintf(&b, "\n%s\n", prose(text.intro))
	if text.sections["Examples"] != "" {
		fmt.Fprintf(&b, "\nExamples:\n\n%s", block(text.sections["Examples"]))
	}
	b.WriteString("\n" + flags)
	return b.String(), nil
}

// helpText is the help of one command, as cobra prints it.
type helpText struct {
	intro    string            // what the command does
	sections map[string]string // by heading: Usage, Examples, Flags, Available Commands …; lines lose two spaces of indentation
}

var helpHeading = regexp.MustCompile(`^([A-Z][A-Za-z ]*):$`)

func readHelp(text string) helpText {
	help := helpText{sections: map[string]string{}}
	heading, lines := "", map[string][]string{}
	for _, line := range strings.Split(text, "\n") {
		if match := helpHeading.FindStringSubmatch(line); match != nil {
			heading = match[1]
			continue
		}
		if heading != "" && line != "" && !strings.HasPrefix(line, " ") {
			heading = "-" // cobra's closing sentence
		}
		lines[heading] = append(lines[heading], line)
	}
	help.intro = strings.TrimSpace(strings.Join(lines[""], "\n"))
	for name, text := range lines {
		help.sections[name] = dedent(text)
	}
	return help
}

// commands returns the names of the commands that the root's help lists.
func (h helpText) commands() []string {
	var names []string
	for _, line := range strings.Split(h.sections["Available Commands"], "\n") {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] != "help" {
			names = append(names, fields[0])
		}
	}
	return names
}

// flagLine is a flag as pflag prints it: -s, --name type[=value without one]   usage (default value).
var flagLine = regexp.MustCompile(`^(?:-\w, )? *(--[\w-]+)(?: ([^\s\[]+))?(?:\[=([^\]]*)\])? {2,}(.*?)(?: \(default (.*)\))?$`)

// flagTypes are pflag's types in words. What else it prints in their place is a word in backticks of the usage.
var flagTypes = map[string]string{"": "", "int": "number", "stringArray": "string, repeatable"}

// flagTable lists the flags of a help text, but for --help.
func flagTable(section string) (string, error) {
	var rows [][]string
	for _, line := range strings.Split(section, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		match := flagLine.FindStringSubmatch(line)
		if match == nil {
			return "", fmt.Errorf("this line of a help text is no flag: %s", line)
		}
		if match[1] == "--help" {
			continue
		}
		name, kind, fallback := match[1], "string", match[5]
		if known, ok := flagTypes[match[2]]; ok {
			kind = known
		}
		if bare := strings.Trim(match[3], `"`); bare != "" {
			name += "[=…]"
			fallback = strings.TrimSpace(fallback + " without a value: " + bare)
		}
		rows = append(rows, []string{code(name), kind, fallback, prose(match[4])})
	}
	return table([]string{"flag", "value", "default", "meaning"}, rows), nil
}

func dedent(lines []string) string {
	text := strings.Trim(strings.Join(lines, "\n"), "\n")
	return strings.TrimRight(strings.ReplaceAll(strings.TrimPrefix(text, "  "), "\n  ", "\n"), " \n")
}

func block(text string) string { return "```text\n" + text + "\n```\n" }

// exitCodes lists the constants Code… of package cli, with those that have no constant.
func exitCodes(root string) (string, error) {
	pkg, err := newGoSources(root).load("cli")
	if err != nil {
		return "", err
	}
	rows := [][]string{{"0", "done; of `resolve`: the response was written, whatever entries failed"}}
	for _, c := range pkg.constants {
		if value, ok := c.value.(*ast.BasicLit); ok && strings.HasPrefix(c.name, "Code") {
			rows = append(rows, []string{value.Value, goDoc(c.doc, nil)})
		}
	}
	rows = append(rows, []string{"128 + n", "stopped by signal n"})
	return "\n### Exit codes\n\n" + table([]string{"code", "meaning"}, rows), nil
}
