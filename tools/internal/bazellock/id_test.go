package bazellock

import (
	"slices"
	"testing"
)

func TestParseID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ID{
		ourID:                                   {Repo: "rules_tf_mirror+", Package: "tf", File: "extensions.bzl", Name: "tf_repositories"},
		"@@//tf:extensions.bzl%tf_repositories": {Package: "tf", File: "extensions.bzl", Name: "tf_repositories"},
		"//tf:extensions.bzl%tf_repositories":   {Package: "tf", File: "extensions.bzl", Name: "tf_repositories"},
		"@@m~1.0//:sub/e.bzl%e":                 {Repo: "m~1.0", File: "sub/e.bzl", Name: "e"},
		"@@m+//a/b:e.bzl%e%other@1.0+name":      {Repo: "m+", Package: "a/b", File: "e.bzl", Name: "e", Usage: "other@1.0+name"},
	} {
		got, err := ParseID(text)
		if err != nil || got != want {
			t.Errorf("ParseID(%q) = %+v, %v; want %+v", text, got, err, want)
		}
		if again := mustID(t, got.String()); again != got {
			t.Errorf("%q does not read back: %+v", got.String(), again)
		}
	}
	for _, text := range []string{
		"", "tf_repositories", "//tf:extensions.bzl", "//tf:extensions.bzl%", "@rules_tf_mirror//tf:extensions.bzl%tf_repositories",
		"@//tf:extensions.bzl%tf_repositories", ":extensions.bzl%e", "//tf%e", "@@a/b//:e.bzl%e",
	} {
		if id, err := ParseID(text); err == nil {
			t.Errorf("ParseID(%q) = %+v, want an error", text, id)
		}
	}
}

// Both spellings of one id are that id; what merely ends alike is not (rules_tf's extension has the same file and name).
func TestSpellings(t *testing.T) {
	t.Parallel()
	const root = "@@//tf:extensions.bzl%tf_repositories"
	for _, test := range []struct {
		ask, inFile  string
		found, other bool
	}{
		{root, "//tf:extensions.bzl%tf_repositories", true, false},
		{root, root, true, false},
		{"//tf:extensions.bzl%tf_repositories", root, true, false},
		{ourID, ourID, true, false},
		{ourID, "@@rules_tf+//tf:extensions.bzl%tf_repositories", false, false},
		{ourID, "//tf:extensions.bzl%tf_repositories", false, false},
		{ourID, "@@rules_tf_mirror+//other/tf:extensions.bzl%tf_repositories", false, false},
		{ourID, "@@rules_tf_mirror+//tf:extensions.bzl%tf_repositories%a@1+b", false, false},
		{root, "@@rules_tf+//tf:extensions.bzl%tf_repositories", false, false},
		{root, ourID, false, false},
		{ourID, "@@rules_tf_mirror~//tf:extensions.bzl%tf_repositories", false, true},
		{ourID, "@@rules_tf_mirror~0.1.0//tf:extensions.bzl%tf_repositories", false, true},
		{ourID, "@@rules_tf_mirror~override//tf:extensions.bzl%tf_repositories", false, true},
		{ourID, "@@rules_tf_mirror+0.1.0//tf:extensions.bzl%tf_repositories", false, true},
		{ourID, "@@rules_tf_mirror++ext+repo//tf:extensions.bzl%tf_repositories", false, false},
		{ourID, "@@rules_tf_mirror~//tf:extensions.bzl%tf_repositories_2", false, false},
		{"@@rules_tf_mirror~//tf:extensions.bzl%tf_repositories", ourID, false, true},
	} {
		f := mustParse(t, `{"lockFileVersion": 26, "facts": {"`+test.inFile+`": {"a": 1}}}`)
		got, key, ok, err := f.Facts(mustID(t, test.ask))
		mustDo(t, err)
		if ok != test.found || ok && (key != test.inFile || string(got["a"]) != "1") {
			t.Errorf("%s in a file with %s: found %v under %q", test.ask, test.inFile, ok, key)
		}
		others := f.OtherSpellings(mustID(t, test.ask))
		if want := []string{test.inFile}; test.other != slices.Equal(others, want) || !test.other && others != nil {
			t.Errorf("%s in a file with %s: other spellings %v", test.ask, test.inFile, others)
		}
	}
}

// The order is Bazel's: part by part, in bytes (measured; see testdata/measured.lock).
func TestOrder(t *testing.T) {
	t.Parallel()
	ordered := []string{
		"//:a.bzl%e", "//a:two.bzl%One", "//a:two.bzl%one", "//a:two.bzl%one%m@1+x", "//a:two.bzl%one_more", "//a:z!.bzl%e", "//a:z.bzl%e",
		"//a-b:z.bzl%e", "//a/b:z.bzl%e", "@@m+//:a.bzl%e", "@@m+//z:a.bzl%e", "@@m++x+y//:a.bzl%e", "@@n~//:a.bzl%e",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := compare(mustID(t, a), mustID(t, b)); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("compare(%s, %s) = %d", a, b, got)
			}
		}
	}
}
