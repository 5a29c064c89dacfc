package requirements

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/versions"
)

// merge makes requirements out of what each root wants. Constraints of one root are concatenated (R-CON-7). Those of several roots too, as
// long as a version could meet them all: a mirror with fewer versions is smaller. Roots that contradict each other get a requirement each.
func (w *walker) merge(perRoot [][]located) []Requirement {
	groups := map[addrs.Provider][]Requirement{}
	for _, wants := range perRoot {
		byProvider := map[addrs.Provider][]located{}
		for _, want := range wants {
			byProvider[want.provider] = append(byProvider[want.provider], want)
		}
		for provider, wants := range byProvider {
			if r, ok := w.ofRoot(provider, wants); ok {
				groups[provider] = join(groups[provider], r)
			}
		}
	}
	var all []Requirement
	for _, provider := range slices.SortedFunc(maps.Keys(groups), comparedProviders) {
		for _, r := range groups[provider] {
			slices.SortStableFunc(r.Wants, compareWants)
			r.Wants = slices.Compact(r.Wants)
			entry, problem := entryText(r, w.options.Tool)
			if problem != nil {
				w.problems = append(w.problems, *problem)
			}
			r.Entry = entry
			all = append(all, r)
		}
	}
	return all
}

func comparedProviders(a, b addrs.Provider) int {
	switch {
	case a.Less(b):
		return -1
	case b.Less(a):
		return 1
	}
	return 0
}

func compareWants(a, b Want) int {
	return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Module, b.Module), cmp.Compare(a.Text, b.Text))
}

// ofRoot puts together what one root wants of a provider. Wants that contradict each other are a problem: no init can succeed.
func (w *walker) ofRoot(provider addrs.Provider, wants []located) (Requirement, bool) {
	r := Requirement{Provider: provider}
	for _, want := range wants {
		r.Wants = append(r.Wants, Want{strings.TrimSpace(want.text), want.module, want.at.Filename, want.at.Start.Line, want.label})
	}
	slices.SortStableFunc(r.Wants, compareWants)
	r.Constraint = together(r.Wants)
	if satisfiable(r.Constraint) {
		return r, true
	}
	var who []string
	for _, want := range r.Wants {
		if want.Text != "" {
			who = append(who, fmt.Sprintf("%q (%s:%d)", want.Text, want.File, want.Line))
		}
	}
	last := r.Wants[len(r.Wants)-1]
	w.problems = append(w.problems, Problem{last.File, last.Line, fmt.Sprintf("%s: there can be no version that meets %s; change the configuration",
		provider, strings.Join(slices.Compact(who), " and "))})
	return Requirement{}, false
}

// join adds a root's requirement to the first group with which it can be met together.
func join(groups []Requirement, r Requirement) []Requirement {
	for i := range groups {
		wants := slices.Concat(groups[i].Wants, r.Wants)
		if constraint := together(wants); satisfiable(constraint) {
			groups[i].Wants, groups[i].Constraint = wants, constraint
			return groups
		}
	}
	return append(groups, r)
}

// together concatenates constraints, in canonical form so that it does not matter who says what first.
func together(wants []Want) versions.Constraint {
	var texts []string
	for _, want := range wants {
		if want.Text != "" {
			texts = append(texts, want.Text)
		}
	}
	joined, err := versions.ParseConstraint(strings.Join(texts, ", "))
	if err != nil { // no text: each has been parsed before
		return versions.Any
	}
	canonical, err := versions.ParseConstraint(joined.Canonical())
	if err != nil {
		return joined
	}
	return canonical
}

// entryText writes a requirement as MODULE.bazel would: the default host is left out, so that the entry follows the tool as the
// configuration does.
func entryText(r Requirement, tool addrs.Tool) (string, *Problem) {
	p := r.Provider
	text := p.Namespace + "/" + p.Type
	if p.Host != tool.DefaultHost() {
		text = p.String()
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c >= utf8.RuneSelf }) {
		first := r.Wants[0]
		return "", &Problem{first.File, first.Line, fmt.Sprintf("provider %s cannot be in a mirror: Bazel's names are ASCII", p)}
	}
	if constraint := r.Constraint.Canonical(); constraint != "" {
		text += ":" + constraint
	}
	return text, nil
}
