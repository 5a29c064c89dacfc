package sums

import (
	"fmt"
	"strings"

	"rules_tf_mirror/tools/internal/foreign"
)

// Kind classifies what makes a list unusable for a version.
type Kind string

// The kinds of defects of a list.
const (
	// OtherRelease: no line is a package of the wanted version. A genuine signed list of an older version (rollback) or of another provider
	// by the same publisher (replay) looks like this.
	OtherRelease Kind = "other_release"
	// Conflict: one platform's package has two lines with different hashes.
	Conflict Kind = "conflict"
	// BadHash: the line of a package has no SHA-256 of 64 hex digits (R-AUTH-6).
	BadHash Kind = "bad_hash"
	// OddName: the line writes a package's name with "*", "./" or a folder before it, which no tool matches (R-AUTH-5).
	OddName Kind = "odd_name"
	// TooLong: the document has more than MaxSize bytes.
	TooLong Kind = "too_long"
)

// Error is a defect of a list. Its text does not name the provider; callers do.
type Error struct {
	Kind  Kind
	Line  int    // counted from 1; 0 for OtherRelease and TooLong
	Name  string // as the line has it; for OtherRelease the file that was looked for, with * for the platform
	Found string // the hash found; for OtherRelease what the list is of, or empty; for TooLong the number of bytes
	Want  string // Conflict: the first line's hash; OddName: the plain name
	First int    // Conflict: the first line's number
}

// Error returns what is wrong, with line number, found and wanted.
func (e *Error) Error() string {
	switch e.Kind {
	case Conflict:
		return fmt.Sprintf("SHA256SUMS gives two hashes for %s: %s in line %d and %s in line %d (terraform would take the first)",
			foreign.Short(e.Name, 160), e.Want, e.First, e.Found, e.Line)
	case BadHash:
		return fmt.Sprintf("SHA256SUMS line %d, for %s: %q is no SHA-256 (%d characters; 64 hex digits are wanted)",
			e.Line, foreign.Short(e.Name, 160), foreign.Short(e.Found, 160), len(e.Found))
	case TooLong:
		return fmt.Sprintf("SHA256SUMS has %s bytes; more than %d are not looked at, and the longest real list has some ten thousand", e.Found, MaxSize)
	case OddName:
		return fmt.Sprintf("SHA256SUMS line %d names %s, not %s: terraform and tofu compare names byte for byte and do not find it either",
			e.Line, foreign.Short(e.Name, 160), foreign.Short(e.Want, 160))
	default:
		found := "it lists no provider package at all"
		if e.Found != "" {
			found = "it lists " + e.Found
		}
		return fmt.Sprintf("SHA256SUMS has no line for %s: %s. It is the list of another release", e.Name, found)
	}
}

// otherRelease says what the list is of instead.
func (l *List) otherRelease(providerType, version string) *Error {
	var found []string
	seen := map[string]bool{}
	for _, line := range l.Lines {
		otherType, otherVersion, ok := release(line.Name)
		text := fmt.Sprintf("%s %s", foreign.Short(otherType, 160), foreign.Short(otherVersion, 160))
		if !ok || seen[text] {
			continue
		}
		seen[text] = true
		if found = append(found, text); len(found) == 3 {
			break
		}
	}
	return &Error{Kind: OtherRelease, Name: Filename(providerType, version, "*"), Found: strings.Join(found, ", ")}
}
