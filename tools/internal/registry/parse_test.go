package registry_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
)

var (
	widget = addrs.Provider{Host: "r.acme.dev", Namespace: "acme", Type: "widget"}
	linux  = platforms.Platform{OS: "linux", Arch: "amd64"}
	final  = &url.URL{Scheme: "https", Host: "r.acme.dev", Path: "/v1/providers/acme/widget/1.4.0/download/linux/amd64"}
	sha    = strings.Repeat("0a", 32)
)

// TestParseVersions is R-REG-7 and the versions table: lenient, and one bad element spoils nothing (A07).
func TestParseVersions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, body string
		versions   []registry.Listed
		warnings   []string
		message    string
	}{
		{"plain", `{"versions":[{"version":"1.0.0","protocols":["5.0"],"platforms":[{"os":"linux","arch":"amd64"}]},{"version":"1.1.0"}]}`,
			[]registry.Listed{{Version: "1.0.0", Protocols: []string{"5.0"}, Platforms: json.RawMessage(`[{"os":"linux","arch":"amd64"}]`)}, {Version: "1.1.0"}}, nil, ""},
		{"missing", `{}`, nil, nil, ""},
		{"null", `{"versions":null}`, nil, nil, ""},
		{"empty", `{"versions":[]}`, nil, nil, ""},
		{"null document", `null`, nil, nil, ""},
		{"platforms null", `{"versions":[{"version":"1.0.0","platforms":null}]}`, []registry.Listed{{Version: "1.0.0", Platforms: json.RawMessage("null")}}, nil, ""},
		{"keys in other case", `{"Versions":[{"VERSION":"1.0.0"}]}`, []registry.Listed{{Version: "1.0.0"}}, nil, ""},
		{"trailing bytes", `{"versions":[{"version":"1.0.0"}]} trailing <html>`, []registry.Listed{{Version: "1.0.0"}}, nil, ""},
		{"A07 unusable elements stay as text", `{"versions":[{"version":"v2"},{"version":7},{},null,"x",{"version":"1.0.0","protocols":7}]}`,
			[]registry.Listed{{Version: "v2"}, {Version: `{"version":7}`}, {Version: "{}"}, {Version: "null"}, {Version: `"x"`}, {Version: "1.0.0"}}, nil, ""},
		{"A19 warnings", `{"versions":[],"warnings":["upgrade\u001b[31m\nnow",""]}`, nil, []string{"upgrade [31m now"}, ""},
		{"odd warnings", `{"versions":[],"warnings":{"a":1}}`, nil, nil, ""},

		{"HTML", "<html>login</html>", nil, nil, "HTML"},
		{"array", `[]`, nil, nil, "not an object"},
		{"string", `"x"`, nil, nil, "not an object"},
		{"wrong type", `{"versions":{"1.0.0":{}}}`, nil, nil, `"versions" is no array`},
		{"broken", `{"versions":[`, nil, nil, "invalid JSON"},
		{"empty body", " \n", nil, nil, "an empty body"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			list, err := registry.ParseVersions([]byte(test.body))
			if test.message != "" {
				if err == nil || !strings.Contains(err.Error(), test.message) {
					t.Errorf("error %v, want %q", err, test.message)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&registry.VersionList{Versions: test.versions, Warnings: test.warnings}, list); diff != "" {
				t.Errorf("list (-want +got):\n%s", diff)
			}
		})
	}
}

