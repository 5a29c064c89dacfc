package bazellock

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"testing"
)

// FuzzSetFacts: whatever the lockfile and the edit, either one is refused, or the result means what was asked for and every byte outside
// the entry is as before.
func FuzzSetFacts(f *testing.F) {
	measured, err := os.ReadFile("testdata/measured.lock")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(measured, "a", []byte(`{"x": 1}`), false)
	f.Add([]byte(lock(`"@@a+//:e.bzl%e": {}`, `"`+ourID+`": {"a": [1.5]}`, `"@@z+//:e.bzl%e": 1`, ",\n  \"factsVersions\": {\""+ourID+"\": 1}")), "k", []byte(`"v"`), true)
	f.Add([]byte("\ufeff{\"lockFileVersion\":1,\"moduleExtensions\":{}}"), "\u2028", []byte(`[true,"\u0000"]`), false)
	f.Add([]byte("{\r\n\"facts\":{ },\"lockFileVersion\":1}"), "", []byte(`{}`), true)
	f.Add([]byte(`{"lockFileVersion":1,"facts":{"@@m~//:e.bzl%e":{"a":"\ud800"}}}`), "a", []byte(`"😀"`), false)
	f.Fuzz(func(t *testing.T, text []byte, name string, value []byte, remove bool) {
		file, err := Parse("lock", text)
		if err != nil {
			return
		}
		id := mustID(t, ourID)
		want := facts{name: value}
		if remove {
			want = nil
		}
		edited, _, err := file.SetFacts(id, want)
		if err != nil {
			return
		}
		checkMeaning(t, text, edited, want)
		checkBytes(t, file, edited, id, remove)
		mustSet(t, file, id, want)
	})
}

// checkMeaning compares the edited text with the old one, decoded, edited and compared as plain values.
func checkMeaning(t *testing.T, old, edited []byte, want facts) {
	t.Helper()
	wanted, got := decode(t, old), decode(t, edited)
	section, _ := wanted["facts"].(map[string]any)
	if section == nil && len(want) > 0 {
		section = map[string]any{}
		wanted["facts"] = section
	}
	if len(want) == 0 {
		_, had := section[ourID]
		delete(section, ourID)
		if versions, ok := wanted["factsVersions"].(map[string]any); ok && had {
			delete(versions, ourID)
		}
	} else {
		tree, err := normalize(want)
		mustDo(t, err)
		section[ourID] = tree
	}
	if !reflect.DeepEqual(got, wanted) {
		t.Fatalf("got\n%s\nfrom\n%s\nwith %s", edited, old, want)
	}
}

// checkBytes cuts the entry, and with a removal the one in factsVersions, out of the old text; the rest must be in the new one, in order.
func checkBytes(t *testing.T, file *File, edited []byte, id ID, removed bool) {
	t.Helper()
	entry := file.find("facts", id)
	if entry == nil {
		checkInsertion(t, file.text, edited)
		return
	}
	cut := []*section{entry}
	if versions := file.find("factsVersions", id); removed && versions != nil {
		cut = append(cut, versions)
		slices.SortFunc(cut, func(a, b *section) int { return a.start - b.start })
	}
	rest, done := edited, 0
	for _, s := range append(cut, &section{member: member{start: len(file.text), valueEnd: len(file.text)}}) {
		// The separators beside a removed entry go with it.
		piece := bytes.Trim(file.text[done:s.start], " \t\r\n,")
		if removed && done > 0 {
			piece = bytes.TrimLeft(piece, " \t\r\n,}")
		}
		if removed && s.start < len(file.text) {
			piece = bytes.TrimRight(piece, " \t\r\n,{")
		}
		at := bytes.Index(rest, piece)
		if at < 0 {
			t.Fatalf("lost: %q\nfrom\n%s\nin\n%s", piece, file.text, edited)
		}
		rest, done = rest[at+len(piece):], s.valueEnd
	}
}

// checkInsertion: the old text is a beginning and an end of the new one, but for the "{}" that an empty section was.
func checkInsertion(t *testing.T, old, edited []byte) {
	t.Helper()
	prefix := commonPrefix(old, edited)
	suffix := commonPrefix(reversed(old[prefix:]), reversed(edited[prefix:]))
	if rest := bytes.TrimSpace(bytes.Trim(old[prefix:len(old)-suffix], "{}")); len(rest) > 0 {
		t.Fatalf("the insertion replaced %q in\n%s", rest, old)
	}
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func reversed(text []byte) []byte {
	out := make([]byte, len(text))
	for i, c := range text {
		out[len(text)-1-i] = c
	}
	return out
}

func decode(t *testing.T, text []byte) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, byteOrderMark)))
	decoder.UseNumber()
	var value map[string]any
	mustDo(t, decoder.Decode(&value))
	return value
}
