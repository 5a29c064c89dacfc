package transport

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// DefaultPerHost is the number of requests in flight to one host.
const DefaultPerHost = 64

// Options configure a Client. The zero value is what the command uses.
type Options struct {
	// RoundTripper sends single requests; nil means a transport with HTTP/2, the proxy variables and the system's certificates
	// (SSL_CERT_FILE, SSL_CERT_DIR) as Go reads them.
	RoundTripper http.RoundTripper
	// Now is the clock for Retry-After dates; nil means time.Now.
	Now func() time.Time
	// Sleep waits or returns the context's error; nil means a timer. It must move Now.
	Sleep func(ctx context.Context, d time.Duration) error
	// PerHost bounds the requests in flight to one host; 0 means DefaultPerHost.
	PerHost int
	// Jitter returns a number in [-1, 1) that spreads waits; nil means a random one.
	Jitter func() float64
}

// Policy says how patient a request is.
type Policy struct {
	Timeout    time.Duration // for one attempt, redirects and body included; 0 means none
	Retries    int           // further attempts after a connection error or a 5xx other than 501
	MinBackoff time.Duration // before the first further attempt; doubled each time
	MaxBackoff time.Duration
	Redirects  int   // followed at most
	MaxBytes   int64 // of the body after decoding; a longer one is an error
}

// Request is one question. Only GET exists: registries need nothing else, and HEAD breaks presigned URLs (B03).
type Request struct {
	URL    *url.URL
	Header http.Header // without Authorization
	Token  string      // bearer token, empty for none
	Policy Policy
}

// Response is a complete answer with any status but 429 and 5xx.
type Response struct {
	Status    int
	Header    http.Header
	FinalURL  *url.URL // after redirects; relative references of the body start here (R-REG-6)
	Body      []byte
	TokenSent bool // the answering request carried the token

	LeftOrigin bool // a redirect led to another scheme, host or port, even if a later one led back
	Clear      bool // a request travelled over plain http, other than to this machine: anybody on the way may have written the answer
}

// Client is safe for concurrent use. Hosts share nothing with each other.
type Client struct {
	roundTripper http.RoundTripper
	now          func() time.Time
	sleep        func(context.Context, time.Duration) error
	perHost      int
	jitter       func() float64

	mu    sync.Mutex
	hosts map[string]*host
}

// New returns a Client.
func New(options Options) *Client {
	c := &Client{
		roundTripper: options.RoundTripper,
		now:          options.Now,
		sleep:        options.Sleep,
		perHost:      options.PerHost,
		jitter:       options.Jitter,
		hosts:        map[string]*host{},
	}
	if c.roundTripper == nil {
		c.roundTripper = newRoundTripper()
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.sleep == nil {
		c.sleep = sleep
	}
	if c.jitter == nil {
		c.jitter = func() float64 { return 2*rand.Float64() - 1 }
	}
	if c.perHost <= 0 {
		c.perHost = DefaultPerHost
	}
	return c
}

// newRoundTripper returns Go's default transport without a pool limit that would close connections between two rounds.
func newRoundTripper() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = Proxy
	t.ForceAttemptHTTP2 = true
	t.MaxIdleConnsPerHost = DefaultPerHost
	t.MaxIdleConns = 0
	return t
}

// CloseIdleConnections closes connections that no request uses.
func (c *Client) CloseIdleConnections() {
	if closer, ok := c.roundTripper.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
