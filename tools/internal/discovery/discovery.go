// Package discovery finds the provider registry of a host (remote service discovery, R-DISC).
//
// The two default hosts are not asked: their service URL is built in, which saves a round before every cold resolve. All others are
// asked once per process, however many entries and goroutines want to know.
package discovery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/once"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/transport"
)

// builtIn hosts answer discovery with this path since their beginning (R-DISC-17 names the risk).
var builtIn = map[string]string{
	"registry.terraform.io": "/v1/providers/",
	"registry.opentofu.org": "/v1/providers/",
}

// leastTimeout is the time limit of one question: that of terraform to 1.14, the longest of the tools' own (R-DISC-4). A shorter one would refuse
// hosts that start from cold and that work with a tool.
const leastTimeout = 11 * time.Second

// policy follows Terraform since 1.15, the more robust of the tools, but for the time limit (R-DISC-4, R-DISC-6, R-DISC-9).
var policy = transport.Policy{
	Retries:    3,
	MinBackoff: 100 * time.Millisecond,
	MaxBackoff: time.Second,
	Redirects:  3,
	MaxBytes:   1 << 20,
}

// Options configure a Client; all fields but Services are needed.
type Options struct {
	Transport   *transport.Client
	Credentials credentials.Source
	UserAgent   string
	// Services replaces discovery by host in comparison form, as `host` blocks of the CLI configuration do (R-DISC-16).
	Services map[string]*url.URL
	// Timeout is the time limit that the user set for questions to registries; it counts if it is longer than the usual one.
	Timeout time.Duration
}

// Service is the provider registry of a host.
type Service struct {
	URL *url.URL // the base; not to be changed
	// Withhold says why the host's token must not be sent there, after "no token was sent: "; empty: it may be.
	Withhold string
}

// Client is safe for concurrent use.
type Client struct {
	options Options
	known   once.Map[string, Service]
}

// New returns a Client that remembers answers and failures.
func New(options Options) *Client { return &Client{options: options} }

// Providers returns the URL of Find.
func (c *Client) Providers(ctx context.Context, host, shown string) (*url.URL, error) {
	service, err := c.Find(ctx, host, shown)
	return service.URL, err
}

// Find returns the provider registry of a host in comparison form. shown is the host's name for messages.
// Endpoints are resolved against the base as a reference: without a slash at its end its last segment is replaced (R-DISC-13). Errors
// are *problem.Error of the kinds discovery, unauthorized, credentials or network, or the cause of ctx's end.
func (c *Client) Find(ctx context.Context, host, shown string) (Service, error) {
	if base, ok := c.options.Services[host]; ok {
		return Service{URL: base}, nil
	}
	if path, ok := builtIn[host]; ok {
		return Service{URL: &url.URL{Scheme: "https", Host: host, Path: path}}, nil
	}
	return c.known.Do(ctx, host, func(ctx context.Context) (Service, error) { return c.ask(ctx, host, shown) })
}

func (c *Client) ask(ctx context.Context, host, shown string) (Service, error) {
	patience := policy
	patience.Timeout = max(leastTimeout, c.options.Timeout)
	origin := &url.URL{Scheme: "https", Host: host}
	// A failing helper does not stop discovery; the request to the registry itself reports it (R-DISC-3).
	token, _, _ := c.options.Credentials.ForHost(ctx, host)
	response, err := c.options.Transport.Get(ctx, transport.Request{
		URL:    origin.JoinPath("/.well-known/terraform.json"),
		Header: http.Header{"Accept": {"application/json"}, "User-Agent": {c.options.UserAgent}},
		Token:  token.Reveal(),
		Policy: patience,
	})
	if err != nil {
		if ctx.Err() != nil {
			return Service{}, context.Cause(ctx)
		}
		return Service{}, problem.Wrap(problem.Network, err, "service discovery of host %s failed: %v", shown, err)
	}
	switch response.Status {
	case http.StatusOK:
	case http.StatusNotFound:
		return Service{}, noRegistry(host, shown)
	case http.StatusUnauthorized, http.StatusForbidden:
		return Service{}, problem.New(problem.Unauthorized, "host %s answers service discovery with %s; %s",
			shown, transport.StatusText(response.Status), credentials.Explain(host, token, response.TokenSent))
	default:
		return Service{}, problem.New(problem.Discovery, "host %s answers service discovery (%s) with %s; 200 is wanted",
			shown, transport.Redacted(response.FinalURL), transport.StatusText(response.Status))
	}
	base, err := Parse(response.FinalURL, response.Header.Get("Content-Type"), response.Body)
	if errors.Is(err, errNoRegistry) {
		return Service{}, noRegistry(host, shown)
	}
	if err != nil {
		return Service{}, problem.Wrap(problem.Discovery, err, "host %s %v", shown, err)
	}
	return Service{URL: base, Withhold: withhold(response, origin, base, shown)}, nil
}

// withhold decides whether the token of a host may follow its discovery document to a service. What the host itself says over TLS counts, on
// whatever host the service is (R-DISC-15). After a redirect somebody else speaks, and the token stays on the host's own origin (design §3.3,
// stricter than the tools); after plain http anybody may have spoken, even of paths of the host.
func withhold(response *transport.Response, origin, base *url.URL, shown string) string {
	remedy := fmt.Sprintf("if that is right, name the service URL in a host block %q of the CLI configuration", shown)
	switch {
	case response.Clear:
		return fmt.Sprintf("service discovery of host %s is redirected through plain http, where anybody may answer; %s", shown, remedy)
	case response.LeftOrigin && !transport.SameOrigin(origin, base):
		return fmt.Sprintf("service discovery of host %s is redirected to another host, and the service that it names is at %s; %s", shown, transport.Redacted(base), remedy)
	default:
		return ""
	}
}

// noRegistry explains a host without the service (R-DISC-7, R-ADDR-24).
func noRegistry(host, shown string) error {
	if host == "github.com" {
		return problem.New(problem.Discovery, "host github.com offers no provider registry: a source is a registry address such as "+
			"hashicorp/random, not the address of a repository")
	}
	return problem.New(problem.Discovery, "host %s offers no provider registry: its discovery document "+
		"https://%s/.well-known/terraform.json is missing or names no %s; check the host's name in the source", shown, host, serviceKey)
}