// download returns a good download answer with some fields replaced; nil removes one.
func download(t testing.TB, change map[string]any) []byte {
	t.Helper()
	answer := map[string]any{
		"protocols": []string{"5.0"}, "os": "linux", "arch": "amd64", "filename": "terraform-provider-widget_1.4.0_linux_amd64.zip",
		"download_url": "https://cdn.acme.dev/w.zip", "shasum": sha, "shasums_url": "https://cdn.acme.dev/SHA256SUMS",
		"shasums_signature_url": "https://cdn.acme.dev/SHA256SUMS.sig", "signing_keys": map[string]any{"gpg_public_keys": []any{}},
	}
	for key, value := range change {
		answer[key] = value
		if value == nil {
			delete(answer, key)
		}
	}
	body, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestParseDownload is the download table, R-REG-8..13, design §3.3 (filename) and §3.5 (URLs).
func TestParseDownload(t *testing.T) {
	t.Parallel()
	type change = map[string]any
	long := strings.Repeat("c", 101)
	plain := "https://cdn.acme.dev/w.zip"
	null := json.RawMessage("null") // a nil in change removes the field
	for _, test := range []struct {
		name      string
		change    change
		recorded  string // of a good answer
		ephemeral bool
		whole     string // what is requested, if not recorded
		kind      problem.Kind
		message   string
	}{
		{"plain", nil, plain, false, "", "", ""},
		{"v in the file name", change{"filename": "terraform-provider-widget_v1.4.0_linux_amd64.zip"}, plain, false, "", "", ""},
		{"upper-case hash", change{"shasum": strings.ToUpper(sha)}, plain, false, "", "", ""},
		{"B15 relative", change{"download_url": "w.zip"}, "https://r.acme.dev/v1/providers/acme/widget/1.4.0/download/linux/w.zip", false, "", "", ""},
		{"absolute path", change{"download_url": "/files/w.zip"}, "https://r.acme.dev/files/w.zip", false, "", "", ""},
		{"plain http", change{"download_url": "http://cdn.acme.dev/w.zip"}, "http://cdn.acme.dev/w.zip", false, "", "", ""},
		{"R-DL-5 fragment", change{"download_url": plain + "#SECRET"}, plain, false, plain, "", ""},
		{"query", change{"download_url": plain + "?sig=SECRET"}, plain, true, plain + "?sig=SECRET", "", ""},
		{"B22 relative with a query", change{"download_url": "w.zip?token=SECRET"}, "https://r.acme.dev/v1/providers/acme/widget/1.4.0/download/linux/w.zip", true,
			"https://r.acme.dev/v1/providers/acme/widget/1.4.0/download/linux/w.zip?token=SECRET", "", ""},
		{"long segment", change{"download_url": "https://cdn.acme.dev/o/" + long + "/w.zip"}, "https://cdn.acme.dev/o/", true, "https://cdn.acme.dev/o/" + long + "/w.zip", "", ""},
		{"segment of 100", change{"download_url": "https://cdn.acme.dev/o/" + long[1:]}, "https://cdn.acme.dev/o/" + long[1:], false, "", "", ""},
		{"archivist", change{"download_url": "https://archivist.terraform.io/v1/object/" + long}, "https://archivist.terraform.io/v1/object/", true,
			"https://archivist.terraform.io/v1/object/" + long, "", ""},
		{"private archivist", change{"download_url": "https://tfe.acme.dev/_archivist/v1/object/" + long}, "https://tfe.acme.dev/_archivist/v1/object/", true,
			"https://tfe.acme.dev/_archivist/v1/object/" + long, "", ""},
		{"no protocols", change{"protocols": nil}, plain, false, "", "", ""},
		{"empty protocols", change{"protocols": []string{}}, plain, false, "", "", ""},
		{"R-REG-11 4.0 and 6.1", change{"protocols": []string{"4.0", "6.1"}}, plain, false, "", "", ""},
		{"R-REG-13 5", change{"protocols": []string{"5"}}, plain, false, "", "", ""},
		{"B14 no keys", change{"signing_keys": nil}, plain, false, "", "", ""},
		{"B14 null keys", change{"signing_keys": change{"gpg_public_keys": nil}}, plain, false, "", "", ""},
		{"keys of any form", change{"signing_keys": 7, "shasums_url": 7, "shasums_signature_url": nil}, plain, false, "", "", ""},
		{"null protocols", change{"protocols": null}, plain, false, "", "", ""},
		{"null URLs of the signed list", change{"shasums_url": null, "shasums_signature_url": null, "signing_keys": null}, plain, false, "", "", ""},
		{"B14 empty keys", change{"signing_keys": change{}}, plain, false, "", "", ""},
		{"R-REG-9 null among the keys is for who verifies", change{"signing_keys": change{"gpg_public_keys": []any{nil}}}, plain, false, "", "", ""},
		{"query alone", change{"download_url": "?SECRET"}, final.String(), true, final.String() + "?SECRET", "", ""},
		{"other host without a scheme", change{"download_url": "//cdn.acme.dev/w.zip"}, plain, false, "", "", ""},
		{"800 characters of query", change{"download_url": plain + "?" + strings.Repeat("SECRET", 140)}, plain, true, plain + "?" + strings.Repeat("SECRET", 140), "", ""},
		{"unknown field", change{"packages": 7, "": 7}, plain, false, "", "", ""},

		{"other os", change{"os": "darwin"}, "", false, "", problem.Response, `os "darwin"`},
		{"os in other case", change{"os": "Linux"}, "", false, "", problem.Response, `os "Linux"`},
		{"no arch", change{"arch": nil}, "", false, "", problem.Response, `arch ""`},
		{"R-REG-11 4", change{"protocols": []string{"4.0"}}, "", false, "", problem.Protocol, "4.0; 5 or 6"},
		{"R-REG-11 7", change{"protocols": []string{"7.0", "50.0"}}, "", false, "", problem.Protocol, "7.0, 50.0"},
		{"protocol is no version", change{"protocols": []string{"5.0", "six"}}, "", false, "", problem.Response, `"six"`},
		{"protocols of another type", change{"protocols": "5.0"}, "", false, "", problem.Response, `"protocols" is a string`},
		{"R-REG-8 protocols before os", change{"protocols": []string{"4.0"}, "os": "x"}, "", false, "", problem.Protocol, "4.0"},
		{"null among the protocols", change{"protocols": []any{nil}}, "", false, "", problem.Response, `plugin protocol ""`},
		{"number among the protocols", change{"protocols": []any{5}}, "", false, "", problem.Response, "is a number"},
		{"R-REG-8 protocols before the URL", change{"protocols": []string{"4.0"}, "download_url": nil, "shasum": nil}, "", false, "", problem.Protocol, "4.0"},
		{"R-REG-8 os before the URL", change{"os": "x", "download_url": nil}, "", false, "", problem.Response, `os "x"`},
		{"R-REG-8 URL before the hash", change{"download_url": nil, "shasum": nil}, "", false, "", problem.Response, "download_url that is missing"},
		{"null os", change{"os": null}, "", false, "", problem.Response, `os ""`},
		{"mistyped os", change{"os": 7}, "", false, "", problem.Response, `"os" is a number`},
		{"mistyped arch", change{"arch": []any{}}, "", false, "", problem.Response, `"arch" is a`},
		{"mistyped file name", change{"filename": true}, "", false, "", problem.Response, `"filename" is a bool`},
		{"null file name", change{"filename": null}, "", false, "", problem.Response, "filename"},
		{"mistyped URL", change{"download_url": change{"href": "x"}}, "", false, "", problem.Response, `"download_url" is a`},
		{"null URL", change{"download_url": null}, "", false, "", problem.Response, "missing"},
		{"mistyped hash", change{"shasum": 7}, "", false, "", problem.Response, `"shasum" is a number`},
		{"null hash", change{"shasum": null}, "", false, "", problem.Response, "64 hex digits"},
		{"hash of another algorithm", change{"shasum": strings.Repeat("0a", 64)}, "", false, "", problem.Response, "64 hex digits"},
		{"short hash", change{"shasum": sha[1:]}, "", false, "", problem.Response, "64 hex digits"},
		{"no hash", change{"shasum": nil}, "", false, "", problem.Response, "64 hex digits"},
		{"hash with a newline", change{"shasum": sha + "\n"}, "", false, "", problem.Response, "64 hex digits"},
		{"B40 tar.gz", change{"filename": "terraform-provider-widget_1.4.0_linux_amd64.tar.gz"}, "", false, "", problem.Response, "tar.gz"},
		{"other version", change{"filename": "terraform-provider-widget_1.5.0_linux_amd64.zip"}, "", false, "", problem.Response, "1.5.0"},
		{"other type", change{"filename": "terraform-provider-gadget_1.4.0_linux_amd64.zip"}, "", false, "", problem.Response, "gadget"},
		{"other platform", change{"filename": "terraform-provider-widget_1.4.0_linux_arm64.zip"}, "", false, "", problem.Response, "arm64"},
		{"path in the file name", change{"filename": "../terraform-provider-widget_1.4.0_linux_amd64.zip"}, "", false, "", problem.Response, ".."},
		{"no file name", change{"filename": nil}, "", false, "", problem.Response, "filename"},
		{"no URL", change{"download_url": nil}, "", false, "", problem.Response, "missing"},
		{"broken URL", change{"download_url": "https://cdn.acme.dev:SECRET/"}, "", false, "", problem.Response, "not a URL"},
		{"scheme", change{"download_url": "ftp://cdn.acme.dev/w.zip?SECRET"}, "", false, "", problem.Response, `scheme "ftp"`},
		{"file", change{"download_url": "file:///etc/passwd"}, "", false, "", problem.Response, `scheme "file"`},
		{"userinfo", change{"download_url": "https://u:SECRET@cdn.acme.dev/w.zip"}, "", false, "", problem.Response, "user name or password"},
		{"no host", change{"download_url": "https:///w.zip"}, "", false, "", problem.Response, "without a host"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := registry.ParseDownload(download(t, test.change), final, widget, "1.4.0", linux)
			if test.kind != "" {
				if err == nil || problem.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.message) || strings.Contains(err.Error(), "SECRET") {
					t.Errorf("error %v, want kind %s, %q and no secret", err, test.kind, test.message)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			name, _ := test.change["filename"].(string)
			if name == "" {
				name = "terraform-provider-widget_1.4.0_linux_amd64.zip"
			}
			want := facts.Package{DownloadURL: test.recorded, Filename: name, SHA256: sha, Ephemeral: test.ephemeral}
			if diff := cmp.Diff(want, got.Fact); diff != "" {
				t.Errorf("fact (-want +got):\n%s", diff)
			}
			if test.whole == "" {
				test.whole = test.recorded
			}
			if got.Location.Reveal() != test.whole {
				t.Errorf("location %q, want %q", got.Location.Reveal(), test.whole)
			}
			if _, err := facts.ParsePackage(facts.PackageKey(widget, "1.4.0", linux), got.Fact.JSON()); err != nil {
				t.Errorf("the fact cannot be read again: %v", err)
			}
		})
	}
}

// TestDownloadDocuments is R-REG-7 for the whole document: names of fields have no case, the first JSON value counts, everything else is an error.
func TestDownloadDocuments(t *testing.T) {
	t.Parallel()
	good := string(download(t, nil))
	for _, test := range []struct{ name, body, message string }{
		{"trailing bytes", good + "<html>", ""},
		{"two documents", good + "{}", ""},
		{"names in other case", strings.NewReplacer(`"os"`, `"OS"`, `"download_url"`, `"Download_URL"`).Replace(good), ""},
		{"a name twice, the last counts", strings.Replace(good, "{", `{"os":"x",`, 1), ""},
		{"white space", "\r\n\t " + good, ""},
		{"null", "null", `os ""`},
		{"object", "{}", `os ""`},
		{"array", "[]", "not an object"},
		{"string", `"x"`, "not an object"},
		{"number", "7", "not an object"},
		{"empty", "", "an empty body"},
		{"white space alone", " \n", "an empty body"},
		{"HTML", " <!doctype html>", "HTML"},
		{"cut off", good[:len(good)-1], "invalid JSON"},
		{"deep", strings.Repeat("[", 100_000), "invalid JSON"},
		{"bytes", "\x00\xff", "invalid JSON"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := registry.ParseDownload([]byte(test.body), final, widget, "1.4.0", linux)
			if test.message == "" && err != nil || test.message != "" && (problem.KindOf(err) != problem.Response || !strings.Contains(err.Error(), test.message)) {
				t.Errorf("error %v, want %q", err, test.message)
			}
		})
	}
}

