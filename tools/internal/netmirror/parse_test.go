package netmirror_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/netmirror"
)

// TestParseIndex is R-NET-9: the keys count, whatever the values are; keys that are no versions stay for whoever reports them.
func TestParseIndex(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		body string
		want []string
		err  string
	}{
		{`{"versions":{"2.0.0":{},"1.0.0":null,"x":[1]}}`, []string{"1.0.0", "2.0.0", "x"}, ""},
		{`{"VERSIONS":{"1.0.0":{}}}`, []string{"1.0.0"}, ""}, // R-NET-10
		{`{"versions":{}} trailing`, []string{}, ""},
		{`{}`, []string{}, ""},
		{`null`, []string{}, ""},
		{`{"versions":[]}`, nil, "provider registry protocol"},
		{`{"versions":"x"}`, nil, `"versions" is a string`},
		{`"x"`, nil, "not an object"},
		{``, nil, "empty body"},
		{`<html>`, nil, "invalid JSON"},
	} {
		got, err := netmirror.ParseIndex("application/json", []byte(test.body))
		if test.err == "" && (err != nil || !reflect.DeepEqual(got, test.want)) || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s: %q, %v; want %q, %q", test.body, got, err, test.want, test.err)
		}
	}
}

// TestParseArchives is R-NET-10: names of fields have no case, platforms do; a null entry stays apart from a missing one (R-NET-11).
func TestParseArchives(t *testing.T) {
	t.Parallel()
	got, err := netmirror.ParseArchives("application/json", []byte(`{"Archives":{"linux_amd64":{"URL":"x","Hashes":["zh:a"]},"Linux_amd64":null}}`))
	want := map[string]*netmirror.Archive{"linux_amd64": {URL: "x", Hashes: []string{"zh:a"}}, "Linux_amd64": nil}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, body := range []string{`{"archives":{"a":[]}}`, `{"archives":{"a":{"url":5}}}`, `{"archives":{"a":{"hashes":"x"}}}`, `[`} {
		if got, err := netmirror.ParseArchives("application/json", []byte(body)); err == nil {
			t.Errorf("%s: %v, want an error", body, got)
		}
	}
}

// TestContentType is R-NET-7.
func TestContentType(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "Application/JSON": true,
		"": false, "text/plain": false, "text/html; charset=utf-8": false, "application/octet-stream": false, "application/json; =": false, "application/vnd.api+json": false,
	} {
		if _, err := netmirror.ParseIndex(text, []byte(`{}`)); (err == nil) != good {
			t.Errorf("%q: %v, want accepted %v", text, err, good)
		}
	}
}

// FuzzParseIndex: no document makes the parser panic; what it accepts is an object with an object.
func FuzzParseIndex(f *testing.F) {
	for _, seed := range []string{`{"versions":{"1.0.0":{}}}`, `{"versions":[]}`, `null`, `{"versions":null}`, `[`, ``, `{"versions":{"":0}}`} {
		f.Add("application/json", []byte(seed))
	}
	f.Add("text/html; charset=x", []byte("<html>"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		list, err := netmirror.ParseIndex(contentType, body)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Errorf("a control character in %q", err)
			}
			return
		}
		seen := map[string]bool{}
		for _, text := range list {
			if seen[text] {
				t.Errorf("%q is listed twice", text)
			}
			seen[text] = true
		}
	})
}

// FuzzParseArchives: no document makes the parser panic, and what was read is read again the same.
func FuzzParseArchives(f *testing.F) {
	for _, seed := range []string{`{"archives":{"linux_amd64":{"url":"x.zip","hashes":["zh:00","h1:x"]}}}`, `{"archives":{"a":null}}`, `{"archives":[]}`, `null`, `{`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		first, err := netmirror.ParseArchives("application/json", body)
		if err != nil {
			return
		}
		type entry struct {
			URL    string   `json:"url"`
			Hashes []string `json:"hashes"`
		}
		written := map[string]*entry{}
		for platform, a := range first {
			written[platform] = nil
			if a != nil {
				written[platform] = &entry{a.URL, a.Hashes}
			}
		}
		text, err := json.Marshal(map[string]any{"archives": written})
		if err != nil {
			t.Fatal(err)
		}
		if second, err := netmirror.ParseArchives("application/json", text); err != nil || len(second) != len(first) {
			t.Errorf("read again %v, %v; want %v", second, err, first)
		}
	})
}
