package netmirror

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/discovery"
	"rules_tf_mirror/tools/internal/registry"
)

// otherProtocol is what to do about a registry in the place of a mirror (B24).
const otherProtocol = "this looks like the other protocol. " + registryUse

const registryUse = "A registry is no network mirror: write its host in the provider's source, or name it " +
	`under "hosts" as the "providers.v1" of the host in the source`

// Explain says, as the end of a sentence, why a mirror has no package: a document without archives, or 404 for everything, because it may be a
// provider registry (B24). It asks the mirror's host, at most twice per provider, unless a good document came from there before; nothing is
// returned where nothing is found.
func (c *Client) Explain(ctx context.Context, p addrs.Provider) string {
	if endpoint, ok := c.empty.Load(p); ok {
		return fmt.Sprintf(`; %v has no "archives", or they are null: tell who runs the mirror`, endpoint)
	}
	if c.speaks.Load() {
		return ""
	}
	text, err := c.probe.Do(ctx, p, func(ctx context.Context) (string, error) { return c.look(ctx, p), nil })
	if err != nil {
		return ""
	}
	return text
}

func (c *Client) look(ctx context.Context, p addrs.Provider) string {
	base := c.options.Base
	list := base.ResolveReference(&url.URL{Path: strings.Join([]string{p.Namespace, p.Type, "versions"}, "/")})
	if a, _, err := c.request(ctx, list); err == nil && a.Status == http.StatusOK {
		if _, err := registry.ParseVersions(a.Body); err == nil {
			return "; it answers the registry's question " + a.endpoint + ": " + otherProtocol
		}
	}
	document := &url.URL{Scheme: base.Scheme, Host: base.Host, Path: "/.well-known/terraform.json"}
	if a, _, err := c.request(ctx, document); err == nil && a.Status == http.StatusOK {
		if _, err := discovery.Parse(a.FinalURL, a.Header.Get("Content-Type"), a.Body); err == nil {
			// Products that offer both protocols on one host have it too, so it proves nothing about the URL.
			return "; " + a.endpoint + " says that the host is a provider registry too, so the URL may be that of the other protocol. " + registryUse
		}
	}
	return ""
}
