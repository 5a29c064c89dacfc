package registry

import (
	"context"
	"fmt"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/versions"
)

// supportedProtocols are the major versions of the plugin protocol that both tools speak (R-REG-11).
var supportedProtocols = []string{"5.", "6."}

// checkProtocols accepts a list with a supported protocol, and an absent or empty one (R-REG table). An element that is no version is a
// response error.
func checkProtocols(list []string) error {
	for _, text := range list {
		if _, err := versions.Parse(text); err != nil {
			return problem.Wrap(problem.Response, err, "the plugin protocol %q, which is not a version", foreign.Short(text, 40))
		}
	}
	if len(list) == 0 || supported(list) {
		return nil
	}
	return problem.New(problem.Protocol, "speaks only plugin protocol %s; 5 or 6 is wanted", foreign.Short(strings.Join(list, ", "), 80))
}

// supported tells whether a list names a supported protocol; "5" and "5.0" are equal (R-REG-13).
func supported(list []string) bool {
	for _, text := range list {
		v, err := versions.Parse(text)
		if err != nil {
			continue
		}
		for _, prefix := range supportedProtocols {
			if strings.HasPrefix(v.String(), prefix) && !v.IsPrerelease() {
				return true
			}
		}
	}
	return false
}

// compatible names the newest version with a supported protocol, which takes the version list (R-REG-14). Constraints and whether it is
// a prerelease do not count, as in the tools.
func (c *Client) compatible(ctx context.Context, p addrs.Provider) string {
	list, err := c.Versions(ctx, p)
	if err != nil {
		return fmt.Sprintf("which version would do is not known: %v", err)
	}
	// For a version listed several times the last entry counts.
	protocols := map[versions.Version][]string{}
	for _, listed := range list.Versions {
		if v, err := versions.Parse(listed.Version); err == nil {
			protocols[v] = listed.Protocols
		}
	}
	var best versions.Version
	found := false
	for v, spoken := range protocols {
		if supported(spoken) && (!found || v.Compare(best) > 0) {
			best, found = v, true
		}
	}
	if !found {
		return "no listed version speaks one"
	}
	return fmt.Sprintf("version %s does: write %q", best, fmt.Sprintf("%s:%s", p, best))
}
