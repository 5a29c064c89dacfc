package resolve

import (
	"fmt"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/versions"
)

// noMatch explains that no listed version is admitted (A02, A06, A11).
func noMatch(q question, places string, s versions.Selection) error {
	if s.Listed == 0 {
		return problem.New(problem.NoMatchingVersion, "%s lists no version of %s", places, q.provider)
	}
	newest := "the newest listed: " + join(s.Newest)
	hint := "change the constraint"
	if len(s.Prereleases) > 0 {
		hint = fmt.Sprintf("prereleases (%s) are selected by an exact version only: write %q",
			join(s.Prereleases), label(q.provider, s.Prereleases[0].String()))
	}
	if q.text == "" {
		if len(s.Prereleases) == s.Listed {
			return problem.New(problem.NoMatchingVersion, "only prereleases of %s exist; %s", q.provider, hint)
		}
		return problem.New(problem.NoMatchingVersion, "no listed version can be selected; %s; %s", newest, hint)
	}
	return problem.New(problem.NoMatchingVersion, "none of %d listed versions matches %q; %s; %s", s.Listed, q.text, newest, hint)
}

// registryAlone is the place without sources.
const registryAlone = "the registry"

// places names where a provider was looked for.
func (r *run) places(p addrs.Provider) string {
	if sources, ok := r.registry.(Sources); ok {
		return sources.Places(p)
	}
	return registryAlone
}

func join(list []versions.Version) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = v.String()
	}
	return strings.Join(texts, ", ")
}

// maxSkipped is the number of unparsable list entries that a warning shows.
const maxSkipped = 3

// skippedWarning reports the entries of a version list that are no versions, in one warning (A07).
func skippedWarning(p addrs.Provider, places string, s versions.Selection) string {
	if s.Unread == 0 {
		return ""
	}
	var shown []string
	for _, text := range s.Skipped[:min(len(s.Skipped), maxSkipped)] {
		shown = append(shown, fmt.Sprintf("%q", text))
	}
	more := ""
	if n := s.Unread - len(shown); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%s: %s lists what is not a version: %s%s; skipped", p, places, strings.Join(shown, ", "), more)
}