// TestOfPlatforms: what is no platform is passed over, and a list of another form is none.
func TestOfPlatforms(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		``: "", `null`: "", `{}`: "", `"x"`: "", `[`: "", `[]`: "",
		`[{"os":"linux","arch":"amd64"},null,7,{"os":"Linux","arch":"amd64"},{"os":"a b","arch":"c"},{"os":7,"arch":"x"},{"OS":"darwin","Arch":"arm64"}]`: "linux_amd64 darwin_arm64 ",
	} {
		got := ""
		for _, p := range (registry.Listed{Platforms: json.RawMessage(raw)}).OfPlatforms() {
			got += p.String() + " "
		}
		if got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

func FuzzParseVersions(f *testing.F) {
	f.Add([]byte(`{"versions":[{"version":"1.0.0","protocols":["5.0"]}],"warnings":["x"]}`))
	f.Add([]byte(`{"versions":[null,{"version":7},"\u001b"],"warnings":["a\nb"]}`))
	f.Add([]byte(`<html>`))
	f.Fuzz(func(t *testing.T, body []byte) {
		list, err := registry.ParseVersions(body)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b\x00") {
				t.Errorf("control characters in %q", err)
			}
			return
		}
		for _, text := range list.Warnings {
			if strings.ContainsAny(text, "\n\r\x1b\x00") {
				t.Errorf("control characters in the warning %q", text)
			}
		}
	})
}

// FuzzParseDownload: what is accepted can be recorded and read again, and shows nothing of a URL's secret.
func FuzzParseDownload(f *testing.F) {
	f.Add(download(f, nil))
	f.Add(download(f, map[string]any{"download_url": "x?y=z"}))
	f.Add(download(f, map[string]any{"download_url": "https://h/_archivist/v1/object/" + strings.Repeat("a", 200) + "/%2f"}))
	f.Add(download(f, map[string]any{"download_url": "//u@h/\x7f", "protocols": []string{"4"}}))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := registry.ParseDownload(body, final, widget, "1.4.0", linux)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b\x00") {
				t.Errorf("control characters in %q", err)
			}
			return
		}
		if _, err := facts.ParsePackage(facts.PackageKey(widget, "1.4.0", linux), got.Fact.JSON()); err != nil {
			t.Errorf("the fact %s cannot be read again: %v", got.Fact.JSON(), err)
		}
		if u, err := url.Parse(got.Location.Reveal()); err != nil || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
			t.Errorf("location %q, %v", got.Location.Reveal(), err)
		}
	})
}
