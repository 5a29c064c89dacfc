package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The line on standard output is all that a caller needs to reach a registry, and the end of the context ends it.
func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "hosts.json")
	err := os.WriteFile(config, []byte(`{"hosts": {"registry.acme.dev": {"providers": {"acme/widget": {"versions": {"1.4.0": {"platforms": ["linux_amd64"]}}}}}}}`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-config", config, "-dir", filepath.Join(dir, "state")}, in)
		_ = in.CloseWithError(err)
		done <- err
	}()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var r map[string]any
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"url", "port", "proxy", "plain", "ca", "ca_bundle", "truststore", "truststore_password", "admin"} {
		if r[name] == nil || r[name] == "" {
			t.Errorf("the line lacks %s: %s", name, line)
		}
	}
	client := clientOf(t, r["proxy"].(string), r["ca"].(string))
	res, err := client.Get("https://registry.acme.dev/v1/providers/acme/widget/versions")
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("found %v, %v, wanted the list", res, err)
	}
	_ = res.Body.Close()
	counts, err := http.Get(r["admin"].(string) + "/counts")
	if err != nil {
		t.Fatal(err)
	}
	defer counts.Body.Close()
	if text, _ := io.ReadAll(counts.Body); strings.TrimSpace(string(text)) != `{"connect":1,"versions":1}` {
		t.Errorf("counts: found %s", text)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("found %v, wanted a clean end", err)
	}
	if _, err := http.Get(r["admin"].(string) + "/counts"); err == nil {
		t.Error("it still serves")
	}
}

func clientOf(t *testing.T, proxy, ca string) *http.Client {
	t.Helper()
	data, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(data)
	u, err := url.Parse(proxy)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(u), TLSClientConfig: &tls.Config{RootCAs: pool}}}
}

func TestRunErrors(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`{"hosts": {"a": {"x": 1}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no directory":     {nil, "usage"},
		"an argument":      {[]string{"-dir", t.TempDir(), "x"}, "usage"},
		"no such file":     {[]string{"-dir", t.TempDir(), "-config", "/nonexistent/c.json"}, "/nonexistent/c.json"},
		"unknown field":    {[]string{"-dir", t.TempDir(), "-config", bad}, `"x"`},
		"directory a file": {[]string{"-dir", bad}, "bad.json"},
	} {
		if err := run(t.Context(), tc.args, io.Discard); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: found %v, wanted an error with %s", name, err, tc.want)
		}
	}
}
