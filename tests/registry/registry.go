// Package registry is the only stand-in for the internet in this project's tests: provider registries, the hosts that hold their packages,
// and the way there.
//
// A Registry listens on loopback addresses only:
//
//   - one TLS listener (HTTP/1.1 and HTTP/2) that serves every host, told apart by SNI and the Host header, with certificates of a CA that
//     the Registry makes itself;
//   - one proxy that carries CONNECT to known hosts, so that clients use the port-less names of the real world
//     (HTTPS_PROXY + SSL_CERT_FILE), and logs every attempt, also those to hosts that nobody knows. A test can so say: no request, to anybody;
//   - one plain http listener with the same content, for what is allowed over http on loopback;
//   - one plain http listener for the administration (log, counts, knobs).
//
// Everything can be changed while it runs. Hosts are dead or slow or lie only if a test says so; the default is a good registry whose
// packages are signed. Rule numbers (R-DISC-1 …) in comments are those of the provider protocol specification of this project.
package registry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options configure New. Only Dir is required.
type Options struct {
	// Dir holds certificates and generated packages; it must exist. A CA found there from an earlier run is used again.
	Dir string
	// Now is the clock of signatures and of the expiry of ephemeral URLs; nil is time.Now.
	Now func() time.Time
	// Port, ProxyPort, PlainPort and AdminPort are TCP ports on 127.0.0.1; 0 takes a free one.
	Port, ProxyPort, PlainPort, AdminPort int
}

// Registry is a running set of hosts. All methods may be called from several goroutines, while requests are served.
type Registry struct {
	opts  Options
	ca    *authority
	log   *requestLog
	zips  *zipStore
	proxy *proxy

	tlsListener, proxyListener, plainListener, adminListener net.Listener
	servers                                                  []*http.Server

	mu     sync.Mutex // guards everything below, and the knobs of hosts, providers and versions
	hosts  map[string]*Host
	order  []*Host
	grants map[string]*grant
	// secrets are those of all grants, ended ones too.
	secrets []string
	key     *Key // signs what names no key of its own; made when first needed
}

// New starts a Registry without hosts. Close stops it.
func New(opts Options) (*Registry, error) {
	if opts.Dir == "" {
		return nil, errors.New("registry: Options.Dir is empty; it must name a directory for certificates and packages")
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	opts.Dir = dir
	ca, err := newAuthority(dir)
	if err != nil {
		return nil, err
	}
	r := &Registry{
		opts: opts, ca: ca, log: newRequestLog(), zips: newZipStore(filepath.Join(dir, "packages")),
		hosts: map[string]*Host{}, grants: map[string]*grant{},
	}
	r.proxy = newProxy(r)
	if err := r.listen(); err != nil {
		r.Close()
		return nil, err
	}
	r.serve()
	return r, nil
}

// Start is New for tests: a directory of the test, closed at its end, with the named hosts already known.
func Start(t testing.TB, hosts ...string) *Registry {
	t.Helper()
	r, err := New(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	for _, name := range hosts {
		r.Host(name)
	}
	return r
}

func (r *Registry) listen() error {
	for _, l := range []struct {
		listener *net.Listener
		port     int
	}{
		{&r.tlsListener, r.opts.Port}, {&r.proxyListener, r.opts.ProxyPort},
		{&r.plainListener, r.opts.PlainPort}, {&r.adminListener, r.opts.AdminPort},
	} {
		var err error
		if *l.listener, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(l.port))); err != nil {
			return fmt.Errorf("registry: %w", err)
		}
	}
	return nil
}

func (r *Registry) serve() {
	quiet := discardLogger()
	tlsServer := &http.Server{Handler: http.HandlerFunc(r.serveHTTP), TLSConfig: r.tlsConfig(), ErrorLog: quiet}
	plain := &http.Server{Handler: http.HandlerFunc(r.serveHTTP), ErrorLog: quiet}
	proxy := &http.Server{Handler: r.proxy, ErrorLog: quiet}
	admin := &http.Server{Handler: r.adminHandler(), ErrorLog: quiet}
	r.servers = []*http.Server{tlsServer, plain, proxy, admin}
	go func() { _ = tlsServer.ServeTLS(r.tlsListener, "", "") }()
	go func() { _ = plain.Serve(r.plainListener) }()
	go func() { _ = proxy.Serve(r.proxyListener) }()
	go func() { _ = admin.Serve(r.adminListener) }()
}

