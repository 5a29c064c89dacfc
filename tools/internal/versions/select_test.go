package versions_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/versions"
)

func texts(list []versions.Version) string {
	var out []string
	for _, v := range list {
		out = append(out, v.String())
	}
	return strings.Join(out, " ")
}

// selections: registry list, constraint (empty: none), choice (empty: none), skipped entries.
var selections = []struct{ rule, list, constraint, want, skipped string }{
	{"R-SEL-1", "1.0.0 3.0.0 2.0.0 3.0.0", "", "3.0.0", ""},
	{"R-SEL-1", "1 1.0.0 01.0", "1.0", "1.0.0", ""},
	{"R-SEL-2", "2.5.2 v2.5.3-alpha1", "= 2.5.2", "2.5.2", "v2.5.3-alpha1"}, // A07
	{"R-SEL-2", "v9 1.0 nightly v9", "", "1.0.0", "v9 nightly"},
	{"R-SEL-2", "99999999999999999999.0.0 1.0", "", "1.0.0", "99999999999999999999.0.0"},
	{"R-SEL-3", "1.9.0 1.10.0 2.0.0", "~> 1.0", "1.10.0", ""},
	{"R-CON-8", "1.0.0 2.0.0 3.0.0", "~> 1", "1.0.0", ""},
	{"R-CON-10", "1.0.0 2.0.0-rc1", "", "1.0.0", ""},
	{"R-CON-10", "2.0.0 2.1.0-beta1", ">= 2.0.0, 2.1.0-beta1", "2.1.0-beta1", ""},
	{"R-CON-10", "2.1.0-beta1", "~> 2.1.0-beta1", "", ""},
	{"R-CON-11", "0.0.0", "", "", ""},
	{"R-CON-11", "0.0.0 0.0.0+x", "", "0.0.0+x", ""},
	{"R-VER-11", "1.0.0+b 1.0.0+a 1.0.0", "", "1.0.0", ""},
	{"R-VER-11", "1.0.0+b 1.0.0+a", ">= 1.0", "1.0.0+a", ""},
	{"R-VER-11", "1.0.0+b 1.0.0+a 1.0.0", "1.0.0+b", "1.0.0+b", ""},
	{"A01", "2.0.0 2.0.1-alpha1 2.0.1-alpha2", "~> 2.0, != 2.0.1-alpha1, 2.0.1-alpha2", "2.0.1-alpha2", ""},
	{"A02", "0.13.2 1.0.0-canary.2 1.0.0-canary.4", "~> 1.0.0-canary.2", "", ""},
	{"A06", "4.52.0 5.0.0-rc1", "~> 5", "", ""},
	{"A11", "0.1.0-beta.1", "", "", ""},
	{"empty", "", "", "", ""},
}

func TestSelect(t *testing.T) {
	t.Parallel()
	for _, row := range selections {
		c := versions.Any
		if row.constraint != "" {
			c = constraint(t, row.constraint)
		}
		list := strings.Fields(row.list)
		// The order of the list must not matter (R-SEL-1, R-VER-11).
		for range 20 {
			s := versions.Select(list, c)
			got := ""
			if s.OK {
				got = s.Version.String()
			}
			if got != row.want {
				t.Errorf("%s: %q from %v: %q, want %q", row.rule, row.constraint, list, got, row.want)
			}
			slices.Sort(s.Skipped)
			if skipped := strings.Join(s.Skipped, " "); skipped != strings.Join(slices.Sorted(slices.Values(strings.Fields(row.skipped))), " ") {
				t.Errorf("%s: skipped %q, want %q", row.rule, skipped, row.skipped)
			}
			if (s.Explain(c) == "") != s.OK {
				t.Errorf("%s: OK is %t, and the explanation is %q", row.rule, s.OK, s.Explain(c))
			}
			rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
	}
}

func TestMaterialForMessages(t *testing.T) {
	t.Parallel()
	list := strings.Fields("1.0 1.1 1.2-rc1 1.2 1.3 1.4 1.5 2.0-a1 2.0-a2 2.0-a3 2.0-a4 2.0-a5 2.0-a6 3.0-x")
	s := versions.Select(list, constraint(t, "~> 2.0"))
	if got, want := texts(s.Newest), "3.0.0-x 2.0.0-a6 2.0.0-a5 2.0.0-a4 2.0.0-a3"; got != want {
		t.Errorf("newest: %s, want %s", got, want)
	}
	if got, want := texts(s.Prereleases), "2.0.0-a6 2.0.0-a5 2.0.0-a4 2.0.0-a3 2.0.0-a2"; got != want {
		t.Errorf("prereleases: %s, want those of the wanted range: %s", got, want)
	}
	if s.Listed != len(list) {
		t.Errorf("%d listed, want %d", s.Listed, len(list))
	}
	s = versions.Select(list, constraint(t, "~> 9.0"))
	if got, want := texts(s.Prereleases), "3.0.0-x 2.0.0-a6 2.0.0-a5 2.0.0-a4 2.0.0-a3"; got != want {
		t.Errorf("prereleases: %s, want any if none is of the range: %s", got, want)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, list, constraint, want string }{
		{"A02", "0.13.2 1.0.0-canary.2 1.0.0-canary.4", "~> 1.0.0-canary.2",
			`no listed version is admitted by "~> 1.0.0-canary.2"; the newest listed: 1.0.0-canary.4, 1.0.0-canary.2, 0.13.2; ` +
				`prereleases (1.0.0-canary.4, 1.0.0-canary.2) are selected by an exact version only, for example "1.0.0-canary.4"`},
		{"A06", "4.52.0 5.0.0-rc1", "~> 5",
			`no listed version is admitted by "~> 5"; the newest listed: 5.0.0-rc1, 4.52.0; ` +
				`prereleases (5.0.0-rc1) are selected by an exact version only, for example "5.0.0-rc1"`},
		{"A11", "0.1.0-beta.1", "",
			`the registry lists only prereleases (0.1.0-beta.1), which are selected by an exact version only; write "0.1.0-beta.1" to take the newest`},
		{"many", "1 2 3 4 5 6 7", "~> 9.0",
			`no listed version is admitted by "~> 9.0"; the newest listed: 7.0.0, 6.0.0, 5.0.0, 4.0.0, 3.0.0 and 2 more`},
		{"R-CON-11", "0.0.0", "",
			`no release is listed; the newest listed: 0.0.0; 0.0.0 means no version to the tools and is never selected`},
		{"no list", "", "~> 1.0", `the registry lists no version at all`},
		{"A07", "v1 v2", "~> 1.0", `none of the entries that the registry lists is a version, for example "v1"`},
		{"selected", "1.0", "", ""},
	} {
		c := versions.Any
		if test.constraint != "" {
			c = constraint(t, test.constraint)
		}
		if got := versions.Select(strings.Fields(test.list), c).Explain(c); got != test.want {
			t.Errorf("%s: %s\nwant: %s", test.name, got, test.want)
		}
	}
}
