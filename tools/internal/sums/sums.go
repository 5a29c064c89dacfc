// Package sums reads the SHA256SUMS document of a provider release.
//
// # Format
//
// One line per file: the SHA-256 in hex, white space, the file's name. The document is what the publisher signs, so its lines are the only
// place that ties a file name to its bytes. A name is compared byte for byte: `*name` and `./name`, which sha256sum writes and reads, name
// other files for terraform and tofu (R-AUTH-5), and so they do here.
//
// # Trust
//
// Nothing here checks a signature. Parse a list only after signatures.Verify accepted its bytes, or treat the result as the registry's word.
//
// # Where this differs from the tools
//
// Blank lines are ignored; the tools crash on them (R-AUTH-27, C22). A hash of more than 64 digits is a defect; the tools crash (R-AUTH-6).
// Two lines that give one package two hashes are refused; the tools take the first (R-AUTH-5). Lines longer than 64 KiB are read; for the
// tools the list ends there (R-AUTH-27). [List.Terraform] says what terraform would record in a dependency lock.
package sums

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// HashLen is the number of hex digits of a SHA-256.
const HashLen = 64

// MaxSize is the number of bytes that a document may have, since each signature over it is a digest of all of it. The longest real list has some
// ten KiB.
const MaxSize = 256 << 10

// Check refuses a document that is too long, with an *Error. Callers do that before they verify a signature.
func Check(document []byte) error {
	if len(document) > MaxSize {
		return &Error{Kind: TooLong, Found: fmt.Sprint(len(document))}
	}
	return nil
}

// Line is one well-formed line: a hash of 64 hex digits and a name. Fields after the name are ignored, as the tools do.
type Line struct {
	Number int    // counted from 1
	Hash   string // 64 lower-case hex digits
	Name   string // as written
}

// Odd is a line that is neither blank nor well-formed.
type Odd struct {
	Number int
	Name   string // the second field, empty if there is none
	Hash   string // the first field as written
}

// List is a parsed SHA256SUMS document.
type List struct {
	Lines []Line // in the document's order
	Odd   []Odd  // lines that do not fit the format; a defect only where they name a wanted package
	raw   []byte
}

// Parse splits a document into lines. It accepts every input: what does not fit the format ends up in Odd.
func Parse(document []byte) *List {
	list := &List{raw: document}
	for i, text := range bytes.Split(document, []byte{'\n'}) {
		fields := bytes.Fields(text)
		if len(fields) == 0 {
			continue
		}
		first := string(fields[0])
		var name string
		if len(fields) > 1 {
			name = string(fields[1])
		}
		if name == "" || !IsHash(first) {
			list.Odd = append(list.Odd, Odd{Number: i + 1, Name: name, Hash: first})
			continue
		}
		list.Lines = append(list.Lines, Line{Number: i + 1, Hash: strings.ToLower(first), Name: name})
	}
	return list
}

// IsHash reports whether text is a SHA-256 in hex, in either case (R-AUTH-6).
func IsHash(text string) bool {
	if len(text) != HashLen {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return false
		}
	}
	return true
}

// Release is what a list says about one version of one provider.
type Release struct {
	ZH    map[string]string // platform such as "linux_amd64" → 64 lower-case hex digits
	Other []string          // hashes of the other well-formed lines (manifests, packages of other versions); sorted, distinct
}

// Release returns the packages of one version, bound to their platforms (C25). The version is canonical, without "v".
//
// A package's line is named terraform-provider-<type>_[v]<version>_<os>_<arch>.zip. Errors are of type *Error: OtherRelease if no line
// belongs to this version, Conflict if one platform has two hashes, BadHash and OddName if a line of this version cannot be used.
func (l *List) Release(providerType, version string) (*Release, error) {
	release := &Release{ZH: map[string]string{}}
	from := map[string]Line{}
	others := map[string]bool{}
	for _, line := range l.Lines {
		platform, ok := Platform(line.Name, providerType, version)
		if !ok {
			if plain, odd := oddName(line.Name, providerType, version); odd {
				return nil, &Error{Kind: OddName, Line: line.Number, Name: line.Name, Want: plain}
			}
			others[line.Hash] = true
			continue
		}
		if first, seen := from[platform]; seen && first.Hash != line.Hash {
			return nil, &Error{Kind: Conflict, Line: line.Number, Name: line.Name, Found: line.Hash, First: first.Number, Want: first.Hash}
		} else if !seen {
			from[platform] = line
			release.ZH[platform] = line.Hash
		}
	}
	for _, odd := range l.Odd {
		if _, ok := Platform(odd.Name, providerType, version); ok {
			return nil, &Error{Kind: BadHash, Line: odd.Number, Name: odd.Name, Found: odd.Hash}
		}
	}
	if len(release.ZH) == 0 {
		return nil, l.otherRelease(providerType, version)
	}
	for hash := range others {
		release.Other = append(release.Other, hash)
	}
	sort.Strings(release.Other)
	return release, nil
}

// Names returns the names of the well-formed lines that have the given hash, in either case of its digits. It serves messages: a hash that
// belongs to another platform's package (C25) or to no package at all (C23).
func (l *List) Names(hash string) []string {
	var names []string
	for _, line := range l.Lines {
		if strings.EqualFold(line.Hash, hash) {
			names = append(names, line.Name)
		}
	}
	return names
}
