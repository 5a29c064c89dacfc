package resolve

import (
	"context"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/problem"
)

// judge decides what the 404 answers of an entry mean, and records what may be recorded.
//
// One platform's 404 only says that the platform is missing if the version is known to exist, that is if another platform of it is
// there or recorded. If all are 404 the version may as well not exist, so that is the entry's failure and nothing new is recorded. Only
// then the registry's version list is asked for, if no constraint did so before: one request per provider, which tells the two apart.
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
		o.err = r.noPackageError(ctx, p, o)
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
