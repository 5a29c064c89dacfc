package registry

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Fault is a way to misbehave. Delay, Hang and Drop come first; then Status, Body or Redirect replace the answer, if any is set; then
// Header is added and Gzip, BytesPerSecond and Truncate change how the answer, good or replaced, is sent.
type Fault struct {
	// Delay waits before anything else.
	Delay time.Duration
	// Hang never answers; it ends when the client goes away or the registry closes.
	Hang bool
	// Drop closes the connection without an answer (a reset stream under HTTP/2).
	Drop bool
	// Status replaces the answer; with neither Body nor Redirect the body is a JSON error, and empty for 204 and 304.
	Status int
	// RetryAfter is the value of that header.
	RetryAfter string
	// Body and ContentType replace the answer, with status 200 unless Status is set.
	Body        []byte
	ContentType string
	// Redirect is the Location of a redirect, status 302 unless Status is set. "{path}" stands for the path of the request: so
	// "https://cdn.acme.dev{path}" sends packages elsewhere, and "{path}" alone is a loop.
	Redirect string
	// Header adds to the answer's headers.
	Header http.Header
	// Truncate announces the whole body, sends half of it and closes the connection.
	Truncate bool
	// BytesPerSecond slows the body down.
	BytesPerSecond int
	// Gzip compresses the body, whether or not the client can take it.
	Gzip bool
}

// faultSet holds the faults of a host or a provider by endpoint; "" means all endpoints.
type faultSet struct {
	always map[string]Fault
	queue  map[string][]Fault
}

func newFaultSet() faultSet {
	return faultSet{always: map[string]Fault{}, queue: map[string][]Fault{}}
}

func (s *faultSet) push(endpoint string, n int, f Fault) {
	for range n {
		s.queue[endpoint] = append(s.queue[endpoint], f)
	}
}

// faultEndpoints are the endpoints that can misbehave.
var faultEndpoints = []string{
	"", EndpointDiscovery, EndpointVersions, EndpointDownload, EndpointZip, EndpointSums, EndpointSignature, EndpointIndex, EndpointArchives, EndpointOther,
}

// checkEndpoint catches misspelled endpoints: a fault there would silently not happen.
func checkEndpoint(endpoint string) error {
	if !slices.Contains(faultEndpoints, endpoint) {
		return fmt.Errorf("found endpoint %q, wanted one of %q", endpoint, faultEndpoints)
	}
	return nil
}

// mustEndpoint is checkEndpoint for calls from Go, where it is a mistake of the test.
func mustEndpoint(endpoint string) {
	if err := checkEndpoint(endpoint); err != nil {
		panic("registry: " + err.Error())
	}
}

// take is the fault for one request to the endpoint.
func (s *faultSet) take(endpoint string) (Fault, bool) {
	for _, e := range []string{endpoint, ""} {
		if q := s.queue[e]; len(q) > 0 {
			s.queue[e] = q[1:]
			return q[0], true
		}
	}
	for _, e := range []string{endpoint, ""} {
		if f, ok := s.always[e]; ok {
			return f, true
		}
	}
	return Fault{}, false
}

// replacement is the answer that the fault gives instead of the good one, nil if it gives none.
func (f Fault) replacement(path string) *answer {
	var a *answer
	switch {
	case f.Redirect != "":
		a = newAnswer(f.Status, "", nil)
		if f.Status == 0 {
			a.status = http.StatusFound
		}
		a.header.Set("Location", strings.ReplaceAll(f.Redirect, "{path}", path))
	case f.Body != nil || f.ContentType != "":
		a = newAnswer(f.Status, f.ContentType, f.Body)
	case f.Status == http.StatusNoContent || f.Status == http.StatusNotModified:
		a = newAnswer(f.Status, "", nil)
	case f.Status != 0:
		a = errorAnswer(f.Status, http.StatusText(f.Status))
	}
	return a
}

// decorate adds the fault's headers.
func (f Fault) decorate(a *answer) {
	if f.RetryAfter != "" {
		a.header.Set("Retry-After", f.RetryAfter)
	}
	for name, values := range f.Header {
		a.header[http.CanonicalHeaderKey(name)] = values
	}
}
