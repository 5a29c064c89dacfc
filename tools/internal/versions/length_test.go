package versions_test

import (
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/versions"
)

// A version becomes part of a file name, so it has a greatest length; and whoever writes a longer one does not fill the screen with it.
func TestLength(t *testing.T) {
	t.Parallel()
	longest := "1.0.0+" + strings.Repeat("a", 122)
	if _, err := versions.Parse(longest); err != nil {
		t.Error(err)
	}
	if c, err := versions.ParseConstraint(longest); err != nil {
		t.Error(err)
	} else if v, ok := c.Exact(); !ok || v.String() != longest {
		t.Errorf("exact %v, %v", v, ok)
	}
	for _, text := range []string{longest + "a", "1.0.0-" + strings.Repeat("a", 123), "1." + strings.Repeat("0", 200_000) + ".0",
		strings.Repeat("9", 200_000) + ".0.0", "1." + strings.Repeat("\x1b", 3000)} {
		_, err := versions.Parse(text)
		if problem.KindOf(err) != problem.Response || len(err.Error()) > 300 {
			t.Errorf("Parse of %.20q…: %.400v", text, err)
		}
		for _, constraint := range []string{text, "~> " + text, ">= 1.0, < " + text} {
			_, err := versions.ParseConstraint(constraint)
			if problem.KindOf(err) != problem.Constraint || len(err.Error()) > 1000 {
				t.Errorf("ParseConstraint of %.20q…: %.400v", constraint, err)
			}
		}
	}
	if _, err := versions.ParseConstraint(strings.Repeat("1.0, ", 300) + "1.0"); problem.KindOf(err) != problem.Constraint {
		t.Errorf("a very long constraint: %.400v", err)
	}
}
