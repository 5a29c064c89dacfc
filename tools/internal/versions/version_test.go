package versions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/versions"
)

func parse(t *testing.T, text string) versions.Version {
	t.Helper()
	v, err := versions.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// versionRows has the examples of R-VER-1..5 and the version rows of §2.5; an empty want is an error.
var versionRows = []struct{ rule, text, want string }{
	{"R-VER-1", "1", "1.0.0"},
	{"R-VER-1", "1.2", "1.2.0"},
	{"R-VER-1", "1.2.3", "1.2.3"},
	{"R-VER-1", "01.02", "1.2.0"},
	{"R-VER-1", "1.2.3.4", ""},
	{"R-VER-1", "0.0.0", "0.0.0"},
	{"R-VER-2", "1.2.3-beta..1", "1.2.3-beta..1"},
	{"R-VER-2", "1.2.3-.", "1.2.3-."},
	{"R-VER-2", "1.2.3-x.", "1.2.3-x."},
	{"R-VER-2", "1.2.3-01", "1.2.3-01"},
	{"R-VER-2", "1.2.3-a-b+c-d.e", "1.2.3-a-b+c-d.e"},
	{"R-VER-2", "1-beta", "1.0.0-beta"},
	{"R-VER-2", "1.2+m", "1.2.0+m"},
	{"R-VER-2", "1.2.3-a_b", ""},
	{"R-VER-2", "1.2.3-~x", ""},
	{"R-VER-2", "1.2.3+~x", ""},
	{"R-VER-2", "1.2.3-a/b", ""},
	{"R-VER-2", "1.2.3-a%b", ""},
	{"R-VER-2", "1.2.3-ä", ""},
	{"R-VER-3", "1.2.3-", "1.2.3"},
	{"R-VER-3", "1.2.3+", "1.2.3"},
	{"R-VER-3", "1.", "1.0.0"},
	{"R-VER-4", "v1.2.3", ""},
	{"R-VER-4", "V1.2.3", ""},
	{"R-VER-4", " 1.2.3", ""},
	{"R-VER-4", "1.2.3 ", ""},
	{"R-VER-4", "1.2.3\n", ""},
	{"R-VER-4", "=1.2.3", ""},
	{"R-VER-4", ">= 1.2.3", ""},
	{"R-VER-4", "1.*", ""},
	{"R-VER-4", "1.x", ""},
	{"R-VER-4", "X", ""},
	{"R-VER-4", "*", ""},
	{"R-VER-4", "", ""},
	{"R-VER-4", " ", ""},
	{"R-VER-4", "1.2.3beta", ""},
	{"R-VER-4", "1.2.3~x", ""},
	{"R-VER-4", "1.2.3+a+b", ""},
	{"R-VER-5", "9223372036854775808.0.0", "9223372036854775808.0.0"},
	{"R-VER-5", "18446744073709551615.0.0", "18446744073709551615.0.0"},
	{"R-VER-5", "18446744073709551616.0.0", ""},
	{"R-VER-5", "99999999999999999999.0.0", ""},
	{"R-VER-5", "0.99999999999999999999", ""},
	{"R-VER-5", "0.0.99999999999999999999-beta", ""},
	{"R-VER-5", "v99999999999999999999", ""},
	{"R-VER-5", "000000000000000000000000000001.0.0", "1.0.0"},
	{"R-VER-5", "1.0.0-99999999999999999999", "1.0.0-99999999999999999999"},
	{"R-VER-5", "1.0.0+99999999999999999999", "1.0.0+99999999999999999999"},
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, row := range versionRows {
		v, err := versions.Parse(row.text)
		switch {
		case row.want == "" && err == nil:
			t.Errorf("%s: Parse(%q) = %s, want an error", row.rule, row.text, v)
		case row.want == "":
			if problem.KindOf(err) != problem.Response || !strings.Contains(err.Error(), fmt.Sprintf("%q", row.text)) {
				t.Errorf("%s: Parse(%q): %v of kind %s; want kind response and the text", row.rule, row.text, err, problem.KindOf(err))
			}
		case err != nil:
			t.Errorf("%s: Parse(%q): %v", row.rule, row.text, err)
		case v.String() != row.want:
			t.Errorf("%s: Parse(%q) = %s, want %s", row.rule, row.text, v, row.want)
		}
	}
}

// R-VER-8..10 and the compare rows of §2.5: each version is lower than the next one.
var ascending = [][]string{
	{"1.0.0-beta", "1.0.0-alpha.1", "1.0.0"},
	{"1.0.0-rc", "1.0.0-beta.1"},
	{"1.0.0-beta", "1.0.0-alpha.beta"},
	{"1.0.0-rc1", "1.0.0-rc.1"},
	{"1.0.0-rc.2", "1.0.0-rc.1.0"},
	{"1.0.0-1", "1.0.0-01"},
	{"1.0.0-99999999999999999999", "1.0.0-100000000000000000000"},
	{"1.0.0-beta10", "1.0.0-beta2"},
	{"1.0.0-A", "1.0.0-a"},
	{"1.0.0-1", "1.0.0-1a", "1.0.0-a"},
	{"0.9.10", "0.10.0", "1.0.0-x", "1.0.0", "1.0.1", "1.1.0", "2.0.0-a", "2.0.0", "10.0.0"},
	// Same precedence: metadata orders them here, so that a choice is never left to chance (R-VER-11).
	{"1.0.0", "1.0.0+1", "1.0.0+a", "1.0.0+b", "1.0.0+a.a", "1.0.1"},
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, list := range ascending {
		for i, a := range list {
			for j, b := range list {
				got := parse(t, a).Compare(parse(t, b))
				want := 0
				if i < j {
					want = -1
				} else if i > j {
					want = 1
				}
				if got != want {
					t.Errorf("%s compared with %s is %d, want %d", a, b, got, want)
				}
			}
		}
		shuffled := []versions.Version{}
		for _, text := range slices.Backward(list) {
			shuffled = append(shuffled, parse(t, text))
		}
		slices.SortFunc(shuffled, versions.Version.Compare)
		for i, v := range shuffled {
			if v.String() != list[i] {
				t.Errorf("sorted: %v, want %v", shuffled, list)
				break
			}
		}
	}
}

// R-VER-7: identity includes metadata, precedence does not.
func TestIdentity(t *testing.T) {
	t.Parallel()
	if parse(t, "1") != parse(t, "01.0.0") {
		t.Error("1 and 01.0.0 are one version")
	}
	plain, meta := parse(t, "1.0.0"), parse(t, "1.0.0+a")
	if plain == meta || !plain.SamePrecedence(meta) {
		t.Error("1.0.0 and 1.0.0+a: want different versions of the same precedence")
	}
	if plain.SamePrecedence(parse(t, "1.0.0-a")) {
		t.Error("1.0.0 and 1.0.0-a have different precedence")
	}
	for text, want := range map[string]bool{"0": true, "0.0.0": true, "0.0.0+x": false, "0.0.0-x": false, "0.0.1": false} {
		if got := parse(t, text).IsUnspecified(); got != want {
			t.Errorf("R-CON-11: %s is unspecified: %t, want %t", text, got, want)
		}
	}
	if !parse(t, "1.0.0-a").IsPrerelease() || meta.IsPrerelease() {
		t.Error("IsPrerelease looks at the wrong part")
	}
}
