package lock

import (
	"fmt"
	"path"
	"strings"

	"encoding/json"

	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/trust"
	"rules_tf_mirror/tools/internal/versions"
)

// offline judges the recorded facts alone.
func (r *run) offline() {
	for _, s := range r.sources {
		byVersion := map[string]*release{}
		for _, e := range s.entries {
			text := e.selected
			if text == "" {
				text = e.recorded
			}
			if text == "" {
				r.differ(r.Lockfile, e.resolveKey(), "no version is recorded; run bazel mod deps")
				continue
			}
			rel, ok := byVersion[text]
			if !ok {
				v, err := versions.Parse(text)
				if err != nil {
					e.err = err
					continue
				}
				rel = &release{provider: s.provider, version: v}
				byVersion[text] = rel
				s.releases = append(s.releases, rel)
			}
			if !e.exact && e.recorded == "" {
				r.differ(r.Lockfile, e.resolveKey(), fmt.Sprintf("the manifest selects %s, and no version is recorded; run bazel mod deps", text))
			}
			rel.entries = append(rel.entries, e)
		}
		for _, rel := range s.releases {
			rel.err = r.decideRecorded(rel)
		}
		if s.signer, _ = r.readSigner(s.provider.String()); s.signer != nil {
			r.compareSigner(s)
		}
	}
}

func (r *run) decideRecorded(rel *release) error {
	var err error
	if rel.recorded, err = r.readVerified(rel); err != nil {
		return err
	}
	signer, err := r.readSigner(rel.provider.String())
	if err != nil {
		return err
	}
	rel.facts, rel.packages = map[string]json.RawMessage{}, map[platforms.Platform]facts.Package{}
	for _, platform := range r.platforms {
		key := facts.PackageKey(rel.provider, rel.version.String(), platform)
		raw, ok := r.facts[key]
		if !ok {
			r.differ(r.Lockfile, key, "nothing is recorded; run bazel mod deps")
			continue
		}
		fact, err := facts.ParsePackage(key, raw)
		if err != nil {
			return badRecord(err)
		}
		rel.packages[platform] = fact
	}
	rel.list(nil)
	if rel.recorded == nil {
		if covered, err := r.coverByFile(rel); covered || err != nil {
			rel.verdict = trust.Verdict{Outcome: trust.DoesNotApply, Status: trust.StatusUnsigned}
			return err
		}
	}
	rel.verdict = trust.DecideRecorded(trust.RecordedInput{
		Source: rel.provider, Version: rel.version.String(), Packages: rel.sums(), Fact: rel.recorded, Recorded: signer, Policy: r.policy,
	})
	rel.warnings = append(rel.warnings, rel.verdict.Warnings...)
	if rel.verdict.Outcome == trust.Refused {
		return rel.verdict.Err
	}
	unsigned := signer != nil && len(signer.Fingerprints) == 0
	if rel.verdict.Outcome == trust.DoesNotApply && !unsigned {
		rel.warnings = nil
		r.differ(r.Lockfile, verifiedKey(rel), "not verified yet")
	}
	rel.listed = nil
	rel.list(nil)
	return r.conflictWithFile(rel)
}

// checkAddresses notices a package/ fact whose address is that of another package than its file name: such a line was edited, and a cache
// that has the recorded hash would hide it (F18).
func (r *run) checkAddresses(rel *release) {
	for _, platform := range r.platforms {
		p := rel.packages[platform]
		name := path.Base(p.DownloadURL)
		if p.Unavailable || p.Ephemeral || rel.fresh[platform] || name == p.Filename {
			continue
		}
		if strings.HasPrefix(name, "terraform-provider-") && strings.HasSuffix(name, "_"+platform.String()+".zip") || strings.HasPrefix(name, "terraform-provider-"+rel.provider.Type+"_") {
			r.differ(r.Lockfile, facts.PackageKey(rel.provider, rel.version.String(), platform),
				fmt.Sprintf("the address is of %s, the file name is %s; delete this fact and run bazel mod deps", name, p.Filename))
		}
	}
}

// hashSet returns the listed hashes for look-up.
func (rel *release) hashSet() map[hashes.Hash]bool {
	set := map[hashes.Hash]bool{}
	for _, h := range rel.listed {
		set[h] = true
	}
	return set
}
