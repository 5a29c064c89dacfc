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
	h := c.host(request.URL)
	spent, throttled := 0, 0 // further attempts that count against the two budgets
	for attempt := 1; ; attempt++ {
		if err := c.enter(ctx, h); err != nil {
			return nil, err
		}
		before := h.answers()
		response, err := c.attempt(ctx, h, request)
		h.leave()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		failure := &Error{URL: Redacted(request.URL), Host: request.URL.Host, Attempts: attempt}
		var wait time.Duration
		switch {
		case err != nil:
			failure.Err = cause(err)
			if !retryable(ctx, err) || spent >= request.Policy.Retries {
				return nil, failure
			}
			wait = request.Policy.backoff(spent)
			spent++
		case response.Status == http.StatusTooManyRequests:
			failure.Status, failure.Throttled = response.Status, true
			if h.answers() > before {
				throttled = 0 // others were served meanwhile: this was a wait for our turn, not a refusal
			}
			if throttled >= max(throttleRetries, request.Policy.Retries) {
				return nil, failure
			}
			demanded, ok := retryAfter(response.Header, c.now())
			if !ok {
				demanded = request.Policy.backoff(throttled)
			}
			throttled++
			h.throttled(c.now(), demanded)
			continue // enter waits
		case serverTrouble(response.Status):
			failure.Status = response.Status
			if spent >= request.Policy.Retries {
				return nil, failure
			}
			wait = request.Policy.backoff(spent)
			if demanded, ok := retryAfter(response.Header, c.now()); ok && response.Status == http.StatusServiceUnavailable {
				wait = demanded
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
func (c *Client) attempt(ctx context.Context, h *host, request Request) (*Response, error) {
	ctx, connected, err := h.first.wait(ctx)
	if err != nil {
		return nil, err
	}
	defer connected()
	if request.Policy.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, request.Policy.Timeout)
		defer cancel()
		ctx = limited
	}
	response, final, tokenSent, err := c.follow(ctx, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := readLimited(response, request.Policy.MaxBytes)
	if err != nil && (response.StatusCode == http.StatusOK || errors.Is(err, context.DeadlineExceeded)) {
		return nil, err
	}
	return &Response{Status: response.StatusCode, Header: response.Header, FinalURL: final, Body: body, TokenSent: tokenSent}, nil
}

// StatusText returns "404 Not Found", or the number alone where HTTP has no name for it.
func StatusText(status int) string {
	if name := http.StatusText(status); name != "" {
		return fmt.Sprintf("%d %s", status, name)
	}
	return strconv.Itoa(status)
}
