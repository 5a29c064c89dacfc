package explain

import (
	"fmt"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/versions"
)

const (
	// shownVersions is how many versions a message names.
	shownVersions = 3
	// shownPlatforms is how many platforms a message names.
	shownPlatforms = 12
)

// Release is one element of a version list.
type Release struct {
	Version   versions.Version
	Platforms []platforms.Platform // as the list says; empty if it says nothing
}

// NoPackage says, as the end of a sentence, why a version has no package for any of the wanted platforms, as far as the registry's list tells:
// there is no such version, or it was published for other platforms, and then which versions have the wanted ones.
func NoPackage(version versions.Version, wanted []platforms.Platform, list []Release) string {
	list = slices.Clone(list)
	// Newest first; of several elements for one version the last counts, as everywhere in such a list.
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b Release) int { return b.Version.Compare(a.Version) })
	list = slices.CompactFunc(list, func(a, b Release) bool { return a.Version == b.Version })

	i := slices.IndexFunc(list, func(r Release) bool { return r.Version == version })
	switch {
	case len(list) == 0:
		return "no version is listed"
	case i < 0:
		return "there is no such version; the newest listed: " + newest(list, func(Release) bool { return true })
	case len(list[i].Platforms) == 0:
		return "the version is listed, but not published for these platforms"
	}
	for _, p := range wanted {
		if slices.Contains(list[i].Platforms, p) {
			return fmt.Sprintf("though the registry's list says that there is one for %s; tell who runs the registry", p)
		}
	}
	text := "it is published for " + platformNames(list[i].Platforms) + " only"
	for n, p := range wanted {
		if n == shownPlatforms {
			break
		}
		has := newest(list, func(r Release) bool { return slices.Contains(r.Platforms, p) })
		if has == "" {
			text += fmt.Sprintf("; no listed version has %s", p)
		} else {
			text += fmt.Sprintf("; the newest listed with %s: %s", p, has)
		}
	}
	return text
}

// newest names the first few versions of a list, newest first, that a condition admits.
func newest(list []Release, admitted func(Release) bool) string {
	var texts []string
	for _, r := range list {
		if len(texts) < shownVersions && admitted(r) {
			texts = append(texts, r.Version.String())
		}
	}
	return strings.Join(texts, ", ")
}

func platformNames(list []platforms.Platform) string {
	var names []string
	for _, p := range list {
		names = append(names, p.String())
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if more := len(names) - shownPlatforms; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shownPlatforms], ", "), more)
	}
	return strings.Join(names, ", ")
}
