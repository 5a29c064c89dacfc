package resolve

import (
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/versions"
)

// enter reads an entry and notes its question. What cannot be read is the entry's error, not the request's.
func (r *run) enter(entry manifest.Entry) rowKey {
	provider, err := addrs.Parse(entry.Source, r.request.Tool)
	if err != nil {
		return rowKey{entry: entry, err: err}
	}
	q := question{provider: provider, text: constraintText(entry)}
	if entry.Version != nil {
		if _, err := versions.ParseConstraint(*entry.Version); err != nil {
			return rowKey{entry: entry, question: q, err: problem.Wrap(problem.KindOf(err), err, "%s: %v", entry.Source, err)}
		}
	}
	if _, ok := r.outcomes[q]; !ok {
		r.outcomes[q] = &outcome{label: label(provider, q.text), packages: map[platforms.Platform]*packageOutcome{}}
	}
	return rowKey{entry: entry, question: q}
}

func constraintText(entry manifest.Entry) string {
	if entry.Version == nil {
		return ""
	}
	return strings.TrimSpace(*entry.Version)
}

// label writes an entry as a `mirror` attribute does: source, colon, constraint.
func label(p addrs.Provider, text string) string {
	if text == "" {
		return p.String()
	}
	return p.String() + ":" + text
}
