package sources_test

import (
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/cliconfig"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/resolve"
	"rules_tf_mirror/tools/internal/sources"
	"rules_tf_mirror/tools/internal/transport"
)

const (
	acme   = "registry.acme.dev"
	source = acme + "/acme/widget"
	linux  = "linux_amd64"
)

// world is a registry with acme/widget in two versions, and somebody's home directory.
type world struct {
	*fixture.Registry
	t       testing.TB
	home    string
	environ []string
	widget  *fixture.Provider
	v1, v2  *fixture.Version
	config  int // times that the CLI configuration was read
}

func newWorld(t testing.TB) *world {
	w := &world{Registry: fixture.Start(t), t: t, home: t.TempDir()}
	w.environ = []string{"HOME=" + w.home}
	w.widget = w.Host(acme).Provider("acme/widget")
	w.v1 = w.widget.Version("1.1.0", fixture.Platforms(linux, "darwin_arm64"))
	w.v2 = w.widget.Version("1.2.0", fixture.Platforms(linux, "darwin_arm64"))
	return w
}

// terraformrc writes the CLI configuration; {HOME} stands for the home directory.
func (w *world) terraformrc(text string) *world { return w.file(".terraformrc", text) }

func (w *world) file(name, text string) *world {
	w.t.Helper()
	path := filepath.Join(w.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "{HOME}", w.home)), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return w
}

func (w *world) getenv(key string) string {
	value := ""
	for _, pair := range w.environ {
		if v, ok := strings.CutPrefix(pair, key+"="); ok {
			value = v
		}
	}
	return value
}

func (w *world) set(request *manifest.Request) *sources.Set {
	roundTripper := w.HTTPClient().Transport
	noSleep := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return sources.New(sources.Options{
		Request: request,
		Config: func() *cliconfig.Config {
			w.config++
			system := cliconfig.ThisSystem(w.environ)
			system.GOOS = "linux" // so that the home directory means the same everywhere
			return cliconfig.Load(request.Tool, system)
		},
		Transport: transport.New(transport.Options{RoundTripper: roundTripper, Sleep: noSleep}),
		Download:  download.New(download.Options{RoundTripper: roundTripper, Getenv: w.getenv, Sleep: noSleep}),
		Getenv:    w.getenv,
	})
}

// resolve answers a request as a process of its own would.
func (w *world) resolve(request *manifest.Request) *manifest.Response {
	w.t.Helper()
	if err := resolve.Check(request); err != nil {
		w.t.Fatal(err)
	}
	response, err := resolve.Run(context.Background(), w.set(request), request)
	if err != nil {
		w.t.Fatal(err)
	}
	return response
}

// request asks for "source:constraint" entries on linux_amd64.
func request(entries ...string) *manifest.Request {
	r := &manifest.Request{Schema: 1, Tool: "terraform", ToolVersion: "1.9.5", Platforms: []string{linux}}
	for _, text := range entries {
		i := strings.LastIndex(text, "/")
		name, constraint, ok := strings.Cut(text[i:], ":")
		entry := manifest.Entry{Source: text[:i] + name}
		if ok {
			entry.Version = &constraint
		}
		r.Providers = append(r.Providers, entry)
	}
	return r
}

// from asks for entries with sources.
func from(list []manifest.Source, entries ...string) *manifest.Request {
	r := request(entries...)
	r.Sources = list
	return r
}

// followed asks for entries with the CLI configuration's sources.
func followed(entries ...string) *manifest.Request {
	r := request(entries...)
	r.Installation = "config"
	return r
}

func network(url string) manifest.Source { return manifest.Source{Kind: "network_mirror", URL: url} }

// wantCounts compares the requests since the last Reset by "host endpoint"; connections do not count.
func (w *world) wantCounts(want map[string]int) {
	w.t.Helper()
	got := map[string]int{}
	for _, r := range w.Select(fixture.Filter{NotEndpoint: fixture.EndpointConnect}) {
		got[r.Host+" "+r.Endpoint]++
	}
	if !maps.Equal(got, want) {
		w.t.Errorf("requests %v, want %v", got, want)
	}
}

// wantNoConnection: nobody even connected to the host.
func (w *world) wantNoConnection(host string) {
	w.t.Helper()
	for _, r := range w.Requests() {
		if r.Host == host || strings.HasPrefix(r.Path, host+":") {
			w.t.Errorf("a request reached %s: %s %s", host, r.Endpoint, r.Path)
		}
	}
}

// only returns the single row of a response.
func only(t testing.TB, response *manifest.Response) manifest.Provider {
	t.Helper()
	if len(response.Providers) != 1 {
		t.Fatalf("%d rows, want 1", len(response.Providers))
	}
	return response.Providers[0]
}

// wantAnswer checks the version and hash of a row without errors.
func wantAnswer(t testing.TB, row manifest.Provider, version, sha256 string) manifest.Package {
	t.Helper()
	pkg := row.Packages[linux]
	switch {
	case row.Error != nil:
		t.Errorf("error %s: %s", row.Error.Kind, row.Error.Message)
	case pkg.Error != nil:
		t.Errorf("package error %s: %s", pkg.Error.Kind, pkg.Error.Message)
	case row.Version != version || pkg.SHA256 != sha256:
		t.Errorf("version %q with %q, want %q with %q", row.Version, pkg.SHA256, version, sha256)
	}
	return pkg
}

// wantError checks kind and parts of the error of a row, or of its linux_amd64 package.
func wantError(t testing.TB, row manifest.Provider, kind string, parts ...string) {
	t.Helper()
	got := row.Error
	if got == nil {
		got = row.Packages[linux].Error
	}
	if got == nil {
		t.Errorf("no error, want %s %q", kind, parts)
		return
	}
	if string(got.Kind) != kind {
		t.Errorf("error kind %q, want %q; message: %s", got.Kind, kind, got.Message)
	}
	for _, part := range parts {
		if !strings.Contains(got.Message, part) {
			t.Errorf("message %q lacks %q", got.Message, part)
		}
	}
}

func factKeys(response *manifest.Response) []string {
	return slices.Sorted(maps.Keys(response.Facts))
}

// fetchZip downloads the package of a version and forgets that it did.
func (w *world) fetchZip(v *fixture.Version) string {
	w.t.Helper()
	response, err := w.HTTPClient().Get(v.URL(linux))
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	path := filepath.Join(w.t.TempDir(), "package.zip")
	out, err := os.Create(path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, response.Body); err != nil {
		w.t.Fatal(err)
	}
	w.Reset()
	return path
}

func readAll(t testing.TB, r io.Reader) string {
	t.Helper()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
