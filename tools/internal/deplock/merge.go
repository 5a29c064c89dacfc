package deplock

import (
	"slices"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/versions"
)

// Update is what is known now about one provider, from a verified list of checksums.
type Update struct {
	Provider    addrs.Provider
	Version     versions.Version
	Constraints versions.Constraint // of the manifest; versions.Any for none
	Zip         []hashes.Hash       // zh: of every line of the verified list
	Dir         []hashes.Hash       // h1: that were had from the registry or computed now; may be empty if Kept has what is needed
}

// Kept says what an existing entry contributes to an update.
type Kept struct {
	// Stands: the entry is for this version, it has zh: hashes, and the verified list has all of them. Only then is its h1: known to have
	// been recorded for the content that is verified now.
	Stands bool
	// Dir are the h1: hashes that stay, of platforms that may not be ours too (C15). Empty unless Stands.
	Dir []hashes.Hash
	// Unknown are hashes of schemes that nobody compares. They stay with their version.
	Unknown []hashes.Hash
	// Gone are zh: hashes of this version that the verified list does not have: the content changed, or the two lists come from different
	// sources (C04). The caller says so; they never stay.
	Gone []hashes.Hash
	// Unproven are h1: hashes of this version that do not stay, as nothing ties them to the verified list: recorded without one (C03) or
	// beside Gone. One that is right comes back when it is computed.
	Unproven []hashes.Hash
}

// Keep compares an existing entry with the version and the zh: hashes that are verified now.
func Keep(old Entry, version versions.Version, zip []hashes.Hash) Kept {
	var k Kept
	if old.Version != version {
		return k
	}
	verified := map[hashes.Hash]bool{}
	for _, h := range zip {
		verified[h] = true
	}
	for _, h := range old.Hashes {
		switch {
		case !h.Preferred():
			k.Unknown = append(k.Unknown, h)
		case h.Scheme == hashes.SchemeZip && !verified[h]:
			k.Gone = append(k.Gone, h)
		}
	}
	k.Stands = len(old.ZipHashes()) > 0 && len(k.Gone) == 0
	if k.Stands {
		k.Dir = old.DirHashes()
	} else {
		k.Unproven = old.DirHashes()
	}
	return k
}

// Change is what Merge did to one provider's entry.
type Change struct {
	Provider       addrs.Provider
	Old, New       Entry // Old is the zero Entry if there was none
	Added, Removed []hashes.Hash
	Kept           Kept
}

// Merged is a lock file to be.
type Merged struct {
	Entries []Entry
	Changes []Change // of the updates that change their entry, in the order of the entries
}

// Merge returns the entries of old with the updates in it. Entries of other providers stay as they are. An entry that is updated always has the
// manifest's constraints, or none if that has none, so that the same manifest gives the same file whatever was in it before. The tools write
// theirs only together with another version or other hashes (R-LOCK-11), so they leave ours.
//
// If nothing changes the file should not be written: then comments and spacing stay too.
func Merge(old *File, updates []Update) Merged {
	m := Merged{Entries: slices.Clone(old.Entries)}
	for _, u := range updates {
		i := slices.IndexFunc(m.Entries, func(e Entry) bool { return e.Provider == u.Provider })
		var before Entry
		if i >= 0 {
			before = m.Entries[i]
		}
		kept := Keep(before, u.Version, u.Zip)
		if i < 0 {
			kept = Kept{} // no entry is not an entry of 0.0.0
		}
		after := Entry{
			Provider: u.Provider, Version: u.Version, Constraints: u.Constraints.Canonical(),
			Hashes: normalize(slices.Concat(u.Zip, u.Dir, kept.Dir, kept.Unknown)),
		}
		if i >= 0 && before.Version == after.Version && before.Constraints == after.Constraints && slices.Equal(before.Hashes, after.Hashes) {
			continue
		}
		if i >= 0 {
			m.Entries[i] = after
		} else {
			m.Entries = append(m.Entries, after)
		}
		m.Changes = append(m.Changes, Change{
			Provider: u.Provider, Old: before, New: after, Kept: kept,
			Added: without(after.Hashes, before.Hashes), Removed: without(before.Hashes, after.Hashes),
		})
	}
	sortEntries(m.Entries)
	slices.SortFunc(m.Changes, func(a, b Change) int {
		if a.Provider.Less(b.Provider) {
			return -1
		}
		return 1
	})
	return m
}

// without returns the hashes of a that b does not have.
func without(a, b []hashes.Hash) []hashes.Hash {
	var left []hashes.Hash
	for _, h := range a {
		if !slices.Contains(b, h) {
			left = append(left, h)
		}
	}
	return left
}
