package netmirror

import (
	"errors"
	"fmt"
	"regexp"

	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/hashes"
)

var sha256Pattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// told is what a document says about the content of one archive.
type told struct {
	sha256 string        // the one usable zh:, or empty: then the archive must be looked at
	list   []hashes.Hash // the hashes that the tools would compare: one match is enough (R-NET-13); empty: the mirror says nothing
}

// readHashes judges the hashes of one archive as the tools do (R-NET-13, R-NET-14). Errors continue the sentence "its document lists …".
func readHashes(texts []string) (told, error) {
	var t told
	zips := map[string]bool{}
	for _, text := range texts {
		h, err := hashes.Parse(text)
		if err != nil {
			return told{}, fmt.Errorf("the hash %q, which has no scheme before a colon", foreign.Short(text, 60))
		}
		if !h.Preferred() {
			continue
		}
		t.list = append(t.list, h)
		// An upper-case zh: never equals a computed one (R-HASH-2); it is no help and no harm.
		if h.Scheme == hashes.SchemeZip && sha256Pattern.MatchString(h.Value) {
			zips[h.Value] = true
			t.sha256 = h.Value
		}
	}
	if len(texts) > 0 && len(t.list) == 0 {
		return told{}, errors.New("no hash of a supported scheme; h1: or zh: is wanted")
	}
	if len(zips) != 1 {
		t.sha256 = "" // none, or which of them it is shows the archive
	}
	return t, nil
}
