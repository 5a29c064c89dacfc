package resolve_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/resolve"
)

// sharedClock moves when somebody sleeps, to the time at which that sleep ends.
type sharedClock struct {
	mu   sync.Mutex
	time time.Time
}

func newSharedClock() *sharedClock {
	return &sharedClock{time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

func (c *sharedClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *sharedClock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.time = c.time.Add(d)
	return ctx.Err()
}

// newClockWorld is a world in which the registry and the client share a clock that only sleeping moves.
func newClockWorld(t testing.TB) *world {
	t.Helper()
	c := newSharedClock()
	r, err := registry.New(registry.Options{Dir: t.TempDir(), Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return &world{Registry: r, t: t, now: c.now, sleep: c.sleep}
}

// TestThrottled is B29: 40 providers on 5 platforms finish against a host that allows 30 requests per second, and every question is
// answered exactly once.
func TestThrottled(t *testing.T) {
	t.Parallel()
	w := newClockWorld(t)
	h := w.Host("registry.acme.dev").Throttle(30)
	five := append(registry.Platforms("windows_arm64"), fourPlatforms...)
	var entries []string
	for i := range 40 {
		h.Provider(fmt.Sprintf("acme/p%d", i)).Version("1.0.0", five)
		entries = append(entries, fmt.Sprintf("registry.acme.dev/acme/p%d:~> 1.0", i))
	}
	response := w.resolve(request(five, entries...))
	for _, p := range response.Providers {
		for platform, answer := range p.Packages {
			if answer.Error != nil {
				t.Errorf("%s %s: %s", p.Source, platform, answer.Error.Message)
			}
		}
		if p.Error != nil || len(p.Packages) != 5 {
			t.Errorf("%s: %+v", p.Source, p.Error)
		}
	}
	for endpoint, want := range map[string]int{registry.EndpointDiscovery: 1, registry.EndpointVersions: 40, registry.EndpointDownload: 200} {
		if got := w.Count(registry.Filter{Endpoint: endpoint, Status: 200}); got != want {
			t.Errorf("%d answered %s requests, want %d", got, endpoint, want)
		}
	}
	t.Logf("%d requests were turned away", w.Count(registry.Filter{Status: 429}))
}

// TestThrottledForEver is B30, and that another host is not held up.
func TestThrottledForEver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.Host("registry.acme.dev")
	h.Provider("acme/widget").Version("1.4.0", fourPlatforms)
	h.Fail(registry.EndpointVersions, registry.Fault{Status: 429, RetryAfter: "1"})
	w.Host(tfHost).Provider("hashicorp/random").Version("3.3.2", fourPlatforms)
	response := w.resolve(request(fourPlatforms, "registry.acme.dev/acme/widget:~> 1.0", "hashicorp/random:3.3.2"))
	wantError(t, response.Providers[0].Error, "network", "throttled", "registry.acme.dev", "tried 4 times")
	if p := response.Providers[1]; p.Error != nil || len(p.Packages) != 4 {
		t.Errorf("the other host is held up: %+v", p)
	}
	w.wantCounts(1, 4, 4)
}

// TestEphemeral is design §3.5 and B06: what works once is nowhere in the response, and the whole URL is with the client only.
func TestEphemeral(t *testing.T) {
	t.Parallel()
	for kind, stripped := range map[registry.EphemeralKind]string{
		registry.EphemeralQuery:   "https://releases.registry.acme.dev/",
		registry.EphemeralOnce:    "https://releases.registry.acme.dev/",
		registry.EphemeralPath:    "https://releases.registry.acme.dev/_archivist/v1/object/",
		registry.EphemeralSegment: "https://releases.registry.acme.dev/objects/",
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Host("registry.acme.dev").Provider("acme/widget").Version("1.4.0", fourPlatforms).Ephemeral(kind, 0)
			q := request(fourPlatforms, "registry.acme.dev/acme/widget:1.4.0")
			client := w.client(q)
			response, err := resolve.Run(context.Background(), client, q)
			if err != nil {
				t.Fatal(err)
			}
			text := encode(t, response)
			for platform, p := range response.Providers[0].Packages {
				if !p.Ephemeral || !strings.HasPrefix(p.DownloadURL, stripped) || strings.Contains(p.DownloadURL, "?") {
					t.Errorf("%s: %+v, want an ephemeral one at %s", platform, p, stripped)
				}
			}
			for _, platform := range q.PlatformList() {
				key := "package/registry.acme.dev/acme/widget/1.4.0/" + platform.String()
				if fact := string(response.Facts[key]); !strings.Contains(fact, `"ephemeral":true`) {
					t.Errorf("fact %s", fact)
				}
			}
			if strings.Contains(text, "Signature") || longRun(text) > 100 {
				t.Errorf("a secret is in the response:\n%s", text)
			}
			q.Facts = response.Facts
			w.Reset()
			if again := w.resolve(q); len(w.Requests()) != 0 || encode(t, again) != text {
				t.Error("the recorded facts do not answer")
			}
		})
	}
}

// longRun returns the length of the longest run of hex digits.
func longRun(text string) int {
	longest, run := 0, 0
	for _, r := range text {
		if strings.ContainsRune("0123456789abcdef", r) {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

// TestRelativeURLs is B15: relative answers become absolute facts.
func TestRelativeURLs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.Host("registry.acme.dev").SetRelativeURLs(true)
	h.Provider("acme/widget").Version("1.4.0", fourPlatforms)
	for platform, p := range w.resolve(request(fourPlatforms, "registry.acme.dev/acme/widget:1.4.0")).Providers[0].Packages {
		if !strings.HasPrefix(p.DownloadURL, "https://registry.acme.dev/") {
			t.Errorf("%s: %q", platform, p.DownloadURL)
		}
	}
}

// TestNoDefaultHost is B19: an air-gapped site with a registry of its own never asks the default hosts.
func TestNoDefaultHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Host("artifactory.example.com").Provider("acme/widget").Version("1.4.0", fourPlatforms)
	response := w.resolve(request(fourPlatforms, "artifactory.example.com/acme/widget:1.4.0", "artifactory.example.com/acme/widget"))
	for _, p := range response.Providers {
		if p.Error != nil || len(p.Packages) != 4 {
			t.Errorf("%+v", p)
		}
	}
	for _, r := range w.Requests() {
		if !strings.Contains(r.Host+r.Path, "artifactory.example.com") {
			t.Errorf("request to %s %s", r.Host, r.Path)
		}
	}
}

// TestProtocolOfPlatforms is R-REG-12 and R-REG-14: an unsupported protocol is the platform's error, for one more list at most.
func TestProtocolOfPlatforms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Host(tfHost).Provider("acme/old")
	p.Version("1.0.0", fourPlatforms).Protocols("4.0")
	p.Version("2.0.0", fourPlatforms).Protocols("5.0")
	response := w.resolve(request(fourPlatforms, "acme/old:1.0.0"))
	if row := response.Providers[0]; row.Error != nil || row.Version != "1.0.0" {
		t.Errorf("%+v", row)
	}
	for _, answer := range response.Providers[0].Packages {
		wantError(t, answer.Error, "protocol", "4.0", "2.0.0")
	}
	w.wantCounts(0, 1, 4)
	if len(response.Facts) != 0 {
		t.Errorf("facts %v", factKeys(response))
	}
}

// TestCancelled: a cancelled run has no response.
func TestCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Host(tfHost).Provider("acme/x").Fail("", registry.Fault{Hang: true})
	q := request(fourPlatforms, "acme/x:1.0.0", "acme/x:~> 1.0")
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		_ = w.WaitCount(ctx, registry.Filter{NotEndpoint: registry.EndpointConnect}, 5)
		cancel(stop)
	}()
	response, err := resolve.Run(ctx, w.client(q), q)
	if response != nil || !errors.Is(err, stop) {
		t.Errorf("Run = %v, %v, want the cause", response, err)
	}
}
