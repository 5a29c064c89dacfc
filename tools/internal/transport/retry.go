package transport

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const (
	// throttleRetries is the number of further attempts after 429 answers of a host that answers nobody. It is more than the tools
	// grant, whose requests come one by one.
	throttleRetries = 3
	// maxRetryAfter caps what a server may demand: a build is not held for an hour by one header.
	maxRetryAfter = 60 * time.Second
)

// retryable tells whether a failed attempt may be made again (R-REG-5): not after a bad certificate, an unsupported scheme, an
// invalid header or too many redirects.
func retryable(ctx context.Context, err error) bool {
	if Final(err) || ctx.Err() != nil {
		return false
	}
	again, _ := retryablehttp.DefaultRetryPolicy(ctx, nil, err)
	return again
}

// Final tells whether an error of this package is one that a further attempt cannot mend, such as that of CheckProxies.
func Final(err error) bool {
	var final *finalError
	return errors.As(err, &final)
}

// finalError is a failure that a further attempt cannot mend.
type finalError struct{ text string }

func (e *finalError) Error() string { return e.text }

// serverTrouble tells whether a status is worth another attempt on its own.
func serverTrouble(status int) bool {
	return status >= 500 && status != http.StatusNotImplemented
}

// backoff returns MinBackoff·2^n, at most MaxBackoff.
func (p Policy) backoff(n int) time.Duration {
	wait := p.MinBackoff
	for range n {
		wait *= 2
		if wait >= p.MaxBackoff {
			return p.MaxBackoff
		}
	}
	return min(wait, p.MaxBackoff)
}

// retryAfter reads the header of a 429 or 503: a number of seconds or an HTTP date. The result is at most maxRetryAfter.
func retryAfter(header http.Header, now time.Time) (time.Duration, bool) {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if text == "" {
		return 0, false
	}
	switch seconds, err := strconv.ParseUint(text, 10, 32); {
	case err == nil:
		return min(time.Duration(seconds)*time.Second, maxRetryAfter), true
	case errors.Is(err, strconv.ErrRange):
		return maxRetryAfter, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), maxRetryAfter), true
	}
	return 0, false
}
