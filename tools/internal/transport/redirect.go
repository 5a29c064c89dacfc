package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"rules_tf_mirror/tools/internal/foreign"
)

// trip is one attempt on its way through redirects.
type trip struct {
	target    *url.URL // of the last request
	at        *host    // of target; the trip holds a place there
	before    int      // good answers of that host before the request
	tokenSent bool     // with the last request
	left      bool     // Response.LeftOrigin
	clear     bool     // Response.Clear
}

// move exchanges the place at the last host for one at the host of the next request. The gate of each host counts, since a 429 is the word of
// the host that answers, not of one that redirected there. The wait is no part of the attempt's time limit.
func (c *Client) move(ctx context.Context, t *trip, next *url.URL, limit *limit) error {
	if h := c.host(next); h != t.at {
		limit.pause()
		t.leave()
		if err := c.enter(ctx, h); err != nil {
			return err
		}
		limit.resume()
		t.at = h
	}
	t.target, t.before = next, t.at.answers()
	return nil
}

// leave gives the place back, if there is one.
func (t *trip) leave() {
	if t.at != nil {
		t.at.leave()
		t.at = nil
	}
}

// follow sends the request and follows redirects itself: Go would keep the token for subdomains and other ports (R-CRED-17), and
// design §3.3 allows only the same scheme, host and port.
func (c *Client) follow(ctx context.Context, request Request, t *trip, limit *limit) (*http.Response, error) {
	token := request.Token
	for hops := 0; ; hops++ {
		target := t.target
		if !SendsToken(target) {
			token, t.clear = "", true
		}
		t.tokenSent = token != ""
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
		if err != nil {
			return nil, &finalError{text: "the URL cannot be requested"}
		}
		for name, values := range request.Header {
			r.Header[name] = values
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		// Not an http.Client: even told not to follow it reads the Location header, and repeats it in its error.
		answer, err := c.roundTripper.RoundTrip(r)
		if err != nil {
			return nil, &url.Error{Op: "Get", Err: err} // the form in which errors are classified, without the URL
		}
		next, err := location(target, answer)
		if err != nil || next == nil {
			if err != nil {
				answer.Body.Close()
			}
			return answer, err
		}
		// The connection can be used again if the (small) body was read.
		io.CopyN(io.Discard, answer.Body, 4<<10)
		answer.Body.Close()
		if hops >= request.Policy.Redirects {
			return nil, &finalError{text: fmt.Sprintf("more than %d redirects", request.Policy.Redirects)}
		}
		if !SameOrigin(target, next) {
			token, t.left = "", true // and it stays dropped, should a later hop come back
		}
		t.at.noteAnswer()
		if err := c.move(ctx, t, next, limit); err != nil {
			return nil, err
		}
	}
}

// location returns the target of a redirect, nil if the answer is none.
func location(base *url.URL, answer *http.Response) (*url.URL, error) {
	switch answer.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	text := answer.Header.Get("Location")
	if text == "" {
		return nil, nil // the caller sees the 3xx status
	}
	next, err := base.Parse(text)
	switch {
	case err != nil:
		return nil, &finalError{text: "the server redirects to something that is not a URL"}
	case next.Scheme != "http" && next.Scheme != "https", next.Host == "":
		return nil, &finalError{text: fmt.Sprintf("the server redirects to a URL with the scheme %q; only http and https are followed", foreign.Short(next.Scheme, 20))}
	case next.User != nil:
		return nil, &finalError{text: "the server redirects to a URL that contains a user name"}
	}
	next.Fragment, next.RawFragment = "", ""
	return next, nil
}

// SameOrigin tells whether two URLs have the same scheme, host and port.
func SameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && a.Hostname() == b.Hostname() && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// SendsToken tells whether a token may travel to this URL: over TLS, or in clear to this machine only.
func SendsToken(u *url.URL) bool {
	if u.Scheme == "https" {
		return true
	}
	if u.Hostname() == "localhost" {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

// readLimited reads the body, which Go has decompressed already (B21). Reading less than the declared length is an error.
func readLimited(response *http.Response, limit int64) ([]byte, error) {
	if limit <= 0 {
		return nil, errors.New("no limit for the body")
	}
	tooLong := &finalError{text: fmt.Sprintf("the answer is longer than %d bytes", limit)}
	if response.ContentLength > limit {
		return nil, tooLong
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return body, fmt.Errorf("the answer is cut off: %w", err)
	}
	if int64(len(body)) > limit {
		return body[:limit], tooLong
	}
	return body, nil
}
