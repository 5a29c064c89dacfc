package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/problem"
)

// Response is the answer of `resolve`. Encode writes every field, whatever it holds, but for those that are answers to optional questions.
type Response struct {
	Schema    int                        `json:"schema"`
	Facts     map[string]json.RawMessage `json:"facts"`     // every fact that answers the request, old and new
	Providers []Provider                 `json:"providers"` // one per entry, in the request's order
	Warnings  []string                   `json:"warnings"`
	// ProviderLocks is there only if the request named dependency locks.
	ProviderLocks *ProviderLocks `json:"provider_locks,omitempty"`
}

// ProviderLocks is what dependency locks say. Nothing in them is signed, and hashes come without their platform.
type ProviderLocks struct {
	Entries  map[string][]LockedVersion `json:"entries"`  // by <host>/<namespace>/<type>/<version>; in the order of the files
	Problems []string                   `json:"problems"` // why the files cannot be used; then there are no entries
}

// LockedVersion is one file's entry for a version.
type LockedVersion struct {
	Path   string   `json:"path"`   // as the request named the file
	Line   int      `json:"line"`   // of the block, from 1
	Hashes []string `json:"hashes"` // "zh:…", "h1:…" and others, sorted
}

// Provider is the answer to one entry.
type Provider struct {
	Source     string             `json:"source"`     // host/namespace/type; of a bad address the text of the entry
	Constraint string             `json:"constraint"` // the entry's text, trimmed; empty: newest release
	Version    string             `json:"version"`    // canonical; empty if nothing could be selected
	Packages   map[string]Package `json:"packages"`   // by platform; empty if the entry failed before packages were asked for
	Error      *Error             `json:"error"`      // null if the entry is answered
}

// Package is the answer for one platform: an address, or a place in a filesystem mirror, or Unavailable, or Error.
type Package struct {
	DownloadURL string
	Filename    string
	SHA256      string // lower-case hex
	Ephemeral   bool
	Mirror      string // path below the root of a filesystem mirror; then only this and SHA256 are set
	Unavailable bool
	Error       *Error
}

// Error tells what failed, in a word for programs and in a sentence for people.
type Error struct {
	Kind    problem.Kind `json:"kind"`
	Message string       `json:"message"`
}

// ErrorOf returns the response's form of err, and nil for nil. The kind is that of the outermost problem.Error in its chain. Causes hold text from
// outside, such as the names in a certificate: the message is one line of limited length without control characters, whatever they say.
func ErrorOf(err error) *Error {
	if err == nil {
		return nil
	}
	return &Error{Kind: problem.KindOf(err), Message: foreign.Message(err.Error())}
}

// The forms of a package in JSON. All fields of a form are always there.
type (
	addressJSON struct {
		DownloadURL string `json:"download_url"`
		Filename    string `json:"filename"`
		SHA256      string `json:"sha256"`
		Ephemeral   bool   `json:"ephemeral"`
	}
	mirrorJSON struct {
		Mirror string `json:"mirror"`
		SHA256 string `json:"sha256"`
	}
	unavailableJSON struct {
		Unavailable bool `json:"unavailable"`
	}
	errorJSON struct {
		Error *Error `json:"error"`
	}
)

// MarshalJSON writes the one form that p has; an error wins over the others.
func (p Package) MarshalJSON() ([]byte, error) {
	switch {
	case p.Error != nil:
		return marshal(errorJSON{p.Error})
	case p.Unavailable:
		return marshal(unavailableJSON{true})
	case p.Mirror != "":
		return marshal(mirrorJSON{p.Mirror, p.SHA256})
	default:
		return marshal(addressJSON{p.DownloadURL, p.Filename, p.SHA256, p.Ephemeral})
	}
}

// Encode writes the response: two spaces of indentation, sorted keys, a final newline, and empty objects and arrays instead of null.
// The same response gives the same bytes.
func (r *Response) Encode(w io.Writer) error {
	out := *r
	out.Schema = Schema
	if out.Facts == nil {
		out.Facts = map[string]json.RawMessage{}
	}
	out.Providers = make([]Provider, len(r.Providers))
	for i, p := range r.Providers {
		if p.Packages == nil {
			p.Packages = map[string]Package{}
		}
		out.Providers[i] = p
	}
	out.Warnings = Warnings(r.Warnings)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // constraints are full of < and >
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(out); err != nil {
		return fmt.Errorf("writing the response: %w", err)
	}
	return nil
}

// Warnings returns warnings as reports write them: one line of limited length each, never null.
func Warnings(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = foreign.Message(text)
	}
	return out
}

func marshal(v any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), err
}
