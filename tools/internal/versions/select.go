package versions

import (
	"slices"

	"rules_tf_mirror/tools/internal/foreign"
)

const (
	// shown is how many versions, and entries that are none, a Selection keeps for messages.
	shown = 5
	// shownLength is the number of characters of an entry that is no version.
	shownLength = 60
)

// Selection is the outcome of Select.
type Selection struct {
	Version Version  // the chosen version; meaningless unless OK
	OK      bool     // whether any listed version was admitted
	Skipped []string // list entries that are no versions, the first few in the list's order, each once and shortened (R-SEL-2)
	Unread  int      // how many different entries are no versions
	Listed  int      // how many different versions the list has

	// The rest is for messages: newest first, at most five of each.

	Newest      []Version // the newest listed versions, prereleases too
	Prereleases []Version // listed prereleases of versions that the constraint admits; if there are none, any prereleases
}

// Select chooses the highest version of a registry's list that c admits (R-SEL-1..3). The list may be in any order and repeat versions
// in several spellings. An entry that is no version is skipped, as the newest releases of the tools do, so that one bad entry
// does not spoil the rest (A07). Which platforms a version has is not looked at.
//
// If the best candidates differ only in metadata the tools pick at random (R-VER-11). Here the one without metadata wins, then the one
// whose metadata sorts first.
func Select(listed []string, c Constraint) Selection {
	var s Selection
	all := make([]Version, 0, len(listed))
	unread := map[string]bool{}
	for _, text := range listed {
		v, err := Parse(text)
		switch {
		case err == nil:
			all = append(all, v)
		case unread[text]:
		default:
			unread[text] = true
			if len(s.Skipped) < shown {
				s.Skipped = append(s.Skipped, foreign.Short(text, shownLength))
			}
		}
	}
	s.Unread = len(unread)
	slices.SortFunc(all, newestFirst)
	all = slices.Compact(all)
	s.Listed = len(all)
	set := c.set()
	if i := slices.IndexFunc(all, func(v Version) bool { return set.Has(v.v) }); i >= 0 {
		s.Version, s.OK = all[i], true
	}
	s.Newest = all[:min(len(all), shown)]
	s.Prereleases = prereleases(all, c)
	return s
}

// prereleases returns those of the versions that somebody who wrote c may have hoped for.
func prereleases(all []Version, c Constraint) []Version {
	var near, others []Version
	for _, v := range all {
		switch {
		case !v.IsPrerelease():
		case c.Allows(v.release()):
			near = append(near, v)
		default:
			others = append(others, v)
		}
	}
	if len(near) == 0 {
		near = others
	}
	return near[:min(len(near), shown)]
}

// newestFirst sorts by falling precedence, and among versions of the same precedence by rising metadata.
func newestFirst(a, b Version) int {
	if a.SamePrecedence(b) {
		return a.Compare(b)
	}
	return b.Compare(a)
}
