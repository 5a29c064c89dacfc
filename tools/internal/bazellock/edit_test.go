package bazellock

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// lock is a lockfile in Bazel's form around the entry of ours; "" for an entry means none.
func lock(before, entry, after, rest string) string {
	var entries []string
	for _, e := range []string{before, entry, after} {
		if e != "" {
			entries = append(entries, e)
		}
	}
	facts := "{}"
	if len(entries) > 0 {
		facts = "{\n    " + strings.Join(entries, ",\n    ") + "\n  }"
	}
	return "{\n  \"lockFileVersion\": 26,\n  \"moduleExtensions\": {},\n  \"facts\": " + facts + rest + "\n}\n"
}

func TestSetFacts(t *testing.T) {
	t.Parallel()
	const (
		before   = `"@@a+//:e.bzl%e": {` + "\n      \"odd\":   [1.50,1E3 ]\n    }"
		after    = `"@@z+//:e.bzl%e": {"x": "\u0041"}`
		ours     = `"` + ourID + `": {` + "\n      \"a\": {\n        \"version\": \"1.0.0\"\n      },\n      \"b\": [\n        1,\n        true\n      ]\n    }"
		old      = `"` + ourID + `": {` + "\n      \"gone\": 1\n    }"
		versions = ",\n  \"factsVersions\": {}"
	)
	want := facts{"b": json.RawMessage(`[1,true]`), "a": json.RawMessage(` {"version":"1.0.0"} `)}
	for name, test := range map[string]struct {
		text, want string
		facts      facts
	}{
		"replaced":                  {lock(before, old, after, versions), lock(before, ours, after, versions), want},
		"replaced alone":            {lock("", old, "", ""), lock("", ours, "", ""), want},
		"added between":             {lock(before, "", after, versions), lock(before, ours, after, versions), want},
		"added first":               {lock("", "", after, ""), lock("", ours, after, ""), want},
		"added last":                {lock(before, "", "", versions), lock(before, ours, "", versions), want},
		"added to {}":               {lock("", "", "", versions), lock("", ours, "", versions), want},
		"removed between":           {lock(before, old, after, versions), lock(before, "", after, versions), nil},
		"removed first":             {lock("", old, after, versions), lock("", "", after, versions), nil},
		"removed last":              {lock(before, old, "", ""), lock(before, "", "", ""), nil},
		"removed alone gives {}":    {lock("", old, "", versions), lock("", "", "", versions), nil},
		"nothing to remove":         {lock(before, "", after, versions), lock(before, "", after, versions), facts{}},
		"nothing new":               {lock(before, ours, after, ""), lock(before, ours, after, ""), want},
		"nothing new, odd spelling": {lock(before, `"`+ourID+`":{"b":[1,true],"a":{"version":"1.0.\u0030"}}`, "", ""), lock(before, `"`+ourID+`":{"b":[1,true],"a":{"version":"1.0.\u0030"}}`, "", ""), want},
		"removed with its version": {
			lock("", old, after, ",\n  \"factsVersions\": {\n    \""+ourID+"\": 2,\n    \"@@z+//:e.bzl%e\": 1\n  }"),
			lock("", "", after, ",\n  \"factsVersions\": {\n    \"@@z+//:e.bzl%e\": 1\n  }"), nil,
		},
		"no member facts (8.5, nothing recorded)": {
			"{\n  \"lockFileVersion\": 24,\n  \"moduleExtensions\": {}\n}\n",
			"{\n  \"lockFileVersion\": 24,\n  \"moduleExtensions\": {},\n  \"facts\": {\n    " + ours + "\n  }\n}\n", want,
		},
		"no member facts, versions there": {
			"{\n  \"lockFileVersion\": 28,\n  \"moduleExtensions\": {},\n  \"factsVersions\": {}\n}\n",
			"{\n  \"lockFileVersion\": 28,\n  \"moduleExtensions\": {},\n  \"facts\": {\n    " + ours + "\n  },\n  \"factsVersions\": {}\n}\n", want,
		},
		"only versions there": {
			"{\n  \"lockFileVersion\": 28,\n  \"factsVersions\": {}\n}\n",
			"{\n  \"lockFileVersion\": 28,\n  \"facts\": {\n    " + ours + "\n  },\n  \"factsVersions\": {}\n}\n", want,
		},
		"only the number there": {
			"{\n  \"lockFileVersion\": 28\n}\n",
			"{\n  \"lockFileVersion\": 28,\n  \"facts\": {\n    " + ours + "\n  }\n}\n", want,
		},
		"on one line": {
			`{"lockFileVersion":26,"facts":{"@@z+//:e.bzl%e":{"a":1}},"moduleExtensions":{}}`,
			`{"lockFileVersion":26,"facts":{` + ours + `,` + "\n    " + `"@@z+//:e.bzl%e":{"a":1}},"moduleExtensions":{}}`, want,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := mustID(t, ourID)
			if got := mustSet(t, mustParse(t, test.text), id, test.facts); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			// The same with Windows' line ends, a byte order mark, and without the final newline.
			variant := func(text string) string {
				return "\ufeff" + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\r\n")
			}
			if strings.HasPrefix(test.text, "{\n") {
				if got := mustSet(t, mustParse(t, variant(test.text)), id, test.facts); got != variant(test.want) {
					t.Errorf("with CRLF: got\n%q\nwant\n%q", got, variant(test.want))
				}
			}
		})
	}
}

