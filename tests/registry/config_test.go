package registry_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"rules_tf_mirror/tests/registry"
)

const fullConfig = `{"hosts": {
  "registry.acme.dev": {
    "latency_ms": 1, "throttle": 1000, "token": "s3cret", "zip_host": "cdn.acme.dev", "http1_only": true,
    "faults": [{"endpoint": "discovery", "times": 1, "status": 503, "retry_after": "1"}],
    "providers": {"acme/widget": {
      "warnings": ["old"],
      "faults": [{"endpoint": "versions", "times": 1, "body": "<html>", "content_type": "text/html"}],
      "versions": {
        "1.4.0": {"platforms": ["linux_amd64"], "size": 9000, "salt": "s", "protocols": ["6.0"], "manifest": true,
                  "files": [{"name": "BUILD", "mode": "0600", "content": "x"}], "ephemeral": "query", "ephemeral_ttl_ms": 60000},
        "1.5.0": {"platforms": ["linux_amd64"], "unlisted": true, "lie": {"wrong_platform": "windows_386"}}}}}},
  "cdn.acme.dev": {"zip_user": "ned", "zip_password": "pw"},
  "dead.dev": {"down": true}}}`

func TestConfig(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t)
	c, err := registry.ReadConfig(strings.NewReader(fullConfig))
	if err != nil {
		t.Fatal(err)
	}
	if err := reg.Apply(c); err != nil {
		t.Fatal(err)
	}
	client := reg.HTTPClient()
	token := []string{"Authorization", "Bearer s3cret"}
	if r := mustGet(t, client, discoveryURL); r.StatusCode != 503 || r.Header.Get("Retry-After") != "1" || r.Proto != "HTTP/1.1" {
		t.Errorf("discovery: found %d, %q, %s", r.StatusCode, r.Header.Get("Retry-After"), r.Proto)
	}
	wantStatus(t, client, discoveryURL, 200)
	if got := wantStatus(t, client, versionsURL, 200, token...); string(got) != "<html>" {
		t.Errorf("versions: found %s", got)
	}
	wantStatus(t, client, versionsURL, 401)
	list := string(wantStatus(t, client, versionsURL, 200, token...))
	if !strings.Contains(list, `"6.0"`) || strings.Contains(list, "1.5.0") || !strings.Contains(list, `"warnings":["old"]`) {
		t.Errorf("versions: found %s", list)
	}
	d := decode[downloadJSON](t, wantStatus(t, client, downloadURL, 200, token...))
	if !strings.HasPrefix(d.DownloadURL, "https://cdn.acme.dev/") || !strings.Contains(d.DownloadURL, "?") {
		t.Errorf("found %s", d.DownloadURL)
	}
	wantStatus(t, client, d.DownloadURL, 401)
	data := wantStatus(t, client, d.DownloadURL, 200, "Authorization", "Basic bmVkOnB3")
	if f := open(t, data)["BUILD"]; f == nil || f.Mode() != 0o600 || len(data) < 9000 {
		t.Errorf("found %v in %d bytes", f, len(data))
	}
	if sums := wantStatus(t, client, d.ShasumsURL, 200); bytes.Count(sums, []byte("\n")) != 2 {
		t.Errorf("sums: found %s", sums)
	}
	lie := decode[downloadJSON](t, wantStatus(t, client, strings.Replace(downloadURL, "1.4.0", "1.5.0", 1), 200, token...))
	if lie.OS != "windows" {
		t.Errorf("found %+v", lie)
	}
	if _, err := get(t, client, "https://dead.dev/"); err == nil {
		t.Error("the dead host answers")
	}
}

