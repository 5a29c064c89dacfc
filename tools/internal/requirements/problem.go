package requirements

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Problem is a defect of a configuration, or something that its authors should know.
type Problem struct {
	File    string // as shown to people: relative to Options.Base, with slashes
	Line    int    // from 1; 0 if the problem is not in one place
	Message string
}

// Error returns file:line: message.
func (p Problem) Error() string {
	switch {
	case p.File == "":
		return p.Message
	case p.Line == 0:
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// Error holds all defects of the configurations that were read, ordered by file and line. There is no result beside it.
type Error struct {
	Problems []Problem // at least one
}

// Error returns the problems, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// report collects problems.
type report struct {
	problems []Problem
	warnings []Problem
}

func (r *report) problem(at hcl.Range, format string, args ...any) {
	r.problems = append(r.problems, Problem{at.Filename, at.Start.Line, fmt.Sprintf(format, args...)})
}

func (r *report) warn(at hcl.Range, format string, args ...any) {
	r.warnings = append(r.warnings, Problem{at.Filename, at.Start.Line, fmt.Sprintf(format, args...)})
}

// diagnostics takes over what the HCL library complains of, and reports whether that was nothing.
func (r *report) diagnostics(diags hcl.Diagnostics, file string) bool {
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		at := hcl.Range{Filename: file}
		if d.Subject != nil {
			at = *d.Subject
		}
		r.problem(at, "%s: %s", d.Summary, strings.Join(strings.Fields(d.Detail), " "))
	}
	return !diags.HasErrors()
}

func (r *report) add(other report) {
	r.problems = append(r.problems, other.problems...)
	r.warnings = append(r.warnings, other.warnings...)
}

// ordered sorts problems by place and drops repetitions: one directory may be read for several roots.
func ordered(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(problems)
}
