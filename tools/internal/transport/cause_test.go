package transport

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestAdvice is F32: an unknown certificate authority can be made known, and where.
func TestAdvice(t *testing.T) {
	t.Parallel()
	unknown := &url.Error{Op: "Get", Err: &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}}
	for _, test := range []struct {
		name, goos string
		err        error
		want       string
	}{
		{"linux", "linux", unknown, "set SSL_CERT_FILE to a PEM bundle"},
		{"macOS", "darwin", unknown, "install its certificate in the system's store"},
		{"windows", "windows", unknown, "install its certificate in the system's store"},
		{"another certificate error", "linux", x509.HostnameError{Certificate: &x509.Certificate{}, Host: "a"}, ""},
		{"another error", "linux", errors.New("reset"), ""},
	} {
		got := advice(test.err, test.goos)
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: advice %q, want %q", test.name, got, test.want)
		}
	}
	// A long certificate text must not push the advice out.
	long := &Error{Attempts: 1, Err: errors.Join(errors.New(strings.Repeat("x", 2*maxCause)), x509.UnknownAuthorityError{})}
	if text := long.Error(); !strings.Contains(text, "authority") || len(text) > 2*maxCause {
		t.Errorf("message %q, want it short and with the advice", text)
	}
}

// TestTimeLimit: a timeout names its length and what makes it longer.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	got := (&Error{URL: "https://h/a", Host: "h", Attempts: 2, Err: errTimeout, limit: 11 * time.Second}).Error()
	want := "no answer from host h to https://h/a (tried 2 times): no complete answer within the time limit of 11s; a larger TF_REGISTRY_CLIENT_TIMEOUT (in seconds) allows more"
	if got != want {
		t.Errorf("message %q, want %q", got, want)
	}
	if got := (&Error{Err: errors.New("reset"), limit: time.Second}).Error(); strings.Contains(got, "TF_REGISTRY") {
		t.Errorf("message %q names the limit for another error", got)
	}
}

// TestCheckProxies: a value that Go would drop is an error with the name and never the value.
func TestCheckProxies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		environ map[string]string
		want    string // variable in the error; empty: usable
	}{
		{nil, ""},
		{map[string]string{"HTTPS_PROXY": "http://proxy:3128", "HTTP_PROXY": "proxy:3128"}, ""},
		{map[string]string{"HTTPS_PROXY": "proxy"}, ""},
		{map[string]string{"HTTPS_PROXY": "https://user:SECRET@proxy:3128/"}, ""},
		{map[string]string{"https_proxy": "socks5://127.0.0.1:1080"}, ""},
		{map[string]string{"HTTPS_PROXY": "http://user:SECRET@proxy:x"}, "HTTPS_PROXY"},
		{map[string]string{"https_proxy": "http://user:SE%CRET@proxy:1"}, "https_proxy"},
		{map[string]string{"HTTP_PROXY": "ftp://SECRET"}, "HTTP_PROXY"},
		{map[string]string{"HTTP_PROXY": "http://"}, "HTTP_PROXY"},
		{map[string]string{"http_proxy": ":3128"}, "http_proxy"},
		{map[string]string{"HTTPS_PROXY": "http://proxy:1", "https_proxy": "http://SECRET:x"}, ""}, // the second is not read
		{map[string]string{"HTTPS_PROXY": "http://proxy:1\nSECRET"}, "HTTPS_PROXY"},
	} {
		err := CheckProxies(func(name string) string { return test.environ[name] })
		switch {
		case test.want == "" && err != nil, test.want != "" && err == nil:
			t.Errorf("CheckProxies(%v) = %v", test.environ, err)
		case err != nil && (!strings.Contains(err.Error(), "variable "+test.want+" ") || strings.Contains(err.Error(), "SECRET")):
			t.Errorf("CheckProxies(%v) = %v, want %s named and no value", test.environ, err, test.want)
		}
	}
}
