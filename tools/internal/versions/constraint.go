package versions

import (
	"fmt"

	"github.com/apparentlymart/go-versions/versions"
	"github.com/apparentlymart/go-versions/versions/constraints"
	"github.com/hashicorp/go-version"

	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/problem"
)

// maxConstraint is the length in bytes of a constraint. Its text is a part of fact keys.
const maxConstraint = 1000

// Constraint is a list of conditions that a version must all meet. The zero value is Any.
type Constraint struct {
	text string
	spec constraints.IntersectionSpec
}

// Any has no condition: it admits every release (and no prerelease), as a manifest entry without a version does.
var Any Constraint

// ParseConstraint reads the text of a manifest entry (R-CON-1..6). An empty text is an error, as in the tools: no constraint is
// written by leaving it out. The error is a *problem.Error of kind constraint that says how to write what was probably meant.
func ParseConstraint(text string) (Constraint, error) {
	if trimmed(text) == "" {
		return Constraint{}, problem.New(problem.Constraint, "the version constraint is empty; leave version out to take the newest release")
	}
	refuse := func(err error) (Constraint, error) {
		return Constraint{}, problem.Wrap(problem.Constraint, err, "version constraint %s: %s%s", foreign.Quote(text, 200), err, hint(text))
	}
	if len(text) > maxConstraint {
		return refuse(fmt.Errorf("it has %d characters, more than %d", len(text), maxConstraint))
	}
	if err := checkNumbers(text); err != nil {
		return refuse(err)
	}
	if _, err := version.NewConstraint(text); err != nil {
		return refuse(err)
	}
	spec, err := constraints.ParseRubyStyleMulti(text)
	if err != nil {
		return refuse(err)
	}
	for _, term := range spec {
		if err := checkLength(boundary(term).String()); err != nil {
			return refuse(err)
		}
	}
	return Constraint{text: trimmed(text), spec: spec}, nil
}

// String returns the text as it was written, without white space around it: the last part of a resolve/ fact's key. It is empty for Any.
func (c Constraint) String() string { return c.text }

// Allows reports whether the tools could select v under c: every term holds, a prerelease is named exactly by one of them (R-CON-10),
// and v is not 0.0.0 (R-CON-11).
func (c Constraint) Allows(v Version) bool { return c.set().Has(v.v) }

// Exact returns the only version that c can admit, if c is one term with "=" or no operator: then no version list is needed. 0.0.0 is
// returned like any other; see Version.IsUnspecified.
func (c Constraint) Exact() (Version, bool) {
	if len(c.spec) != 1 || c.spec[0].Operator != constraints.OpEqual {
		return Version{}, false
	}
	return boundary(c.spec[0]), true
}

func (c Constraint) set() versions.Set { return versions.MeetingConstraints(c.spec) }

// boundary returns the version in a term, missing numbers taken as zero.
func boundary(term constraints.SelectionSpec) Version {
	b := term.Boundary.ConstrainToZero()
	return Version{versions.Version{
		Major: b.Major.Num, Minor: b.Minor.Num, Patch: b.Patch.Num,
		Prerelease: versions.VersionExtra(b.Prerelease), Metadata: versions.VersionExtra(b.Metadata),
	}}
}
