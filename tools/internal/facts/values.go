package facts

import (
	"bytes"
	"encoding/json"
)

// Resolve is the value of a resolve/ fact: which version was selected, in canonical form.
type Resolve struct {
	Version string `json:"version"`
}

// Package is the value of a package/ fact: where the archive of one platform is and what it hashes to, or that there is none. Of a package in
// a filesystem mirror only Mirror and SHA256 are set: {"mirror": "<path below the mirror's root>", "sha256": "…"} (design §3.7).
type Package struct {
	DownloadURL string `json:"download_url,omitempty"` // without query and userinfo; of an ephemeral package only for people
	Filename    string `json:"filename,omitempty"`     // terraform-provider-<type>_[v]<version>_<os>_<arch>.zip
	SHA256      string `json:"sha256,omitempty"`       // 64 lower-case hex digits
	Ephemeral   bool   `json:"ephemeral,omitempty"`    // the registry hands out another URL each time (design §3.5)
	Mirror      string `json:"mirror,omitempty"`       // path of the zip below the root of a filesystem mirror, with slashes
	Unavailable bool   `json:"unavailable,omitempty"`  // the registry has no such platform; all other fields are zero
}

// Tool is the value of a tool/ fact: the archive of terraform or tofu.
type Tool struct {
	DownloadURL string `json:"download_url"`
	SHA256      string `json:"sha256"`
}

// JSON returns the fact's recorded form.
func (r Resolve) JSON() json.RawMessage { return encode(r) }

// JSON returns the fact's recorded form: fields that are not set are left out, since facts hold no null.
func (p Package) JSON() json.RawMessage { return encode(p) }

// JSON returns the fact's recorded form.
func (t Tool) JSON() json.RawMessage { return encode(t) }

// encode writes plain structs of strings and booleans, which cannot fail. "<" and "&" stay readable: the lockfile is no HTML.
func encode(v any) json.RawMessage {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}
