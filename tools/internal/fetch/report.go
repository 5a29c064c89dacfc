package fetch

import (
	"encoding/json"
	"io"

	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/problem"
)

// Kinds of errors that only fetching has, beside those of package problem.
const (
	// Checksum: a download has other bytes than wanted, or bytes that are refused as a package.
	Checksum problem.Kind = "checksum"
	// Local: the cache or the mirror cannot be read or written.
	Local problem.Kind = "local"
)

// The values of Row.Status.
const (
	Fetched = "fetched" // downloaded by this run
	Cached  = "cached"  // there already, and whole
	Failed  = "failed"
)

// Row is the outcome of one package.
type Row struct {
	Source   string          `json:"source"`  // host/namespace/type; of a bad address the text of the entry
	Version  string          `json:"version"` // canonical; empty if none could be selected
	Platform string          `json:"platform"`
	SHA256   string          `json:"sha256"` // of the zip, lower-case hex; empty if not known
	Bytes    int64           `json:"bytes"`  // of the zip; 0 if failed
	Status   string          `json:"status"` // Fetched, Cached or Failed
	Path     string          `json:"path"`   // the cache's file or the mirror's directory; empty if failed
	Error    *manifest.Error `json:"error"`  // null unless failed
}

// Report is what Run found out. Packages that the registry does not have are warnings, not rows.
type Report struct {
	Rows     []Row // in the order of the manifest, platforms in the order of the request, each package once
	Warnings []string
}

// Encode writes the report as one JSON object, indented, with a final newline.
func (r *Report) Encode(w io.Writer) error {
	out := struct {
		Schema   int      `json:"schema"`
		Packages []Row    `json:"packages"`
		Warnings []string `json:"warnings"`
	}{1, r.Rows, manifest.Warnings(r.Warnings)}
	if out.Packages == nil {
		out.Packages = []Row{}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

// Outcome classes a run as a whole.
type Outcome int

// Of several outcomes the one that is greater wins (design §3.3: 4 over 3); bad input is the least, since the rest was done.
const (
	Complete    Outcome = iota
	BadInput            // exit code 2: an entry that cannot be read, a target that cannot be written
	Unreachable         // exit code 3: the network or a registry failed, or does not have what is wanted
	Refused             // exit code 4: other content than wanted
)

// Outcome returns the worst outcome of all rows.
func (r *Report) Outcome() Outcome {
	worst := Complete
	for _, row := range r.Rows {
		if row.Error != nil {
			worst = max(worst, outcomeOf(row.Error.Kind))
		}
	}
	return worst
}

func outcomeOf(kind problem.Kind) Outcome {
	switch kind {
	case Checksum, problem.ContentChanged:
		return Refused
	case Local, problem.Address, problem.Constraint, problem.Config, problem.Credentials:
		return BadInput
	default:
		return Unreachable
	}
}

// Errors returns the messages of failed rows, each once, in order.
func (r *Report) Errors() []string {
	var messages []string
	seen := map[string]bool{}
	for _, row := range r.Rows {
		if row.Error != nil && !seen[row.Error.Message] {
			seen[row.Error.Message] = true
			messages = append(messages, row.Error.Message)
		}
	}
	return messages
}
