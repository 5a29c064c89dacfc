package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Get sends the question until it has an answer or the policy is used up. The error is the cause of ctx's end, or an *Error.
func (c *Client) Get(ctx context.Context, request Request) (*Response, error) {
	spent, throttled := 0, 0 // further attempts that count against the two budgets
	for attempt := 1; ; attempt++ {
		t := &trip{}
		if err := c.move(ctx, t, request.URL, newLimit(0, nil)); err != nil {
			return nil, err
		}
		response, err := c.attempt(ctx, request, t)
		h := t.at // nil if the context ended on the way
		t.leave()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		// Blame is for who answered, which after a redirect is not who was asked.
		failure := &Error{URL: Redacted(t.target), Host: t.target.Host, Attempts: attempt, limit: request.Policy.Timeout}
		var wait time.Duration
		switch {
		case err != nil:
			failure.Err = cause(err)
			if !retryable(ctx, err) || spent >= request.Policy.Retries {
				return nil, failure
			}
			wait = c.spread(request.Policy.backoff(spent))
			spent++
		case response.Status == http.StatusTooManyRequests:
			failure.Status, failure.Throttled = response.Status, true
			if h.answers() > t.before {
				throttled = 0 // others were served meanwhile: this was a wait for our turn, not a refusal
			}
			if throttled >= max(throttleRetries, request.Policy.Retries) {
				return nil, failure
			}
			demanded, ok := retryAfter(response.Header, c.now())
			if !ok {
				demanded = c.spread(request.Policy.backoff(throttled))
			}
			throttled++
			h.throttled(c.now(), demanded, c.late())
			continue // enter waits
		case serverTrouble(response.Status):
			failure.Status = response.Status
			if spent >= request.Policy.Retries {
				return nil, failure
			}
			wait = c.spread(request.Policy.backoff(spent))
			if demanded, ok := retryAfter(response.Header, c.now()); ok && response.Status == http.StatusServiceUnavailable {
				wait = demanded + c.late()
			}
			spent++
		case response.Status == http.StatusNotImplemented:
			failure.Status = response.Status
			return nil, failure
		default:
			h.noteAnswer()
			return response, nil
		}
		if err := c.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// attempt sends the question once, follows redirects and reads the whole answer.
func (c *Client) attempt(ctx context.Context, request Request, t *trip) (*Response, error) {
	whole := ctx
	ctx, connected, err := t.at.first.wait(ctx)
	if err != nil {
		return nil, err
	}
	defer connected()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := newLimit(request.Policy.Timeout, func() { cancel(context.DeadlineExceeded) })
	defer limit.pause()
	response, err := c.follow(ctx, request, t, limit)
	if err != nil {
		return nil, overdue(whole, ctx, err)
	}
	defer response.Body.Close()
	body, err := readLimited(response, request.Policy.MaxBytes)
	if err != nil {
		err = overdue(whole, ctx, err)
	}
	if err != nil && (response.StatusCode == http.StatusOK || errors.Is(err, context.DeadlineExceeded)) {
		return nil, err
	}
	return &Response{Status: response.StatusCode, Header: response.Header, FinalURL: t.target, Body: body,
		TokenSent: t.tokenSent, LeftOrigin: t.left, Clear: t.clear}, nil
}

// StatusText returns "404 Not Found", or the number alone where HTTP has no name for it.
func StatusText(status int) string {
	if name := http.StatusText(status); name != "" {
		return fmt.Sprintf("%d %s", status, name)
	}
	return strconv.Itoa(status)
}
