package bazellock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"rules_tf_mirror/tools/internal/inputfile"
	"rules_tf_mirror/tools/internal/wholefile"
)

// attempts is how often Edit starts again when somebody else writes in between.
const attempts = 3

// Save replaces the file by text, whole (package wholefile), and removes what killed writers left beside it. If the file is no longer what
// was read, nothing is written and the error has ErrChanged in its chain. The caller holds the lock of package filelock; against Bazel,
// which takes no lock, the comparison narrows the gap to the moment between it and the rename.
func (f *File) Save(text []byte) error {
	if err := wholefile.RemoveLeftovers(f.path); err != nil {
		return err
	}
	now, err := inputfile.Read(f.path, inputfile.Most)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err != nil || !bytes.Equal(now, f.text) {
		return fmt.Errorf("%s: %w; let other commands end, then run this again", f.path, ErrChanged)
	}
	_, err = wholefile.Write(f.path, text)
	return err
}

// Edit reads the lockfile at path, hands the extension's facts to edit (an empty map if there are none), and writes what it returns, if
// that is anything new. edit may change and return its map. It is called again, up to three times, when the file changes meanwhile.
// The caller holds the lock of package filelock.
func Edit(path string, id ID, edit func(map[string]json.RawMessage) (map[string]json.RawMessage, error)) (changed bool, err error) {
	for range attempts {
		changed, err = editOnce(path, id, edit)
		if !errors.Is(err, ErrChanged) {
			break
		}
	}
	return changed, err
}

func editOnce(path string, id ID, edit func(map[string]json.RawMessage) (map[string]json.RawMessage, error)) (bool, error) {
	f, err := Open(path)
	if err != nil {
		return false, err
	}
	facts, _, ok, err := f.Facts(id)
	if err != nil {
		return false, err
	}
	if !ok {
		facts = map[string]json.RawMessage{}
	}
	if facts, err = edit(facts); err != nil {
		return false, err
	}
	text, changed, err := f.SetFacts(id, facts)
	if err != nil || !changed {
		return false, err
	}
	return true, f.Save(text)
}
