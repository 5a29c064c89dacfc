package registry_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rules_tf_mirror/tests/registry"

	"github.com/google/go-cmp/cmp"
)

func TestVersionList(t *testing.T) {
	t.Parallel()
	reg, h, v := widget(t)
	p := h.Provider("acme/widget")
	list := func() string { return string(wantStatus(t, reg.HTTPClient(), versionsURL, 200)) }
	const one = `{"version":"1.4.0","protocols":["5.0"],"platforms":[{"os":"linux","arch":"amd64"}]}`
	if got, want := list(), `{"id":"acme/widget","versions":[`+one+`],"warnings":null}`; got != want {
		t.Errorf("found %s, wanted %s", got, want)
	}
	p.Version("1.4.0", registry.Platforms("darwin_arm64", "linux_amd64")).Protocols("5.1", "6.0")
	p.Version("2.0.0-beta1", nil)
	p.Warnings("old")
	want := `{"id":"acme/widget","versions":[` +
		`{"version":"1.4.0","protocols":["5.1","6.0"],"platforms":[{"os":"linux","arch":"amd64"},{"os":"darwin","arch":"arm64"}]},` +
		`{"version":"2.0.0-beta1","protocols":["5.0"],"platforms":[]}],"warnings":["old"]}`
	if got := list(); got != want {
		t.Errorf("found %s, wanted %s", got, want)
	}
	v.Unlist()
	if got := list(); strings.Contains(got, "1.4.0") {
		t.Errorf("found %s, wanted no 1.4.0", got)
	}
	wantStatus(t, reg.HTTPClient(), downloadURL, 200)
	// A07: lists of the real world.
	raw := `{"versions":[{"version":"v2.5.3-alpha1","platforms":null},{"version":"1.0.0"},{"version":"1.0.0"}]}`
	if p.ListRaw(raw); list() != raw {
		t.Errorf("found %s, wanted %s", list(), raw)
	}
	if p.ListRaw(""); !strings.Contains(list(), "2.0.0-beta1") {
		t.Errorf("found %s, wanted the list of versions", list())
	}
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	reg, _, v := widget(t)
	for _, url := range []string{
		"https://" + acme + "/", "https://" + acme + "/v1/providers/", "https://" + acme + "/v1/providers/acme/widget",
		strings.Replace(versionsURL, "widget", "gadget", 1),
		strings.Replace(versionsURL, "/acme/", "/ACME/", 1),
		strings.Replace(downloadURL, "1.4.0", "1.4.1", 1),
		strings.Replace(downloadURL, "amd64", "arm64", 1),
		strings.Replace(v.URL("linux_amd64"), "amd64", "arm64", 1),
		strings.Replace(v.URL("linux_amd64"), "terraform-provider-", "provider-", 1),
		strings.Replace(v.URL("linux_amd64"), "/packages/"+acme, "/packages/other.dev", 1),
		"https://releases." + acme + "/packages/x",
	} {
		if body := wantStatus(t, reg.HTTPClient(), url, 404); !bytes.Contains(body, []byte("Not Found")) {
			t.Errorf("%s: found %s", url, body)
		}
	}
	if n := reg.Count(registry.Filter{Status: 404}); n != 11 {
		t.Errorf("found %d in the log, wanted 11", n)
	}
	if n := reg.Count(registry.Filter{Endpoint: registry.EndpointDownload, Platform: "linux_arm64", Provider: acme + "/acme/widget"}); n != 1 {
		t.Errorf("found %d questions for the missing platform in the log, wanted 1", n)
	}
}

