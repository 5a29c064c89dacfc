package lock

import (
	"encoding/json"
	"io"
	"slices"

	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/terminal"
	"rules_tf_mirror/tools/internal/trust"
)

// StatusUnavailable is the status of what could not be verified because it could not be had.
const StatusUnavailable trust.Status = "unavailable"

// Row is one verified version, or an entry that leads to none (design §3.3).
type Row struct {
	Source  string          `json:"source"`  // host/namespace/type; of a bad address the text of the entry
	Version string          `json:"version"` // canonical; empty if none could be selected
	ZH      []string        `json:"zh"`      // sha256 of the verified packages, sorted; empty if there are none
	Signer  string          `json:"signer"`  // fingerprint of the primary key, upper-case hex; empty if unsigned or failed
	Tier    trust.Tier      `json:"tier"`    // empty if failed
	Status  trust.Status    `json:"status"`
	Error   *manifest.Error `json:"error"` // null unless failed
	// WantedBy says which configurations ask for the provider, if the manifest knows; sorted.
	WantedBy []string `json:"wanted_by,omitempty"`

	platforms string // for the table
	note      string // for the table, beside the status
	outcome   Outcome
}

// Upgraded is what --upgrade did to an entry.
type Upgraded struct {
	Entry    string // as in a mirror attribute
	Old, New string // canonical versions; Old is empty if none was recorded
}

// Report is what Run found out and did.
type Report struct {
	Rows        []Row // in the order of the manifest, each version once
	Warnings    []string
	Differences []Difference // of a check
	Upgrades    []Upgraded   // in the order of the manifest, unchanged ones too
	Written     []string     // paths of the files that were changed
	Problems    []string     // of the dependency lock, in what was asked for; facts were recorded all the same
}

// Encode writes the report as one JSON object, indented, with a final newline.
func (r *Report) Encode(w io.Writer) error {
	out := struct {
		Schema      int          `json:"schema"`
		Providers   []Row        `json:"providers"`
		Warnings    []string     `json:"warnings"`
		Differences []Difference `json:"differences,omitempty"` // of a check that found some
	}{manifest.Schema, r.Rows, manifest.Warnings(slices.Concat(r.Warnings, r.Problems)), nil}
	for _, d := range r.Differences {
		lines := make([]string, len(d.Lines))
		for i, line := range d.Lines {
			lines[i] = foreign.Line(line)
		}
		out.Differences = append(out.Differences, Difference{foreign.Line(d.File), foreign.Line(d.Name), lines, foreign.Line(d.Repair)})
	}
	if out.Providers == nil {
		out.Providers = []Row{}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

// Outcome returns the worst outcome.
func (r *Report) Outcome() Outcome {
	worst := Done
	if len(r.Problems) > 0 {
		worst = BadInput
	}
	if len(r.Differences) > 0 {
		worst = Different
	}
	for _, row := range r.Rows {
		worst = max(worst, row.outcome)
	}
	return worst
}

// Errors returns the messages of failed rows, each once, in order, without Problems.
func (r *Report) Errors() []string {
	var messages []string
	for _, row := range r.Rows {
		if row.Error != nil && !slices.Contains(messages, row.Error.Message) {
			messages = append(messages, row.Error.Message)
		}
	}
	return messages
}

// WriteTable writes the summary for people.
func (r *Report) WriteTable(w io.Writer) error {
	table := terminal.NewTable("provider", "version", "signer", "tier", "platforms", "status")
	for _, row := range r.Rows {
		status := string(row.Status)
		if row.note != "" {
			status += " (" + row.note + ")"
		}
		table.Add(row.Source, row.Version, row.Signer, string(row.Tier), row.platforms, status)
	}
	return table.Write(w)
}
