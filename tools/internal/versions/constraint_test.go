package versions_test

import (
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/versions"
)

func constraint(t *testing.T, text string) versions.Constraint {
	t.Helper()
	c, err := versions.ParseConstraint(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// admitted has one row for each constraint and version of §2.4 and §2.5. The outcome is the column "TF".
var admitted = []struct {
	rule, constraint string
	yes, no          string // versions, separated by spaces
}{
	{"§2.4", "1.2", "1.2.0", "1.2.1 1.2.0+m 1.2.0-a"},
	{"§2.4", "= 1.2.3", "1.2.3", "1.2.4 1.2.3-a"},
	{"§2.4", "!= 1.2.3", "1.2.3+m1 1.2.4 0.1.0", "1.2.3 1.2.3-a"},
	{"§2.4", "> 1.2.3+m", "1.2.4", "1.2.3 1.2.3+z"},
	{"§2.4", ">= 1.2.3+m", "1.2.3 1.2.3+z 9.0.0", "1.2.2"},
	{"§2.4", "< 1.2.3+m", "1.2.2", "1.2.3 1.2.3+a"},
	{"§2.4", "<= 1.2.3+m", "1.2.3 1.2.3+a 0.0.1", "1.2.4"},
	{"§2.4", "~> 1.2", "1.2.0 1.9.9", "1.1.9 2.0.0"},
	{"§2.4", "~> 1.2.3", "1.2.3 1.2.9", "1.2.2 1.3.0"},
	{"§2.4", "~> 1.2-pre", "1.2.0 1.9.9", "1.2.0-pre 2.0.0"},
	{"§2.4", "~> 1-pre", "1.0.0 1.9.9", "1.0.0-pre 2.0.0"},
	{"§2.4", "~> 1.2.3-pre", "1.2.3 1.2.9", "1.3.0 1.2.3-pre"},
	{"R-CON-8", "~> 1", "1.0.0 1.9.9", "0.9.0 2.0.0 3.0.0"},
	{"R-CON-8", "~> 0", "0.0.1 0.9.0", "1.0.0"},
	{"R-CON-9", "~> 1.0", "1.9.9", "2.0.0-rc1"},
	{"R-CON-10", ">= 2.1.0-beta1", "2.1.0", "2.1.0-beta1"},
	{"R-CON-10", "~> 2.1.0-beta1", "2.1.0", "2.1.0-beta1"},
	{"R-CON-10", ">= 2.0.0, 2.1.0-beta1", "2.1.0-beta1", "2.1.0 2.0.0 2.1.0-beta2"},
	{"R-CON-10", "2.1.0-beta1+m", "2.1.0-beta1+m", "2.1.0-beta1"},
	{"R-CON-10", "< 2.0.0, 2.1.0-beta1", "", "2.1.0-beta1 1.0.0"},
	{"R-CON-11", "0.0.0", "", "0.0.0 0.0.0+x"},
	{"R-CON-11", ">= 0.0.0", "0.0.0+x 0.0.1", "0.0.0"},
	{"R-CON-11", "0.0.0+x", "0.0.0+x", "0.0.0"},
	{"§2.5", "1", "1.0.0", "1.0.0+b1"},
	{"§2.5", "= 1.0", "1.0.0", "1.0.0+b1"},
	{"§2.5", "1.2.3", "1.2.3", "1.2.3+m1"},
	{"§2.5", "1.2.3+m1", "1.2.3+m1", "1.2.3"},
	{"§2.5", "!= 1.0.0", "1.0.1", "2.0.0-beta1"},
	{"§2.5", ">= 1.2.3-beta", "1.2.3", "1.2.3-beta.2"},
	{"§2.5", "~> 1.2.3-beta", "1.2.3 1.2.4", ""},
	{"§2.5", "~> 1.2-beta", "1.3.0", ""},
	{"§2.5", "< 2.0.0-rc1", "1.9.0", "2.0.0-beta1"},
	{"§2.5", "1.2.3-beta, >= 1.0", "1.2.3-beta", "1.2.3"},
	{"A01", "~> 2.0, != 2.0.1-alpha1, 2.0.1-alpha2", "2.0.1-alpha2", "2.0.1-alpha1 2.0.0"},
	{"A15", "!= 1.4.0, >= 1.7.1, <= 1.8.0", "1.7.1 1.8.0", "1.4.0 1.8.1"},
}

func TestAllows(t *testing.T) {
	t.Parallel()
	for _, row := range admitted {
		c := constraint(t, row.constraint)
		for _, text := range strings.Fields(row.yes) {
			if !c.Allows(parse(t, text)) {
				t.Errorf("%s: %q refuses %s", row.rule, row.constraint, text)
			}
		}
		for _, text := range strings.Fields(row.no) {
			if c.Allows(parse(t, text)) {
				t.Errorf("%s: %q admits %s", row.rule, row.constraint, text)
			}
		}
	}
}

// R-CON-10, R-CON-11: without a constraint every release will do, except 0.0.0.
func TestAny(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"1.0.0": true, "0.0.1": true, "1.0.0+m": true, "0.0.0+x": true, "1.0.0-a": false, "0.0.0": false} {
		if got := versions.Any.Allows(parse(t, text)); got != want {
			t.Errorf("Any admits %s: %t, want %t", text, got, want)
		}
	}
	if _, exact := versions.Any.Exact(); exact || versions.Any.String() != "" || versions.Any.Canonical() != "" {
		t.Error("Any has a text or is exact")
	}
}

// refusedConstraints has the errors of R-CON-3..6, R-VER-5 and §2.5, with the advice.
var refusedConstraints = []struct{ rule, text, advice string }{
	{"R-CON-6", "", "leave version out"},
	{"R-CON-6", " \t\n", "leave version out"},
	{"R-CON-6", ">= 1,", "remove the comma"},
	{"R-CON-6", ", 1", "remove the comma"},
	{"R-CON-6", "1,,2", "remove the comma"},
	{"R-CON-3", "==1", `write "=" or no operator`},
	{"R-CON-3", "=> 1", `write ">="`},
	{"R-CON-3", "=< 1", `write "<="`},
	{"R-CON-3", "^1", "at least 1.2 and below 2.0"},
	{"R-CON-3", "~1", "at least 1.2.3 and below 1.3"},
	{"R-CON-3", "! 1", "!"},
	{"R-CON-4", ">=  1.2", "one space or nothing"},
	{"R-CON-4", ">\t1", "one space or nothing"},
	{"R-CON-4", ">\n1", "one space or nothing"},
	{"R-CON-5", "1.2.3.4", "three"},
	{"R-CON-5", "v1.2.3", `without "v"`},
	{"R-CON-5", "~> v1.2", `without "v"`},
	{"R-CON-5", "1.*", `"~> 1.0"`},
	{"R-CON-5", "*", "leave version out"},
	{"R-CON-5", "1.x", `"~> 1.0"`},
	{"R-CON-5", "1.2.3beta1", "1.2.3beta1"},
	{"R-CON-5", "latest", "latest"},
	{"§2.5", ">= 1 < 2", "comma between"},
	{"§2.5", "1 || 2", "one entry for each"},
	{"R-CON-2", "1.0 - 2.0", `">= 1.0, <= 2.0"`},
	{"R-VER-5", "99999999999999999999.0.0", "too large"},
	{"R-VER-5", ">= 1.0, < 99999999999999999999", "too large"},
	{"R-VER-5", "9223372036854775808", "9223372036854775808"},
}

func TestParseConstraintRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range refusedConstraints {
		c, err := versions.ParseConstraint(row.text)
		if err == nil {
			t.Errorf("%s: %q is read as %q", row.rule, row.text, c.Canonical())
			continue
		}
		if problem.KindOf(err) != problem.Constraint || !strings.Contains(err.Error(), row.advice) {
			t.Errorf("%s: %q: %v of kind %s; want kind constraint and %q", row.rule, row.text, err, problem.KindOf(err), row.advice)
		}
	}
}

