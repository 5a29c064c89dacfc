package archive

import (
	"archive/zip"
	"fmt"
)

// Limits bound what an archive may become. The zero value of a field means its default.
type Limits struct {
	Entries int   // number of entries; default 100 000
	Bytes   int64 // sum of the unpacked sizes; default 16 GiB (the largest known provider, aws, has 0.7 GiB)
	Ratio   int64 // unpacked size divided by the zip's, looked at above 256 MiB only; default 200 (real providers have 3 to 8)
}

const (
	defaultEntries = 100_000
	defaultBytes   = 16 << 30
	defaultRatio   = 200

	// ratioFloor is the unpacked size, in bytes, below which no ratio is suspicious: such an archive cannot hurt.
	ratioFloor = 256 << 20
)

func (l Limits) withDefaults() Limits {
	if l.Entries == 0 {
		l.Entries = defaultEntries
	}
	if l.Bytes == 0 {
		l.Bytes = defaultBytes
	}
	if l.Ratio == 0 {
		l.Ratio = defaultRatio
	}
	return l
}

// check compares the declared sizes with the limits. An entry that is longer than it declares is found while it is read. The zip's
// own size is counted once, so that entries which share bytes are seen as the bomb that they are.
func (l Limits) check(entries []*zip.File, zipSize int64) *Error {
	l = l.withDefaults()
	if len(entries) > l.Entries {
		return &Error{Problem: fmt.Sprintf("the zip has %d entries, at most %d are unpacked", len(entries), l.Entries)}
	}
	var total uint64
	for _, entry := range entries {
		total += entry.UncompressedSize64
		// Compared in every turn, so that the sum cannot overflow first.
		if entry.UncompressedSize64 > uint64(l.Bytes) || total > uint64(l.Bytes) {
			return &Error{Entry: entry.Name, Problem: fmt.Sprintf("the unpacked package has more than %d bytes", l.Bytes)}
		}
	}
	if total > ratioFloor && total/uint64(l.Ratio) > uint64(zipSize) {
		return &Error{Problem: fmt.Sprintf("a zip of %d bytes claims to unpack to %d, more than %d times its size", zipSize, total, l.Ratio)}
	}
	return nil
}
