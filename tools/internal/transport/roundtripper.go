package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"
)

// errStalled ends a body of which nothing arrived.
var errStalled = errors.New("nothing arrived for too long")

// RoundTripper is for protocols with a client of their own, which knows their logins (OCI). Each request through it passes the gate of its host,
// waits for the head of the answer at most policy.Timeout, and is tried again as by Get. A body is given up when nothing arrives for the time
// stall. Redirects and the length of the body are the caller's affair. Errors are an *Error (for 429 and 5xx other than 501 too, when the policy
// is used up), or the cause of the context's end.
func (c *Client) RoundTripper(policy Policy, stall time.Duration) http.RoundTripper {
	return &patient{c, policy, stall}
}

type patient struct {
	client *Client
	policy Policy
	stall  time.Duration
}

// RoundTrip sends a request until it has an answer.
func (p *patient) RoundTrip(r *http.Request) (*http.Response, error) {
	c, ctx := p.client, r.Context()
	h := c.host(r.URL)
	r = r.WithContext(ctx) // a copy, whose body may be replaced
	spent, throttled := 0, 0
	for attempt := 1; ; attempt++ {
		if err := rewind(r, attempt); err != nil {
			return nil, err
		}
		if err := c.enter(ctx, h); err != nil {
			return nil, err
		}
		before := h.answers()
		response, err := p.attempt(h, r)
		h.leave()
		if ctx.Err() != nil {
			closeBody(response)
			return nil, context.Cause(ctx)
		}
		failure := &Error{URL: Redacted(r.URL), Host: r.URL.Host, Attempts: attempt, limit: p.policy.Timeout}
		again := r.Body == nil || r.Body == http.NoBody || r.GetBody != nil
		wait := c.spread(p.policy.backoff(spent))
		switch {
		case err != nil:
			failure.Err = cause(err)
			again = again && retryable(ctx, err)
		case response.StatusCode == http.StatusTooManyRequests:
			failure.Status, failure.Throttled = response.StatusCode, true
			closeBody(response)
			if h.answers() > before {
				throttled = 0
			}
			if !again || throttled >= max(throttleRetries, p.policy.Retries) {
				return nil, failure
			}
			demanded, ok := retryAfter(response.Header, c.now())
			if !ok {
				demanded = c.spread(p.policy.backoff(throttled))
			}
			throttled++
			h.throttled(c.now(), demanded, c.late())
			continue // enter waits
		case serverTrouble(response.StatusCode):
			failure.Status = response.StatusCode
			closeBody(response)
			if demanded, ok := retryAfter(response.Header, c.now()); ok && response.StatusCode == http.StatusServiceUnavailable {
				wait = demanded + c.late()
			}
		default:
			h.noteAnswer()
			return response, nil
		}
		if !again || spent >= p.policy.Retries {
			return nil, failure
		}
		spent++
		if err := c.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// rewind makes the body readable for a further attempt; the caller has checked that it can be had again.
func rewind(r *http.Request, attempt int) error {
	if attempt == 1 || r.GetBody == nil {
		return nil
	}
	body, err := r.GetBody()
	if err == nil {
		r.Body = body
	}
	return err
}

// attempt sends the request once and puts the body under watch.
func (p *patient) attempt(h *host, r *http.Request) (*http.Response, error) {
	whole := r.Context()
	traced, connected, err := h.first.wait(whole)
	if err != nil {
		return nil, err
	}
	defer connected()
	ctx, cancel := context.WithCancelCause(traced)
	limit := newLimit(p.policy.Timeout, func() { cancel(context.DeadlineExceeded) })
	response, err := p.client.roundTripper.RoundTrip(r.WithContext(ctx))
	limit.pause()
	if err == nil && ctx.Err() != nil { // the limit was over at the last moment: the body cannot be read any more
		closeBody(response)
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel(nil)
		return nil, overdue(whole, ctx, &url.Error{Op: r.Method, Err: err})
	}
	response.Body = &watched{in: response.Body, ctx: ctx, cancel: cancel, stall: p.stall,
		watch: time.AfterFunc(p.stall, func() { cancel(errStalled) })}
	return response, nil
}

// closeBody makes the connection usable again, if the rest is short.
func closeBody(response *http.Response) {
	if response != nil {
		_, _ = io.CopyN(io.Discard, response.Body, 4<<10)
		response.Body.Close()
	}
}

// watched is a body that fails when nothing arrives.
type watched struct {
	in     io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	stall  time.Duration
	watch  *time.Timer
}

// Read reads and starts the time anew.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.in.Read(p)
	switch {
	case err == nil:
		w.watch.Reset(w.stall)
	case err != io.EOF && context.Cause(w.ctx) == errStalled:
		err = errStalled
	}
	return n, err
}

// Close ends the watch.
func (w *watched) Close() error {
	w.watch.Stop()
	err := w.in.Close()
	w.cancel(nil)
	return err
}
