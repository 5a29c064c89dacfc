package archive

import (
	"archive/zip"
	"strings"
	"testing"
)

// What becomes of a name on Unix and on Windows; "" for a name that is refused. Hostile names are in hostileArchives.
func TestCleanName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ raw, unix, windows string }{
		{"a", "a", "a"},
		{"a/", "a", "a"},
		{"./a//b/.", "a/b", "a/b"},
		{"./", ".", "."},
		{".hidden", ".hidden", ".hidden"},
		{"..a/b..", "..a/b..", ""}, // Windows drops a final dot
		{"a b (1)+~.txt", "a b (1)+~.txt", "a b (1)+~.txt"},
		{"bücher/ä", "bücher/ä", "bücher/ä"},
		{`a\b`, `a\b`, ""},
		{`\a`, `\a`, ""},
		{"a:b", "", ""}, // a drive
		{"ab:c", "ab:c", ""},
		{"1:b", "1:b", ""},
		{"a/b:c", "a/b:c", ""},
		{"a?", "a?", ""},
		{"tab\t", "", ""},
		{"escape\x1b[31m", "", ""},
		{"delete\x7f", "", ""},
		{"aux", "aux", ""},
		{"Aux.h", "Aux.h", ""},
		{"auxiliary", "auxiliary", "auxiliary"},
		{"docs/con .txt", "docs/con .txt", ""},
		{"com0", "com0", ""},
		{"lpt¹.log", "lpt¹.log", ""},
		{"com", "com", "com"},
		{"command1", "command1", "command1"},
		{"a ", "a ", ""},
		{"a /b", "a /b", ""},
		{"~", "~", "~"},
		{"$HOME", "$HOME", "$HOME"},
		{"-rf", "-rf", "-rf"},
		{strings.Repeat("x/", 300) + "y", strings.Repeat("x/", 300) + "y", strings.Repeat("x/", 300) + "y"},
	} {
		for windows, want := range map[bool]string{false: test.unix, true: test.windows} {
			got, problem := cleanName(test.raw, windows)
			if got != want || (problem == "") != (want != "") {
				t.Errorf("%q, Windows %v: got %q, %q, want %q", test.raw, windows, got, problem, want)
			}
		}
	}
}

// Names that one file system takes for the same, and others that it does not.
func TestFoldName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"README", "readme", true},
		{"ÄÖ", "äö", true},
		{"caf\u00e9", "cafe\u0301", true},
		{"STRASSE", "straße", true}, // more than some file systems fold; a false alarm is better than a lost file
		{"a", "b", false},
		{"a", "á", false},
	} {
		if got := foldName(test.a) == foldName(test.b); got != test.same {
			t.Errorf("%q and %q: same is %v, want %v", test.a, test.b, got, test.same)
		}
	}
}

// The limits' edges: what is just allowed passes.
func TestLimits(t *testing.T) {
	t.Parallel()
	sized := func(sizes ...uint64) []*zip.File {
		var entries []*zip.File
		for _, size := range sizes {
			entries = append(entries, &zip.File{FileHeader: zip.FileHeader{Name: "a", UncompressedSize64: size}})
		}
		return entries
	}
	for name, test := range map[string]struct {
		limits  Limits
		entries []*zip.File
		zipSize int64
		ok      bool
	}{
		"as many entries as allowed":      {Limits{Entries: 2}, sized(1, 1), 10, true},
		"one entry more":                  {Limits{Entries: 2}, sized(1, 1, 1), 10, false},
		"as many bytes as allowed":        {Limits{Bytes: 10}, sized(4, 6), 10, true},
		"one byte more":                   {Limits{Bytes: 10}, sized(4, 7), 10, false},
		"real aws 5.100.0":                {Limits{}, sized(707_000_000), 140_000_000, true},
		"small and dense is no bomb":      {Limits{}, sized(ratioFloor), 1, true},
		"large and dense is one":          {Limits{}, sized(ratioFloor, 1<<20), 1 << 20, false},
		"default number of entries":       {Limits{}, sized(make([]uint64, defaultEntries)...), 1 << 20, true},
		"above default number of entries": {Limits{}, sized(make([]uint64, defaultEntries+1)...), 1 << 20, false},
		"above default size":              {Limits{}, sized(defaultBytes, 1), 1 << 40, false},
		"sum beyond 64 bits":              {Limits{}, sized(1<<63, 1<<63, 1), 1 << 40, false},
	} {
		if problem := test.limits.check(test.entries, test.zipSize); (problem == nil) != test.ok {
			t.Errorf("%s: got %v, want ok %v", name, problem, test.ok)
		}
	}
}
