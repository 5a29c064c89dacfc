package versions

import (
	"fmt"
	"slices"
	"strings"
)

// Explain says why nothing was selected under c, what was seen and what to write to get one of the prereleases (A02, A06, A11). It is one
// sentence without a final full stop, to be put after the name of the provider. It is empty if something was selected.
func (s Selection) Explain(c Constraint) string {
	switch {
	case s.OK:
		return ""
	case s.Listed == 0 && len(s.Skipped) == 0:
		return "the registry lists no version at all"
	case s.Listed == 0:
		return fmt.Sprintf("none of the entries that the registry lists is a version, for example %q", s.Skipped[0])
	case c.text == "" && len(s.Prereleases) == s.Listed:
		return fmt.Sprintf("the registry lists only prereleases (%s), which are selected by an exact version only; write %q to take the newest",
			join(s.Prereleases), s.Prereleases[0])
	}
	wanted := "no release is listed"
	if c.text != "" {
		wanted = fmt.Sprintf("no listed version is admitted by %q", c.text)
	}
	text := fmt.Sprintf("%s; the newest listed: %s", wanted, join(s.Newest))
	if s.Listed > len(s.Newest) {
		text += fmt.Sprintf(" and %d more", s.Listed-len(s.Newest))
	}
	if len(s.Prereleases) > 0 {
		text += fmt.Sprintf("; prereleases (%s) are selected by an exact version only, for example %q", join(s.Prereleases), s.Prereleases[0])
	}
	if slices.Contains(s.Newest, Version{}) {
		text += "; 0.0.0 means no version to the tools and is never selected"
	}
	return text
}

func join(list []Version) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = v.String()
	}
	return strings.Join(texts, ", ")
}
