package resolve

import (
	"context"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
)

// judge decides what the 404 answers of an entry mean, and records what may be recorded.
//
// One platform's 404 only says that the platform is missing if the version is known to exist, that is if another platform of it is
// there or recorded. If all are 404 the version may as well not exist, so that is the entry's failure and nothing new is recorded. The
// version list could tell the two apart, but an exact version never asks for it.
func (r *run) judge(ctx context.Context, p addrs.Provider, o *outcome) {
	if o.err != nil {
		return
	}
	exists, unknown, missing := false, 0, 0
	for _, answer := range o.packages {
		switch {
		case answer.err == nil && !answer.fact.Unavailable:
			exists = true
		case answer.err == nil: // recorded as unavailable
		case problem.KindOf(answer.err) == problem.Platform:
			missing++
		default:
			unknown++
		}
	}
	if !exists && missing > 0 {
		exists = r.recordedElsewhere(p, o.version)
	}
	if !exists && missing > 0 && unknown == 0 {
		places := r.places(p)
		hint := ""
		if places == registryAlone {
			hint = registry.WrongSourceHint(p)
		}
		if sources, ok := r.registry.(Sources); ok {
			hint += sources.Explain(ctx, p)
		}
		o.err = problem.New(problem.Platform, "%s: %s has no package of version %s for %s: either there is no such version, "+
			"or it was not published for these platforms; check the version, and the platforms of the tf.download tag%s",
			o.label, places, o.version, strings.Join(r.request.Platforms, ", "), hint)
	}
	for platform, answer := range o.packages {
		key := facts.PackageKey(p, o.version, platform)
		switch {
		case answer.err != nil && problem.KindOf(answer.err) == problem.Platform && exists:
			answer.err, answer.fact = nil, facts.Package{Unavailable: true}
			o.facts[key] = answer.fact.JSON()
		case answer.err != nil:
			answer.err = named(o.label, answer.err)
		case answer.raw != nil:
			o.facts[key] = answer.raw
		default:
			o.facts[key] = answer.fact.JSON()
		}
	}
}

// recordedElsewhere tells whether a platform that this manifest does not ask for is recorded as available.
func (r *run) recordedElsewhere(p addrs.Provider, version string) bool {
	prefix := "package/" + p.String() + "/" + version + "/"
	for key, raw := range r.request.Facts {
		if strings.HasPrefix(key, prefix) {
			if fact, err := facts.ParsePackage(key, raw); err == nil && !fact.Unavailable {
				return true
			}
		}
	}
	return false
}
