package registry

import (
	"net/http"
	"sort"
	"sync"
	"time"
)

// The endpoints of a Request, and of faults.
const (
	EndpointDiscovery = "discovery" // /.well-known/terraform.json
	EndpointVersions  = "versions"  // <service>/<ns>/<type>/versions
	EndpointDownload  = "download"  // <service>/<ns>/<type>/<version>/download/<os>/<arch>
	EndpointZip       = "zip"       // a package
	EndpointSums      = "sums"      // SHA256SUMS
	EndpointSignature = "signature" // SHA256SUMS.sig
	EndpointIndex     = "index"     // <mirror>/<host>/<ns>/<type>/index.json
	EndpointArchives  = "archives"  // <mirror>/<host>/<ns>/<type>/<version>.json
	EndpointConnect   = "connect"   // what reached the proxy: CONNECT, or a plain http request in absolute form
	EndpointOther     = "other"     // everything else, also requests to hosts that do not exist
)

// Request is one line of the log: what a client asked and what it got. Values of Authorization and of URL queries are never kept.
type Request struct {
	Time   time.Time `json:"time"`   // arrival
	Host   string    `json:"host"`   // as asked, lower case, without :443
	Scheme string    `json:"scheme"` // http or https; empty for CONNECT
	Method string    `json:"method"`
	Path   string    `json:"path"` // decoded, without query; for connect the address that was asked for
	// HasQuery tells whether the URL had a query.
	HasQuery bool   `json:"has_query"`
	Endpoint string `json:"endpoint"`
	// Provider (host/namespace/type), Version and Platform are set where the endpoint has them, also when they do not exist.
	Provider string `json:"provider,omitempty"`
	Version  string `json:"version,omitempty"`
	Platform string `json:"platform,omitempty"`
	Proto    string `json:"proto"` // HTTP/1.1 or HTTP/2.0
	// HasAuthorization tells whether the header was there, AuthorizationOK whether it was one of the credentials that the host was given
	// (RequireToken, RequireBasic, RequireAuth, ExpectAuth).
	HasAuthorization bool `json:"has_authorization"`
	AuthorizationOK  bool `json:"authorization_ok"`
	// Headers are the canonical names of all headers, sorted; Host is not among them.
	Headers          []string `json:"headers"`
	UserAgent        string   `json:"user_agent,omitempty"`
	TerraformVersion string   `json:"terraform_version,omitempty"`
	Accept           string   `json:"accept,omitempty"`
	// Status is the status that was sent, 0 if the connection was dropped before one. Bytes counts the bytes of the body that were sent.
	Status int   `json:"status"`
	Bytes  int64 `json:"bytes"`
}

// Filter selects requests. Empty fields do not count.
type Filter struct {
	Host, Method, Path, Endpoint, Provider, Version, Platform string
	Status                                                    int
	// NotEndpoint excludes one endpoint, typically EndpointConnect.
	NotEndpoint string
	// Where is any further condition.
	Where func(Request) bool
}

// Match tells whether r passes f.
func (f Filter) Match(r Request) bool {
	for _, p := range [][2]string{
		{f.Host, r.Host}, {f.Method, r.Method}, {f.Path, r.Path}, {f.Endpoint, r.Endpoint},
		{f.Provider, r.Provider}, {f.Version, r.Version}, {f.Platform, r.Platform},
	} {
		if p[0] != "" && p[0] != p[1] {
			return false
		}
	}
	return (f.Status == 0 || f.Status == r.Status) && (f.NotEndpoint == "" || f.NotEndpoint != r.Endpoint) &&
		(f.Where == nil || f.Where(r))
}

// requestLog remembers requests in order of arrival. An entry is completed before the bytes that it counts are handed to the network, so a
// client that has read an answer finds it in the log.
type requestLog struct {
	mu       sync.Mutex
	entries  []*Request
	notify   chan struct{} // closed and replaced at each change
	inFlight int
	maxBusy  int
}

func newRequestLog() *requestLog { return &requestLog{notify: make(chan struct{})} }

// add appends an entry; the caller changes it later through update.
func (l *requestLog) add(e *Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, e)
	l.changedLocked()
}

func (l *requestLog) update(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	l.changedLocked()
}

func (l *requestLog) changedLocked() {
	close(l.notify)
	l.notify = make(chan struct{})
}

// changed is closed at the next change.
func (l *requestLog) changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.notify
}

// enter and leave keep the number of requests that are being answered.
func (l *requestLog) enter() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight++
	l.maxBusy = max(l.maxBusy, l.inFlight)
}

func (l *requestLog) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
}

func (l *requestLog) snapshot() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Request, len(l.entries))
	for i, e := range l.entries {
		out[i] = *e
	}
	return out
}

// Requests are all logged requests in order of arrival, what went through the proxy included (EndpointConnect).
func (r *Registry) Requests() []Request { return r.log.snapshot() }

// Select are the logged requests that match f.
func (r *Registry) Select(f Filter) []Request {
	out := []Request{}
	for _, e := range r.log.snapshot() {
		if f.Match(e) {
			out = append(out, e)
		}
	}
	return out
}

// Count is the number of logged requests that match f; Count(Filter{}) is 0 only if nobody tried anything.
func (r *Registry) Count(f Filter) int { return len(r.Select(f)) }

// Counts are the numbers of requests by endpoint.
func (r *Registry) Counts() map[string]int {
	out := map[string]int{}
	for _, e := range r.log.snapshot() {
		out[e.Endpoint]++
	}
	return out
}

// MaxInFlight is the largest number of requests (without EndpointConnect) that were being answered at the same time since Reset.
func (r *Registry) MaxInFlight() int {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return r.log.maxBusy
}

// Reset forgets the log. Hosts, knobs and packages stay.
func (r *Registry) Reset() {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	r.log.entries = nil
	r.log.maxBusy = r.log.inFlight
	r.log.changedLocked()
}

// headerNames are the names of h, sorted.
func headerNames(h http.Header) []string {
	out := make([]string, 0, len(h))
	for name := range h {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}