// Close stops all listeners, drops all connections and ends waiting requests. It may be called twice.
func (r *Registry) Close() {
	for _, s := range r.servers {
		_ = s.Close()
	}
	r.proxy.closeAll()
	for _, l := range []net.Listener{r.tlsListener, r.proxyListener, r.plainListener, r.adminListener} {
		if l != nil {
			_ = l.Close()
		}
	}
}

// Port is the TCP port of the TLS listener.
func (r *Registry) Port() int { return r.tlsListener.Addr().(*net.TCPAddr).Port }

// URL is the TLS listener's address, https://127.0.0.1:<port>.
func (r *Registry) URL() string { return "https://127.0.0.1:" + strconv.Itoa(r.Port()) }

// LocalHost is localhost:<port>, the host of provider addresses that need no proxy. Use it as Host(reg.LocalHost()).
func (r *Registry) LocalHost() string { return "localhost:" + strconv.Itoa(r.Port()) }

// ProxyURL is the value for HTTPS_PROXY and HTTP_PROXY.
func (r *Registry) ProxyURL() string { return "http://" + r.proxyListener.Addr().String() }

// PlainURL is the address of the plain http listener, http://127.0.0.1:<port>; it serves the host 127.0.0.1, and packages of all hosts.
func (r *Registry) PlainURL() string { return "http://" + r.plainListener.Addr().String() }

// AdminURL is the address of the administration, see admin.go.
func (r *Registry) AdminURL() string { return "http://" + r.adminListener.Addr().String() }

// CAFile is the PEM file of the CA's certificate.
func (r *Registry) CAFile() string { return r.ca.pemFile }

// CABundleFile is a PEM file with the system's certificates and the CA's, for processes that need the real network too. Where the system's
// bundle is not found it holds the CA's only.
func (r *Registry) CABundleFile() string { return r.ca.bundleFile }

// TrustStoreFile is a PKCS#12 trust store with the CA's certificate, for -Djavax.net.ssl.trustStore; the password is TrustStorePassword.
func (r *Registry) TrustStoreFile() string { return r.ca.trustStoreFile }

// TrustStorePassword is what to give where a password for TrustStoreFile is demanded. The store is not encrypted: none works too.
const TrustStorePassword = "changeit"

// Env are the variables that make a subprocess use the proxy and trust the CA, to be appended to its environment.
func (r *Registry) Env() []string {
	p := r.ProxyURL()
	return []string{
		"HTTPS_PROXY=" + p, "https_proxy=" + p, "HTTP_PROXY=" + p, "http_proxy=" + p, "ALL_PROXY=", "all_proxy=",
		"NO_PROXY=", "no_proxy=", "SSL_CERT_FILE=" + r.CAFile(),
	}
}

// WaitCount waits until at least n logged requests match f, for tests that act while requests are in flight. It returns the error of ctx
// if that ends first.
func (r *Registry) WaitCount(ctx context.Context, f Filter, n int) error {
	for {
		changed := r.log.changed()
		if got := r.Count(f); got >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %d requests: %d came: %w", n, r.Count(f), ctx.Err())
		}
	}
}

// Prepare generates all packages and hashes now, so that the first answers of a benchmark are not slower than the others.
func (r *Registry) Prepare() error {
	for _, z := range r.allZips() {
		if _, err := r.zips.build(z); err != nil {
			return err
		}
	}
	return nil
}

// now is the registry's clock.
func (r *Registry) now() time.Time { return r.opts.Now() }

// mkdir makes a directory readable by other users' subprocesses.
func mkdir(path string) error { return os.MkdirAll(path, 0o755) }

// isLoopbackName tells names that reach this machine without the proxy.
func isLoopbackName(name string) bool {
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || net.ParseIP(name).IsLoopback()
}
