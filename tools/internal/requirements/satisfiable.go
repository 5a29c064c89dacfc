package requirements

import (
	"fmt"
	"strconv"
	"strings"

	"rules_tf_mirror/tools/internal/versions"
)

// satisfiable reports whether any version, published or not, can meet a constraint.
//
// If one can, then also one of the following: a version that a term names, or the first few releases at or above a version that a term
// names, or above 0.0.0. For the least release that is allowed is either at a lower bound or above it, and there only "!=" terms, each of
// which removes one version, keep it from being the very next patch release.
func satisfiable(c versions.Constraint) bool {
	canonical := c.Canonical()
	if canonical == "" {
		return true
	}
	terms := strings.Split(canonical, ", ")
	bounds := []string{"0.0.0"}
	for _, term := range terms {
		bounds = append(bounds, strings.TrimLeft(term, "<>=!~ "))
	}
	for _, bound := range bounds {
		if allows(c, bound) {
			return true
		}
		numbers := strings.Split(release(bound), ".")
		patch, minor := uint64(0), numbers
		if len(numbers) == 3 {
			patch, _ = strconv.ParseUint(numbers[2], 10, 64)
			minor = numbers[:2]
		}
		for i := range uint64(len(terms) + 2) {
			if patch+i < patch { // beyond what a version can be
				break
			}
			if allows(c, fmt.Sprintf("%s.%d", strings.Join(minor, "."), patch+i)) {
				return true
			}
		}
	}
	return false
}

func allows(c versions.Constraint, text string) bool {
	v, err := versions.Parse(text)
	return err == nil && c.Allows(v)
}

// release returns the numbers of a version.
func release(version string) string {
	if end := strings.IndexAny(version, "-+"); end >= 0 {
		return version[:end]
	}
	return version
}
