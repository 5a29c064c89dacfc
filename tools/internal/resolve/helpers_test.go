package resolve_test

import (
	"context"
	"encoding/json"
	"sort"
	"strings"
	"testing"
	"time"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/manifest"
	client "rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/resolve"
	"rules_tf_mirror/tools/internal/transport"
)

const tfHost = "registry.terraform.io"

var fourPlatforms = registry.Platforms("linux_amd64", "linux_arm64", "darwin_arm64", "windows_amd64")

// world is one registry and the environment of a client.
type world struct {
	*registry.Registry
	t       testing.TB
	environ []string
	sleep   func(context.Context, time.Duration) error
	now     func() time.Time
}

// newWorld starts a registry in which waiting takes no time.
func newWorld(t testing.TB) *world {
	c := newSharedClock()
	return &world{Registry: registry.Start(t), t: t, now: c.now, sleep: c.sleep}
}

func (w *world) getenv(key string) string {
	for _, pair := range w.environ {
		if value, ok := strings.CutPrefix(pair, key+"="); ok {
			return value
		}
	}
	return ""
}

func (w *world) client(request *manifest.Request) *client.Client {
	return client.New(client.Options{
		Transport:   transport.New(transport.Options{RoundTripper: w.HTTPClient().Transport, Sleep: w.sleep, Now: w.now}),
		Credentials: credentials.FromEnviron(w.environ),
		Tool:        request.Tool,
		ToolVersion: request.ToolVersion,
		Getenv:      w.getenv,
	})
}

// resolve answers a request with a new client, as a process of its own would.
func (w *world) resolve(request *manifest.Request) *manifest.Response {
	w.t.Helper()
	if err := resolve.Check(request); err != nil {
		w.t.Fatal(err)
	}
	response, err := resolve.Run(context.Background(), w.client(request), request)
	if err != nil {
		w.t.Fatal(err)
	}
	return response
}

// wantCounts compares the requests since the last Reset by endpoint; connections do not count.
func (w *world) wantCounts(discovery, versions, download int) {
	w.t.Helper()
	got := w.Counts()
	delete(got, registry.EndpointConnect)
	want := map[string]int{registry.EndpointDiscovery: discovery, registry.EndpointVersions: versions, registry.EndpointDownload: download}
	for endpoint, n := range want {
		if got[endpoint] != n {
			w.t.Errorf("%d %s requests, want %d", got[endpoint], endpoint, n)
		}
		delete(got, endpoint)
	}
	for endpoint, n := range got {
		if n > 0 {
			w.t.Errorf("%d %s requests, want none", n, endpoint)
		}
	}
}

// request makes a request from "source:constraint" entries.
func request(platforms []string, entries ...string) *manifest.Request {
	r := &manifest.Request{Schema: 1, Tool: "terraform", ToolVersion: "1.9.5", Platforms: platforms, Facts: map[string]json.RawMessage{}}
	for _, text := range entries {
		slash := strings.LastIndex(text, "/")
		source, version := text, (*string)(nil)
		if colon := strings.Index(text[slash+1:], ":"); colon >= 0 {
			constraint := text[slash+1+colon+1:]
			source, version = text[:slash+1+colon], &constraint
		}
		r.Providers = append(r.Providers, manifest.Entry{Source: source, Version: version})
	}
	return r
}

// facts returns the keys of a response's facts in order.
func factKeys(response *manifest.Response) []string {
	keys := []string{}
	for key := range response.Facts {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// encode returns the bytes of a response.
func encode(t testing.TB, response *manifest.Response) string {
	t.Helper()
	var b strings.Builder
	if err := response.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// wantError checks kind and parts of the text of an error.
func wantError(t testing.TB, got *manifest.Error, kind string, parts ...string) {
	t.Helper()
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
