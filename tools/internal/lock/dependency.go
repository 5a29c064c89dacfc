package lock

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/deplock"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/versions"
)

// checkChoices refuses choices for sources that the manifest does not have.
func (r *run) checkChoices() error {
	for _, c := range r.Choices {
		if !r.mentions(c.Provider) {
			return input("--dependency-lock-provider: the manifest has no %s; it has %s", c.Provider, r.sourceList())
		}
	}
	return nil
}

// oneVersion refuses several versions of a source without a choice: a dependency lock has one entry for each source.
func (r *run) oneVersion(s *source) error {
	if len(s.releases) < 2 {
		return nil
	}
	if _, ok := r.choice(s); ok {
		return nil
	}
	var texts []string
	for _, rel := range s.releases {
		texts = append(texts, rel.version.String())
	}
	return fmt.Errorf("%s: one version of %s can be locked there, and the manifest has %s, so its entry was left as it is. Choose one, on the lock target: "+
		"lock_file_versions = {%q: %q}, or here: --dependency-lock-provider %s:%s",
		r.DependencyLock, s.provider, strings.Join(texts, " and "), s.provider.String(), texts[len(texts)-1], s.provider, texts[len(texts)-1])
}

func (r *run) choice(s *source) (versions.Version, bool) {
	for _, c := range r.Choices {
		if c.Provider == s.provider {
			return c.Version, true
		}
	}
	return versions.Version{}, false
}

// locked returns the release of a source that the dependency lock is to have, nil if it failed.
func (r *run) locked(s *source) (*release, error) {
	if err := r.oneVersion(s); err != nil {
		return nil, err
	}
	chosen, choosing := r.choice(s)
	for _, rel := range s.releases {
		switch {
		case choosing && rel.version != chosen:
		case r.Offline && rel.verdict.Fact == nil:
			return nil, nil // nothing to compare with
		default:
			return rel, nil
		}
	}
	for _, e := range s.entries {
		if e.err != nil {
			return nil, nil // may be the chosen one; its own error says why it is not here
		}
	}
	if choosing {
		return nil, fmt.Errorf("%s: the manifest has no version %s of %s, which lock_file_versions of the lock target (--dependency-lock-provider) chooses",
			r.DependencyLock, chosen, s.provider)
	}
	return nil, nil
}

// dependencyLock works out what the dependency lock should be; nil if none is wanted. A release for which that fails has its error then.
func (r *run) dependencyLock(ctx context.Context) (*deplock.Merged, error) {
	if r.product == nil {
		return nil, nil
	}
	r.warnings = append(r.warnings, r.product.Warnings...)
	r.warnings = append(r.warnings, r.product.Foreign(r.Request.Tool)...)
	var releases []*release
	for _, s := range r.sources {
		rel, err := r.locked(s)
		if err != nil {
			r.report.Problems = append(r.report.Problems, err.Error())
		}
		if err != nil || rel == nil || rel.err != nil {
			continue
		}
		if rel.err = r.fits(rel); rel.err == nil {
			releases = append(releases, rel)
		}
	}
	if err := r.dirHashes(ctx, releases); err != nil {
		return nil, err
	}
	var updates []deplock.Update
	for _, rel := range releases {
		if rel.err == nil {
			updates = append(updates, deplock.Update{Provider: rel.provider, Version: rel.version, Constraints: rel.constraints(), Zip: rel.listed, Dir: rel.computed})
		}
	}
	merged := deplock.Merge(r.product, updates)
	for _, change := range merged.Changes {
		for _, h := range change.Kept.Unproven {
			if !slices.Contains(change.New.Hashes, h) {
				r.warnings = append(r.warnings, fmt.Sprintf("%s: %s of %s %s is not kept: it was recorded without a zh: that a signed list has, and is of no configured platform",
					change.Old.Place(), h, change.Provider, change.New.Version))
			}
		}
	}
	return &merged, nil
}

// constraints returns the conditions of all entries that lead to the release.
func (rel *release) constraints() versions.Constraint {
	var texts []string
	for _, e := range rel.entries {
		if e.text != "" && !slices.Contains(texts, e.text) {
			texts = append(texts, e.text)
		}
	}
	c, err := versions.ParseConstraint(strings.Join(texts, ", "))
	if len(texts) == 0 || err != nil {
		return versions.Any // each text alone was read before; together they are the same list
	}
	return c
}

// kept is what the existing entry contributes.
func (r *run) kept(rel *release) (deplock.Entry, deplock.Kept) {
	old, ok := r.product.Find(rel.provider)
	if !ok {
		return deplock.Entry{}, deplock.Kept{}
	}
	return old, deplock.Keep(old, rel.version, rel.listed)
}

// fits refuses a release whose entry in the dependency lock has hashes for the same version that the verified list lacks: the content
// changed, or the two lists come from two sources (C04).
func (r *run) fits(rel *release) error {
	old, kept := r.kept(rel)
	if len(kept.Gone) == 0 || r.policy.AllowsChanged(rel.provider, rel.version.String()) {
		return nil
	}
	return refuse(problem.ContentChanged, "%s: %s lists %s, which the signed list of the registry does not have: the release was cut again, or the entry was made from "+
		"another source. Ask the publisher; if the signed list is right, delete the entry from %s and run this again", rel, old.Place(), kept.Gone[0], r.DependencyLock)
}

// available returns the configured platforms that have a package.
func (r *run) available(rel *release) []platforms.Platform {
	var list []platforms.Platform
	for _, platform := range r.platforms {
		if p, ok := rel.packages[platform]; ok && !p.Unavailable {
			list = append(list, platform)
		}
	}
	return list
}

// complete reports whether the existing entry has an h1: for each platform. An h1: does not say which platform it is of, so they are
// counted: as many as there are different packages. That is wrong in two rare cases: an entry with the h1: of a platform that is not
// configured instead of one that is counts as complete, which --check=full finds by computing; and packages that differ as zips but not
// unpacked never do, so that they are computed in each run. An h1: that the registry tells for a platform must be there itself.
func (r *run) complete(rel *release) bool {
	_, kept := r.kept(rel)
	different := map[string]bool{}
	for _, platform := range r.available(rel) {
		different[rel.packages[platform].SHA256] = true
		told := hashes.Hash{Scheme: hashes.SchemeDir, Value: rel.offered[platform.String()]}
		if told.Value != "" && !slices.Contains(kept.Dir, told) {
			return false
		}
	}
	return len(kept.Dir) >= len(different)
}
