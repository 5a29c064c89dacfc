package versions_test

import (
	"slices"
	"strings"
	"testing"

	"rules_tf_mirror/tests/starlark/fakebazel"
	"rules_tf_mirror/tools/internal/versions"
)

// starlark calls a function of tf/private and returns the text that it returns, or "" for None.
func starlark(t *testing.T, interpreter *fakebazel.Interpreter, file, function string, args ...any) string {
	t.Helper()
	value, err := interpreter.Call("//tf/private:"+file, function, args...)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := fakebazel.ToGo(value).(string)
	return text
}

// The extension reads recorded versions without the helper: what one of them takes for a version the other must not call malformed.
func TestStarlarkReadsTheSameVersions(t *testing.T) {
	t.Parallel()
	interpreter := fakebazel.NewInterpreter("../../..")
	texts := []string{
		"2.0.0+x.", "1.-beta", "1..", "1..2", ".1", "-", "+", "1.2.3.", "1.2.3.-x", "1-", "1+", "1-+", "1.2.3-+m", "1.2.3--", "1.2.3-+", "1.2.3+-", "1.2.3+m-", "0", "00",
		"1.2.3-\x1b[31m", "18446744073709551615", "1.18446744073709551616", "1.0.0-" + strings.Repeat("a", 122), "1.0.0-" + strings.Repeat("a", 123), strings.Repeat("0", 129) + "1",
	}
	for _, row := range versionRows {
		texts = append(texts, row.text)
	}
	for _, text := range texts {
		want := ""
		if v, err := versions.Parse(text); err == nil {
			want = v.String()
		}
		if got := starlark(t, interpreter, "exact_version.bzl", "read_version", text); got != want {
			t.Errorf("%q: Starlark reads %q, Go %q", text, got, want)
		}
	}
}

// comparedConstraints are the constraints of all tables, trimmed as entries are.
func comparedConstraints() []string {
	texts := []string{"1.2.3-x.", "= 1.2.3-", "1.2.3+", "9223372036854775807", "= 9223372036854775808", "1.0.0-" + strings.Repeat("a", 123), "~> 1.", "1.,2", "= = 1", "~>1,!=1.5"}
	for _, row := range admitted {
		texts = append(texts, row.constraint)
	}
	for _, row := range refusedConstraints {
		texts = append(texts, strings.TrimSpace(row.text))
	}
	slices.Sort(texts)
	return slices.DeleteFunc(slices.Compact(texts), func(text string) bool { return text == "" })
}

// An exact entry has no resolve/ fact, so both must find the same entries exact. What Go refuses is the helper's error either way.
func TestStarlarkFindsTheSameExact(t *testing.T) {
	t.Parallel()
	interpreter := fakebazel.NewInterpreter("../../..")
	for _, text := range append(comparedConstraints(), "= 3.3.2", "03.3", "1-rc1", "= 1.0.0+m", "1.0, 1.0") {
		want := ""
		c, err := versions.ParseConstraint(text)
		if err == nil {
			if v, exact := c.Exact(); exact {
				want = v.String()
			}
		}
		if got := starlark(t, interpreter, "exact_version.bzl", "exact_version", text); got != want {
			t.Errorf("%q: Starlark %q, Go %q, %v", text, got, want, err)
		}
	}
}

// A recorded selection that its constraint does not admit is refused by both; only the order of prereleases is Go's alone.
func TestStarlarkAdmitsTheSame(t *testing.T) {
	t.Parallel()
	interpreter := fakebazel.NewInterpreter("../../..")
	texts := []string{"0.0.1", "1.0.0", "1.2.3", "1.2.3+m", "1.2.3-a", "1.3.0", "2.0.0", "2.0.0-rc1", "2.1.0-beta1", "9.9.9", "18446744073709551615.0.0"}
	for _, row := range admitted {
		texts = append(texts, strings.Fields(row.yes+" "+row.no)...)
	}
	slices.Sort(texts)
	for _, text := range slices.Compact(texts) {
		v := parse(t, text)
		if v.IsUnspecified() {
			continue // is_selectable
		}
		if got := starlark(t, interpreter, "constraint.bzl", "why_not_admitted", text, nil); (got == "") != versions.Any.Allows(v) {
			t.Errorf("%s as the newest release: Starlark %q", text, got)
		}
		for _, written := range comparedConstraints() {
			c, err := versions.ParseConstraint(written)
			admits := err == nil && c.Allows(v)
			why := starlark(t, interpreter, "constraint.bzl", "why_not_admitted", text, written)
			undecided := v.IsPrerelease() || strings.Contains(written, "-") || err != nil
			if why != "" && admits || why == "" && !admits && !undecided {
				t.Errorf("%s for %q: Go admits it: %t; Starlark: %q", text, written, admits, why)
			}
		}
	}
}
