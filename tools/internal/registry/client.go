package registry

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/discovery"
	"rules_tf_mirror/tools/internal/once"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/transport"
)

// maxAnswerBytes bounds one answer other than a version list, after decompression. The tools have no limit; real answers have some KiB.
const maxAnswerBytes = 4 << 20

// Options configure a Client.
type Options struct {
	Transport   *transport.Client
	Credentials credentials.Source
	Tool        addrs.Tool
	ToolVersion string              // full version of the tool; empty means DefaultToolVersion(Tool)
	Getenv      func(string) string // for the tools' TF_… settings of requests
	Services    map[string]*url.URL // see discovery.Options
}

// Client asks registries. Each question is asked once per Client, whatever its answer; it is safe for concurrent use.
type Client struct {
	transport   *transport.Client
	credentials credentials.Source
	discovery   *discovery.Client
	header      http.Header
	policy      transport.Policy

	lists      once.Map[addrs.Provider, *VersionList]
	downloads  once.Map[question, *Package]
	hints      once.Map[addrs.Provider, string]
	successors once.Map[addrs.Provider, addrs.Provider]

	configured map[string]bool // hosts whose service URL somebody configured

	mu       sync.Mutex
	appended map[string]bool // hosts whose base URL turned out to lack its last slash
}

type question struct {
	provider addrs.Provider
	version  string
	platform platforms.Platform
}

// New returns a Client.
func New(o Options) *Client {
	if o.ToolVersion == "" {
		o.ToolVersion = DefaultToolVersion(o.Tool)
	}
	if o.Credentials == nil {
		o.Credentials = credentials.None{}
	}
	policy := Policy(o.Getenv)
	configured := map[string]bool{}
	for host := range o.Services {
		configured[host] = true
	}
	return &Client{
		configured:  configured,
		transport:   o.Transport,
		credentials: o.Credentials,
		discovery: discovery.New(discovery.Options{
			Timeout:     policy.Timeout,
			Transport:   o.Transport,
			Credentials: o.Credentials,
			UserAgent:   discoveryUserAgent(o.Tool, o.ToolVersion, o.Getenv),
			Services:    o.Services,
		}),
		header:   Header(o.Tool, o.ToolVersion, o.Getenv),
		policy:   policy,
		appended: map[string]bool{},
	}
}

// Service makes sure that the provider's host has a registry. Its errors are those of discovery.Client.Providers.
func (c *Client) Service(ctx context.Context, p addrs.Provider) error {
	_, err := c.discovery.Providers(ctx, p.Host, p.DisplayHost())
	return err
}

// answer is a registry's answer with status 200 or 404.
type answer struct {
	*transport.Response
	endpoint string // for messages
}

// get asks an endpoint below the service URL of the provider's host.
func (c *Client) get(ctx context.Context, p addrs.Provider, segments ...string) (*answer, error) {
	service, err := c.discovery.Find(ctx, p.Host, p.DisplayHost())
	if err != nil {
		return nil, err
	}
	base := service.URL
	token, _, err := c.credentials.ForHost(ctx, p.Host)
	if err != nil {
		return nil, problem.Wrap(problem.Credentials, err, "the credentials of host %s could not be had: %v", p.DisplayHost(), err)
	}
	if service.Withhold != "" {
		token = token.Withheld(service.Withhold)
	}
	reference := &url.URL{Path: strings.Join(segments, "/")}
	policy := c.policy
	if segments[len(segments)-1] == "versions" {
		policy.MaxBytes = maxListBytes
	}
	first, second := c.bases(p.Host, base)
	for {
		target := first.ResolveReference(reference)
		response, err := c.transport.Get(ctx, transport.Request{URL: target, Header: c.header, Token: token.Reveal(), Policy: policy})
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, problem.Wrap(problem.Network, err, "%v", err)
		}
		a := &answer{Response: response, endpoint: transport.Redacted(target)}
		switch {
		case response.Status == http.StatusOK:
			if second == nil && strings.HasSuffix(first.Path, "/") && !strings.HasSuffix(base.Path, "/") {
				c.noteAppended(p.Host)
			}
			return a, nil
		case response.Status == http.StatusNotFound && second != nil:
			first, second = second, nil
		case response.Status == http.StatusNotFound:
			return a, nil
		default:
			return nil, statusError(p, a, token)
		}
	}
}

// bases returns the URLs to resolve endpoints against. A service URL without a slash at its end is a base whose last segment is
// replaced, in both tools (R-DISC-13). Registries that did not mean that exist (B16): they answer 404 there, and then the whole
// URL is taken for the base.
func (c *Client) bases(host string, base *url.URL) (first, second *url.URL) {
	if strings.HasSuffix(base.Path, "/") || base.Path == "" {
		return base, nil
	}
	whole := *base
	whole.Path += "/"
	whole.RawPath = ""
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.appended[host] {
		return &whole, nil
	}
	return base, &whole
}

func (c *Client) noteAppended(host string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.appended[host] = true
}
