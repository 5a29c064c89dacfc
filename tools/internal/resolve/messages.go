package resolve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/versions"
)

// noMatch explains that no listed version is admitted (A02, A06, A11).
func noMatch(q question, places string, s versions.Selection) error {
	if s.Listed == 0 {
		return problem.New(problem.NoMatchingVersion, "%s lists no version of %s", places, q.provider)
	}
	newest := "the newest listed: " + join(s.Newest)
	hint := "change the constraint"
	if q.text == "" {
		hint = "write an exact version"
	}
	if meant(q, s) {
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

// meant tells whether a listed prerelease may be what the constraint's author wants: it leads to a version that the constraint admits, or there
// is nothing else.
func meant(q question, s versions.Selection) bool {
	if len(s.Prereleases) == 0 {
		return false
	}
	number, _, _ := strings.Cut(s.Prereleases[0].String(), "-")
	release, err := versions.Parse(number)
	return err == nil && constraint(q).Allows(release) || !slices.ContainsFunc(s.Newest, func(v versions.Version) bool { return !v.IsPrerelease() })
}

// noPackageError explains that no place has a package of a version for any platform. It is of kind platform whatever the reason (design §3.3).
func (r *run) noPackageError(ctx context.Context, p addrs.Provider, o *outcome) error {
	places := r.places(p)
	why, unknown := r.noPackage(ctx, p, o)
	hint := ""
	switch {
	case unknown: // that text says how to go on
		o.unknown = true
	case why == "":
		why = "either there is no such version, or it was not published for these platforms"
		if places == registryAlone {
			hint = registry.WrongSourceHint(p)
		}
		fallthrough
	default:
		hint = "; check the version, and the platforms of the tf.download tag" + hint
	}
	if sources, ok := r.registry.(Sources); ok {
		hint += sources.Explain(ctx, p)
	}
	return problem.New(problem.Platform, "%s: %s has no package of version %s for %s: %s%s",
		o.label, places, o.version, strings.Join(r.request.Platforms, ", "), why, hint)
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
