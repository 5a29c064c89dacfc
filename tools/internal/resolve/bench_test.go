package resolve_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/resolve"
)

// latency is what every request of the benchmark takes at the registry.
const latency = 50 * time.Millisecond

// manifestOf11 is the manifest of the project's closing notes: 11 providers, 6 of them constrained, on 4 platforms.
func manifestOf11(w *world, host string) *manifest.Request {
	var entries []string
	for i := range 11 {
		p := w.Host(host).Provider(fmt.Sprintf("acme/p%d", i))
		for _, v := range []string{"1.0.0", "1.1.0", "2.0.0"} {
			p.Version(v, fourPlatforms)
		}
		constraint := "1.1.0"
		if i < 6 {
			constraint = "~> 1.0"
		}
		entries = append(entries, fmt.Sprintf("%s/acme/p%d:%s", host, i, constraint))
	}
	return request(fourPlatforms, entries...)
}

// BenchmarkResolve reports requests and rounds (time in units of the latency) of a process that starts without connections: on a default
// host, on a host that must be discovered, and with the facts of an earlier answer.
func BenchmarkResolve(b *testing.B) {
	for _, test := range []struct {
		name, host string
		warm       bool
	}{
		{"default_host", tfHost, false},
		{"discovered_host", "registry.acme.dev", false},
		{"with_facts", tfHost, true},
	} {
		b.Run(test.name, func(b *testing.B) {
			w := newWorld(b)
			q := manifestOf11(w, test.host)
			if err := w.Prepare(); err != nil {
				b.Fatal(err)
			}
			if test.warm {
				q.Facts = w.resolve(q).Facts
			}
			w.Host(test.host).SetLatency(latency)
			w.Reset()
			for b.Loop() {
				response, err := resolve.Run(context.Background(), w.client(q), q)
				if err != nil {
					b.Fatal(err)
				}
				for _, p := range response.Providers {
					if p.Error != nil || len(p.Packages) != 4 {
						b.Fatalf("%+v", p)
					}
				}
			}
			n := float64(b.N)
			b.ReportMetric(float64(w.Count(registry.Filter{NotEndpoint: registry.EndpointConnect}))/n, "requests/op")
			b.ReportMetric(float64(w.Count(registry.Filter{Endpoint: registry.EndpointConnect}))/n, "connections/op")
			b.ReportMetric(b.Elapsed().Seconds()/n/latency.Seconds(), "rounds/op")
		})
	}
}

// TestManifestOf11 asserts the counts that the benchmark reports.
func TestManifestOf11(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q := manifestOf11(w, tfHost)
	q.Facts = w.resolve(q).Facts
	w.wantCounts(0, 6, 44)
	w.Reset()
	w.resolve(q)
	w.wantCounts(0, 0, 0)
}
