package hashes

import (
	"fmt"
	"strings"
)

// The schemes that the tools compare (R-HASH-8).
const (
	// SchemeDir is the scheme of hashes over names and contents of files.
	SchemeDir = "h1"
	// SchemeZip is the scheme of hashes over the bytes of a zip file.
	SchemeZip = "zh"
)

// Hash is one package hash. Two hashes are equal if scheme and value are, byte by byte: an upper-case zh: never equals a computed
// one (R-HASH-1, R-HASH-2). The zero Hash is not valid.
type Hash struct {
	Scheme string // text before the first colon, not empty
	Value  string // opaque: may contain colons, may be empty
}

// Parse reads the form scheme:value. Unknown schemes are no error (R-HASH-8); a missing colon and an empty scheme are (R-HASH-1).
func Parse(text string) (Hash, error) {
	scheme, value, found := strings.Cut(text, ":")
	if !found || scheme == "" {
		return Hash{}, fmt.Errorf("package hash %q has no scheme: wanted scheme:value, such as h1:… or zh:…", text)
	}
	return Hash{Scheme: scheme, Value: value}, nil
}

// String returns the form that dependency locks hold.
func (h Hash) String() string { return h.Scheme + ":" + h.Value }

// Preferred reports whether the tools compare hashes of this scheme at all (R-HASH-8).
func (h Hash) Preferred() bool { return h.Scheme == SchemeDir || h.Scheme == SchemeZip }

// Verdict is the outcome of comparing a package with recorded hashes.
type Verdict int

const (
	// NoCheck: nothing comparable is recorded (R-HASH-9, R-HASH-12). It is not an acceptance.
	NoCheck Verdict = iota
	// Match: one recorded hash is the package's (R-HASH-8).
	Match
	// Mismatch: comparable hashes are recorded, and none is the package's.
	Mismatch
)

// String returns the verdict's name, for messages.
func (v Verdict) String() string {
	switch v {
	case Match:
		return "match"
	case Mismatch:
		return "mismatch"
	default:
		return "no check"
	}
}

// Compare judges a package, given by the hashes computed from it, against recorded ones. One match suffices, whatever the other
// recorded hashes are (R-HASH-8); the order of neither list counts (R-HASH-11).
//
// For an archive pass both its hashes. For an unpacked directory pass its h1: alone: recorded lists of only zh: are then NoCheck, as for
// a filesystem mirror (R-HASH-12). Who links from a plugin cache must refuse that case (R-CACHE-5).
func Compare(recorded, computed []Hash) Verdict {
	own := make(map[Hash]bool, len(computed))
	schemes := make(map[string]bool, len(computed))
	for _, h := range computed {
		own[h] = true
		schemes[h.Scheme] = true
	}
	verdict := NoCheck
	for _, h := range recorded {
		if !h.Preferred() || !schemes[h.Scheme] {
			continue
		}
		if own[h] {
			return Match
		}
		verdict = Mismatch
	}
	return verdict
}
