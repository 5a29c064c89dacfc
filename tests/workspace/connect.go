package workspace

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"software.sslmate.com/src/go-pkcs12"

	"rules_tf_mirror/tests/registry"
)

// What a released Bazel and Bazelisk download for themselves.
const bazelHosts = "bcr.bazel.build,releases.bazel.build,mirror.bazel.build,github.com,.githubusercontent.com,storage.googleapis.com"

// PublicHosts is a value for NO_PROXY: where a released Bazel, Bazelisk and Go get what they need for themselves, past the fixture registry. Go says
// which hosts its modules come from here.
func PublicHosts() string {
	hosts := []string{bazelHosts}
	out, err := exec.Command("go", "env", "GOPROXY", "GOSUMDB").Output()
	if err != nil {
		return bazelHosts // then no module can be had either
	}
	for _, word := range strings.FieldsFunc(string(out), func(r rune) bool { return strings.ContainsRune(",| \n", r) }) {
		if u, err := url.Parse(word); err == nil && u.Hostname() != "" {
			hosts = append(hosts, u.Hostname())
		} else if name, _, _ := strings.Cut(word, "+"); strings.Contains(name, ".") {
			hosts = append(hosts, name) // a checksum database is named by its host
		}
	}
	return strings.Join(hosts, ",")
}

// Offline tells whether a Bazel needs no network of its own, as the one has that is laid beside the sources for machines without one.
func Offline(bazel string) bool { return strings.Contains(bazel, "bazel-offline") }

// Connect makes Bazel, and what it runs, use the fixture registry as the internet and trust its certificates. Only a released Bazel
// reaches its own download hosts besides.
func (w *Workspace) Connect(reg *registry.Registry) error {
	trustStore := reg.TrustStoreFile()
	w.Env = append(w.Env, reg.Env()...)
	if !Offline(w.Bazel) {
		trustStore = filepath.Join(filepath.Dir(trustStore), "public.p12")
		if err := writeTrustStore(reg.CABundleFile(), trustStore); err != nil {
			return err
		}
		w.Env = append(w.Env, "NO_PROXY="+PublicHosts(), "no_proxy="+PublicHosts(), "SSL_CERT_FILE="+reg.CABundleFile())
	}
	w.Startup = append(w.Startup,
		"--host_jvm_args=-Djavax.net.ssl.trustStore="+trustStore,
		"--host_jvm_args=-Djavax.net.ssl.trustStorePassword="+registry.TrustStorePassword,
	)
	return nil
}

// writeTrustStore turns a PEM bundle into a trust store for Java.
func writeTrustStore(bundle, path string) error {
	data, err := os.ReadFile(bundle)
	if err != nil {
		return err
	}
	var certificates []*x509.Certificate
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			continue // a root that Go cannot read is one that this run does without
		}
		certificates = append(certificates, certificate)
	}
	store, err := pkcs12.Modern2023.EncodeTrustStore(certificates, registry.TrustStorePassword)
	if err != nil {
		return fmt.Errorf("trust store of %s: %w", bundle, err)
	}
	return os.WriteFile(path, store, 0o644)
}