func TestConfigErrors(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t)
	for text, want := range map[string]string{
		`{"host": {}}`: "unknown field",
		`{} {}`:        "behind the object",
		`{`:            "unexpected EOF",
		`{"hosts": {"a": {"faults": [{"endpoint": "zips"}]}}}`:                                                                              `"zips"`,
		`{"hosts": {"a": {"providers": {"x": {}}}}}`:                                                                                        "namespace/type",
		`{"hosts": {"a": {"providers": {"x/y": {"faults": [{"endpoint": "v"}]}}}}}`:                                                         `"v"`,
		`{"hosts": {"a": {"providers": {"x/y": {"versions": {"1.0.0": {"ephemeral": "x"}}}}}}}`:                                             `"x"`,
		`{"hosts": {"a": {"providers": {"x/y": {"versions": {"1.0.0": {"raw_files": {"p_q": "f"}}}}}}}}`:                                    "p_q",
		`{"hosts": {"a": {"providers": {"x/y": {"versions": {"1.0.0": {"files": [{"name": "f", "mode": "9"}]}}}}}}}`:                        "octal",
		`{"hosts": {"b": {"providers": {"x/y": {"versions": {"1.0.0": {"platforms": ["p_q"], "raw_files": {"p_q": "/nonexistent/z"}}}}}}}}`: "/nonexistent/z",
	} {
		c, err := registry.ReadConfig(strings.NewReader(text))
		if err == nil {
			err = reg.Apply(c)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, wanted an error with %s", text, err, want)
		}
	}
}

func TestAdmin(t *testing.T) {
	t.Parallel()
	reg, h, v := widget(t)
	post := func(path, body string, status int) {
		t.Helper()
		res, err := http.Post(reg.AdminURL()+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != status {
			t.Errorf("POST %s %s: found %d, wanted %d", path, body, res.StatusCode, status)
		}
	}
	wantStatus(t, reg.HTTPClient(), versionsURL, 200)
	log := decode[[]registry.Request](t, wantStatus(t, http.DefaultClient, reg.AdminURL()+"/log", 200))
	if len(log) != 2 || log[1].Endpoint != registry.EndpointVersions || log[1].Bytes == 0 {
		t.Errorf("log: found %+v", log)
	}
	counts := decode[map[string]int](t, wantStatus(t, http.DefaultClient, reg.AdminURL()+"/counts", 200))
	if counts["versions"] != 1 || counts["connect"] != 1 || len(counts) != 2 {
		t.Errorf("counts: found %v", counts)
	}
	post("/reset", "", 200)
	if got := string(wantStatus(t, http.DefaultClient, reg.AdminURL()+"/log", 200)); strings.TrimSpace(got) != "[]" {
		t.Errorf("after reset: found %s", got)
	}
	post("/hosts/"+acme, `{"down": true}`, 200)
	if _, err := get(t, reg.HTTPClient(), discoveryURL); err == nil {
		t.Error("the host is not down")
	}
	post("/hosts/"+acme, `{"down": false, "token": "t"}`, 200)
	wantStatus(t, reg.HTTPClient(), versionsURL, 401)
	h.RequireToken("")
	post("/hosts/"+acme, `{"faults": [{"status": 418}]}`, 200)
	wantStatus(t, reg.HTTPClient(), versionsURL, 418)
	post("/hosts/"+acme, `{"recover": true, "providers": {"acme/widget": {"list_raw": "[]"}}}`, 200)
	if got := wantStatus(t, reg.HTTPClient(), versionsURL, 200); string(got) != "[]" {
		t.Errorf("found %s", got)
	}
	v.Ephemeral(registry.EphemeralQuery, 0)
	link := ask(t, reg).DownloadURL
	post("/expire", "", 200)
	wantStatus(t, reg.HTTPClient(), link, 403)
	post("/hosts/"+acme, `{"dwon": true}`, 400)
	post("/hosts/"+acme, `{"faults": [{"endpoint": "x"}]}`, 400)
	wantStatus(t, http.DefaultClient, reg.AdminURL()+"/nothing", 404)
}

func FuzzReadConfig(f *testing.F) {
	f.Add(fullConfig)
	f.Add(`{"hosts": null}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := registry.ReadConfig(strings.NewReader(text))
		if err != nil {
			return
		}
		if _, err := json.Marshal(c); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}
