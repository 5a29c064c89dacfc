package download

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeNetrc(t *testing.T, text string) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"NETRC": path}
}

func hostOf(t *testing.T, address string) string { return parse(t, address).Host }

// R-CRED-18: the entry of the host with its port is sent as Basic; F16: not to the host that a redirect leads to. B05: nor is the
// address of the first request.
func TestNetrcAndRedirect(t *testing.T) {
	t.Parallel()
	second := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/q.zip" {
			http.Redirect(w, r, "/r.zip", http.StatusFound)
			return
		}
		serve(w, r)
	})
	first := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/same" {
			http.Redirect(w, r, "/other?X-Amz-Signature=s3cret", http.StatusFound) // same host: the entry goes along
			return
		}
		http.Redirect(w, r, second.URL+"/q.zip", http.StatusFound)
	})
	env := writeNetrc(t, "machine "+hostOf(t, first.URL)+" login me password s3cret\n")
	if _, _, err := get(t, first.URL+"/same", sum(content), env); err != nil {
		t.Fatal(err)
	}
	log := first.log()
	if len(log) != 2 {
		t.Fatalf("%d requests to the first host, want 2", len(log))
	}
	for _, r := range log {
		if user, password, ok := r.BasicAuth(); !ok || user != "me" || password != "s3cret" {
			t.Errorf("%s: no netrc entry sent", r.URL.Path)
		}
	}
	redirected := second.log()
	if len(redirected) != 2 {
		t.Fatalf("%d requests to the second host, want 2", len(redirected))
	}
	for _, r := range redirected {
		for _, name := range []string{"Authorization", "Referer", "Cookie"} {
			if value := r.Header.Get(name); value != "" {
				t.Errorf("%s of the second host sees %s: %s", r.URL.Path, name, value)
			}
		}
	}
}

func TestNetrc(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		netrc, url string
		want       login
	}{
		"host":                    {"machine a.example login u password p", "https://a.example/x", login{"u", "p"}},
		"other host":              {"machine a.example login u password p", "https://b.example/x", login{}},
		"port is part of it":      {"machine a.example login u password p", "https://a.example:8443/x", login{}},
		"with port":               {"machine a.example:8443 login u password p", "https://a.example:8443/x", login{"u", "p"}},
		"default":                 {"default login u password p", "https://a.example/x", login{"u", "p"}},
		"clear text is not sent":  {"machine a.example login u password p", "http://a.example/x", login{}},
		"clear text to loopback":  {"machine 127.0.0.1:80 login u password p", "http://127.0.0.1:80/x", login{"u", "p"}},
		"URL has a user already":  {"machine a.example login u password p", "https://me@a.example/x", login{}},
		"empty file, no complain": {"", "https://a.example/x", login{}},
	} {
		env := writeNetrc(t, test.netrc)
		got, err := findLogin(parse(t, test.url), func(name string) string { return env[name] })
		if err != nil || got != test.want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, test.want)
		}
	}
}

func TestNetrcFiles(t *testing.T) {
	t.Parallel()
	u := parse(t, "https://a.example/x")
	env := func(values map[string]string) func(string) string {
		return func(name string) string { return values[name] }
	}
	home := t.TempDir()
	for _, name := range []string{".netrc", "_netrc"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte("machine a.example login u password p"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		env  map[string]string
		want login
	}{
		"home":                  {map[string]string{"HOME": home, "USERPROFILE": home}, login{"u", "p"}},
		"NETRC wins over home":  {map[string]string{"HOME": home, "NETRC": filepath.Join(home, "absent")}, login{}},
		"NETRC is a directory":  {map[string]string{"NETRC": home}, login{}},
		"no home, no variables": {nil, login{}},
	} {
		if got, err := findLogin(u, env(test.env)); err != nil || got != test.want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, test.want)
		}
	}
	// R-CRED-18: a parse error fails the download, and quotes nothing of the file.
	broken := writeNetrc(t, "machine a.example login u password p s3cret\n")
	s := start(t, serve)
	if _, _, err := get(t, s.URL, sum(content), broken); err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), broken["NETRC"]) {
		t.Errorf("got %v, want an error that names the file only", err)
	}
	if n := len(s.log()); n != 0 {
		t.Errorf("%d requests, want none", n)
	}
}

// A netrc entry that is not accepted is told apart from none (B02).
func TestRefusedCredentials(t *testing.T) {
	t.Parallel()
	s := start(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) })
	env := writeNetrc(t, "machine "+hostOf(t, s.URL)+" login me password s3cret\n")
	_, _, err := get(t, s.URL, sum(content), env)
	if err == nil || !strings.Contains(err.Error(), "was sent and not accepted") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v", err)
	}
	_, _, err = get(t, s.URL, sum(content), nil)
	if err == nil || !strings.Contains(err.Error(), "machine "+hostOf(t, s.URL)) {
		t.Errorf("got %v", err)
	}
}

// Redirects that are not followed. No error names a redirect's target, which may be signed.
func TestBadRedirects(t *testing.T) {
	t.Parallel()
	for name, location := range map[string]string{
		"loop":   "/again?secret=1",
		"user":   "http://me:secret@127.0.0.1/",
		"scheme": "file:///secret",
		"dead":   "http://127.0.0.1:1/?secret=1",
	} {
		s := start(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Location", location); w.WriteHeader(302) })
		_, _, err := get(t, s.URL+"/p.zip", sum(content), nil)
		var network *Error
		var wrapped *url.Error
		if !errors.As(err, &network) || errors.As(err, &wrapped) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
