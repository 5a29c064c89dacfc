package netmirror

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	svchost "github.com/hashicorp/terraform-svchost"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/once"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/transport"
)

// redirects are followed at most (R-NET-5).
const redirects = 5

// hashing is the number of archives that are downloaded at once only to be hashed.
const hashing = 4

// Options configure a Client; all fields but AppendSlash are needed.
type Options struct {
	Base *url.URL // https, from cliconfig.ParseMirrorURL
	// AppendSlash says that the base is meant as a directory even without a slash at its end. Otherwise its last segment is replaced, as the
	// tools do (R-NET-1), and only if that leads to a 404 the base is taken for a directory (B18).
	AppendSlash bool
	Transport   *transport.Client
	Download    *download.Client // for archives without a recorded sha256
	Credentials credentials.Source
	Header      http.Header      // see registry.Header
	Policy      transport.Policy // see registry.Policy
}

// Client asks one mirror. Each question is asked once; it is safe for concurrent use.
type Client struct {
	options Options
	host    string // of the base, for credentials (R-CRED-16)
	shown   string // the base, for messages

	indexes   once.Map[addrs.Provider, *registry.VersionList]
	documents once.Map[release, *document]
	packages  once.Map[platformOf, *registry.Package]
	probe     once.Map[addrs.Provider, string]
	slots     chan struct{}
	speaks    atomic.Bool // a good document came: this is a network mirror
	empty     sync.Map    // by provider: the address of a version document without archives

	mu       sync.Mutex
	appended bool // the base turned out to lack its last slash
}

type release struct {
	provider addrs.Provider
	version  string
}

type platformOf struct {
	release
	platform platforms.Platform
}

// New returns a Client.
func New(o Options) *Client {
	base := *o.Base
	if o.AppendSlash && !strings.HasSuffix(base.Path, "/") {
		base.Path, base.RawPath = base.Path+"/", ""
	}
	if base.Path == "" {
		base.Path = "/"
	}
	o.Base = &base
	o.Policy.Redirects = redirects
	host, err := svchost.ForComparison(base.Host)
	if err != nil {
		host = svchost.Hostname(base.Host) // no token has such a name
	}
	return &Client{options: o, host: string(host), shown: transport.Redacted(&base), slots: make(chan struct{}, hashing)}
}

// Host returns the mirror's host in comparison form, under which its token is looked up.
func (c *Client) Host() string { return c.host }

// String names the mirror in messages.
func (c *Client) String() string { return "the network mirror " + c.shown }

// Service tells whether the mirror can be asked for a provider at all. Nothing is requested.
func (c *Client) Service(_ context.Context, p addrs.Provider) error { return c.servable(p) }

// servable refuses hosts with a port: the tools cannot write such a reference (R-NET-4).
func (c *Client) servable(p addrs.Provider) error {
	if strings.Contains(p.Host, ":") {
		return problem.New(problem.Config, "%s cannot serve %s: the network mirror protocol has no address for a registry host with a port; "+
			`take such providers from another source, with "exclude": ["%s/*/*"] here`, c, p, p.DisplayHost())
	}
	return nil
}

// answer is an answer with status 200 or 404.
type answer struct {
	*transport.Response
	endpoint string
}

// get asks for a document of a provider.
func (c *Client) get(ctx context.Context, p addrs.Provider, name string) (*answer, error) {
	if err := c.servable(p); err != nil {
		return nil, err
	}
	reference := &url.URL{Path: strings.Join([]string{p.Host, p.Namespace, p.Type, name}, "/")}
	first, second := c.bases()
	for {
		a, token, err := c.request(ctx, first.ResolveReference(reference))
		if err != nil {
			return nil, err
		}
		switch {
		case a.Status == http.StatusOK:
			if second == nil && first.Path != c.options.Base.Path {
				c.mu.Lock()
				c.appended = true
				c.mu.Unlock()
			}
			return a, nil
		case a.Status == http.StatusNotFound && second != nil:
			first, second = second, nil
		case a.Status == http.StatusNotFound:
			return a, nil
		case a.Status == http.StatusUnauthorized, a.Status == http.StatusForbidden:
			return nil, problem.New(problem.Unauthorized, "%s answers %s to %s; %s%s", c, transport.StatusText(a.Status), a.endpoint,
				credentials.Explain(c.host, token, a.TokenSent), registry.ServerText(a.Body, token.Reveal()))
		default:
			return nil, problem.New(problem.Response, "%s answers %s to %s; 200 is wanted%s", c, transport.StatusText(a.Status), a.endpoint,
				registry.ServerText(a.Body, token.Reveal()))
		}
	}
}

// bases returns the URLs to resolve against.
func (c *Client) bases() (first, second *url.URL) {
	base := c.options.Base
	if strings.HasSuffix(base.Path, "/") {
		return base, nil
	}
	whole := *base
	whole.Path, whole.RawPath = base.Path+"/", ""
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.appended {
		return &whole, nil
	}
	return base, &whole
}

// request sends one GET with the mirror's token.
func (c *Client) request(ctx context.Context, target *url.URL) (*answer, credentials.Token, error) {
	token, _, err := c.options.Credentials.ForHost(ctx, c.host)
	if err != nil {
		return nil, token, problem.Wrap(problem.Credentials, err, "the credentials of mirror host %s could not be had: %v", c.host, err)
	}
	response, err := c.options.Transport.Get(ctx, transport.Request{URL: target, Header: c.options.Header, Token: token.Reveal(), Policy: c.options.Policy})
	if err != nil {
		if ctx.Err() != nil {
			return nil, token, context.Cause(ctx)
		}
		return nil, token, problem.Wrap(problem.Network, err, "%s: %v", c, err)
	}
	return &answer{response, transport.Redacted(target)}, token, nil
}

// badAnswer makes the error for a document that cannot be used.
func (c *Client) badAnswer(a *answer, err error) error {
	if errors.Is(err, errOtherProtocol) {
		return problem.Wrap(problem.Response, err, "%s answers %s with %v: %s", c, a.endpoint, err, otherProtocol)
	}
	return problem.Wrap(problem.Response, err, "%s answers %s with %v", c, a.endpoint, err)
}