// The key of the root module's extension is written as Bazel does, or as the file has it.
func TestKeyOfTheRootModule(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ extensions, facts, want string }{
		"nothing to go by":       {`{}`, `{}`, `"//tf:e.bzl%e"`},
		"without @@ elsewhere":   {`{"//:x.bzl%x": {}}`, `{}`, `"//tf:e.bzl%e"`},
		"with @@ elsewhere":      {`{"@@//:x.bzl%x": {}}`, `{}`, `"@@//tf:e.bzl%e"`},
		"other modules say not":  {`{"@@m+//:x.bzl%x": {}}`, `{"@@n+//:x.bzl%x": {"a": 1}}`, `"//tf:e.bzl%e"`},
		"its own spelling stays": {`{"//:x.bzl%x": {}}`, `{"@@//tf:e.bzl%e": {"a": 0}}`, `"@@//tf:e.bzl%e"`},
	} {
		f := mustParse(t, `{"lockFileVersion": 26, "moduleExtensions": `+test.extensions+`, "facts": `+test.facts+`}`)
		got := mustSet(t, f, mustID(t, "@@//tf:e.bzl%e"), facts{"a": json.RawMessage("1")})
		if strings.Count(got, `tf:e.bzl%e"`) != 1 || !strings.Contains(got, test.want+": {") {
			t.Errorf("%s: no %s in %s", name, test.want, got)
		}
	}
}

// What Bazel would refuse, drop, or write in another way is refused here.
func TestSetFactsRefuses(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`null`:                  "fact k: null is no value",
		`{"a": [null]}`:         "fact k: null is no value",
		`1.5`:                   "fact k: the number 1.5 is no integer",
		`1e3`:                   "fact k: the number 1e3 is no integer",
		`[-0]`:                  "fact k: the number -0 is no integer",
		`[[[[[["eight"]]]]]]`:   "nested more than 7 levels deep",
		`[[[[[{"a": {}}]]]]]`:   "nested more than 7 levels deep",
		`[[[[[[]]]]]]`:          "",
		`[[[[["seven"]]]]]`:     "",
		`{"a": 1, "a": 2}`:      `"a" is given twice`,
		``:                      "is empty",
		`1 2`:                   "not valid JSON",
		"\"\xff\"":              "not UTF-8",
		`"fine"`:                "",
		`123456789012345678901`: "",
		`-7`:                    "",
	} {
		_, _, err := mustParse(t, `{"lockFileVersion": 26}`).SetFacts(mustID(t, ourID), facts{"k": json.RawMessage(value)})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", value, err, want)
		}
	}
	if _, _, err := mustParse(t, `{"lockFileVersion": 26}`).SetFacts(mustID(t, ourID), facts{"\xff": json.RawMessage("1")}); err == nil {
		t.Error("a name that is not UTF-8 was taken")
	}
}

// An old entry with what SetFacts would refuse can still be replaced and removed.
func TestReplaceOddOldEntry(t *testing.T) {
	t.Parallel()
	f := mustParse(t, lock("", `"`+ourID+`": {"a": 1.5, "b": null}`, "", ""))
	want := lock("", `"`+ourID+`": {`+"\n      \"a\": 1\n    }", "", "")
	if got := mustSet(t, f, mustID(t, ourID), facts{"a": json.RawMessage("1")}); got != want {
		t.Errorf("got\n%s", got)
	}
	mustSet(t, f, mustID(t, ourID), nil)
}

// testdata/measured.lock was written by a real Bazel from an extension that returned odd facts. Every entry, taken out and put in again,
// must come to stand at the same place in the same bytes.
func TestMeasured(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/measured.lock")
	mustDo(t, err)
	f := mustParse(t, string(text))
	if len(f.sections["facts"]) < 10 {
		t.Fatalf("only %d entries", len(f.sections["facts"]))
	}
	for _, s := range f.sections["facts"] {
		recorded, _, _, err := f.Facts(s.id)
		mustDo(t, err)
		without := mustSet(t, f, s.id, nil)
		if again := mustSet(t, mustParse(t, without), s.id, recorded); again != string(text) {
			t.Errorf("%s: got\n%s\nwant\n%s", s.name, again, text)
		}
		changed := mustSet(t, f, s.id, facts{"other": json.RawMessage("1")})
		if again := mustSet(t, mustParse(t, changed), s.id, recorded); again != string(text) {
			t.Errorf("%s, replaced twice: got\n%s\nwant\n%s", s.name, again, text)
		}
	}
}

// The same spellings one by one, so that a failure says which.
func TestQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         `""`,
		`<>&'"=\/`:                 `"<>&'\"=\\/"`,
		"a\tb\nc\rd\be\ff":         `"a\tb\nc\rd\be\ff"`,
		"\x00\x01\x0b\x1f":         `"\u0000\u0001\u000b\u001f"`,
		"\x7f\u0080\u009f\u00a0":   "\"\x7f\u0080\u009f\u00a0\"",
		"\u2027\u2028\u2029":       "\"\u2027\\u2028\\u2029\"",
		"\ufeff\ufffd\uffff\u00ad": "\"\ufeff\ufffd\uffff\u00ad\"",
		"äöü € 😀":                  `"äöü € 😀"`,
	} {
		var out strings.Builder
		quote(&out, text)
		if out.String() != want {
			t.Errorf("quote(%q) = %s, want %s", text, out.String(), want)
		}
	}
}
