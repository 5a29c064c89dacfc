// Package discovery finds the provider registry of a host (remote service discovery, R-DISC).
//
// The two default hosts are not asked: their service URL is built in, which saves a round before every cold resolve. All others are
// asked once per process, however many entries and goroutines want to know.
package discovery

import (
	"context"
	"errors"
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

// policy follows Terraform since 1.15, the more robust of the tools (R-DISC-4, R-DISC-6, R-DISC-9).
var policy = transport.Policy{
	Timeout:    5 * time.Second,
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
}

// Client is safe for concurrent use.
type Client struct {
	options Options
	known   once.Map[string, *url.URL]
}

// New returns a Client that remembers answers and failures.
func New(options Options) *Client { return &Client{options: options} }

// Providers returns the base URL of the provider registry of a host in comparison form. shown is the host's name for messages.
// Endpoints are resolved against the base as a reference: without a slash at its end its last segment is replaced (R-DISC-13). Errors
// are *problem.Error of the kinds discovery, unauthorized, credentials or network, or the cause of ctx's end. The caller must not
// change the URL.
func (c *Client) Providers(ctx context.Context, host, shown string) (*url.URL, error) {
	if base, ok := c.options.Services[host]; ok {
		return base, nil
	}
	if path, ok := builtIn[host]; ok {
		return &url.URL{Scheme: "https", Host: host, Path: path}, nil
	}
	return c.known.Do(ctx, host, func(ctx context.Context) (*url.URL, error) { return c.ask(ctx, host, shown) })
}

func (c *Client) ask(ctx context.Context, host, shown string) (*url.URL, error) {
	// A failing helper does not stop discovery; the request to the registry itself reports it (R-DISC-3).
	token, _, _ := c.options.Credentials.ForHost(ctx, host)
	response, err := c.options.Transport.Get(ctx, transport.Request{
		URL:    &url.URL{Scheme: "https", Host: host, Path: "/.well-known/terraform.json"},
		Header: http.Header{"Accept": {"application/json"}, "User-Agent": {c.options.UserAgent}},
		Token:  token.Reveal(),
		Policy: policy,
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, problem.Wrap(problem.Network, err, "service discovery of host %s failed: %v", shown, err)
	}
	switch response.Status {
	case http.StatusOK:
	case http.StatusNotFound:
		return nil, noRegistry(host, shown)
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, problem.New(problem.Unauthorized, "host %s answers service discovery with %s; %s",
			shown, transport.StatusText(response.Status), credentials.Explain(host, token, response.TokenSent))
	default:
		return nil, problem.New(problem.Discovery, "host %s answers service discovery (%s) with %s; 200 is wanted",
			shown, transport.Redacted(response.FinalURL), transport.StatusText(response.Status))
	}
	base, err := Parse(response.FinalURL, response.Header.Get("Content-Type"), response.Body)
	if errors.Is(err, errNoRegistry) {
		return nil, noRegistry(host, shown)
	}
	if err != nil {
		return nil, problem.Wrap(problem.Discovery, err, "host %s %v", shown, err)
	}
	return base, nil
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
