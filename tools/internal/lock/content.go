package lock

import (
	"fmt"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
)

// sameContent compares what was asked for in this run with what is recorded, unless policy accepts other content.
func (r *run) sameContent(rel *release) error {
	if r.policy.AllowsChanged(rel.provider, rel.version.String()) {
		return nil
	}
	pairs := map[platforms.Platform][2]facts.Package{}
	for _, platform := range r.platforms {
		key := facts.PackageKey(rel.provider, rel.version.String(), platform)
		raw, ok := r.facts[key]
		if !ok || !rel.fresh[platform] {
			continue
		}
		recorded, err := facts.ParsePackage(key, raw)
		if err != nil {
			return badRecord(err)
		}
		pairs[platform] = [2]facts.Package{recorded, rel.packages[platform]}
	}
	return r.changed(rel, pairs)
}

// changed is the alarm for packages that are recorded with one content and answered with another, nil if there is none. Platforms that tell the
// same are told together.
func (r *run) changed(rel *release, pairs map[platforms.Platform][2]facts.Package) error {
	var texts []string
	where := map[string][]string{}
	for _, platform := range r.platforms {
		pair, ok := pairs[platform]
		recorded, answered := pair[0], pair[1]
		if !ok || recorded.Unavailable || recorded.SHA256 == answered.SHA256 {
			continue
		}
		text := fmt.Sprintf("recorded sha256 %s, the registry now says %s", recorded.SHA256, answered.SHA256)
		if answered.Unavailable {
			text = "was published and is gone from the registry"
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
		where[text] = append(where[text], platform.String())
	}
	if len(texts) == 0 {
		return nil
	}
	for i, text := range texts {
		texts[i] = strings.Join(where[text], ", ") + ": " + text
	}
	return problem.New(problem.ContentChanged, "%s: ALARM: it has other content than recorded. %s. A published version never changes; ask the publisher. "+
		"If the release was cut again on purpose, prefer the next version, or accept this one in the root module: allow_changed = [\"%s:%s\"]",
		rel, strings.Join(texts, "; "), rel.provider, rel.version)
}

// moved notes an address or a file name that the registry tells otherwise now. Whoever builds would fetch from the recorded address, although
// nothing but the recorded content. What is no address but a capability (design §3.5) differs by nature.
func (rel *release) moved(platform platforms.Platform, recorded, answered facts.Package) {
	key := facts.PackageKey(rel.provider, rel.version.String(), platform)
	note := func(name, old, now string) {
		if old != now {
			rel.differences = append(rel.differences, Difference{Name: key, Lines: []string{
				fmt.Sprintf("- %s: %q", name, old), fmt.Sprintf("+ %s: %q", name, now),
			}, Repair: fmt.Sprintf("delete the fact %q from MODULE.bazel.lock, then run bazel mod deps", key)})
		}
	}
	if !recorded.Ephemeral && !answered.Ephemeral {
		note("download_url", recorded.DownloadURL, answered.DownloadURL)
	}
	note("filename", recorded.Filename, answered.Filename)
}

// missed notes platforms that are recorded as unavailable although the verified list has their packages: such a fact was edited, or the
// registry has published the package since.
func (r *run) missed(rel *release) {
	if rel.verdict.Fact == nil {
		return
	}
	for _, platform := range r.platforms {
		hash, listed := rel.verdict.Fact.ZH[platform.String()]
		if p, ok := rel.packages[platform]; ok && p.Unavailable && listed {
			r.differ(r.Lockfile, facts.PackageKey(rel.provider, rel.version.String(), platform), "- {\"unavailable\":true}",
				fmt.Sprintf("the verified list has this platform's package, %s. The lock target asks the registry again; if that has none, take the platform out of platforms", hash))
		}
	}
}
