package bazellock

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// The extension of the tests, as rules pass it.
const ourID = "@@rules_tf_mirror+//tf:extensions.bzl%tf_repositories"

type facts = map[string]json.RawMessage

func mustID(t testing.TB, text string) ID {
	t.Helper()
	id, err := ParseID(text)
	mustDo(t, err)
	return id
}

func mustParse(t testing.TB, text string) *File {
	t.Helper()
	f, err := Parse("MODULE.bazel.lock", []byte(text))
	mustDo(t, err)
	return f
}

// mustSet edits and checks what holds for every edit: the result is a lockfile with these facts, and the same edit again changes nothing.
func mustSet(t testing.TB, f *File, id ID, want facts) string {
	t.Helper()
	text, changed, err := f.SetFacts(id, want)
	mustDo(t, err)
	if changed == bytes.Equal(text, f.text) {
		t.Fatalf("changed = %v for equal=%v texts", changed, bytes.Equal(text, f.text))
	}
	after := mustParse(t, string(text))
	got, _, ok, err := after.Facts(id)
	mustDo(t, err)
	if ok != (len(want) > 0) {
		t.Fatalf("facts recorded: %v, with %d wanted, in\n%s", ok, len(want), text)
	}
	checkSame(t, got, want)
	if again, changed, err := after.SetFacts(id, want); changed || err != nil || !bytes.Equal(again, text) {
		t.Fatalf("the same edit again: changed = %v, %v", changed, err)
	}
	return string(text)
}

func checkSame(t testing.TB, got, want facts) {
	t.Helper()
	gotTree, err := normalize(got)
	mustDo(t, err)
	wantTree, err := normalize(want)
	mustDo(t, err)
	gotJSON, _ := json.Marshal(gotTree)
	wantJSON, _ := json.Marshal(wantTree)
	if !bytes.Equal(gotJSON, wantJSON) {
		t.Fatalf("facts %s, want %s", gotJSON, wantJSON)
	}
}

func writeFile(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	mustDo(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	mustDo(t, err)
	return string(text)
}

func mustDo(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
