package versions_test

import (
	"strings"
	"testing"

	goversions "github.com/apparentlymart/go-versions/versions"
	goversion "github.com/hashicorp/go-version"

	"rules_tf_mirror/tools/internal/versions"
)

// caught runs f and reports whether it panicked, as the library does for large numbers (R-VER-5).
func caught(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}

// FuzzParse holds Parse against go-versions: both read the same texts to the same version, and where the library panics Parse returns
// an error.
func FuzzParse(f *testing.F) {
	for _, row := range versionRows {
		f.Add(row.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := versions.Parse(text)
		var want goversions.Version
		var wantErr error
		if caught(func() { want, wantErr = goversions.ParseVersion(text) }) {
			if err == nil {
				t.Fatalf("Parse(%q) = %s, the library panics", text, got)
			}
			return
		}
		switch {
		case err != nil && wantErr == nil:
			t.Fatalf("Parse(%q): %v; the library reads %s", text, err, want)
		case err == nil && (wantErr != nil || got.String() != want.String()):
			t.Fatalf("Parse(%q) = %s; the library: %s, %v", text, got, want, wantErr)
		case err != nil:
			return
		}
		again, err := versions.Parse(got.String())
		if err != nil || again != got || again.Compare(got) != 0 {
			t.Fatalf("Parse(%q) prints as %q, which is read as %s, %v", text, got, again, err)
		}
	})
}

// FuzzCompare checks that Compare is an order that agrees with the library's precedence (R-VER-8..10).
func FuzzCompare(f *testing.F) {
	for _, list := range ascending {
		f.Add(list[0], list[1], list[len(list)-1])
	}
	f.Fuzz(func(t *testing.T, x, y, z string) {
		a, errA := versions.Parse(x)
		b, errB := versions.Parse(y)
		c, errC := versions.Parse(z)
		if errA != nil || errB != nil || errC != nil {
			return
		}
		if a.Compare(b) != -b.Compare(a) || (a.Compare(b) == 0) != (a == b) {
			t.Fatalf("%s and %s: %d and %d", a, b, a.Compare(b), b.Compare(a))
		}
		if a.Compare(b) <= 0 && b.Compare(c) <= 0 && a.Compare(c) > 0 {
			t.Fatalf("%s <= %s <= %s, but not %s <= %s", a, b, c, a, c)
		}
		lower := goversions.MustParseVersion(a.String()).LessThan(goversions.MustParseVersion(b.String()))
		if lower && a.Compare(b) >= 0 || lower && a.SamePrecedence(b) {
			t.Fatalf("the library puts %s before %s", a, b)
		}
	})
}

// FuzzConstraint holds ParseConstraint and Allows against both libraries (R-CON-1), and Canonical against the second parser, which
// is the one that reads lock files: the canonical text means the same and is its own canonical text.
func FuzzConstraint(f *testing.F) {
	for _, row := range admitted {
		f.Add(row.constraint, strings.Fields(row.yes + " " + row.no)[0])
	}
	for _, row := range refusedConstraints {
		f.Add(row.text, "1.0.0")
	}
	for _, row := range canonicalRows {
		f.Add(row.text, row.want)
	}
	f.Fuzz(func(t *testing.T, text, version string) {
		c, err := versions.ParseConstraint(text)
		var set goversions.Set
		accepted := false
		panicked := caught(func() {
			var errFirst, errSecond error
			_, errFirst = goversion.NewConstraint(text)
			set, errSecond = goversions.MeetingConstraintsStringRuby(text)
			accepted = errFirst == nil && errSecond == nil
		})
		if (err == nil) != (accepted && !panicked) {
			t.Fatalf("ParseConstraint(%q): %v; the libraries accept: %t, panic: %t", text, err, accepted, panicked)
		}
		if err != nil {
			return
		}
		canonical := c.Canonical()
		again, err := versions.ParseConstraint(canonical)
		if err != nil || again.Canonical() != canonical {
			t.Fatalf("%q is rendered as %q, which is read as %q, %v", text, canonical, again.Canonical(), err)
		}
		candidates := []string{version, "1.0.0", "0.0.0"}
		if exact, ok := c.Exact(); ok {
			candidates = append(candidates, exact.String())
			if c.Allows(exact) == exact.IsUnspecified() {
				t.Fatalf("%q is exactly %s, and admits it: %t", text, exact, c.Allows(exact))
			}
		}
		for _, candidate := range candidates {
			v, err := versions.Parse(candidate)
			if err != nil {
				continue
			}
			if got, want := c.Allows(v), set.Has(goversions.MustParseVersion(v.String())); got != want {
				t.Fatalf("%q admits %s: %t, want %t", text, v, got, want)
			}
			if again.Allows(v) != c.Allows(v) {
				t.Fatalf("%q and its canonical form %q differ on %s", text, canonical, v)
			}
		}
	})
}
