package versions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apparentlymart/go-versions/versions/constraints"
)

// operators in the order in which terms of the same version stand (R-CANON-1). "~>" from three numbers and from fewer are two
// operators, because the number of numbers decides what they mean (R-CON-8).
var operators = []struct {
	op   constraints.SelectionOp
	text string
}{
	{constraints.OpGreaterThan, "> "},
	{constraints.OpGreaterThanOrEqual, ">= "},
	{constraints.OpEqual, ""},
	{constraints.OpGreaterThanOrEqualPatchOnly, "~> "},
	{constraints.OpGreaterThanOrEqualMinorOnly, "~> "},
	{constraints.OpLessThanOrEqual, "<= "},
	{constraints.OpLessThan, "< "},
	{constraints.OpNotEqual, "!= "},
}

// term is one condition with its version padded to three numbers; equal terms mean the same.
type term struct {
	rank    int // index in operators
	version Version
}

// Canonical returns the constraint as the tools write it into a dependency lock file (R-CANON-1, R-CANON-2): terms sorted, without
// repetitions, all numbers present. It is empty for Any.
func (c Constraint) Canonical() string {
	terms := make([]term, len(c.spec))
	for i, t := range c.spec {
		rank := slices.IndexFunc(operators, func(o struct {
			op   constraints.SelectionOp
			text string
		}) bool {
			return o.op == t.Operator
		})
		terms[i] = term{rank, boundary(t)}
	}
	slices.SortFunc(terms, func(a, b term) int {
		if c := a.version.Compare(b.version); c != 0 {
			return c
		}
		return a.rank - b.rank
	})
	terms = slices.Compact(terms)
	texts := make([]string, len(terms))
	for i, t := range terms {
		texts[i] = t.String()
	}
	return strings.Join(texts, ", ")
}

// String renders the term: "~>" of one or two numbers shows two, everything else three (R-CANON-2).
func (t term) String() string {
	o := operators[t.rank]
	if o.op != constraints.OpGreaterThanOrEqualMinorOnly {
		return o.text + t.version.String()
	}
	v := t.version.v
	text := fmt.Sprintf("%s%d.%d", o.text, v.Major, v.Minor)
	if v.Prerelease != "" {
		text += "-" + string(v.Prerelease)
	}
	if v.Metadata != "" {
		text += "+" + string(v.Metadata)
	}
	return text
}
