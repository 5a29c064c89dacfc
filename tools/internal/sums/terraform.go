package sums

import (
	"bytes"
	"sort"
	"strings"
)

// maxToolLine is the longest line, in bytes without its end, that the tools' line reader passes on (R-AUTH-27).
const maxToolLine = 64*1024 - 1

// Recorded is what terraform and tofu make of a signed list when they fill a dependency lock (R-AUTH-7).
type Recorded struct {
	Hashes []string // `zh:` values without the prefix, sorted, distinct; nil if the list is void
	Void   int      // number of the line that voids the whole list, 0 if none does: then only the package's own hash is recorded
	Crash  int      // number of the blank line at which the tools crash, 0 if there is none (C22)
	Cut    int      // number of the over-long line at which the tools stop reading, 0 if there is none
}

// Terraform returns what the tools record: each line's hash, whatever file it is of, or nothing at all if one line is odd. Our own lock takes
// Release's hashes instead; the difference is for messages and for explaining why two lock files differ.
func (l *List) Terraform() Recorded {
	var recorded Recorded
	distinct := map[string]bool{}
	for i, text := range bytes.Split(bytes.TrimSuffix(l.raw, []byte{'\n'}), []byte{'\n'}) {
		if len(text) > maxToolLine {
			recorded.Cut = i + 1
			break
		}
		fields := bytes.Fields(text)
		switch {
		case len(fields) == 0:
			if len(l.raw) > 0 {
				recorded.Crash = i + 1
				return recorded
			}
		case len(fields) < 2 || !IsHash(string(fields[0])):
			recorded.Void = i + 1
			return recorded
		default:
			distinct[strings.ToLower(string(fields[0]))] = true
		}
	}
	for hash := range distinct {
		recorded.Hashes = append(recorded.Hashes, hash)
	}
	sort.Strings(recorded.Hashes)
	return recorded
}
