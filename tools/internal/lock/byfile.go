package lock

import (
	"fmt"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/deplock"
	"rules_tf_mirror/tools/internal/fetch"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/problem"
)

// coverByFile reports whether files of provider_locks cover a release that has no verified fact: one has zh: hashes for its version, and
// each that has any has those of all packages. That says nothing about which hash is of which platform.
func (r *run) coverByFile(rel *release) (bool, error) {
	for _, e := range r.locks.Find(rel.provider, rel.version) {
		zip := e.ZipHashes()
		if len(zip) == 0 {
			continue
		}
		for _, platform := range r.platforms {
			p, ok := rel.packages[platform]
			if !ok || p.Unavailable || slices.Contains(zip, hashes.FromSHA256(p.SHA256)) {
				continue
			}
			return false, refuse(fetch.Checksum, "%s: the two sources of its hashes disagree: %s does not list zh:%s, which is the package of %s in %s. "+
				"Ask the publisher which is right, then correct the other", rel, e.Place(), p.SHA256, platform, r.Lockfile)
		}
		rel.byFile = append(rel.byFile, e)
	}
	if len(rel.byFile) == 0 && len(r.locks.Broken) > 0 {
		broken := r.locks.Broken[0]
		return false, problem.Wrap(problem.Config, broken.Err, "%s: it has no verified fact, and a file of provider_locks that may have its hashes cannot be read: %v. "+
			"Repair %s, or take it out of provider_locks", rel, broken.Err, broken.Path)
	}
	return len(rel.byFile) > 0, nil
}

// conflictWithFile refuses a release whose verified list lacks a hash that a file has for the same version (design §3.7, C04). A file
// that lists less is no conflict.
func (r *run) conflictWithFile(rel *release) error {
	if rel.verdict.Fact == nil {
		return nil
	}
	verified := rel.hashSet()
	for _, e := range r.locks.Find(rel.provider, rel.version) {
		for _, h := range e.ZipHashes() {
			if !verified[h] {
				return refuse(fetch.Checksum, "%s: the two sources of its hashes disagree: %s lists %s, which the signed list of the registry does not have. "+
					"Either that file is of another source or older content, or the release was cut again: remove its entry, or take the file out of provider_locks",
					rel, e.Place(), h)
			}
		}
	}
	return nil
}

// byFileText names the files that cover a release.
func (rel *release) byFileText() string {
	var places []string
	for _, e := range rel.byFile {
		places = append(places, e.Place())
	}
	return "by file, platform not bound: " + strings.Join(places, ", ")
}

// applyFiles brings the files of provider_locks to bear on a release that was verified online.
func (r *run) applyFiles(rel *release) error {
	if rel.verdict.Fact != nil {
		return r.conflictWithFile(rel)
	}
	_, err := r.coverByFile(rel)
	return err
}

// fileWarnings says what the files do for the releases, and what of them is of no use.
func (r *run) fileWarnings() []string {
	warnings := r.locks.Warnings(r.Request.Tool)
	for _, broken := range r.locks.Broken {
		warnings = append(warnings, fmt.Sprintf("%v; nothing in it counts until it is repaired", broken.Err))
	}
	for _, s := range r.sources {
		for _, rel := range s.releases {
			if len(rel.byFile) > 0 {
				warnings = append(warnings, fmt.Sprintf("%s: not verified; covered %s", rel, rel.byFileText()))
			}
			for _, e := range r.locks.Others(rel.provider, rel.version) {
				if !r.wants(rel, e) {
					warnings = append(warnings, fmt.Sprintf("%s: %s is locked at %s there, which this manifest does not have", e.Place(), e.Provider, e.Version))
				}
			}
		}
	}
	slices.Sort(warnings)
	return slices.Compact(warnings)
}

// wants reports whether the manifest has the version that a file locks.
func (r *run) wants(rel *release, e deplock.Entry) bool {
	for _, s := range r.sources {
		for _, other := range s.releases {
			if other.provider == rel.provider && other.version == e.Version {
				return true
			}
		}
	}
	return false
}
