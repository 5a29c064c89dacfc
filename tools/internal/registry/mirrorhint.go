package registry

import (
	"context"
	"net/http"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
)

// Explain says, as the end of a sentence, why a registry knows nothing: a service URL that somebody configured may be that of a network mirror
// (B24). It asks once per provider, and only hosts with a configured service URL; nothing is returned where nothing is found.
func (c *Client) Explain(ctx context.Context, p addrs.Provider) string {
	if !c.configured[p.Host] || strings.Contains(p.Host, ":") {
		return ""
	}
	text, _ := c.hints.Do(ctx, p, func(ctx context.Context) (string, error) {
		a, err := c.get(ctx, p, p.Host, p.Namespace, p.Type, "index.json")
		if err != nil || a.Status != http.StatusOK {
			return "", nil
		}
		return "; " + a.endpoint + " is there, so this looks like the other protocol: the service URL configured for host " + p.DisplayHost() +
			" is that of a network mirror. Name it as a source of kind network_mirror instead", nil
	})
	return text
}
