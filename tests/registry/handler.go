package registry

import (
	"net/http"
	"strings"
	"time"
)

// route is what a path means on a host.
type route struct {
	endpoint                       string
	owner                          *Host
	namespace, typ, version, platf string
	provider                       *Provider // nil where it does not exist
	mirror                         *Mirror   // of the endpoints index and archives
	raw                            *answer   // what the mirror sends instead
	grantOnly                      bool      // a path that is nothing but a secret
}

// serveHTTP answers all hosts, and logs.
func (r *Registry) serveHTTP(w http.ResponseWriter, req *http.Request) {
	h := r.lookup(req.Host)
	entry := &Request{
		Time: r.now(), Host: cleanHost(req.Host), Scheme: "http", Method: req.Method, Path: req.URL.Path, HasQuery: req.URL.RawQuery != "",
		Endpoint: EndpointOther, Proto: req.Proto, Headers: headerNames(req.Header), UserAgent: req.UserAgent(),
		TerraformVersion: req.Header.Get("X-Terraform-Version"), Accept: req.Header.Get("Accept"),
		HasAuthorization: req.Header.Get("Authorization") != "",
	}
	if req.TLS != nil {
		entry.Scheme = "https"
	}
	var to route
	if h != nil {
		to = r.route(h, req)
		entry.Endpoint, entry.Version, entry.Platform = to.endpoint, to.version, to.platf
		entry.AuthorizationOK = h.authorized(req)
		if to.owner != nil {
			entry.Provider = to.owner.Name() + "/" + to.namespace + "/" + to.typ
		}
		if to.grantOnly {
			entry.Path = archivistPath + "…" // the path is the secret
			if strings.HasPrefix(req.URL.Path, segmentPath) {
				entry.Path = segmentPath + "…"
			}
		}
	}
	r.log.add(entry)
	r.log.enter()
	defer r.log.leave()
	cw := &countingWriter{w, r.log, entry}
	if h == nil {
		send(cw, req, errorAnswer(http.StatusNotFound, "no such host in this test"), Fault{})
		return
	}
	r.respond(cw, req, h, to)
}

