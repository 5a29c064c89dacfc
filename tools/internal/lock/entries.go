package lock

import (
	"fmt"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/trust"
	"rules_tf_mirror/tools/internal/versions"
)

// entry is one line of the manifest.
type entry struct {
	manifest.Entry
	provider   addrs.Provider
	text       string // the constraint, trimmed; empty: newest release
	constraint versions.Constraint
	exact      bool
	selected   string // canonical version that the extension chose, empty if the manifest does not say
	recorded   string // canonical version of the resolve/ fact; of an exact entry its own; empty if there is none
	stale      bool   // selected is not what is recorded, and counts nevertheless
	err        error  // the entry cannot be read, or not be answered
}

// label writes the entry as a `mirror` attribute does.
func (e *entry) label() string {
	if e.text == "" {
		return e.provider.String()
	}
	return e.provider.String() + ":" + e.text
}

func (e *entry) resolveKey() string { return facts.ResolveKey(e.provider, e.text) }

// retryKey is the mark that the extension leaves for an entry with a missing answer.
func (e *entry) retryKey() string {
	request := e.text
	switch {
	case e.exact:
		request = e.recorded
	case request == "":
		request = facts.Latest
	}
	return "retry/" + e.provider.String() + "/" + request
}

// disagrees reports whether the manifest selects another version than the lockfile records.
func (e *entry) disagrees() bool {
	return e.err == nil && !e.exact && e.selected != "" && e.recorded != "" && e.selected != e.recorded
}

// read fills an entry; what is wrong with it stays with it (F26).
func (r *run) read(line manifest.Entry) *entry {
	e := &entry{Entry: line}
	if e.provider, e.err = addrs.Parse(line.Source, r.Request.Tool); e.err != nil {
		return e
	}
	if line.Version != nil {
		e.text = strings.TrimSpace(*line.Version)
		if e.constraint, e.err = versions.ParseConstraint(*line.Version); e.err != nil {
			e.err = problem.Wrap(problem.KindOf(e.err), e.err, "%s: %v", line.Source, e.err)
			return e
		}
	}
	if exact, ok := e.constraint.Exact(); ok {
		e.exact, e.recorded = true, exact.String()
	} else if raw, ok := r.facts[e.resolveKey()]; ok {
		fact, err := facts.ParseResolve(e.resolveKey(), raw)
		if err != nil {
			e.err = badRecord(err)
			return e
		}
		e.recorded = fact.Version
	}
	e.err = e.readSelected()
	return e
}

// readSelected checks the version that the extension chose against the entry.
func (e *entry) readSelected() error {
	if e.Selected == "" {
		return nil
	}
	v, err := versions.Parse(e.Selected)
	switch {
	case err != nil:
		return problem.Wrap(problem.Constraint, err, "%s: the manifest selects %q: %v", e.label(), e.Selected, err)
	case e.exact && v.String() != e.recorded, !e.exact && !e.constraint.Allows(v):
		return problem.New(problem.Constraint, "%s: the manifest selects %s, which the entry does not admit; it was written for another "+
			"MODULE.bazel. Write it anew: bazel build @tf_toolchains//:manifest.json", e.label(), e.Selected)
	}
	e.selected = v.String()
	return nil
}

// source is all entries of one provider; its versions are found and verified together.
type source struct {
	provider addrs.Provider
	entries  []*entry
	upgrade  bool
	releases []*release
	signer   *trust.Signer // recorded before this run
	warnings []string
}

// release is one version of a source, wanted by one or more entries.
type release struct {
	provider addrs.Provider
	version  versions.Version
	entries  []*entry
	outcome
}

func (rel *release) String() string { return rel.provider.String() + " " + rel.version.String() }

// plan reads all entries and groups them by source, in the order of the manifest.
func (r *run) plan() error {
	upgrade := map[addrs.Provider]bool{}
	for _, p := range r.Upgrade {
		upgrade[p] = true
	}
	bySource := map[addrs.Provider]*source{}
	for _, line := range r.Request.Providers {
		e := r.read(line)
		r.entries = append(r.entries, e)
		if e.provider == (addrs.Provider{}) || e.err != nil {
			continue
		}
		s, ok := bySource[e.provider]
		if !ok {
			s = &source{provider: e.provider, upgrade: r.UpgradeAll || upgrade[e.provider]}
			bySource[e.provider] = s
			r.sources = append(r.sources, s)
		}
		e.stale = e.disagrees() && !s.upgrade
		s.entries = append(s.entries, e)
	}
	for _, p := range r.Upgrade {
		if bySource[p] == nil && !r.mentions(p) {
			return input("--upgrade=%s: the manifest has no such source; it has %s", p, r.sourceList())
		}
	}
	return nil
}

func (r *run) mentions(p addrs.Provider) bool {
	for _, e := range r.entries {
		if e.provider == p {
			return true
		}
	}
	return false
}

func (r *run) sourceList() string {
	var names []string
	for _, s := range r.sources {
		names = append(names, s.provider.String())
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// disagreement explains an entry whose versions differ (C13).
func (e *entry) disagreement() string {
	return fmt.Sprintf("%s: the manifest selects %s, the lockfile records %s. The manifest is older than the lockfile, or the lockfile was "+
		"edited or merged: run bazel build @tf_toolchains//:manifest.json, then bazel run //:providers_lock", e.label(), e.selected, e.recorded)
}
