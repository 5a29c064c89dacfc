package registry

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"software.sslmate.com/src/go-pkcs12"
)

// systemBundles are the usual places of the system's certificates, newest distributions first.
var systemBundles = []string{
	"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
}

// authority is a certificate authority that issues a leaf for every name it is asked for.
type authority struct {
	pemFile, bundleFile, trustStoreFile string

	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	leaf *ecdsa.PrivateKey // one key for all leaves: making keys is the slow part

	mu     sync.Mutex
	issued map[string]*tls.Certificate
}

// newAuthority loads the authority of dir, or makes one there.
func newAuthority(dir string) (*authority, error) {
	a := &authority{
		pemFile: filepath.Join(dir, "ca.pem"), bundleFile: filepath.Join(dir, "ca-bundle.pem"),
		trustStoreFile: filepath.Join(dir, "truststore.p12"), issued: map[string]*tls.Certificate{},
	}
	keyFile := filepath.Join(dir, "ca-key.pem")
	err := a.load(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = a.create(keyFile)
	}
	if err != nil {
		return nil, fmt.Errorf("registry: the CA in %s: %w", dir, err)
	}
	a.leaf, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return a, err
}

func (a *authority) load(keyFile string) error {
	keyPEM, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	certPEM, err := os.ReadFile(a.pemFile)
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return err
	}
	var ok bool
	if a.key, ok = pair.PrivateKey.(*ecdsa.PrivateKey); !ok {
		return fmt.Errorf("found a %T, wanted an ECDSA key", pair.PrivateKey)
	}
	a.cert, err = x509.ParseCertificate(pair.Certificate[0])
	return err
}

func (a *authority) create(keyFile string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "fixture registry test CA", Organization: []string{"for tests only"}},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.AddDate(10, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return err
	}
	a.key = key
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	// Not encrypted: so Java reads it with any password, and also with none, when only -Djavax.net.ssl.trustStore is given.
	store, err := pkcs12.Passwordless.EncodeTrustStore([]*x509.Certificate{a.cert}, "")
	if err != nil {
		return err
	}
	// The key comes last: load takes its presence as the sign that everything is there.
	for _, f := range []struct {
		path string
		data []byte
		mode fs.FileMode
	}{
		{a.pemFile, certPEM, 0o644},
		{a.bundleFile, append(systemBundle(), certPEM...), 0o644},
		{a.trustStoreFile, store, 0o644},
		{keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600},
	} {
		if err := os.WriteFile(f.path, f.data, f.mode); err != nil {
			return err
		}
	}
	return nil
}

// systemBundle is the text of the system's certificates, ending with a newline, or nothing.
func systemBundle() []byte {
	for _, path := range append([]string{os.Getenv("SSL_CERT_FILE")}, systemBundles...) {
		if data, err := os.ReadFile(path); path != "" && err == nil {
			return append(data, '\n')
		}
	}
	return nil
}

// certificate issues, once, a leaf for name; every leaf also covers the loopback names.
func (a *authority) certificate(name string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.issued[name]; c != nil {
		return c, nil
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "fixture registry"},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.AddDate(1, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if name != "" && name != "localhost" {
		template.DNSNames = append(template.DNSNames, name)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &a.leaf.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	c := &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: a.leaf}
	a.issued[name] = c
	return c, nil
}

// pool trusts this authority only.
func (a *authority) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

// serial is a random certificate serial number of 120 bits.
func serial() *big.Int {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err) // the system's random source does not fail
	}
	return n
}
