package transport

import (
	"fmt"
	"net/url"
	"time"

	"rules_tf_mirror/tools/internal/foreign"
)

// maxCause is the number of characters of a cause that a message repeats. Causes hold foreign text: an error about a certificate has its names.
const maxCause = 400

// Error says that a question got no answer.
type Error struct {
	URL       string // of the last request, after redirects, as Redacted shows it
	Host      string // of that request, with port if it has one
	Attempts  int    // requests sent
	Status    int    // of the last attempt; 0 if the connection failed
	Throttled bool   // the last attempt was answered with 429
	Err       error  // of the last attempt; nil if there is a Status

	limit time.Duration // of an attempt; 0: none
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
		return fmt.Sprintf("no answer from host %s to %s (%s): %s%s", e.Host, e.URL, tried, Describe(e.Err), timeLimit(e.Err, e.limit))
	}
}

// Unwrap returns the error of the last attempt, if there was one.
func (e *Error) Unwrap() error { return e.Err }

// Redacted returns what may be shown of a URL: scheme, host and the part of the path before what could be a secret (B06, design §3.5).
func Redacted(u *url.URL) string {
	shown, _ := foreign.URL(u, nil)
	return shown
}