// R-CON-2, R-CON-4: white space is free around terms, and inside one is a single space. The text is what keys a fact.
func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" ~> 3.1.0\n":     "~> 3.1.0",
		"\t>=1.0 ,\n< 2 ": ">=1.0 ,\n< 2",
		">1":              ">1",
	} {
		if got := constraint(t, text).String(); got != want {
			t.Errorf("%q: String() = %q, want %q", text, got, want)
		}
	}
}

// Design §3.1: exact is one term with "=" or no operator; an empty want means not exact.
func TestExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"3.3":              "3.3.0",
		"= 3.3.2":          "3.3.2",
		"=3.3.2":           "3.3.2",
		" 3.3.2 ":          "3.3.2",
		"03.3":             "3.3.0",
		"1.0.0-beta.1":     "1.0.0-beta.1",
		"= 1.0.0+m":        "1.0.0+m",
		"1-rc1":            "1.0.0-rc1",
		"0":                "0.0.0",
		"!= 1.0":           "",
		"~> 1.0.0":         "",
		">= 1.0":           "",
		"1.0, 1.0":         "",
		"= 1.0, >= 0":      "",
		">= 1.0, <= 1.0.0": "",
	} {
		v, exact := constraint(t, text).Exact()
		if exact != (want != "") || exact && v.String() != want {
			t.Errorf("%q: Exact() = %s, %t; want %q", text, v, exact, want)
		}
	}
}

