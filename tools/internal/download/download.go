package download

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"rules_tf_mirror/tools/internal/transport"
)

// Options configure a Client. The zero value is what the command uses.
type Options struct {
	RoundTripper http.RoundTripper                                // nil: Go's default with HTTP/2, proxy variables, SSL_CERT_FILE
	Getenv       func(string) string                              // for NETRC and HOME; nil: os.Getenv
	UserAgent    string                                           // empty: tfmirror
	Sleep        func(ctx context.Context, d time.Duration) error // nil: a timer
	Jitter       func() float64                                   // a number in [-1, 1) that spreads waits; nil: a random one
	Stall        time.Duration                                    // an attempt without a byte for so long is given up; 0: one minute
	MaxBytes     int64                                            // of one package; 0: 8 GiB
}

const (
	retries       = 2 // further attempts, as OpenTofu (R-DL-4)
	redirects     = 10
	maxRetryAfter = time.Minute
	maxLate       = 500 * time.Millisecond
	defaultStall  = time.Minute
	defaultMax    = 8 << 30
)

// Client is safe for concurrent use.
type Client struct {
	http    *http.Client
	options Options
}

// New returns a Client.
func New(o Options) *Client {
	if o.RoundTripper == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.Proxy = transport.Proxy
		t.MaxIdleConnsPerHost = 32
		o.RoundTripper = t
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.UserAgent == "" {
		o.UserAgent = "tfmirror"
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Jitter == nil {
		o.Jitter = func() float64 { return 2*rand.Float64() - 1 }
	}
	if o.Stall == 0 {
		o.Stall = defaultStall
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultMax
	}
	return &Client{http: &http.Client{Transport: o.RoundTripper, CheckRedirect: checkRedirect}, options: o}
}

// Request says what to fetch.
type Request struct {
	URL      *url.URL
	Shown    string                      // the address in messages; empty: as transport.Redacted shows it
	SHA256   string                      // wanted, lower-case hex
	Dir      string                      // an existing directory for the temporary file
	Progress func(received, total int64) // called often, by one goroutine; total is -1 if unknown; received falls back to 0 at a new attempt; may be nil

	measure bool // take any content; set by Measure alone
}

// File is a package on disk, of Get with the wanted SHA-256. It belongs to the caller, who renames or removes it.
type File struct {
	Path   string
	Bytes  int64
	SHA256 string // lower-case hex
}

// Get fetches the file. The error is a *HashError, a *StatusError, an *Error, the cause of the context's end, or one of the local disk.
func (c *Client) Get(ctx context.Context, request Request) (*File, error) {
	if request.Progress == nil {
		request.Progress = func(int64, int64) {}
	}
	if request.Shown == "" {
		request.Shown = transport.Redacted(request.URL)
	}
	entry, err := findLogin(request.URL, c.options.Getenv)
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		file, response, err := c.attempt(ctx, request, entry)
		if err == nil {
			return file, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var status *StatusError
		if errors.As(err, &status) {
			status.Attempts = attempt
		}
		again, network := retryable(ctx, err)
		if !again || attempt > retries {
			if network {
				err = &Error{URL: request.Shown, Attempts: attempt, Err: cause(err)}
			}
			return nil, err
		}
		if err := c.options.Sleep(ctx, c.wait(attempt, response)); err != nil {
			return nil, err
		}
	}
}

// wait returns the time before a further attempt, spread so that machines that failed together do not come back together: a backoff by up to a
// quarter, a time that the server named by up to half a second more.
func (c *Client) wait(attempt int, response *http.Response) time.Duration {
	wait := min(retryablehttp.DefaultBackoff(500*time.Millisecond, 10*time.Second, attempt-1, response), maxRetryAfter)
	jitter := c.options.Jitter()
	if response != nil && response.Header.Get("Retry-After") != "" {
		return wait + time.Duration(float64(maxLate)*max(jitter, -jitter))
	}
	return wait + time.Duration(float64(wait)/4*jitter)
}

// attempt sends one GET. The response is returned for its headers only.
func (c *Client) attempt(ctx context.Context, request Request, entry login) (_ *File, _ *http.Response, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(c.options.Stall, func() { cancel(errStalled) })
	defer watch.Stop()
	defer func() {
		if err != nil && errors.Is(context.Cause(ctx), errStalled) {
			err = errStalled
		}
	}()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, request.URL.String(), nil)
	if err != nil {
		return nil, nil, &finalError{"the address cannot be requested"}
	}
	r.Header.Set("User-Agent", c.options.UserAgent)
	if entry != (login{}) {
		r.SetBasicAuth(entry.user, entry.password)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	// 206 to a request without a range is odd, but terraform takes it (R-DL-2), and the hash decides.
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusPartialContent {
		_, _ = io.CopyN(io.Discard, response.Body, 4<<10) // so that the connection can be used again
		return nil, response, &StatusError{URL: request.Shown, Status: response.StatusCode, Host: response.Request.URL.Host,
			CredentialsSent: response.Request.Header.Get("Authorization") != ""}
	}
	body := &bodyReader{in: response.Body, total: response.ContentLength, limit: c.options.MaxBytes, progress: request.Progress,
		alive: func() { watch.Reset(c.options.Stall) }}
	file, err := store(body, request)
	return file, response, err
}

// Prefix begins the names of temporary files.
const Prefix = "package-"

// store writes the body to a temporary file and hashes it on the way.
func store(body *bodyReader, request Request) (_ *File, err error) {
	out, err := os.CreateTemp(request.Dir, Prefix+"*.zip")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			err = errors.Join(err, os.Remove(out.Name()))
		}
	}()
	hash := sha256.New()
	body.progress(0, body.total)
	n, err := io.CopyBuffer(io.MultiWriter(out, hash), body, make([]byte, 256<<10))
	switch {
	case body.err != nil:
		return nil, body.err
	case err != nil:
		return nil, err
	}
	got := hex.EncodeToString(hash.Sum(nil))
	if got != request.SHA256 && !request.measure {
		return nil, &HashError{URL: request.Shown, Want: request.SHA256, Got: got, Bytes: n}
	}
	return &File{Path: out.Name(), Bytes: n, SHA256: got}, nil
}

// bodyReader reports progress, enforces the limit, and keeps the network's errors apart from the disk's.
type bodyReader struct {
	in              io.Reader
	received, total int64
	limit           int64
	progress        func(received, total int64)
	alive           func()
	err             error
}

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if n > 0 {
		b.alive()
		b.received += int64(n)
		b.progress(b.received, b.total)
	}
	switch {
	case b.received > b.limit:
		b.err = &finalError{fmt.Sprintf("the answer is longer than %d bytes", b.limit)}
		return 0, b.err
	case err != nil && err != io.EOF:
		b.err = &networkError{err}
		return n, b.err
	}
	return n, err
}

// checkRedirect runs before each redirected request, whose headers Go has copied.
func checkRedirect(next *http.Request, via []*http.Request) error {
	if len(via) > redirects {
		return &finalError{fmt.Sprintf("more than %d redirects", redirects)}
	}
	if next.URL.User != nil {
		return &finalError{"the server redirects to a URL that contains a user name"}
	}
	// Go would tell the next host the address of this one, which may be signed.
	next.Header.Del("Referer")
	// Go starts from the first request's headers at every hop, so all hops count: once elsewhere, the login is gone for good.
	for _, earlier := range via {
		if !transport.SameOrigin(earlier.URL, next.URL) {
			next.Header.Del("Authorization")
		}
	}
	return nil
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
