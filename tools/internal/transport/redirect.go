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

// follow sends the request and follows redirects itself: Go would keep the token for subdomains and other ports (R-CRED-17), and
// design §3.3 allows only the same scheme, host and port.
func (c *Client) follow(ctx context.Context, request Request) (response *http.Response, final *url.URL, tokenSent bool, err error) {
	target, token := request.URL, request.Token
	for hops := 0; ; hops++ {
		if !SendsToken(target) {
			token = ""
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
		if err != nil {
			return nil, nil, false, &finalError{text: "the URL cannot be requested"}
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
			return nil, nil, false, &url.Error{Op: "Get", Err: err} // the form in which errors are classified, without the URL
		}
		next, err := location(target, answer)
		if err != nil || next == nil {
			if err != nil {
				answer.Body.Close()
			}
			return answer, target, token != "", err
		}
		// The connection can be used again if the (small) body was read.
		io.CopyN(io.Discard, answer.Body, 4<<10)
		answer.Body.Close()
		if hops >= request.Policy.Redirects {
			return nil, nil, false, &finalError{text: fmt.Sprintf("more than %d redirects", request.Policy.Redirects)}
		}
		if !SameOrigin(target, next) {
			token = "" // and it stays dropped, should a later hop come back
		}
		target = next
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
