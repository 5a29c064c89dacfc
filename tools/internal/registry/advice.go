package registry

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/explain"
	"rules_tf_mirror/tools/internal/transport"
)

// Listing is Versions, for messages: see resolve.Adviser.
func (c *Client) Listing(ctx context.Context, p addrs.Provider) (*VersionList, error) {
	return c.Versions(ctx, p)
}

// Successor asks the registry under which namespace it knows a provider that it does not know under this one (R-ADDR-23): one GET, which
// only a 429 repeats, since every failure means no suggestion. It must be called only where explain.HasSuccessor.
func (c *Client) Successor(ctx context.Context, p addrs.Provider, tool addrs.Tool) (addrs.Provider, bool) {
	q, _ := c.successors.Do(ctx, p, func(ctx context.Context) (addrs.Provider, error) { return c.successor(ctx, p, tool), nil })
	return q, q != addrs.Provider{}
}

func (c *Client) successor(ctx context.Context, p addrs.Provider, tool addrs.Tool) addrs.Provider {
	base, err := c.discovery.Providers(ctx, p.Host, p.DisplayHost())
	if err != nil {
		return addrs.Provider{}
	}
	token, _, err := c.credentials.ForHost(ctx, p.Host)
	if err != nil {
		return addrs.Provider{}
	}
	legacy := explain.Legacy(p)
	first, _ := c.bases(p.Host, base)
	reference := &url.URL{Path: strings.Join([]string{legacy.Namespace, legacy.Type, "versions"}, "/")}
	policy := c.policy
	policy.Retries = 0
	policy.MaxBytes = maxListBytes
	response, err := c.transport.Get(ctx, transport.Request{URL: first.ResolveReference(reference), Header: c.header, Token: token.Reveal(), Policy: policy})
	if err != nil || response.Status != http.StatusOK {
		return addrs.Provider{}
	}
	q, _ := explain.Successor(response.Body, p, tool)
	return q
}
