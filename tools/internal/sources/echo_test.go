package sources_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/platforms"
)

const echoed = "s3cret-t0ken/value"

// A registry that repeats the token that it was sent, wherever it can: nothing of what leaves the process has it, as it is or percent-encoded.
func TestEchoedToken(t *testing.T) {
	t.Parallel()
	escaped := url.PathEscape(echoed)
	every := strings.ToUpper("%73%33") + url.PathEscape(echoed[2:]) // other characters encoded than need be
	lie := func(l fixture.Lie) func(*world) { return func(w *world) { w.v2.Lie(l) } }
	list := func(body string) func(*world) {
		return func(w *world) { w.widget.ListRaw(strings.ReplaceAll(body, "TOKEN", echoed)) }
	}
	fault := func(endpoint string, f fixture.Fault) func(*world) {
		return func(w *world) { w.widget.Fail(endpoint, f) }
	}
	base := "https://releases." + acme + "/"
	for name, c := range map[string]struct {
		set  func(*world)
		kind string // of the error; empty: answered
		want string // recorded download_url, or a part of the message
	}{
		"URL, segment":          {lie(fixture.Lie{DownloadURL: base + "dl/" + every + "/a.zip"}), "", base + "dl/"},
		"URL, query":            {lie(fixture.Lie{DownloadURL: base + "a.zip?token=" + url.QueryEscape(echoed)}), "", base + "a.zip"},
		"URL, two segments":     {lie(fixture.Lie{DownloadURL: base + echoed + "/a.zip"}), "response", "repeats the token"},
		"URL, user":             {lie(fixture.Lie{DownloadURL: "https://" + escaped + "@" + acme + "/a.zip"}), "response", "user name or password"},
		"URL, scheme":           {lie(fixture.Lie{DownloadURL: "s3cret-t0ken.value:x"}), "response", "scheme"},
		"URL, base64":           {lie(fixture.Lie{DownloadURL: base + "dl/" + base64.RawURLEncoding.EncodeToString([]byte("me:"+echoed)) + "/a.zip"}), "", base + "dl/"},
		"URL, host":             {lie(fixture.Lie{DownloadURL: "https://" + hex.EncodeToString([]byte(echoed)) + ".acme.dev/a.zip"}), "response", "repeats the token"},
		"URL, scheme, capitals": {lie(fixture.Lie{DownloadURL: "S3CRET-T0KEN.value:x"}), "response", "scheme"},
		"filename":              {lie(fixture.Lie{Filename: echoed + ".zip"}), "response", `"(token).zip"`},
		"shasum":                {lie(fixture.Lie{Fields: map[string]any{"shasum": echoed}}), "response", `"(token)"`},
		"os":                    {lie(fixture.Lie{WrongPlatform: echoed + "_" + echoed}), "response", `"(token)"`},
		"protocols, no version": {lie(fixture.Lie{Protocols: []string{echoed}}), "response", `"(token)"`},
		"signing keys": {lie(fixture.Lie{Fields: map[string]any{"signing_keys": map[string]any{"gpg_public_keys": []any{map[string]any{
			"key_id": "1", "ascii_armor": "x", "source": echoed}}}}}), "response", "repeats the token"},
		"version":             {list(`{"versions":[{"version":"TOKEN"},{"version":"1.2.0"}]}`), "", ""},
		"warning":             {list(`{"versions":[{"version":"1.2.0"}],"warnings":["use TOKEN here"]}`), "", ""},
		"field":               {list(`{"versions":"TOKEN"}`), "response", "no array"},
		"refusal":             {fault(fixture.EndpointDownload, fixture.Fault{Status: 403, Body: []byte("bad token " + escaped)}), "unauthorized", "bad token (token)"},
		"refusal, base64":     {fault(fixture.EndpointDownload, fixture.Fault{Status: 403, Body: []byte("bad " + base64.StdEncoding.EncodeToString([]byte(echoed)))}), "unauthorized", "bad (token)"},
		"redirect, scheme":    {fault(fixture.EndpointDownload, fixture.Fault{Redirect: "s3cret-t0ken:" + echoed}), "network", "redirects"},
		"redirect, not found": {fault(fixture.EndpointDownload, fixture.Fault{Redirect: base + every}), "", ""},
		"service URL": {func(w *world) {
			w.Host(acme).SetDiscovery(http.StatusOK, "application/json", `{"providers.v1":"/v1/`+echoed+`/"}`)
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.environ = append(w.environ, "TF_TOKEN_registry_acme_dev="+echoed)
			c.set(w)
			r := request(source + ":>= 1.2.0")
			r.Platforms = []string{linux, "darwin_arm64"}
			response := w.resolve(r)
			var out strings.Builder
			if err := response.Encode(&out); err != nil {
				t.Fatal(err)
			}
			for _, form := range []string{echoed, "t0ken/value", escaped, every, url.QueryEscape(echoed),
				strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(echoed)), "="), hex.EncodeToString([]byte(echoed))} {
				if strings.Contains(out.String(), form) {
					t.Errorf("the response holds %q: %s", form, &out)
				}
			}
			row := only(t, response)
			switch {
			case c.kind != "":
				wantError(t, row, c.kind, c.want)
				for _, key := range factKeys(response) {
					if strings.HasPrefix(key, "package/") {
						t.Errorf("there is a fact %s", key)
					}
				}
			case c.want != "":
				if pkg := wantAnswer(t, row, "1.2.0", w.v2.SHA256(linux)); pkg.DownloadURL != c.want || !pkg.Ephemeral {
					t.Errorf("recorded %s, ephemeral %v; want %s", pkg.DownloadURL, pkg.Ephemeral, c.want)
				}
			}
		})
	}
}

// The address that is requested is the whole one, so that such a package can be fetched all the same.
func TestEchoedTokenIsRequested(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "TF_TOKEN_registry_acme_dev="+echoed)
	whole := "https://releases." + acme + "/" + url.PathEscape(echoed) + "/a.zip"
	w.v2.Lie(fixture.Lie{DownloadURL: whole})
	r := request(source + ":1.2.0")
	p, err := addrs.Parse(source, r.Tool)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := w.set(r).Download(context.Background(), p, "1.2.0", platforms.Platform{OS: "linux", Arch: "amd64"})
	if err != nil || pkg.Location.Reveal() != whole {
		t.Errorf("location %s, error %v", pkg.Location.Reveal(), err)
	}
}

// The same of a network mirror, which has its own token.
func TestEchoedMirrorToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "TF_TOKEN_mirror_acme_dev="+echoed)
	w.Host("mirror.acme.dev").Fail("", fixture.Fault{Status: 403, Body: []byte(echoed)})
	response := w.resolve(from([]manifest.Source{network("https://mirror.acme.dev/p/")}, source+":1.2.0"))
	wantError(t, only(t, response), "unauthorized", "(token)")
	var out strings.Builder
	if err := response.Encode(&out); err != nil || strings.Contains(out.String(), echoed) {
		t.Errorf("the response holds the token: %s, %v", &out, err)
	}
}

// A token with the line break of the file that it was read from is the user's to repair: the error names the variable, not the request.
func TestTokenWithLineBreak(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "TF_TOKEN_registry_acme_dev="+echoed+"\n")
	row := only(t, w.resolve(request(source+":1.2.0")))
	wantError(t, row, "credentials", "TF_TOKEN_registry_acme_dev", "line break")
	if row.Error != nil && strings.Contains(row.Error.Message, echoed) {
		t.Error(row.Error.Message)
	}
}
