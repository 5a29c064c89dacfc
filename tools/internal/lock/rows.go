package lock

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/trust"
)

// statusOf returns the status of what failed.
func (r *run) statusOf(err error) trust.Status {
	if r.classify(err) == Refused {
		return trust.StatusRefused
	}
	return StatusUnavailable
}

// rows puts the outcomes into the order of the manifest.
func (r *run) rows() {
	releases := map[*entry]*release{}
	for _, s := range r.sources {
		for _, rel := range s.releases {
			for _, e := range rel.entries {
				releases[e] = rel
			}
		}
	}
	done := map[*release]bool{}
	failed := map[string]bool{}
	for _, e := range r.entries {
		rel := releases[e]
		switch {
		case rel != nil && !done[rel]:
			done[rel] = true
			r.report.Rows = append(r.report.Rows, r.row(rel))
		case rel == nil && e.err != nil && !failed[e.err.Error()]:
			failed[e.err.Error()] = true
			r.report.Rows = append(r.report.Rows, r.failedEntry(e))
		}
	}
}

func (r *run) failedEntry(e *entry) Row {
	row := Row{Source: e.Source, Version: e.selected, ZH: []string{}, Status: r.statusOf(e.err), Error: manifest.ErrorOf(e.err), outcome: r.classify(e.err)}
	if e.provider != (addrs.Provider{}) {
		row.Source = e.provider.String()
	}
	if row.Version == "" {
		row.Version = e.recorded
	}
	return row.wantedBy(e)
}

// wantedBy says in a row, and in its error, who asks for the entries (A13).
func (row Row) wantedBy(entries ...*entry) Row {
	for _, e := range entries {
		row.WantedBy = append(row.WantedBy, e.WantedBy...)
	}
	slices.Sort(row.WantedBy)
	row.WantedBy = slices.Compact(row.WantedBy)
	for i, who := range row.WantedBy {
		row.WantedBy[i] = foreign.Message(who)
	}
	if row.Error != nil && len(row.WantedBy) > 0 {
		row.Error.Message = foreign.Message(row.Error.Message + " (wanted by " + strings.Join(row.WantedBy, "; ") + ")")
	}
	return row
}

func (r *run) row(rel *release) Row {
	row := Row{Source: rel.provider.String(), Version: rel.version.String(), ZH: []string{}, platforms: r.platformsOf(rel)}
	if rel.err != nil {
		row.Status, row.Error, row.outcome = r.statusOf(rel.err), manifest.ErrorOf(rel.err), r.classify(rel.err)
		return row.wantedBy(rel.entries...)
	}
	row.Status, row.Tier = rel.verdict.Status, trust.Unsigned
	if fact := rel.verdict.Fact; fact != nil {
		row.Signer, row.Tier = fact.Signer, fact.Tier
		row.ZH = slices.Sorted(maps.Values(fact.ZH))
		row.ZH = slices.Compact(row.ZH)
	}
	if rel.input.Mirror != "" && row.Signer != "" {
		row.note = "signature not checked"
	}
	if len(rel.byFile) > 0 {
		row.note = "by file, platform not bound"
	}
	return row.wantedBy(rel.entries...)
}

// platformsOf counts the configured platforms that have a package and names the others.
func (r *run) platformsOf(rel *release) string {
	var missing []string
	for _, platform := range r.platforms {
		if p, ok := rel.packages[platform]; !ok || p.Unavailable {
			missing = append(missing, platform.String())
		}
	}
	text := fmt.Sprintf("%d of %d", len(r.platforms)-len(missing), len(r.platforms))
	if len(missing) > 0 {
		text += " (no " + strings.Join(missing, ", ") + ")"
	}
	return text
}

// gather puts the warnings of everything into one list, in the order of the manifest.
func (r *run) gather() {
	seen := map[string]bool{}
	add := func(texts ...string) {
		for _, text := range texts {
			if !seen[text] {
				seen[text] = true
				r.report.Warnings = append(r.report.Warnings, text)
			}
		}
	}
	add(r.warnings...)
	for _, s := range r.sources {
		add(s.warnings...)
		for _, rel := range s.releases {
			add(rel.warnings...)
		}
	}
	for _, e := range r.entries {
		if e.stale && r.Check == Write {
			add(e.disagreement())
		}
	}
	add(r.fileWarnings()...)
}

// upgraded lists what became of the entries of upgraded sources.
func (r *run) upgraded() {
	for _, e := range r.entries {
		for _, s := range r.sources {
			for _, rel := range s.releases {
				if !s.upgrade || e.exact || !slices.Contains(rel.entries, e) || rel.err != nil {
					continue
				}
				old := e.recorded
				if old == "" {
					old = e.selected
				}
				r.report.Upgrades = append(r.report.Upgrades, Upgraded{Entry: e.label(), Old: old, New: rel.version.String()})
			}
		}
	}
}