// respond lets the host misbehave, or answers.
func (r *Registry) respond(w *countingWriter, req *http.Request, h *Host, to route) {
	r.mu.Lock()
	down, latency, open := h.knobs.down, h.knobs.latency, h.gatherLocked(to.endpoint)
	fault, faulty := Fault{}, false
	if !down {
		if to.provider != nil {
			fault, faulty = to.provider.faults.take(to.endpoint)
		}
		if !faulty {
			fault, _ = h.faults.take(to.endpoint)
		}
	}
	r.mu.Unlock()
	if open != nil {
		select {
		case <-open:
		case <-req.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
	if down || !sleep(req.Context(), latency+fault.Delay) || !h.up() {
		panic(http.ErrAbortHandler)
	}
	if fault.Hang {
		<-req.Context().Done()
	}
	if fault.Hang || fault.Drop {
		panic(http.ErrAbortHandler)
	}
	a := fault.replacement(req.URL.Path)
	if a == nil {
		a = h.throttled(r.now())
	}
	if a == nil {
		a = h.checkAuth(to.endpoint, req)
	}
	if a == nil {
		a = r.answer(h, to, req)
	}
	a = &answer{status: a.status, header: a.header.Clone(), body: a.body, file: a.file}
	fault.decorate(a)
	send(w, req, a, fault)
}

// gatherLocked registers a request with the endpoint's Gather and is the gate to wait for, nil if there is none.
func (h *Host) gatherLocked(endpoint string) <-chan struct{} {
	g := h.gathers[endpoint]
	if g == nil {
		return nil
	}
	if g.waiting++; g.waiting >= g.want {
		delete(h.gathers, endpoint)
		close(g.open)
	}
	return g.open
}

// throttled is the refusal of a request above the rate, nil if it may pass.
func (h *Host) throttled(now time.Time) *answer {
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	k := &h.knobs
	if k.throttle == 0 {
		return nil
	}
	if k.window.IsZero() || now.Sub(k.window) >= time.Second {
		k.window, k.windowUsed = now, 0
	}
	if k.windowUsed++; k.windowUsed <= k.throttle {
		return nil
	}
	a := errorAnswer(http.StatusTooManyRequests, "too many requests")
	a.header.Set("Retry-After", "1")
	return a
}

// answer is the good answer.
func (r *Registry) answer(h *Host, to route, req *http.Request) *answer {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		return errorAnswer(http.StatusMethodNotAllowed, "only GET and HEAD")
	}
	notFound := errorAnswer(http.StatusNotFound, "Not Found")
	if to.endpoint == EndpointDiscovery {
		return h.discoveryAnswer()
	}
	if to.provider == nil && to.grantOnly {
		return refusedLink()
	}
	if to.mirror != nil {
		return to.mirror.answer(to)
	}
	if to.provider == nil {
		return notFound
	}
	r.mu.Lock()
	v := to.provider.versionLocked(to.version)
	if to.endpoint == EndpointVersions {
		defer r.mu.Unlock()
		return to.provider.listAnswerLocked()
	}
	r.mu.Unlock()
	if v == nil {
		return notFound
	}
	switch to.endpoint {
	case EndpointDownload:
		return v.downloadAnswer(to.platf)
	case EndpointSums:
		return bytesAnswer(v.Sums())
	case EndpointSignature:
		return bytesAnswer(v.Signature())
	case EndpointZip:
		if refused := r.checkGrant(v, to.platf, req); refused != nil {
			return refused
		}
		r.mu.Lock()
		lie := v.lieLocked(to.platf).WrongZip
		r.mu.Unlock()
		built, err := v.buildZip(to.platf, lie)
		if err != nil {
			return notFound
		}
		a := newAnswer(http.StatusOK, "application/zip", nil)
		a.file = built.path
		return a
	}
	return notFound
}

func (h *Host) discoveryAnswer() *answer {
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	if h.knobs.discovery != nil {
		return h.knobs.discovery
	}
	return jsonAnswer(map[string]string{"providers.v1": or(h.knobs.serviceURL, defaultService)})
}

func bytesAnswer(data []byte, err error) *answer {
	if err != nil {
		return errorAnswer(http.StatusInternalServerError, err.Error())
	}
	return newAnswer(http.StatusOK, "application/octet-stream", data)
}

// route finds out what a request asks for.
func (r *Registry) route(h *Host, req *http.Request) route {
	path := req.URL.Path
	if path == "/.well-known/terraform.json" {
		return route{endpoint: EndpointDiscovery}
	}
	if strings.HasPrefix(path, archivistPath) || strings.HasPrefix(path, segmentPath) {
		return r.grantRoute(req)
	}
	if rest, ok := strings.CutPrefix(path, "/packages/"); ok {
		return r.packageRoute(strings.Split(rest, "/"))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range h.mirrors {
		if to, ok := m.routeLocked(path); ok {
			return to
		}
	}
	for _, m := range h.mounts {
		rest, ok := strings.CutPrefix(path, m.prefix)
		if !ok {
			continue
		}
		to := route{owner: m.owner}
		switch parts := strings.Split(rest, "/"); {
		case len(parts) == 3 && parts[2] == "versions":
			to.endpoint, to.namespace, to.typ = EndpointVersions, parts[0], parts[1]
		case len(parts) == 6 && parts[3] == "download":
			to.endpoint, to.namespace, to.typ, to.version = EndpointDownload, parts[0], parts[1], parts[2]
			to.platf = parts[4] + "_" + parts[5]
		default:
			continue
		}
		to.provider = m.owner.providerLocked(to.namespace, to.typ)
		return to
	}
	return route{endpoint: EndpointOther}
}

// grantRoute is the route of an ephemeral path.
func (r *Registry) grantRoute(req *http.Request) route {
	g, _ := r.grantOf(req.URL)
	if g == nil {
		return route{endpoint: EndpointZip, grantOnly: true}
	}
	p := g.version.provider
	return route{
		endpoint: EndpointZip, owner: p.host, provider: p, namespace: p.namespace, typ: p.typ,
		version: g.version.number, platf: g.platform, grantOnly: true,
	}
}

// packageRoute is the route of <host>/<ns>/<type>/<version>/<file>, which every host serves: so a redirect may lead anywhere.
func (r *Registry) packageRoute(parts []string) route {
	if len(parts) != 5 {
		return route{endpoint: EndpointOther}
	}
	owner := r.lookup(parts[0])
	if owner == nil {
		return route{endpoint: EndpointOther}
	}
	to := route{endpoint: EndpointZip, owner: owner, namespace: parts[1], typ: parts[2], version: parts[3]}
	prefix := "terraform-provider-" + to.typ + "_" + to.version + "_"
	file, ok := strings.CutPrefix(parts[4], prefix)
	switch {
	case !ok:
		return route{endpoint: EndpointOther}
	case file == "SHA256SUMS":
		to.endpoint = EndpointSums
	case file == "SHA256SUMS.sig":
		to.endpoint = EndpointSignature
	default:
		to.platf = strings.TrimSuffix(file, ".zip")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	to.provider = owner.providerLocked(to.namespace, to.typ)
	return to
}
