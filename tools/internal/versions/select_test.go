package versions_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
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
			rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
	}
}

// A hostile list is read in one go, however long, and of what is no version only a little is kept.
func TestHostileList(t *testing.T) {
	t.Parallel()
	var list []string
	for i := range 400_000 {
		list = append(list, "v"+strconv.Itoa(i))
	}
	list = append(list, strings.Repeat("9", 200_000)+".0.0", "1.0.0+"+strings.Repeat("a", 3000), "1.2.0", "v1")
	slices.Reverse(list)
	s := versions.Select(list, versions.Any)
	if !s.OK || s.Version.String() != "1.2.0" || s.Unread != 400_002 || len(s.Skipped) != 5 {
		t.Errorf("selected %v, %d unread, %d kept", s.Version, s.Unread, len(s.Skipped))
	}
	for _, text := range s.Skipped {
		if len(text) > 70 {
			t.Errorf("%d characters of an entry are kept", len(text))
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

// A02, A06, A11: what a message needs to name the prereleases that were seen and the one to pin.
func TestPrereleasesSeen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ id, list, constraint, prereleases, newest string }{
		{"A02", "0.13.2 1.0.0-canary.2 1.0.0-canary.4", "~> 1.0.0-canary.2", "1.0.0-canary.4 1.0.0-canary.2", "1.0.0-canary.4 1.0.0-canary.2 0.13.2"},
		{"A06", "4.52.0 5.0.0-rc1", "~> 5", "5.0.0-rc1", "5.0.0-rc1 4.52.0"},
		{"A11", "0.1.0-beta.1", "", "0.1.0-beta.1", "0.1.0-beta.1"},
		{"releases only", "1 2", "~> 9.0", "", "2.0.0 1.0.0"},
		{"R-CON-11", "0.0.0", "", "", "0.0.0"},
		{"A07", "v1", "", "", ""},
	} {
		c := versions.Any
		if test.constraint != "" {
			c = constraint(t, test.constraint)
		}
		s := versions.Select(strings.Fields(test.list), c)
		if s.OK || texts(s.Prereleases) != test.prereleases || texts(s.Newest) != test.newest {
			t.Errorf("%s: selected %t, prereleases %q, newest %q; want false, %q, %q",
				test.id, s.OK, texts(s.Prereleases), texts(s.Newest), test.prereleases, test.newest)
		}
	}
}
