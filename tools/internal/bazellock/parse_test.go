package bazellock

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Forms of the lockfile by version of Bazel. The numbers differ from release to release, so they are not looked at.
func TestParseAccepts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text  string
		facts bool
	}{
		"8.4, no facts":               {`{"lockFileVersion": 18, "registryFileHashes": {}, "selectedYankedVersions": {}, "moduleExtensions": {}}`, false},
		"8.5 and 9.0, no facts yet":   {`{"lockFileVersion": 24, "registryFileHashes": {"https://x": null}, "moduleExtensions": {}, "facts": {}}`, true},
		"9.1":                         {`{"lockFileVersion": 26, "moduleExtensions": {"//:e.bzl%e": {}}, "facts": {"@@m+//:e.bzl%e": {"a": "b"}}}`, true},
		"8.8 and 9.2":                 {`{"lockFileVersion": 28, "moduleExtensions": {}, "facts": {}, "factsVersions": {"@@m+//:e.bzl%e": 3}}`, true},
		"unknown members":             {`{"lockFileVersion": 99, "new": [{"a": [1.5e3, null, true]}, "x"], "facts": {}}`, true},
		"a name that is no id":        {`{"lockFileVersion": 99, "facts": {"something else": 1}}`, true},
		"byte order mark":             {"\ufeff{\"lockFileVersion\": 26}", false},
		"CRLF, no final newline":      {"{\r\n  \"lockFileVersion\": 26,\r\n  \"facts\": {}\r\n}", true},
		"white space around":          {"\n\t {\"lockFileVersion\" : 26 , \"facts\" : { } }\n\n", true},
		"an equals sign that is text": {"{\"lockFileVersion\": 26, \"a\": \"=======\"}", false},
	} {
		f, err := Parse("MODULE.bazel.lock", []byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if f.HasFacts() != test.facts {
			t.Errorf("%s: HasFacts = %v", name, f.HasFacts())
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	good := "{\n  \"lockFileVersion\": 26,\n"
	for name, test := range map[string]struct {
		text string
		line int
		want string
	}{
		"empty":                      {"", 1, "the file is empty"},
		"white space":                {" \n\n", 1, "the file is empty"},
		"cut off":                    {good + "  \"facts\": {", 3, "not valid JSON: unexpected end"},
		"missing comma":              {good + "  \"a\": 1\n  \"b\": 2\n}", 4, "not valid JSON: invalid character"},
		"text after":                 {"{\"lockFileVersion\": 26}\n\n}", 3, "not valid JSON: invalid character"},
		"after a byte order mark":    {"\ufeff" + good + "}", 3, "not valid JSON"},
		"comment":                    {good + "  // no\n}", 3, "not valid JSON"},
		"not UTF-8":                  {good + "  \"a\": \"\xff\"}", 3, "not UTF-8"},
		"array":                      {"\n[]", 2, "a lockfile is a JSON object"},
		"no version":                 {"{}", 1, "no number lockFileVersion"},
		"version is text":            {"{\"lockFileVersion\": \"26\"}", 1, "no number lockFileVersion"},
		"facts null":                 {good + "  \"facts\": null\n}", 3, "facts is not an object"},
		"facts array":                {good + "  \"facts\": []\n}", 3, "facts is not an object"},
		"versions no object":         {good + "  \"factsVersions\": 1\n}", 3, "factsVersions is not an object"},
		"name twice at the top":      {good + "  \"facts\": {},\n  \"facts\": {}\n}", 4, `"facts" is given twice, first in line 3`},
		"name twice below":           {good + "  \"x\": [{\n \"k\": 1,\n \"k\": 2}]}", 5, `"k" is given twice, first in line 4`},
		"twice by an escape":         {good + "  \"x\": {\"k\": 1,\n \"\\u006b\": 2}}", 4, `"k" is given twice`},
		"extension twice":            {good + "  \"facts\": {\n \"//:e.bzl%e\": {},\n \"@@//:e.bzl%e\": {}}}", 5, "is given twice, with and without @@"},
		"conflict":                   {good + "<<<<<<< HEAD\n  \"a\": 1\n=======\n  \"a\": 2\n>>>>>>> b\n}", 3, "unresolved merge conflict (<<<<<<<)"},
		"conflict, only the middle":  {good + "  \"a\": 1\n=======\n}", 4, "unresolved merge conflict (=======)"},
		"conflict, diff3":            {good + "||||||| base\n}", 3, "unresolved merge conflict (|||||||)"},
		"conflict, only its end":     {good + "}\n>>>>>>> branch\n", 4, "unresolved merge conflict (>>>>>>>)"},
		"conflict with CRLF":         {"{\r\n<<<<<<< HEAD\r\n", 2, "unresolved merge conflict"},
		"too deep for the JSON read": {good + "  \"a\": " + strings.Repeat("[", 20000), 3, "exceeded max depth"},
	} {
		_, err := Parse("dir/MODULE.bazel.lock", []byte(test.text))
		var parse *ParseError
		if !errors.As(err, &parse) || parse.Line != test.line || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v; want line %d and %q", name, err, test.line, test.want)
		} else if !strings.HasPrefix(err.Error(), fmt.Sprintf("dir/MODULE.bazel.lock:%d: ", test.line)) {
			t.Errorf("%s: %q does not begin with path and line", name, err)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := Open(filepath.Join(dir, "MODULE.bazel.lock"))
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "bazel mod deps") {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Open(dir); err == nil || errors.Is(err, ErrMissing) {
		t.Errorf("a directory: %v", err)
	}
	path := writeFile(t, dir, "MODULE.bazel.lock", `{"lockFileVersion": 26}`)
	if f, err := Open(path); err != nil || f.path != path {
		t.Errorf("Open = %v", err)
	}
}

// An entry of ours that is no object is an error and not "no facts"; one of another extension does not concern us.
func TestFactsOfOddEntries(t *testing.T) {
	t.Parallel()
	f := mustParse(t, "{\"lockFileVersion\": 26, \"facts\": {\n\""+ourID+"\": null,\n\"@@m+//:e.bzl%e\": [1]}}")
	_, _, ok, err := f.Facts(mustID(t, ourID))
	if ok || err == nil || !strings.Contains(err.Error(), "lock:2: the facts of "+ourID+" are not an object") {
		t.Errorf("Facts = %v, %v", ok, err)
	}
	if _, _, err := f.SetFacts(mustID(t, ourID), facts{"a": []byte("1")}); err == nil {
		t.Error("SetFacts replaced an entry that could not be read")
	}
	facts, key, ok, err := f.Facts(mustID(t, "@@m+//:f.bzl%e"))
	if facts != nil || key != "" || ok || err != nil {
		t.Errorf("Facts of an extension without = %v, %q, %v, %v", facts, key, ok, err)
	}
}
