package bazellock

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
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
		checkBytes(t, file, edited, id)
		mustSet(t, file, id, want)
	})
}

// checkMeaning compares the edited text with the old one, decoded, edited and compared as plain values.
func checkMeaning(t *testing.T, old, edited []byte, want facts) {
	t.Helper()
	wanted, got := decode(t, old), decode(t, edited)
	key := entryKey(wanted)
	section, _ := wanted["facts"].(map[string]any)
	if section == nil && len(want) > 0 {
		section = map[string]any{}
		wanted["facts"] = section
	}
	if len(want) == 0 {
		_, had := section[key]
		delete(section, key)
		if versions, ok := wanted["factsVersions"].(map[string]any); ok && had {
			delete(versions, key)
		}
	} else {
		tree, err := normalize(want)
		mustDo(t, err)
		section[key] = tree
	}
	if !reflect.DeepEqual(got, wanted) {
		t.Fatalf("got\n%s\nfrom\n%s\nwith %s", edited, old, want)
	}
}

// entryKey is the only spelling that the id of the tests can have.
func entryKey(map[string]any) string { return ourID }

// checkBytes finds what lies before and behind the entry (and the entry in factsVersions) in the old text; all of it must be in the new.
func checkBytes(t *testing.T, file *File, edited []byte, id ID) {
	t.Helper()
	kept := file.text
	pieces := [][]byte{}
	for _, name := range []string{"facts", "factsVersions"} {
		if s := file.find(name, id); s != nil {
			// Separators beside the entry go with it, so they count as part of it.
			at := bytes.Index(kept, file.text[s.start:s.valueEnd])
			pieces = append(pieces, bytes.TrimRight(kept[:at], " \t\r\n,{"))
			kept = bytes.TrimLeft(kept[at+s.valueEnd-s.start:], " \t\r\n,}")
		}
	}
	if len(pieces) == 0 && !bytes.Equal(edited, file.text) {
		// An insertion: the old text is a beginning and an end of the new one, but for the "{}" that an empty section was.
		prefix := commonPrefix(file.text, edited)
		suffix := commonPrefix(reversed(file.text[prefix:]), reversed(edited[prefix:]))
		if rest := bytes.TrimSpace(bytes.Trim(file.text[prefix:len(file.text)-suffix], "{}")); len(rest) > 0 {
			t.Fatalf("the insertion replaced %q in\n%s", rest, file.text)
		}
		return
	}
	pieces = append(pieces, kept)
	rest := edited
	for _, piece := range pieces {
		at := bytes.Index(rest, piece)
		if at < 0 {
			t.Fatalf("lost: %q\nfrom\n%s\nin\n%s", piece, file.text, edited)
		}
		rest = rest[at+len(piece):]
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
