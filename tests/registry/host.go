package registry

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

// defaultService is where providers are served until SetServiceURL says otherwise.
const defaultService = "/v1/providers/"

// Host is one host name, without a network address of its own. It may be a registry, hold packages, or both. Its methods may be called at
// any time; they count for the next request.
type Host struct {
	registry *Registry
	name     string // comparison form (punycode), with port unless it is ours or 443

	// Guarded by registry.mu.
	knobs     hostKnobs
	faults    faultSet
	mounts    []mount // the providers that are served here
	mirrors   []*Mirror
	providers []*Provider
	gathers   map[string]*gather
}

// hostKnobs is what the setters change.
type hostKnobs struct {
	down, http1Only bool
	latency         time.Duration
	throttle        int
	window          time.Time // start of the current second of throttling
	windowUsed      int
	required        map[string]Auth // by endpoint
	expected        []Auth
	authStatus      int
	discovery       *answer
	serviceURL      string
	zipBase         string
	relative        bool
}

// mount says that the providers of owner are served below prefix.
type mount struct {
	prefix string
	owner  *Host
}

// Host is the host of that name, made at the first call as a good registry without providers. Unicode names and names with a port are
// fine; :443 does not count, and the ports of this Registry are dropped from loopback names. A port-less name also answers for any port
// that has no host of its own.
func (r *Registry) Host(name string) *Host {
	key := r.hostKey(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hostLocked(key)
}

func (r *Registry) hostLocked(key string) *Host {
	if h := r.hosts[key]; h != nil {
		return h
	}
	h := &Host{registry: r, name: key, gathers: map[string]*gather{}, faults: newFaultSet()}
	h.knobs.required = map[string]Auth{}
	h.mounts = []mount{{defaultService, h}}
	r.hosts[key] = h
	r.order = append(r.order, h)
	return h
}

// lookup is the host that an address means, or nil. Loopback names always exist.
func (r *Registry) lookup(address string) *Host {
	key := r.hostKey(address)
	name, _, _ := strings.Cut(key, ":")
	r.mu.Lock()
	defer r.mu.Unlock()
	if h := r.hosts[key]; h != nil {
		return h
	}
	if h := r.hosts[name]; h != nil {
		return h
	}
	if isLoopbackName(name) {
		return r.hostLocked(name)
	}
	return nil
}

// hostKey is the form under which a host is kept.
func (r *Registry) hostKey(address string) string {
	clean := cleanHost(address)
	name, port, found := strings.Cut(clean, ":")
	if ascii, err := idna.Lookup.ToASCII(name); err == nil {
		name = ascii
	}
	if !found || isLoopbackName(name) && (port == strconv.Itoa(r.Port()) || port == strconv.Itoa(r.plainPort())) {
		return name
	}
	return name + ":" + port
}

// cleanHost is address in lower case without the default port.
func cleanHost(address string) string {
	return strings.TrimSuffix(strings.ToLower(address), ":443")
}

// Name is the host as it stands in URLs and in Request.Provider: punycode, and with the port where clients need one.
func (h *Host) Name() string {
	if isLoopbackName(h.name) {
		return h.name + ":" + strconv.Itoa(h.registry.Port())
	}
	return h.name
}

func (h *Host) up() bool {
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	return !h.knobs.down
}

// set changes knobs under the registry's lock.
func (h *Host) set(change func(k *hostKnobs)) *Host {
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	change(&h.knobs)
	return h
}

// SetDown makes the host dead (502 at the proxy, no TLS handshake, dropped connections) or alive again.
func (h *Host) SetDown(down bool) *Host {
	h.set(func(k *hostKnobs) { k.down = down })
	if down {
		h.registry.proxy.closeHost(h.name)
	}
	return h
}

// SetLatency delays each request to the host by d, before anything is answered. CONNECT is not delayed.
func (h *Host) SetLatency(d time.Duration) *Host {
	return h.set(func(k *hostKnobs) { k.latency = d })
}

// Throttle answers 429 with Retry-After: 1 to what exceeds perSecond requests in a second of the registry's clock; 0 ends it.
func (h *Host) Throttle(perSecond int) *Host {
	return h.set(func(k *hostKnobs) { k.throttle, k.window, k.windowUsed = perSecond, time.Time{}, 0 })
}

// SetHTTP1Only stops offering HTTP/2 to new connections that name this host.
func (h *Host) SetHTTP1Only(only bool) *Host {
	return h.set(func(k *hostKnobs) { k.http1Only = only })
}

// SetDiscovery replaces the discovery document: status (0: 200), content type (empty: none is sent) and body, all as given.
func (h *Host) SetDiscovery(status int, contentType, body string) *Host {
	return h.set(func(k *hostKnobs) { k.discovery = newAnswer(status, contentType, []byte(body)) })
}

// SetServiceURL makes discovery name u, which may be relative and lack the trailing slash (R-DISC-12, R-DISC-13), and moves the providers
// of h to where a client then looks for them; the host of u is made if it is not there. Where u is no usable URL, only discovery changes.
// The knobs (latency, credentials, host faults) of the host that u names count there. An empty u goes back to the good discovery document.
func (h *Host) SetServiceURL(u string) *Host {
	u = or(u, defaultService)
	h.registry.mu.Lock()
	h.knobs.serviceURL, h.knobs.discovery = u, nil
	for _, other := range h.registry.order {
		kept := other.mounts[:0]
		for _, m := range other.mounts {
			if m.owner != h {
				kept = append(kept, m)
			}
		}
		other.mounts = kept
	}
	h.registry.mu.Unlock()
	base := &url.URL{Scheme: "https", Host: h.Name(), Path: "/.well-known/terraform.json"}
	service, err := base.Parse(u)
	if err == nil && service.Host != "" {
		h.ServeAt(service.Host, service.Path)
	}
	return h
}

// ServeAt serves the providers of h on another host too, below the directory of path (what follows the last slash does not count).
func (h *Host) ServeAt(host, path string) *Host {
	prefix := path[:strings.LastIndex(path, "/")+1]
	if !strings.HasPrefix(prefix, "/") {
		prefix = "/" + prefix
	}
	target := h.registry.Host(host)
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	target.mounts = append(target.mounts, mount{prefix, h})
	return h
}

// SetZipHost serves packages, sums and signatures from that host, which is made if it is not there. Until it is called this is
// releases.<name>, and the host itself for loopback names; an empty name means the host itself.
func (h *Host) SetZipHost(name string) *Host {
	if name == "" {
		name = h.Name()
	}
	return h.SetZipBase("https://" + h.registry.Host(name).Name())
}

// SetZipBase makes package URLs start with base, for example PlainURL().
func (h *Host) SetZipBase(base string) *Host {
	return h.set(func(k *hostKnobs) { k.zipBase = strings.TrimSuffix(base, "/") })
}

// SetRelativeURLs makes the download answer name packages, sums and signatures relative to itself.
func (h *Host) SetRelativeURLs(relative bool) *Host {
	return h.set(func(k *hostKnobs) { k.relative = relative })
}

// zipBase is the start of package URLs; registry.mu is held.
func (h *Host) zipBaseLocked() string {
	if h.knobs.zipBase != "" {
		return h.knobs.zipBase
	}
	if isLoopbackName(h.name) {
		return "https://" + h.Name()
	}
	return "https://" + h.registry.hostLocked("releases."+h.name).Name()
}

// Fail applies f to every request to the endpoint (empty: all endpoints) until Recover.
func (h *Host) Fail(endpoint string, f Fault) *Host {
	mustEndpoint(endpoint)
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	h.faults.always[endpoint] = f
	return h
}

// FailNext applies f to the next n requests to the endpoint (empty: all endpoints), before what Fail says. HEAD requests count too:
// terraform 1.11 and 1.12 send one before each package (R-DL-1).
func (h *Host) FailNext(endpoint string, n int, f Fault) *Host {
	mustEndpoint(endpoint)
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	h.faults.push(endpoint, n, f)
	return h
}

// Recover forgets all faults of the host; those of its providers stay.
func (h *Host) Recover() *Host {
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	h.faults = newFaultSet()
	return h
}

// Gather holds back requests to the endpoint until n of them are waiting, then lets these n go and ends. A client that does not ask for n
// things at the same time hangs: so a test proves concurrency without a clock.
func (h *Host) Gather(endpoint string, n int) *Host {
	mustEndpoint(endpoint)
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	h.gathers[endpoint] = &gather{want: n, open: make(chan struct{})}
	return h
}

// gather is the state of Gather, guarded by registry.mu.
type gather struct {
	want, waiting int
	open          chan struct{}
}

// Provider is the provider "namespace/type" of the host, made at the first call without versions.
func (h *Host) Provider(name string) *Provider {
	namespace, typ, ok := strings.Cut(name, "/")
	if !ok {
		panic(fmt.Sprintf("registry: %q is no namespace/type", name))
	}
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	if p := h.providerLocked(namespace, typ); p != nil {
		return p
	}
	p := &Provider{host: h, namespace: namespace, typ: typ, faults: newFaultSet()}
	h.zipBaseLocked() // makes the package host known before anybody asks for it
	h.providers = append(h.providers, p)
	return p
}

func (h *Host) providerLocked(namespace, typ string) *Provider {
	for _, p := range h.providers {
		if p.namespace == namespace && p.typ == typ {
			return p
		}
	}
	return nil
}
