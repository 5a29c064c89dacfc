package registry

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"
)

// tlsConfig picks certificate and protocols by SNI, and refuses the handshake of hosts that are down.
func (r *Registry) tlsConfig() *tls.Config {
	base := &tls.Config{NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12}
	base.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		return r.ca.certificate(strings.ToLower(hello.ServerName))
	}
	base.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		h := r.lookup(hello.ServerName)
		if h == nil {
			return nil, nil
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if h.knobs.down {
			return nil, fmt.Errorf("%s is down", h.name)
		}
		if h.knobs.http1Only {
			c := base.Clone()
			c.NextProtos = []string{"http/1.1"}
			return c, nil
		}
		return nil, nil
	}
	return base
}

// HTTPClient reaches all hosts through the proxy, loopback names directly as Go's own proxy rules do, and trusts the CA only.
// Each call gives a client with connections of its own.
func (r *Registry) HTTPClient() *http.Client {
	proxyURL, err := url.Parse(r.ProxyURL())
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: r.ca.pool()},
		ForceAttemptHTTP2: true,
		Proxy: func(req *http.Request) (*url.URL, error) {
			if isLoopbackName(req.URL.Hostname()) {
				return nil, nil
			}
			return proxyURL, err
		},
	}}
}

// discardLogger keeps the noise of refused handshakes and aborted requests out of test output.
func discardLogger() *log.Logger { return log.New(io.Discard, "", 0) }
