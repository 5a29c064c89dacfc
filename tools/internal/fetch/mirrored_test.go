package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/cliconfig"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/resolve"
	"rules_tf_mirror/tools/internal/sources"
	"rules_tf_mirror/tools/internal/transport"
)

// fetchFrom fetches into a repository cache with the sources of the request.
func (b *bench) fetchFrom(r *manifest.Request, cache string) *Report {
	b.t.Helper()
	roundTripper := b.reg.HTTPClient().Transport
	getenv := func(string) string { return "" }
	client := download.New(download.Options{RoundTripper: roundTripper, Getenv: getenv})
	sink := b.cache(cache)
	report, err := Run(b.t.Context(), Options{
		Request: r,
		Registry: func() resolve.Registry {
			return sources.New(sources.Options{
				Request: r, Config: func() *cliconfig.Config { return cliconfig.Load(r.Tool, cliconfig.ThisSystem(nil)) },
				Transport: transport.New(transport.Options{RoundTripper: roundTripper}), Download: client, Getenv: getenv,
			})
		},
		Download: client,
		Sink:     sink,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	if err := sink.Close(); err != nil {
		b.t.Error(err)
	}
	return report
}

// TestFilesystemMirror: a package of a filesystem mirror gets into the cache from its file, recorded or not, and other content than recorded does
// not (design §3.7).
func TestFilesystemMirror(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	root, cache := t.TempDir(), t.TempDir()
	const name = widget + "/terraform-provider-widget_1.0.0_linux_amd64.zip"
	zip := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(zip), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(zip, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a package")
	sum := sha256.Sum256([]byte("a package"))
	hash := hex.EncodeToString(sum[:])
	r := request("linux_amd64", widget+":1.0.0")
	r.Sources = []manifest.Source{{Kind: "filesystem_mirror", Path: root}}
	report := b.fetchFrom(r, cache)
	if row := report.Rows[0]; row.Status != Fetched || row.SHA256 != hash || row.Bytes != int64(len("a package")) {
		t.Errorf("row %+v", row)
	}
	if data, err := os.ReadFile(report.Rows[0].Path); err != nil || string(data) != "a package" {
		t.Errorf("the cache holds %q, %v", data, err)
	}
	b.fact(r, "package/"+widget+"/1.0.0/linux_amd64", `{"mirror":"`+name+`","sha256":"`+hash+`"}`)
	if row := b.fetchFrom(r, cache).Rows[0]; row.Status != Cached {
		t.Errorf("row %+v, want cached", row)
	}
	write("another package")
	row := b.fetchFrom(r, t.TempDir()).Rows[0]
	if row.Error == nil || row.Error.Kind != "content_changed" || !strings.Contains(row.Error.Message, hash) {
		t.Errorf("row %+v %+v, want content_changed", row, row.Error)
	}
	if n := len(b.reg.Requests()); n != 0 {
		t.Errorf("%d requests, want none", n)
	}
}

// TestNetworkMirror: packages come from the mirror, and nothing reaches the provider's own host (B17); a link with a query is asked for again.
func TestNetworkMirror(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	v := b.widget("1.0.0", "linux_amd64")
	m := b.reg.Host("mirror.example").Mirror("/m/", b.reg.Host(host).Provider("acme/widget"))
	m.Location(func(v *fixture.Version, platform string) string { return v.Path(platform) + "?sig=s3cret" })
	b.reg.Host(host).SetDown(true)
	b.reg.Host(zipHost).SetDown(true)
	r := request("linux_amd64", widget+":1.0.0")
	r.Sources = []manifest.Source{{Kind: "network_mirror", URL: m.URL()}}
	b.fact(r, "package/"+widget+"/1.0.0/linux_amd64", `{"download_url":"https://mirror.example`+v.Path("linux_amd64")+`","filename":"`+v.Filename("linux_amd64")+
		`","sha256":"`+v.SHA256("linux_amd64")+`","ephemeral":true}`)
	if row := b.fetchFrom(r, t.TempDir()).Rows[0]; row.Status != Fetched {
		t.Errorf("row %+v %+v", row, row.Error)
	}
	for endpoint, want := range map[string]int{fixture.EndpointArchives: 1, fixture.EndpointZip: 1, fixture.EndpointIndex: 0} {
		if got := b.count(endpoint); got != want {
			t.Errorf("%d %s requests, want %d", got, endpoint, want)
		}
	}
	for _, request := range b.reg.Requests() {
		if request.Host != "mirror.example" && !strings.HasPrefix(request.Path, "mirror.example:") {
			t.Errorf("a request to %s %s", request.Host, request.Path)
		}
	}
}
