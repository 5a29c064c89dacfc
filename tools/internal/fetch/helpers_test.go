package fetch

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/resolve"
	"rules_tf_mirror/tools/internal/transport"
)

const (
	host    = "registry.acme.dev"
	zipHost = "releases." + host // where the fixture registry serves packages
	widget  = host + "/acme/widget"
)

// bench is a registry and a way to fetch from it.
type bench struct {
	t   *testing.T
	reg *fixture.Registry
	env map[string]string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return &bench{t: t, reg: fixture.Start(t), env: map[string]string{}}
}

// widget makes a version of acme/widget for the platforms.
func (b *bench) widget(version string, platforms ...string) *fixture.Version {
	return b.reg.Host(host).Provider("acme/widget").Version(version, platforms)
}

// request asks for entries written source:version, on platforms.
func request(platforms string, entries ...string) *manifest.Request {
	r := &manifest.Request{Schema: 1, Tool: "terraform", Platforms: strings.Fields(platforms)}
	for _, entry := range entries {
		source, version := entry, ""
		if i := strings.LastIndex(entry, ":"); i > strings.LastIndex(entry, "/") {
			source, version = entry[:i], entry[i+1:]
		}
		e := manifest.Entry{Source: source}
		if version != "" {
			e.Version = &version
		}
		r.Providers = append(r.Providers, e)
	}
	return r
}

func (b *bench) fact(r *manifest.Request, key, value string) {
	if r.Facts == nil {
		r.Facts = map[string]json.RawMessage{}
	}
	r.Facts[key] = json.RawMessage(value)
}

// run fetches into a sink and closes it.
func (b *bench) run(r *manifest.Request, sink Sink) *Report {
	b.t.Helper()
	report, err := b.runContext(b.t.Context(), r, sink)
	if err != nil {
		b.t.Fatal(err)
	}
	return report
}

func (b *bench) runContext(ctx context.Context, r *manifest.Request, sink Sink) (*Report, error) {
	b.t.Helper()
	getenv := func(name string) string { return b.env[name] }
	roundTripper := b.reg.HTTPClient().Transport
	instant := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	report, err := Run(ctx, Options{
		Request: r,
		Registry: func() resolve.Registry {
			return registry.New(registry.Options{
				Transport:   transport.New(transport.Options{RoundTripper: roundTripper, Sleep: instant}),
				Credentials: credentials.FromEnviron(b.environ()),
				Tool:        r.Tool,
				Getenv:      getenv,
			})
		},
		Download: download.New(download.Options{RoundTripper: roundTripper, Getenv: getenv, Sleep: instant}),
		Sink:     sink,
	})
	if closeErr := sink.Close(); closeErr != nil {
		b.t.Error(closeErr)
	}
	return report, err
}

func (b *bench) environ() []string {
	var list []string
	for name, value := range b.env {
		list = append(list, name+"="+value)
	}
	return list
}

func (b *bench) cache(dir string) Sink {
	b.t.Helper()
	sink, err := OpenRepositoryCache(dir)
	if err != nil {
		b.t.Fatal(err)
	}
	return sink
}

func (b *bench) mirror(dir string) Sink {
	b.t.Helper()
	sink, err := OpenMirror(b.t.Context(), dir, func(text string) { b.t.Errorf("unexpected: %s", text) })
	if err != nil {
		b.t.Fatal(err)
	}
	return sink
}

// count returns the requests to an endpoint so far.
func (b *bench) count(endpoint string) int { return b.reg.Count(fixture.Filter{Endpoint: endpoint}) }

// wantCounts checks the number of requests by endpoint, forgets them, and checks what holds for every request.
func (b *bench) wantCounts(versions, downloads, zips int) {
	b.t.Helper()
	got := [3]int{b.count(fixture.EndpointVersions), b.count(fixture.EndpointDownload), b.count(fixture.EndpointZip)}
	if want := [3]int{versions, downloads, zips}; got != want {
		b.t.Errorf("versions, downloads, zips: got %v requests, want %v", got, want)
	}
	for _, r := range b.reg.Requests() {
		if r.Endpoint != fixture.EndpointConnect && r.Method != "GET" {
			b.t.Errorf("%s %s: only GET is wanted (B03)", r.Method, r.Path)
		}
		if r.Endpoint == fixture.EndpointZip && (r.HasAuthorization || r.TerraformVersion != "") {
			b.t.Errorf("%s: registry headers on the archive hop (F14, R-DL-3)", r.Path)
		}
	}
	b.reg.Reset()
}

// wantStatus checks the outcomes, written "platform status kind".
func wantStatus(t *testing.T, report *Report, want ...string) {
	t.Helper()
	var got []string
	for _, row := range report.Rows {
		text := row.Platform + " " + row.Status
		if row.Error != nil {
			text += " " + string(row.Error.Kind)
		}
		if (row.Status == Failed) != (row.Error != nil) || (row.Status == Failed) != (row.Path == "") {
			t.Errorf("contradictory row: %+v", row)
		}
		got = append(got, text)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n  %s\nwant\n  %s\nerrors:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "), strings.Join(report.Errors(), "\n  "))
	}
}

// files lists all files below a directory, but for our lock.
func files(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if rel, _ := filepath.Rel(dir, path); rel != filepath.Join(privateDir, "lock") {
				names = append(names, filepath.ToSlash(rel))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, "\n")
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