// canonicalRows has the examples of R-CANON-1..3, R-CON-8 and A16.
var canonicalRows = []struct{ rule, text, want string }{
	{"R-CANON-3", ">=1.0, <2", ">= 1.0.0, < 2.0.0"},
	{"R-CANON-3", "< 2, > 1", "> 1.0.0, < 2.0.0"},
	{"R-CANON-3", "1.2", "1.2.0"},
	{"R-CANON-3", "~> 1-beta", "~> 1.0-beta"},
	{"R-CANON-3", "~> 1.0, ~> 1.0.0", "~> 1.0.0, ~> 1.0"},
	{"R-CANON-3", ">= 1.10, >= 1.9", ">= 1.9.0, >= 1.10.0"},
	{"R-CANON-3", "1.0.0+b, 1.0.0+a, 1.0.0", "1.0.0, 1.0.0+a, 1.0.0+b"},
	{"R-CANON-3", ">= 2.0, >= 2.0.0", ">= 2.0.0"},
	{"R-CON-8", "~> 1", "~> 1.0"},
	{"R-CANON-1", "!= 1, < 1, <= 1, ~> 1, ~> 1.0.0, = 1, >= 1, > 1", "> 1.0.0, >= 1.0.0, 1.0.0, ~> 1.0.0, ~> 1.0, <= 1.0.0, < 1.0.0, != 1.0.0"},
	{"R-CANON-1", "~> 1, ~> 1.0", "~> 1.0"},
	{"R-CANON-1", "= 1, 1.0.0", "1.0.0"},
	{"R-CANON-2", "~> 1.2.3-b+m, != 1-a+n", "!= 1.0.0-a+n, ~> 1.2.3-b+m"},
	{"R-CANON-2", "~> 1.2-b+m", "~> 1.2-b+m"},
	{"A15", "!= 1.4.0, >= 1.7.1, <= 1.8.0", "!= 1.4.0, >= 1.7.1, <= 1.8.0"},
	{"A16", "< 4.21", "< 4.21.0"},
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, row := range canonicalRows {
		c := constraint(t, row.text)
		got := c.Canonical()
		if got != row.want {
			t.Errorf("%s: %q is rendered as %q, want %q", row.rule, row.text, got, row.want)
		}
		if again := constraint(t, got).Canonical(); again != got {
			t.Errorf("%s: %q is rendered again as %q", row.rule, got, again)
		}
	}
}
