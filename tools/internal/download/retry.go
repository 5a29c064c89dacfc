package download

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/hashicorp/go-retryablehttp"

	"rules_tf_mirror/tools/internal/transport"
)

// errStalled ends an attempt during which nothing arrived.
var errStalled = errors.New("nothing arrived for too long")

// finalError is a failure of the exchange that a further attempt cannot mend.
type finalError struct{ text string }

func (e *finalError) Error() string { return e.text }

// networkError is a failure while the body was read, such as a body shorter than its Content-Length (R-DL-2).
type networkError struct{ err error }

func (e *networkError) Error() string { return fmt.Sprintf("the answer is cut off: %v", e.err) }
func (e *networkError) Unwrap() error { return e.err }

// retryable tells whether a further attempt makes sense, and whether the error is one of the network and no answer at all. What is
// neither is final: wrong bytes, a refusal, a full disk.
func retryable(ctx context.Context, err error) (again, network bool) {
	var (
		status *StatusError
		final  *finalError
		cut    *networkError
		sent   *url.Error
	)
	switch {
	case errors.As(err, &status):
		trouble := status.Status >= 500 && status.Status != http.StatusNotImplemented
		return trouble || status.Status == http.StatusTooManyRequests, false
	case errors.As(err, &final), transport.Final(err):
		return false, true
	case errors.As(err, &cut), errors.Is(err, errStalled):
		return true, true
	case errors.As(err, &sent):
		again, _ := retryablehttp.DefaultRetryPolicy(ctx, nil, err)
		return again, true
	default:
		return false, false
	}
}

// cause strips what net/http puts around its errors: the URL there may be a redirect's target with a signature.
func cause(err error) error {
	var wrapped *url.Error
	for errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return err
}
