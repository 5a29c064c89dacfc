package registry

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// proxy is the HTTP proxy: CONNECT to known hosts is carried to the TLS listener, http:// requests to them are answered directly; nothing
// ever leaves the machine.
type proxy struct {
	registry *Registry

	mu      sync.Mutex
	tunnels map[net.Conn]string // both ends of each tunnel, and the host it leads to
}

func newProxy(r *Registry) *proxy { return &proxy{registry: r, tunnels: map[net.Conn]string{}} }

// ServeHTTP logs the attempt first, whatever becomes of it.
func (p *proxy) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	address := req.Host
	if !req.URL.IsAbs() && req.Method != http.MethodConnect {
		http.Error(w, "this is a proxy", http.StatusBadRequest)
		return
	}
	entry := &Request{
		Time: p.registry.now(), Host: cleanHost(address), Method: req.Method, Path: address, Endpoint: EndpointConnect, Proto: req.Proto,
		Headers: headerNames(req.Header), UserAgent: req.UserAgent(), HasAuthorization: req.Header.Get("Authorization") != "",
	}
	if req.Method != http.MethodConnect {
		entry.Scheme, entry.Path = req.URL.Scheme, req.URL.Path
	}
	h := p.target(address)
	if h == nil || !h.up() {
		entry.Status = http.StatusBadGateway
		p.registry.log.add(entry)
		http.Error(w, "no such host in this test: "+cleanHost(address), http.StatusBadGateway)
		return
	}
	entry.Status = http.StatusOK
	p.registry.log.add(entry)
	if req.Method != http.MethodConnect {
		p.registry.serveHTTP(w, req)
		return
	}
	p.tunnel(w, h.name)
}

// target is the host that an address means, nil if there is none. Loopback addresses are ours only with a port of ours.
func (p *proxy) target(address string) *Host {
	name, port, err := net.SplitHostPort(address)
	if err == nil && isLoopbackName(strings.ToLower(name)) &&
		port != strconv.Itoa(p.registry.Port()) && port != strconv.Itoa(p.registry.plainPort()) {
		return nil
	}
	return p.registry.lookup(address)
}

func (p *proxy) tunnel(w http.ResponseWriter, host string) {
	upstream, err := net.Dial("tcp", p.registry.tlsListener.Addr().String())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	client, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		_ = upstream.Close()
		return
	}
	p.mu.Lock()
	p.tunnels[client], p.tunnels[upstream] = host, host
	p.mu.Unlock()
	_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(upstream, buffered) // the reader may already hold bytes of the handshake
		closeWrite(upstream)
	})
	both.Go(func() {
		_, _ = io.Copy(client, upstream)
		closeWrite(client)
	})
	go func() {
		both.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.forget(client)
		p.forget(upstream)
	}()
}

// forget closes one end; p.mu is held.
func (p *proxy) forget(c net.Conn) {
	delete(p.tunnels, c)
	_ = c.Close()
}

// closeHost drops all tunnels to a host.
func (p *proxy) closeHost(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c, h := range p.tunnels {
		if h == host {
			p.forget(c)
		}
	}
}

func (p *proxy) closeAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.tunnels {
		p.forget(c)
	}
}

// closeWrite passes on the end of one direction.
func closeWrite(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.CloseWrite()
	}
}

// plainPort is the port of the plain http listener.
func (r *Registry) plainPort() int { return r.plainListener.Addr().(*net.TCPAddr).Port }
