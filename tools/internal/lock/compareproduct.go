package lock

import (
	"fmt"
	"slices"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/deplock"
	"rules_tf_mirror/tools/internal/hashes"
)

// compareProduct notes where the dependency lock is not what it should be, each provider once.
func (r *run) compareProduct(merged *deplock.Merged) {
	if merged == nil {
		return
	}
	changes := map[addrs.Provider]deplock.Change{}
	for _, change := range merged.Changes {
		changes[change.Provider] = change
	}
	for _, s := range r.sources {
		rel, err := r.locked(s)
		if err != nil || rel == nil || rel.err != nil {
			continue
		}
		change := changes[s.provider]
		d := Difference{File: r.DependencyLock, Name: s.provider.String(), Lines: changeLines(change)}
		old, kept := r.kept(rel)
		if r.Check == CheckFull {
			unexplained := rel.unexplained(kept.Dir)
			if len(unexplained) > 0 {
				d.Lines = append(d.Lines, prefixed("- ", unexplained)...)
				d.Lines = append(d.Lines, "what is taken away is of no package of the signed list; terraform and tofu accept a package that has it")
			}
			// Locking counts, so that it leaves an entry with enough of them as it is.
			if len(unexplained) > 0 || r.complete(rel) && slices.ContainsFunc(change.Added, isDirHash) {
				d.Repair = fmt.Sprintf("delete the whole block that begins in line %d, provider %q, from %s, then bazel run //:providers_lock",
					old.Line, s.provider.String(), r.DependencyLock)
			}
		} else if !r.complete(rel) {
			d.Lines = append(d.Lines, fmt.Sprintf("%d h1: hashes for the packages of %d platforms", len(kept.Dir), len(r.available(rel))))
		}
		if len(d.Lines) > 0 {
			r.report.Differences = append(r.report.Differences, d)
		}
	}
}

func isDirHash(h hashes.Hash) bool { return h.Scheme == hashes.SchemeDir }

// changeLines shows what an update would change.
func changeLines(change deplock.Change) []string {
	var lines []string
	before := change.Old.Path != ""
	if change.Old.Version != change.New.Version || change.Old.Provider != change.New.Provider {
		if before {
			lines = append(lines, "- version "+change.Old.Version.String())
		}
		lines = append(lines, "+ version "+change.New.Version.String())
	}
	if before && change.Old.Constraints != change.New.Constraints {
		lines = append(lines, fmt.Sprintf("- constraints %q", change.Old.Constraints), fmt.Sprintf("+ constraints %q", change.New.Constraints))
	}
	lines = append(lines, prefixed("- ", change.Removed)...)
	return append(lines, prefixed("+ ", change.Added)...)
}

func prefixed(sign string, list []hashes.Hash) []string {
	var lines []string
	for _, h := range list {
		lines = append(lines, sign+h.String())
	}
	return lines
}
