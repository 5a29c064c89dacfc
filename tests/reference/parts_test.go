package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFlags(t *testing.T) {
	t.Parallel()
	got, err := flagTable(`    --check string[="facts"]   compare; --check=full more
-h, --help                     help for lock
    --jobs int                 packages at once (default 8)
    --manifest -               file; - is standard input
    --tool string              which <tool> (default "terraform")
    --upgrade stringArray[=all]   anew`)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(`| flag | value | default | meaning |
|---|---|---|---|
| '--check[=…]' | string | without a value: facts | compare; --check=full more |
| '--jobs' | number | 8 | packages at once |
| '--manifest' | string |  | file; - is standard input |
| '--tool' | string | "terraform" | which &lt;tool> |
| '--upgrade[=…]' | string, repeatable | without a value: all | anew |
`, "'", "`")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	if _, err := flagTable("what is this"); err == nil {
		t.Error("a line that is no flag is left out without a word")
	}
}

func TestReadHelp(t *testing.T) {
	t.Parallel()
	help := readHelp("Does it.\n\nMore: of it.\n\nUsage:\n  x a [flags]\n\nAvailable Commands:\n  a    first\n  help    Help\n  b    second\n\nFlags:\n      --y   why\n  -h, --help   help\n\nUse \"x --help\" for more.\n")
	if want := "Does it.\n\nMore: of it."; help.intro != want {
		t.Errorf("intro %q, want %q", help.intro, want)
	}
	if diff := cmp.Diff([]string{"a", "b"}, help.commands()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	for heading, want := range map[string]string{"Usage": "x a [flags]", "Flags": "    --y   why\n-h, --help   help"} {
		if help.sections[heading] != want {
			t.Errorf("%s: %q, want %q", heading, help.sections[heading], want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ got, want string }{
		{prose("a <b> `<c>` x*y*"), "a &lt;b> `<c>` x\\*y\\*"},
		{prose("odd ` <b>"), "odd ` &lt;b>"},
		{docstring("*a* <b> `<c>*`"), "*a* &lt;b> `<c>*`"},
		{code("a`b"), "`` a`b ``"},
		{code(""), ""},
		{withoutRuleNumbers("a (design §3.3), b (R-CLI-14, R-CLI-15); c (B10, B20) d (hm, B10) e (C25)."), "a, b; c d (hm, B10) e."},
		{anchor("tfmirror lock"), "tfmirror-lock"},
		{anchor("manifest.Request"), "manifestrequest"},
		{anchor("lock --json"), "lock---json"},
		{anchor("`trust.Tier`: a_b"), "trusttier-a_b"},
		{demote("# A\nb # c\n## D", 2), "### A\nb # c\n#### D"},
		{table([]string{"a"}, [][]string{{"x | y\nz"}}), "| a |\n|---|\n| x \\| y z |\n"},
		{goDoc("Name wins over Other (R-X-1); `Name` stays.", []field{{goName: "Name", name: "n.v1"}}), "`n.v1` wins over Other; `Name` stays."},
		{withoutSubject("Row is one line.", "Row"), "One line."},
		{withoutSubject("Rows are lines.", "Row"), "Rows are lines."},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

const goFile = `package p

import "rules_tf_mirror/tools/internal/q"

// Root is the root.
type Root struct {
	A    []B              ` + "`json:\"a\"`" + ` // list
	// Map is next to A.
	Map  map[string]*q.C  ` + "`json:\"map,omitempty\"`" + `
	P    *string          ` + "`json:\"p\"`" + `
	K    Word             ` + "`json:\"k\"`" + `
	Skip int              ` + "`json:\"-\"`" + `
	own  int
}

type B struct {
	X string // the x
	Y bool
}

type (
	one struct { X string ` + "`json:\"x\"`" + ` }
	two struct { Y bool ` + "`json:\"y\"`" + ` }
)

func (b B) MarshalJSON() ([]byte, error) {
	if b.Y { return enc(two{b.Y}) }
	return enc(one{b.X})
}

// Word is a word.
type Word string

const (
	Yes Word = "yes" // agreed
	No  Word = "no"  // Word is not agreed
	other    = "other"
)
`

// Objects lead to what they refer to, hand-written forms included.
func TestObjects(t *testing.T) {
	t.Parallel()
	m := workspace(t, map[string]string{
		"tools/internal/p/p.go":      goFile,
		"tools/internal/p/p_test.go": "not Go",
		"tools/internal/q/q.go":      "package q\n\n// C is a c.\ntype C struct {\n\tN int `json:\"n\"` // count\n}\n\nconst Later p.Word = \"later\" // of q\n",
	})
	o := &objects{sources: newGoSources(m.root), known: map[string]bool{"p.Root": true}, values: map[string]bool{}}
	got, err := o.format("p.Root", "Intro.", "p", "Root", "")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(`
### p.Root

Intro. The root.

| field | type | optional | meaning |
|---|---|---|---|
| 'a' | array of [p.B](#pb) |  | list |
| 'map' | object, each value [q.C](#qc) | yes | 'map' is next to 'a'. |
| 'p' | string or null |  |  |
| 'k' | [p.Word](#pword) |  |  |

### p.B

It has one of these forms:

| field | type | optional | meaning |
|---|---|---|---|
| 'y' | boolean |  |  |

| field | type | optional | meaning |
|---|---|---|---|
| 'x' | string |  | the x |

### q.C

A c.

| field | type | optional | meaning |
|---|---|---|---|
| 'n' | number |  | count |
`, "'", "`")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	packages, err := o.sources.all()
	if err != nil {
		t.Fatal(err)
	}
	rows := [][]string{{"`yes`", "agreed"}, {"`no`", "Word is not agreed"}, {"`later`", "of q"}}
	if diff := cmp.Diff(rows, constantRows(packages, "p.Word")); diff != "" || !o.values["p.Word"] {
		t.Errorf("values %v (-want +got):\n%s", o.values, diff)
	}
}

func TestObjectsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	m := workspace(t, map[string]string{"tools/internal/p/p.go": "package p\n\ntype F struct {\n\tX func() `json:\"x\"`\n}\n\ntype G struct{ X int }\n\ntype H string\n"})
	for name, want := range map[string]string{"F": "field x", "G": "neither json tags nor", "H": "no struct", "I": "no type p.I"} {
		o := &objects{sources: newGoSources(m.root), known: map[string]bool{}, values: map[string]bool{}}
		if _, err := o.format("p."+name, "", "p", name, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want it to say %q", name, err, want)
		}
	}
}
