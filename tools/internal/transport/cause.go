package transport

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"time"

	"rules_tf_mirror/tools/internal/foreign"
)

var (
	// errTimeout replaces the many texts of net/http for a time limit.
	errTimeout = errors.New("no complete answer within the time limit")
	// errProxy replaces Go's text, which repeats the variable with its password.
	errProxy = errors.New("the proxy variable (HTTPS_PROXY or HTTP_PROXY) holds no usable URL")
)

// cause strips the URL that net/http puts around its errors: it may hold a signed query.
func cause(err error) error {
	var wrapped *url.Error
	for errors.As(err, &wrapped) {
		if wrapped.Timeout() {
			return errTimeout
		}
		err = wrapped.Err
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errTimeout
	case strings.HasPrefix(err.Error(), "invalid proxy address"):
		return errProxy
	}
	return err
}

// Describe returns the text of a failed connection for a message: one line, and what can be done where the cause alone does not say it.
func Describe(err error) string {
	return foreign.Short(err.Error(), maxCause) + advice(err, runtime.GOOS)
}

// advice says how to make a private certificate authority known (F32).
func advice(err error, goos string) string {
	var unknown x509.UnknownAuthorityError
	if !errors.As(err, &unknown) {
		return ""
	}
	if goos == "windows" || goos == "darwin" {
		return "; if this is your organisation's own authority, or that of a proxy in between, install its certificate in the system's store"
	}
	return "; if this is your organisation's own authority, or that of a proxy in between, set SSL_CERT_FILE to a PEM bundle that contains its certificate"
}

// timeLimit says after a timeout how long the limit was and what makes it longer.
func timeLimit(err error, limit time.Duration) string {
	if !errors.Is(err, errTimeout) || limit <= 0 {
		return ""
	}
	return fmt.Sprintf(" of %s; a larger TF_REGISTRY_CLIENT_TIMEOUT (in seconds) allows more", limit)
}
