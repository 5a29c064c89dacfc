package registry_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"rules_tf_mirror/tests/registry"
)

func TestFaultsThatAnswer(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault  registry.Fault
		status int
		header map[string]string
		body   string
	}{
		"429":           {registry.Fault{Status: 429, RetryAfter: "7"}, 429, map[string]string{"Retry-After": "7"}, `{"errors":["Too Many Requests"]}`},
		"500":           {registry.Fault{Status: 500}, 500, nil, `{"errors":["Internal Server Error"]}`},
		"401":           {registry.Fault{Status: 401}, 401, nil, `{"errors":["Unauthorized"]}`},
		"410":           {registry.Fault{Status: 410}, 410, nil, `{"errors":["Gone"]}`},
		"204":           {registry.Fault{Status: 204}, 204, nil, ""},
		"HTML with 200": {registry.Fault{Body: []byte("<html>"), ContentType: "text/html"}, 200, map[string]string{"Content-Type": "text/html"}, "<html>"},
		"invalid JSON":  {registry.Fault{Body: []byte(`{"vers`), ContentType: "application/json"}, 200, nil, `{"vers`},
		"no type":       {registry.Fault{Body: []byte(`{}`)}, 200, map[string]string{"Content-Type": ""}, `{}`},
		"redirect": {registry.Fault{Redirect: "https://cdn.acme.dev{path}"}, 302,
			map[string]string{"Location": "https://cdn.acme.dev/v1/providers/acme/widget/versions"}, ""},
		"redirect 307": {registry.Fault{Redirect: "/x", Status: 307}, 307, map[string]string{"Location": "/x"}, ""},
		"header":       {registry.Fault{Status: 503, Header: http.Header{"x-why": {"test"}}}, 503, map[string]string{"X-Why": "test"}, `{"errors":["Service Unavailable"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg, h, _ := widget(t)
			h.Fail(registry.EndpointVersions, tc.fault)
			r := mustGet(t, reg.HTTPClient(), versionsURL)
			if r.StatusCode != tc.status || string(r.body) != tc.body {
				t.Errorf("found %d %s, wanted %d %s", r.StatusCode, r.body, tc.status, tc.body)
			}
			for name, want := range tc.header {
				if got := r.Header.Get(name); got != want {
					t.Errorf("%s: found %q, wanted %q", name, got, want)
				}
			}
			entry := reg.Select(registry.Filter{Endpoint: registry.EndpointVersions})[0]
			if entry.Status != tc.status || entry.Bytes != int64(len(tc.body)) {
				t.Errorf("log: found %+v, wanted status %d and %d bytes", entry, tc.status, len(tc.body))
			}
			wantStatus(t, reg.HTTPClient(), downloadURL, 200) // other endpoints are well
		})
	}
}

func TestFaultsThatBreak(t *testing.T) {
	t.Parallel()
	for _, http1 := range []bool{false, true} {
		for name, tc := range map[string]struct {
			fault    registry.Fault
			endpoint string
			status   int // 0: no answer
			part     bool
		}{
			"drop":          {registry.Fault{Drop: true}, registry.EndpointVersions, 0, false},
			"truncate":      {registry.Fault{Truncate: true}, registry.EndpointVersions, 200, true},
			"truncate zip":  {registry.Fault{Truncate: true}, registry.EndpointZip, 200, true},
			"slow and part": {registry.Fault{Truncate: true, BytesPerSecond: 1 << 20}, registry.EndpointZip, 200, true},
		} {
			reg, h, v := widget(t)
			zipHost := reg.Host("releases." + acme)
			h.SetHTTP1Only(http1)
			zipHost.SetHTTP1Only(http1)
			url, full := versionsURL, int64(len(wantStatus(t, reg.HTTPClient(), versionsURL, 200)))
			faulty := h
			if tc.endpoint == registry.EndpointZip {
				url, faulty = v.URL("linux_amd64"), zipHost
				full = int64(len(wantStatus(t, reg.HTTPClient(), url, 200)))
			}
			faulty.Fail(tc.endpoint, tc.fault)
			reg.Reset()
			r, err := get(t, reg.HTTPClient(), url)
			if (err != nil) != (tc.status == 0) {
				t.Errorf("%s (HTTP/1 %v): found %v, wanted status %d", name, http1, err, tc.status)
			}
			if tc.part && (r.readErr == nil || int64(len(r.body)) != full/2 || r.ContentLength != full) {
				t.Errorf("%s (HTTP/1 %v): found %d of %d bytes and %v, wanted half and an error", name, http1, len(r.body), r.ContentLength, r.readErr)
			}
			// Go asks again by itself when a connection breaks before an answer, so there may be several.
			for _, entry := range reg.Select(registry.Filter{Endpoint: tc.endpoint}) {
				if entry.Status != tc.status || entry.Bytes != int64(len(r.body)) {
					t.Errorf("%s (HTTP/1 %v): log: found %+v, wanted status %d and %d bytes", name, http1, entry, tc.status, len(r.body))
				}
			}
		}
	}
}

func TestFaultsThatDelay(t *testing.T) {
	t.Parallel()
	reg, h, _ := widget(t)
	want := wantStatus(t, reg.HTTPClient(), versionsURL, 200)
	for name, f := range map[string]registry.Fault{
		"delay": {Delay: 20 * time.Millisecond},
		"slow":  {BytesPerSecond: len(want) * 20}, // 50 ms
	} {
		h.FailNext(registry.EndpointVersions, 1, f)
		start := time.Now()
		if got := wantStatus(t, reg.HTTPClient(), versionsURL, 200); !bytes.Equal(got, want) {
			t.Errorf("%s: found %s, wanted %s", name, got, want)
		}
		if d := time.Since(start); d < 20*time.Millisecond { // a lower bound holds on any machine
			t.Errorf("%s: took %v, wanted at least 20ms", name, d)
		}
	}
}

func TestGzip(t *testing.T) {
	t.Parallel()
	reg, h, v := widget(t)
	h.SetZipHost("").Fail("", registry.Fault{Gzip: true})
	for _, url := range []string{versionsURL, v.URL("linux_amd64")} {
		r := mustGet(t, reg.HTTPClient(), url, "Accept-Encoding", "identity")
		if r.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: found encoding %q, wanted gzip", url, r.Header.Get("Content-Encoding"))
		}
		zr, err := gzip.NewReader(bytes.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(zr)
		if err != nil {
			t.Fatal(err)
		}
		h.Recover()
		if want := wantStatus(t, reg.HTTPClient(), url, 200); !bytes.Equal(plain, want) {
			t.Errorf("%s: the unpacked body differs", url)
		}
		h.Fail("", registry.Fault{Gzip: true})
	}
}

// Queued faults come before lasting ones, a provider's before its host's, an endpoint's before those of all endpoints.
func TestFaultOrder(t *testing.T) {
	t.Parallel()
	reg, h, _ := widget(t)
	h.Provider("acme/other").Version("1.0.0", nil)
	h.Fail("", registry.Fault{Status: 500}).FailNext(registry.EndpointVersions, 2, registry.Fault{Status: 501})
	h.Fail(registry.EndpointVersions, registry.Fault{Status: 502})
	p := h.Provider("acme/widget").FailNext("", 1, registry.Fault{Status: 503}).Fail(registry.EndpointDownload, registry.Fault{Status: 504})
	other := strings.Replace(versionsURL, "widget", "other", 1)
	for i, tc := range []struct {
		url    string
		status int
	}{
		{versionsURL, 503}, {versionsURL, 501}, {other, 501}, {versionsURL, 502}, {downloadURL, 504}, {discoveryURL, 500},
	} {
		if r := mustGet(t, reg.HTTPClient(), tc.url); r.StatusCode != tc.status {
			t.Errorf("request %d: found %d, wanted %d", i, r.StatusCode, tc.status)
		}
	}
	h.Recover()
	wantStatus(t, reg.HTTPClient(), versionsURL, 200)
	wantStatus(t, reg.HTTPClient(), downloadURL, 504)
	p.Recover()
	wantStatus(t, reg.HTTPClient(), downloadURL, 200)
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	reg, h, v := widget(t)
	reg.Host("cdn.acme.dev")
	reg.Host("releases."+acme).Fail(registry.EndpointZip, registry.Fault{Redirect: "https://cdn.acme.dev{path}"})
	h.Fail(registry.EndpointVersions, registry.Fault{Redirect: "{path}"})
	res, err := reg.HTTPClient().Get(v.URL("linux_amd64"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if data, err := io.ReadAll(res.Body); err != nil || res.Request.URL.Host != "cdn.acme.dev" || len(data) < 4096 {
		t.Errorf("found %d bytes from %s, %v, wanted the package from cdn.acme.dev", len(data), res.Request.URL.Host, err)
	}
	if _, err := reg.HTTPClient().Get(versionsURL); err == nil || !strings.Contains(err.Error(), "10 redirects") {
		t.Errorf("found %v, wanted a loop", err)
	}
	if n := reg.Count(registry.Filter{Endpoint: registry.EndpointVersions, Status: 302}); n != 10 {
		t.Errorf("found %d requests in the loop, wanted 10", n)
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	reg, _, v := widget(t)
	head, err := reg.HTTPClient().Head(v.URL("linux_amd64")) // R-DL-1
	if err != nil {
		t.Fatal(err)
	}
	if head.StatusCode != 200 || head.ContentLength < 4096 || head.Header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("HEAD: found %d, %d bytes, ranges %q", head.StatusCode, head.ContentLength, head.Header.Get("Accept-Ranges"))
	}
	part := mustGet(t, reg.HTTPClient(), v.URL("linux_amd64"), "Range", "bytes=0-3")
	if part.StatusCode != 206 || string(part.body) != "PK\x03\x04" {
		t.Errorf("range: found %d %q, wanted 206 and the start of a zip", part.StatusCode, part.body)
	}
	post, err := reg.HTTPClient().Post(versionsURL, "text/plain", nil)
	if err != nil || post.StatusCode != 405 {
		t.Errorf("POST: found %v, %v, wanted 405", post, err)
	}
	var methods []string
	for _, r := range reg.Select(registry.Filter{NotEndpoint: registry.EndpointConnect}) {
		methods = append(methods, r.Method)
		if r.Method == http.MethodHead && r.Bytes != 0 {
			t.Errorf("HEAD: found %d bytes in the log, wanted 0", r.Bytes)
		}
	}
	if got := strings.Join(methods, " "); got != "HEAD GET POST" {
		t.Errorf("log: found %s", got)
	}
}

func TestCloseEndsHanging(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t, acme)
	reg.Host(acme).Fail("", registry.Fault{Hang: true})
	done := make(chan error, 1)
	go func() {
		_, err := get(t, reg.HTTPClient(), discoveryURL)
		done <- err
	}()
	if err := reg.WaitCount(t.Context(), registry.Filter{Endpoint: registry.EndpointDiscovery}, 1); err != nil {
		t.Fatal(err)
	}
	reg.Close()
	if err := <-done; err == nil {
		t.Error("found an answer, wanted a broken connection")
	}
}
