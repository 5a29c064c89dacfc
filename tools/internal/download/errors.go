package download

import (
	"fmt"
	"net/http"
	"net/url"

	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/transport"
)

// HashError says that other bytes than the wanted ones arrived (C05, C06, C24). They are kept nowhere.
type HashError struct {
	URL   string // scheme, host and path
	Want  string // SHA-256, lower-case hex
	Got   string // SHA-256, lower-case hex
	Bytes int64  // that arrived
}

// Error prints both hashes.
func (e *HashError) Error() string {
	return fmt.Sprintf("%s has the wrong content: wanted sha256 %s, found %s (%d bytes)", e.URL, e.Want, e.Got, e.Bytes)
}

// StatusError says that the host refused to give the file.
type StatusError struct {
	URL             string // scheme, host and path of the first request
	Status          int
	Attempts        int
	Host            string // with port, that answered, perhaps after redirects
	CredentialsSent bool   // the answered request carried a netrc entry
}

// Error names status and address, and for 401 and 403 which credentials would count.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s: the host answers %s", e.URL, transport.StatusText(e.Status))
	if e.Attempts > 1 {
		text += fmt.Sprintf(" (tried %d times)", e.Attempts)
	}
	if e.Status != http.StatusUnauthorized && e.Status != http.StatusForbidden {
		return text
	}
	if e.CredentialsSent {
		return text + "; the netrc entry of this host was sent and not accepted"
	}
	host := e.URL
	if u, err := url.Parse(e.URL); err == nil {
		host = u.Host
	}
	if e.Host != "" && e.Host != host {
		return text + fmt.Sprintf("; that was host %s, after a redirect: netrc entries are not sent across one, so the registry should name that host's address itself, "+
			"or the archive host let its own redirects work without a login", foreign.Short(e.Host, 100))
	}
	return text + fmt.Sprintf("; this request carries no token, since the registry's token is for the registry only: if the archive host wants credentials, add \"machine %s login … password …\" to your netrc file", host)
}

// Stale reports whether the address may be used up, so that asking the registry for a new one can help (B04, B05).
func (e *StatusError) Stale() bool {
	return e.Status == http.StatusForbidden || e.Status == http.StatusNotFound || e.Status == http.StatusGone
}

// Error says that no complete answer could be had.
type Error struct {
	URL      string // scheme, host and path of the first request
	Attempts int
	Err      error // of the last attempt
}

// Error names the address and the cause.
func (e *Error) Error() string {
	tried := "tried once"
	if e.Attempts > 1 {
		tried = fmt.Sprintf("tried %d times", e.Attempts)
	}
	return fmt.Sprintf("%s cannot be fetched (%s): %s", e.URL, tried, transport.Describe(e.Err))
}

// Unwrap returns the error of the last attempt.
func (e *Error) Unwrap() error { return e.Err }
