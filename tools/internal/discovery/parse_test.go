package discovery_test

import (
	"net/url"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/discovery"
)

var final = &url.URL{Scheme: "https", Host: "r.example", Path: "/.well-known/terraform.json"}

// TestParse is R-DISC-8 and R-DISC-10..12, and the three documents of B26.
func TestParse(t *testing.T) {
	t.Parallel()
	const json = "application/json"
	for _, test := range []struct {
		name, contentType, body string
		want                    string // URL, or
		message                 string
	}{
		{"relative", json, `{"providers.v1":"/v1/providers/"}`, "https://r.example/v1/providers/", ""},
		{"relative to the document", json, `{"providers.v1":"p/"}`, "https://r.example/.well-known/p/", ""},
		{"B16 without the last slash", json, `{"providers.v1":"/api/tf/providers"}`, "https://r.example/api/tf/providers", ""},
		{"absolute", json, `{"modules.v1":"/m/","providers.v1":"https://api.example:8443/x/"}`, "https://api.example:8443/x/", ""},
		{"plain http", json, `{"providers.v1":"http://api.example/x/"}`, "http://api.example/x/", ""},
		{"parameter of the content type", "application/json; charset=utf-8", `{"providers.v1":"/p/"}`, "https://r.example/p/", ""},
		{"upper case content type", "Application/JSON", `{"providers.v1":"/p/"}`, "https://r.example/p/", ""},
		{"fragment and query are dropped", json, `{"providers.v1":"/p/?token=SECRET#f"}`, "https://r.example/p/", ""},
		{"other services may be anything", json, `{"login.v1":{"client":"x"},"providers.v1":"/p/","tfe.v2":7}`, "https://r.example/p/", ""},
		{"white space after the object", json, "{\"providers.v1\":\"/p/\"}\n\n", "https://r.example/p/", ""},

		{"B26 HTML", "text/html", "<html>login</html>", "", "text/html instead of application/json"},
		{"B26 {}", json, `{}`, "", "offers no provider registry"},
		{"null", json, `null`, "", "offers no provider registry"},
		{"other case of the key", json, `{"Providers.v1":"/p/"}`, "", "offers no provider registry"},
		{"no content type", "", `{}`, "", "without a content type"},
		{"bad content type", "application/json; charset", `{}`, "", "unreadable content type"},
		{"newer version", json, `{"providers.v2":"/p/","providers.v3":"/p/"}`, "", "another version of the provider registry protocol (providers.v2, providers.v3)"},
		{"not a string", json, `{"providers.v1":{"url":"/p/"}}`, "", "another version of the provider registry protocol"},
		{"null service", json, `{"providers.v1":null}`, "", "another version of the provider registry protocol"},
		{"array", json, `[]`, "", "not one JSON object"},
		{"string", json, `"x"`, "", "not one JSON object"},
		{"broken", json, `{"providers.v1":`, "", "not one JSON object"},
		{"empty", json, ``, "", "not one JSON object"},
		{"two objects", json, `{"providers.v1":"/p/"}{}`, "", "more than one JSON object"},
		{"trailing text", json, `{"providers.v1":"/p/"} x`, "", "more than one JSON object"},
		{"scheme", json, `{"providers.v1":"ftp://r.example/"}`, "", `scheme "ftp"`},
		{"opaque", json, `{"providers.v1":"mailto:x"}`, "", `scheme "mailto"`},
		{"password", json, `{"providers.v1":"https://u:SECRET@r.example/"}`, "", "user name or password"},
		{"no host", json, `{"providers.v1":"https:///p/"}`, "", "without a host"},
		{"no URL", json, `{"providers.v1":"https://r.example:SECRET/"}`, "", "not a URL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := discovery.Parse(final, test.contentType, []byte(test.body))
			if test.message == "" {
				if err != nil || got.String() != test.want {
					t.Errorf("Parse = %v, %v, want %s", got, err, test.want)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.message) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("error %v, want %q and no secret", err, test.message)
			}
		})
	}
}

// FuzzParse: whatever a host answers, the result is a usable URL or a one-line message.
func FuzzParse(f *testing.F) {
	f.Add("application/json", []byte(`{"providers.v1":"/v1/providers/"}`))
	f.Add("application/json; charset=utf-8", []byte(`{"providers.v1":"https://u:p@h/?q#f"}`))
	f.Add("text/html", []byte("<html>"))
	f.Add("application/json", []byte("{\"providers.\x1b[31m\":1}"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		got, err := discovery.Parse(final, contentType, body)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b\x00") {
				t.Errorf("control characters in %q", err)
			}
			return
		}
		if got.Scheme != "https" && got.Scheme != "http" || got.Host == "" || got.User != nil || got.RawQuery != "" || got.Fragment != "" {
			t.Errorf("unusable URL %q", got)
		}
	})
}
