package registry_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"rules_tf_mirror/tests/registry"
)

// reply is an answer that was read to its end, or to where it broke.
type reply struct {
	*http.Response
	body    []byte
	readErr error
}

// get asks without following redirects; header is name and value in turns. A transport error is returned, not fatal.
func get(t *testing.T, client *http.Client, url string, header ...string) (reply, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := c.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	body, readErr := io.ReadAll(res.Body)
	return reply{res, body, readErr}, nil
}

// mustGet is get that must be answered completely.
func mustGet(t *testing.T, client *http.Client, url string, header ...string) reply {
	t.Helper()
	r, err := get(t, client, url, header...)
	if err != nil {
		t.Fatal(err)
	}
	if r.readErr != nil {
		t.Fatalf("%s: %v", url, r.readErr)
	}
	return r
}

// wantStatus checks the status of a complete answer and gives its body.
func wantStatus(t *testing.T, client *http.Client, url string, status int, header ...string) []byte {
	t.Helper()
	r := mustGet(t, client, url, header...)
	if r.StatusCode != status {
		t.Errorf("%s: found status %d, wanted %d: %s", url, r.StatusCode, status, r.body)
	}
	return r.body
}

// downloadJSON is what clients need of a download answer.
type downloadJSON struct {
	Protocols    []string `json:"protocols"`
	OS           string   `json:"os"`
	Arch         string   `json:"arch"`
	Filename     string   `json:"filename"`
	DownloadURL  string   `json:"download_url"`
	Shasum       string   `json:"shasum"`
	ShasumsURL   string   `json:"shasums_url"`
	SignatureURL string   `json:"shasums_signature_url"`
	SigningKeys  struct {
		GPGPublicKeys []registry.OfferedKey `json:"gpg_public_keys"`
	} `json:"signing_keys"`
}

func decode[T any](t *testing.T, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return v
}

const acme = "registry.acme.dev"

// widget is a registry with acme/widget 1.4.0 for one platform.
func widget(t *testing.T) (*registry.Registry, *registry.Host, *registry.Version) {
	t.Helper()
	reg := registry.Start(t)
	h := reg.Host(acme)
	return reg, h, h.Provider("acme/widget").Version("1.4.0", registry.Platforms("linux_amd64"))
}

const (
	discoveryURL = "https://" + acme + "/.well-known/terraform.json"
	versionsURL  = "https://" + acme + "/v1/providers/acme/widget/versions"
	downloadURL  = "https://" + acme + "/v1/providers/acme/widget/1.4.0/download/linux/amd64"
)

// ask is the download answer for acme/widget.
func ask(t *testing.T, reg *registry.Registry) downloadJSON {
	t.Helper()
	return decode[downloadJSON](t, wantStatus(t, reg.HTTPClient(), downloadURL, http.StatusOK))
}
