package resolve

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/versions"
)

// answer finds version and packages of one question.
func (r *run) answer(ctx context.Context, q question, o *outcome) {
	o.facts = map[string]json.RawMessage{}
	version, recorded, err := r.version(ctx, q, o)
	if err != nil {
		o.err = named(o.label, err)
		return
	}
	o.version = version.String()
	r.packages(ctx, q.provider, o)
	r.judge(ctx, q.provider, o)
	if key := facts.ResolveKey(q.provider, q.text); recorded != nil {
		o.facts[key] = recorded
	} else if _, exact := constraint(q).Exact(); !exact && o.err == nil {
		o.facts[key] = facts.Resolve{Version: o.version}.JSON()
	}
}

// constraint reads the question's text, which enter has checked.
func constraint(q question) versions.Constraint {
	if q.text == "" {
		return versions.Any
	}
	c, err := versions.ParseConstraint(q.text)
	if err != nil {
		return versions.Any // unreachable: enter refuses such a text
	}
	return c
}

// version returns the selected version, and the recorded resolve/ fact if that answered.
func (r *run) version(ctx context.Context, q question, o *outcome) (versions.Version, json.RawMessage, error) {
	c := constraint(q)
	if exact, ok := c.Exact(); ok {
		if exact.IsUnspecified() {
			return exact, nil, problem.New(problem.NoMatchingVersion, "version 0.0.0 is never selected, by terraform and tofu neither; write another version")
		}
		return exact, nil, nil
	}
	key := facts.ResolveKey(q.provider, q.text)
	if raw, ok := r.request.Facts[key]; ok {
		fact, err := facts.ParseResolve(key, raw)
		if err != nil {
			return versions.Version{}, nil, err
		}
		version, err := versions.Parse(fact.Version)
		if err != nil {
			return versions.Version{}, nil, err
		}
		return version, raw, nil
	}
	list, err := r.registry.Versions(ctx, q.provider)
	if err != nil {
		return versions.Version{}, nil, err
	}
	for _, text := range list.Warnings {
		o.warnings = append(o.warnings, q.provider.String()+": "+text)
	}
	selection := versions.Select(list.Texts(), c)
	if text := skippedWarning(q.provider, r.places(q.provider), selection); text != "" {
		o.warnings = append(o.warnings, text)
	}
	if !selection.OK {
		return versions.Version{}, nil, noMatch(q, r.places(q.provider), selection)
	}
	return selection.Version, nil, nil
}

// packages asks for all platforms at once. A host without a registry is one failure of the entry, not one for each platform, unless
// facts answer some platforms already.
func (r *run) packages(ctx context.Context, p addrs.Provider, o *outcome) {
	var missing []platforms.Platform
	for _, platform := range r.platforms {
		if recorded, ok := r.recorded(p, o.version, platform); ok {
			o.packages[platform] = recorded
		} else {
			missing = append(missing, platform)
		}
	}
	if len(missing) == 0 {
		return
	}
	if len(missing) == len(r.platforms) {
		if err := r.registry.Service(ctx, p); err != nil {
			o.err = named(o.label, err)
			return
		}
	}
	var group sync.WaitGroup
	for _, platform := range missing {
		asked := &packageOutcome{}
		o.packages[platform] = asked
		group.Go(func() {
			answer, err := r.registry.Download(ctx, p, o.version, platform)
			if err != nil {
				asked.err = err
				return
			}
			asked.fact, asked.warnings = answer.Fact, answer.Warnings
		})
	}
	group.Wait()
	for _, platform := range missing {
		o.warnings = append(o.warnings, o.packages[platform].warnings...)
	}
	if len(missing) == len(r.platforms) {
		if err := sameError(o.packages); err != nil {
			o.err, o.packages = named(o.label, err), map[platforms.Platform]*packageOutcome{}
		}
	}
}

// sameError returns the failure that all platforms share because one question answers for them all, as the version document of a mirror does:
// then it is the entry's.
func sameError(packages map[platforms.Platform]*packageOutcome) error {
	var shared error
	for _, p := range packages {
		if p.err == nil || shared != nil && p.err != shared {
			return nil
		}
		shared = p.err
	}
	if len(packages) < 2 || problem.KindOf(shared) == problem.Platform {
		return nil
	}
	return shared
}

// recorded returns the answer of the request's facts.
func (r *run) recorded(p addrs.Provider, version string, platform platforms.Platform) (*packageOutcome, bool) {
	key := facts.PackageKey(p, version, platform)
	raw, ok := r.request.Facts[key]
	if !ok {
		return nil, false
	}
	fact, err := facts.ParsePackage(key, raw)
	return &packageOutcome{fact: fact, raw: raw, err: err}, true
}

// named puts the entry before a message.
func named(label string, err error) error {
	if errors.Is(err, context.Canceled) && problem.KindOf(err) == problem.Canceled {
		return problem.Wrap(problem.Canceled, err, "%s: stopped", label)
	}
	text := err.Error()
	if strings.HasPrefix(text, label+":") {
		return err
	}
	return problem.Wrap(problem.KindOf(err), err, "%s: %s", label, text)
}
