package fetch

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/problem"
)

func errorOf(kind problem.Kind) *manifest.Error {
	return &manifest.Error{Kind: kind, Message: string(kind)}
}

// Addresses that expire or work once: without facts the registry's answer of this run is used, with a fact it is asked again, and the
// recorded address is never requested (design §3.5).
func TestEphemeral(t *testing.T) {
	t.Parallel()
	for _, kind := range []fixture.EphemeralKind{fixture.EphemeralQuery, fixture.EphemeralPath, fixture.EphemeralSegment, fixture.EphemeralOnce} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			v := b.widget("1.4.0", "linux_amd64").Ephemeral(kind, 0)
			r := request("linux_amd64", widget+":1.4.0")
			dir := t.TempDir()
			wantStatus(t, b.run(r, b.cache(dir)), "linux_amd64 fetched")
			b.wantCounts(0, 1, 1)
			b.fact(r, "package/"+widget+"/1.4.0/linux_amd64", `{"download_url": "https://`+host+`/recorded", "ephemeral": true, `+
				`"filename": "terraform-provider-widget_1.4.0_linux_amd64.zip", "sha256": "`+v.SHA256("linux_amd64")+`"}`)
			wantStatus(t, b.run(r, b.cache(dir)), "linux_amd64 cached")
			b.wantCounts(0, 0, 0)
			b.reg.ExpireURLs()
			report := b.run(r, b.cache(t.TempDir()))
			wantStatus(t, report, "linux_amd64 fetched")
			if n := b.count(fixture.EndpointDiscovery); n != 1 {
				t.Errorf("%d requests for discovery; the guide says one a package", n)
			}
			if n := b.reg.Count(fixture.Filter{Path: "/recorded"}); n != 0 {
				t.Errorf("the recorded address was requested %d times", n)
			}
			b.wantCounts(0, 1, 1)
		})
	}
}

// B04, B05: 403, 404 or 410 for a recorded address has the registry asked once; what it names now is fetched if the content is the same.
func TestStaleAddress(t *testing.T) {
	t.Parallel()
	for _, status := range []int{403, 404, 410} {
		b := newBench(t)
		v := b.widget("1.4.0", "linux_amd64")
		b.reg.Host("old.acme.dev").Fail("", fixture.Fault{Status: status})
		r := request("linux_amd64", widget+":1.4.0")
		b.fact(r, "package/"+widget+"/1.4.0/linux_amd64", `{"download_url": "https://old.acme.dev/p.zip", `+
			`"filename": "terraform-provider-widget_1.4.0_linux_amd64.zip", "sha256": "`+v.SHA256("linux_amd64")+`"}`)
		wantStatus(t, b.run(r, b.cache(t.TempDir())), "linux_amd64 fetched")
		b.wantCounts(0, 1, 1)
	}
}

// The registry names other content by now, or none: refused, and nothing is downloaded.
func TestContentChanged(t *testing.T) {
	t.Parallel()
	recorded := strings.Repeat("ab", 32)
	for name, ephemeral := range map[string]string{"recorded address is dead": "false", "recorded address is ephemeral": "true"} {
		for _, gone := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				b.widget("1.4.0", "darwin_arm64")
				if !gone {
					b.widget("1.4.0", "linux_amd64")
				}
				b.reg.Host("old.acme.dev").Fail("", fixture.Fault{Status: 404})
				r := request("linux_amd64", widget+":1.4.0")
				b.fact(r, "package/"+widget+"/1.4.0/linux_amd64", `{"download_url": "https://old.acme.dev/p.zip", "ephemeral": `+ephemeral+`, `+
					`"filename": "terraform-provider-widget_1.4.0_linux_amd64.zip", "sha256": "`+recorded+`"}`)
				report := b.run(r, b.cache(t.TempDir()))
				wantStatus(t, report, "linux_amd64 failed content_changed")
				b.wantCounts(0, 1, 0)
				if !strings.Contains(report.Errors()[0], recorded) || report.Outcome() != Refused {
					t.Errorf("outcome %v, message %q", report.Outcome(), report.Errors()[0])
				}
			})
		}
	}
}

// One question, not two: an address that is refused again ends it. The secret of the address is in no message.
func TestStaleForEver(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.widget("1.4.0", "linux_amd64").Ephemeral(fixture.EphemeralQuery, 0)
	b.reg.Host(zipHost).Fail(fixture.EndpointZip, fixture.Fault{Status: 403})
	report := b.run(request("linux_amd64", widget+":1.4.0"), b.cache(t.TempDir()))
	wantStatus(t, report, "linux_amd64 failed unauthorized")
	b.wantCounts(0, 2, 2)
	if text := report.Errors()[0]; strings.Contains(text, "Signature") || strings.Contains(text, "?") {
		t.Errorf("message shows the query: %s", text)
	}
}

// F14, B02: the registry's token stays with the registry, whatever host the package is on; a netrc entry serves that hop (R-CRED-18),
// and not the host that a redirect leads to (B05, F16).
func TestTokensAndRedirects(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.widget("1.4.0", "linux_amd64")
	b.reg.Host(host).RequireToken("s3cret")
	b.env["TF_TOKEN_registry_acme_dev"] = "s3cret"
	b.reg.Host(zipHost).Fail(fixture.EndpointZip, fixture.Fault{Redirect: "https://cdn.acme.dev{path}"})
	b.reg.Host("cdn.acme.dev")
	b.env["NETRC"] = filepath.Join(t.TempDir(), "netrc")
	writeFile(t, b.env["NETRC"], "machine "+zipHost+" login me password s3cret\n")
	wantStatus(t, b.run(request("linux_amd64", widget+":1.4.0"), b.cache(t.TempDir())), "linux_amd64 fetched")
	sent := map[string]bool{}
	for _, r := range b.reg.Select(fixture.Filter{NotEndpoint: fixture.EndpointConnect}) {
		sent[r.Host] = sent[r.Host] || r.HasAuthorization
	}
	if want := map[string]bool{host: true, zipHost: true, "cdn.acme.dev": false}; !maps.Equal(sent, want) {
		t.Errorf("credentials sent: %v, want %v", sent, want)
	}
}

// B02: an archive host that wants credentials and gets none: the message says which request lacked them.
func TestArchiveHostWantsCredentials(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.widget("1.4.0", "linux_amd64")
	b.reg.Host(host).RequireToken("s3cret")
	b.reg.Host(zipHost).RequireBasic("me", "s3cret")
	b.env["TF_TOKEN_registry_acme_dev"] = "s3cret"
	report := b.run(request("linux_amd64", widget+":1.4.0"), b.cache(t.TempDir()))
	wantStatus(t, report, "linux_amd64 failed unauthorized")
	b.wantCounts(0, 1, 1)
	if text := report.Errors()[0]; !strings.Contains(text, "machine "+zipHost) || strings.Contains(text, "s3cret") {
		t.Errorf("message %q", text)
	}
}
