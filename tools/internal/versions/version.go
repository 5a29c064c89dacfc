// Package versions reads provider versions and constraints and chooses from a registry's list as terraform and tofu do
// (R-VER, R-CON, R-SEL, R-CANON).
//
// A constraint must be readable by two libraries, hashicorp/go-version and apparentlymart/go-versions, because the tools ask both
// (R-CON-1); the second one alone decides what a constraint admits. Module versions and versions of the tools themselves follow other
// rules and are not this package's concern (R-CON-14).
package versions

import (
	"fmt"
	"strings"

	"github.com/apparentlymart/go-versions/versions"

	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/problem"
)

// Version is a provider version. Two values are equal exactly if all of it is, metadata included (R-VER-7), so that the type can be a
// map key. The zero value is 0.0.0, which is never selected (R-CON-11).
type Version struct {
	v versions.Version
}

// Parse reads one version as it stands in a registry's list, a directory name or a fact (R-VER-1..5). Missing numbers are zero. The
// error is a *problem.Error of kind response, since the text comes from outside; a number of more than 64 bits is such an error too.
func Parse(text string) (Version, error) {
	if err := checkLength(text); err != nil {
		return Version{}, unreadable(text, err)
	}
	if err := checkNumbers(text); err != nil {
		return Version{}, unreadable(text, err)
	}
	v, err := versions.ParseVersion(text)
	if err != nil {
		return Version{}, unreadable(text, err)
	}
	return Version{v}, nil
}

// maxLength is the length in bytes of a version. With a longer one the name of its package, terraform-provider-TYPE_VERSION_OS_ARCH.zip, would
// be no file name anywhere.
const maxLength = 128

func checkLength(text string) error {
	if len(text) > maxLength {
		return fmt.Errorf("it has %d characters, more than %d", len(text), maxLength)
	}
	return nil
}

func unreadable(text string, err error) error {
	return problem.Wrap(problem.Response, err, "version %s: %s", foreign.Quote(text, shownLength), err)
}

// String returns the canonical form: three numbers, then prerelease and metadata as they were written (R-VER-6).
func (v Version) String() string { return v.v.String() }

// IsPrerelease reports whether the version has a prerelease part; such a version is selected by an exact pin only (R-CON-10).
func (v Version) IsPrerelease() bool { return v.v.Prerelease != "" }

// IsUnspecified reports whether the version is 0.0.0 without anything else, which the tools take for no version at all (R-CON-11).
// An exact constraint may still name it; whoever installs must refuse it.
func (v Version) IsUnspecified() bool { return v == Version{} }

// Compare returns -1, 0 or 1: by precedence (R-VER-8..10) and among versions of the same precedence by metadata, none first. It is 0
// only for equal versions, so sorting with it leaves nothing to chance (R-VER-11).
func (v Version) Compare(w Version) int {
	switch {
	case v == w:
		return 0
	case v.v.LessThan(w.v):
		return -1
	case w.v.LessThan(v.v):
		return 1
	case v.v.Metadata.LessThan(w.v.Metadata):
		return -1
	}
	return 1
}

// SamePrecedence reports whether v and w differ in metadata at most.
func (v Version) SamePrecedence(w Version) bool { return v.v.Same(w.v) }

// release returns the version that v is a prerelease of, without metadata.
func (v Version) release() Version {
	v.v.Prerelease, v.v.Metadata = "", ""
	return v
}

// trimmed is the form of a constraint's text that fact keys use.
func trimmed(text string) string { return strings.TrimSpace(text) }
