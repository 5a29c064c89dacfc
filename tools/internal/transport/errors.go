package transport

import (
	"fmt"
	"net/url"
)

// Error says that a question got no answer.
type Error struct {
	URL       string // scheme, host and path of the question; no query, no user information
	Host      string // with port if it has one
	Attempts  int    // requests sent
	Status    int    // of the last attempt; 0 if the connection failed
	Throttled bool   // the last attempt was answered with 429
	Err       error  // of the last attempt; nil if there is a Status
}

// Error says what failed, where and how often it was tried.
func (e *Error) Error() string {
	tried := "tried once"
	if e.Attempts != 1 {
		tried = fmt.Sprintf("tried %d times", e.Attempts)
	}
	switch {
	case e.Throttled:
		return fmt.Sprintf("throttled: host %s answers 429 Too Many Requests to %s (%s)", e.Host, e.URL, tried)
	case e.Status != 0:
		return fmt.Sprintf("host %s answers %s to %s (%s)", e.Host, StatusText(e.Status), e.URL, tried)
	default:
		return fmt.Sprintf("no answer from host %s to %s (%s): %v", e.Host, e.URL, tried, e.Err)
	}
}

// Unwrap returns the error of the last attempt, if there was one.
func (e *Error) Unwrap() error { return e.Err }

// Redacted returns scheme, host and path of a URL: what may be shown of it when its query could be a secret (B06).
func Redacted(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return shown.String()
}