// What the answer says is what is served: hash, file name, sums, signature by the offered key (R-AUTH-1).
func TestDownload(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(*registry.Registry, *registry.Host){
		"own host for packages": func(*registry.Registry, *registry.Host) {},
		"same host":             func(_ *registry.Registry, h *registry.Host) { h.SetZipHost("") },
		"chosen host":           func(_ *registry.Registry, h *registry.Host) { h.SetZipHost("cdn.acme.dev") },
		"relative":              func(_ *registry.Registry, h *registry.Host) { h.SetRelativeURLs(true) },
		"plain":                 func(reg *registry.Registry, h *registry.Host) { h.SetZipBase(reg.PlainURL() + "/") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg, h, v := widget(t)
			v.Manifest()
			setup(reg, h)
			d := ask(t, reg)
			if name == "relative" {
				for _, u := range []*string{&d.DownloadURL, &d.ShasumsURL, &d.SignatureURL} {
					if !strings.HasPrefix(*u, "/packages/") {
						t.Errorf("found %s, wanted a relative URL", *u)
					}
					*u = "https://" + acme + *u
				}
			}
			const file = "terraform-provider-widget_1.4.0_linux_amd64.zip"
			if d.OS != "linux" || d.Arch != "amd64" || d.Filename != file || v.Filename("linux_amd64") != file || !slices.Equal(d.Protocols, []string{"5.0"}) {
				t.Errorf("found %+v", d)
			}
			data := wantStatus(t, reg.HTTPClient(), d.DownloadURL, 200)
			if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != d.Shasum || d.Shasum != v.SHA256("linux_amd64") {
				t.Errorf("the package's hash is %x, the answer's %s", sum, d.Shasum)
			}
			sums := string(wantStatus(t, reg.HTTPClient(), d.ShasumsURL, 200))
			lines := strings.Split(strings.TrimSuffix(sums, "\n"), "\n")
			if len(lines) != 2 || lines[0] != d.Shasum+"  "+file || !strings.HasSuffix(lines[1], "  terraform-provider-widget_1.4.0_manifest.json") {
				t.Errorf("sums: found %q", sums)
			}
			signature := wantStatus(t, reg.HTTPClient(), d.SignatureURL, 200)
			if err := verify(d.SigningKeys.GPGPublicKeys[0].ASCIIArmor, []byte(sums), signature); err != nil {
				t.Errorf("signature: %v", err)
			}
			if got := d.SigningKeys.GPGPublicKeys[0].KeyID; got != reg.DefaultKey().ID() {
				t.Errorf("found key %s, wanted %s", got, reg.DefaultKey().ID())
			}
			want := map[string]int{"download": 1, "zip": 1, "sums": 1, "signature": 1}
			got := reg.Counts()
			delete(got, "connect")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLies(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		lie   registry.Lie
		check func(t *testing.T, d, honest downloadJSON, zipHash, sums string) bool
	}{
		"shasum": {registry.Lie{WrongShasum: true}, func(_ *testing.T, d, honest downloadJSON, zipHash, sums string) bool {
			return d.Shasum != honest.Shasum && len(d.Shasum) == 64 && zipHash == honest.Shasum && strings.Contains(sums, zipHash)
		}},
		"sums": {registry.Lie{WrongSums: true}, func(_ *testing.T, d, honest downloadJSON, zipHash, sums string) bool {
			return d.Shasum == honest.Shasum && zipHash == d.Shasum && !strings.Contains(sums, zipHash) && strings.Contains(sums, d.Filename)
		}},
		"zip": {registry.Lie{WrongZip: true}, func(_ *testing.T, d, honest downloadJSON, zipHash, sums string) bool {
			return d.Shasum == honest.Shasum && zipHash != d.Shasum && strings.Contains(sums, d.Shasum)
		}},
		"platform": {registry.Lie{WrongPlatform: "windows_386"}, func(_ *testing.T, d, honest downloadJSON, _, _ string) bool {
			return d.OS == "windows" && d.Arch == "386" && d.Filename == honest.Filename
		}},
		"filename": {registry.Lie{Filename: "../x.zip"}, func(_ *testing.T, d, honest downloadJSON, zipHash, _ string) bool {
			return d.Filename == "../x.zip" && zipHash == honest.Shasum
		}},
		"protocols": {registry.Lie{Protocols: []string{"4.0"}}, func(_ *testing.T, d, _ downloadJSON, _, _ string) bool {
			return slices.Equal(d.Protocols, []string{"4.0"})
		}},
		"no keys": {registry.Lie{NoKeys: true}, func(_ *testing.T, d, _ downloadJSON, _, _ string) bool {
			return d.SigningKeys.GPGPublicKeys != nil && len(d.SigningKeys.GPGPublicKeys) == 0
		}},
		"fields": {registry.Lie{Fields: map[string]any{"protocols": nil, "os": "plan9"}}, func(_ *testing.T, d, _ downloadJSON, _, _ string) bool {
			return d.Protocols == nil && d.OS == "plan9"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg, h, v := widget(t)
			honest := ask(t, reg)
			v.LieAbout("linux_amd64", tc.lie)
			h.Provider("acme/widget").Version("1.4.0", registry.Platforms("darwin_arm64"))
			d := ask(t, reg)
			sum := sha256.Sum256(wantStatus(t, reg.HTTPClient(), v.URL("linux_amd64"), 200))
			sums := wantStatus(t, reg.HTTPClient(), d.ShasumsURL, 200)
			if !tc.check(t, d, honest, hex.EncodeToString(sum[:]), string(sums)) {
				t.Errorf("found %+v, package %x, sums %s", d, sum, sums)
			}
			other := decode[downloadJSON](t, wantStatus(t, reg.HTTPClient(), strings.Replace(downloadURL, "linux/amd64", "darwin/arm64", 1), 200))
			if other.Shasum != v.SHA256("darwin_arm64") || other.OS != "darwin" || len(other.SigningKeys.GPGPublicKeys) != 1 {
				t.Errorf("the other platform lies too: %+v", other)
			}
		})
	}
}

func TestLieURLsAndBody(t *testing.T) {
	t.Parallel()
	reg, _, v := widget(t)
	v.Lie(registry.Lie{DownloadURL: "ftp://a/b", ShasumsURL: "c", SignatureURL: "d"})
	if d := ask(t, reg); d.DownloadURL != "ftp://a/b" || d.ShasumsURL != "c" || d.SignatureURL != "d" {
		t.Errorf("found %+v", d)
	}
	v.Lie(registry.Lie{Body: "null"})
	if got := wantStatus(t, reg.HTTPClient(), downloadURL, 200); string(got) != "null" {
		t.Errorf("found %s, wanted null", got)
	}
}

func TestSumsAndSignatureRaw(t *testing.T) {
	t.Parallel()
	reg, _, v := widget(t)
	d := ask(t, reg)
	v.SetSums([]byte("x\r\n"))
	if got := wantStatus(t, reg.HTTPClient(), d.ShasumsURL, 200); string(got) != "x\r\n" {
		t.Errorf("found %q", got)
	}
	signature := wantStatus(t, reg.HTTPClient(), d.SignatureURL, 200)
	if err := verify(d.SigningKeys.GPGPublicKeys[0].ASCIIArmor, []byte("x\r\n"), signature); err != nil {
		t.Errorf("the raw sums are not signed as they are: %v", err)
	}
	v.SetSignature([]byte{}).SetSums(nil).SumsLine("extra")
	if got := wantStatus(t, reg.HTTPClient(), d.SignatureURL, 200); len(got) != 0 {
		t.Errorf("found %q, wanted an empty signature", got)
	}
	want := fmt.Sprintf("%s  %s\nextra\n", d.Shasum, d.Filename)
	if got := wantStatus(t, reg.HTTPClient(), d.ShasumsURL, 200); string(got) != want {
		t.Errorf("found %q, wanted %q", got, want)
	}
}
