package foreign_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"rules_tf_mirror/tools/internal/foreign"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"plain", "registry.acme.dev: päckage ✓", "registry.acme.dev: päckage ✓"},
		{"colour", "a\x1b[31mb", "a [31mb"},
		{"C1 control", "a\u009b31mb", "a 31mb"},
		{"directional override", "a\u202eb\u2066c", "a b c"},
		{"line breaks", "a\r\nb\tc\u2028d", "a  b c d"},
		{"delete and zero", "a\x7fb\x00c", "a b c"},
		{"no UTF-8", "a\xffb", "a b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := foreign.Line(test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	if got := foreign.Lines("a\x1b\nb\r\n"); got != "a \nb \n" {
		t.Errorf("Lines: got %q", got)
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	if got := foreign.Short("päckage", 3); got != "päc…" {
		t.Errorf("got %q", got)
	}
	if got := foreign.Short("päc", 3); got != "päc" {
		t.Errorf("got %q", got)
	}
	if got := foreign.Short(strings.Repeat("😀", 60000), 10); got != strings.Repeat("😀", 10)+"…" {
		t.Errorf("got %q", got)
	}
	for _, test := range []struct{ text, want string }{
		{"1.2\n\x1b\u202e", `"1.2\n\x1b\u202e"`}, {"123456789", `"12345678"…`}, {"1234567é", `"1234567"…`},
	} {
		if got := foreign.Quote(test.text, 8); got != test.want {
			t.Errorf("Quote: got %s, want %s", got, test.want)
		}
	}
	long := foreign.Message("begin " + strings.Repeat("x", 200000) + " run `this`")
	if n := utf8.RuneCountInString(long); n > 2010 || !strings.HasPrefix(long, "begin xx") || !strings.HasSuffix(long, "xx run `this`") {
		t.Errorf("a message of %d characters: %.40q … %q", n, long, long[len(long)-20:])
	}
	if got := foreign.Message("a\nb"); got != "a b" {
		t.Errorf("got %q", got)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	var texts []string
	for range 5000 {
		texts = append(texts, strings.Repeat("w", 900))
	}
	shown, more := foreign.Warnings(append([]string{"\x1b", "a\x1b[2Jb"}, texts...))
	if len(shown) != 5 || more != 4996 || shown[0] != "a [2Jb" || utf8.RuneCountInString(shown[1]) != 401 {
		t.Errorf("%d shown, %d more, first %q, second of %d characters", len(shown), more, shown[0], utf8.RuneCountInString(shown[1]))
	}
}

// TestURL holds what is shown of an address that may be a capability (design §3.5).
func TestURL(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 101)
	for _, test := range []struct {
		name, text, want string
		ephemeral        bool
	}{
		{"plain", "https://h/a/b.zip", "https://h/a/b.zip", false},
		{"a port and escapes stay", "https://h:8443/a%2Fb/c%20d.zip", "https://h:8443/a%2Fb/c%20d.zip", false},
		{"a fragment is never sent", "https://h/a.zip#x", "https://h/a.zip", false},
		{"user information", "https://me:pw@h/a.zip", "https://h/a.zip", false},
		{"query", "https://h/a.zip?sig=x", "https://h/a.zip", true},
		{"empty query", "https://h/a.zip?", "https://h/a.zip", true},
		{"long segment", "https://h/a/" + long + "/b.zip", "https://h/a/", true},
		{"100 bytes are not long", "https://h/" + long[1:], "https://h/" + long[1:], false},
		{"archivist below a host", "https://h/_archivist/x", "https://h/_archivist/", true},
		{"its objects", "https://h/_archivist/v1/object/short", "https://h/_archivist/v1/object/", true},
		{"escaped", "https://h/a/%5Farchivist/short", "https://h/a/%5Farchivist/", true},
		{"nothing behind it", "https://h/_archivist/", "https://h/_archivist/", false},
		{"another name", "https://h/my_archivist/x", "https://h/my_archivist/x", false},
		{"the archivist's host", "https://archivist.terraform.io/v1/object/short", "https://archivist.terraform.io/v1/object/", true},
		{"in capitals, with a port", "https://Archivist.Terraform.IO:443/short/b", "https://Archivist.Terraform.IO:443/", true},
		{"a token", "https://h/dl/s3cr%65t-token/a.zip", "https://h/dl/", true},
		{"a token at the end", "https://h/s3cret-token", "https://h/", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(test.text)
			if err != nil {
				t.Fatal(err)
			}
			got, ephemeral := foreign.URL(u, func(s string) bool { return strings.Contains(s, "s3cret-token") })
			if got != test.want || ephemeral != test.ephemeral {
				t.Errorf("got %s, %v; want %s, %v", got, ephemeral, test.want, test.ephemeral)
			}
			again, err := url.Parse(got)
			if err != nil {
				t.Fatal(err)
			}
			if twice, _ := foreign.URL(again, nil); twice != got {
				t.Errorf("shown again it is %s", twice)
			}
		})
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	var s foreign.Secrets
	if s.In("anything") || s.Remove("anything") != "anything" {
		t.Error("a secret in an empty set")
	}
	s.Add("abc") // too short to be one
	s.Add("top.s3cret/é\n")
	for _, test := range []struct{ text, want string }{
		{"abc topXs3cret/é", "abc topXs3cret/é"},
		{"a top.s3cret/é b top.s3cret/é", "a (token) b (token)"},
		{"top.s3cret%2Fé", "(token)"},
		{"%74op%2es3cret%2f%C3%A9!", "(token)!"},
		{"top.s3cret%252F%25C3%25a9", "(token)"},
	} {
		if got := s.Remove(test.text); got != test.want {
			t.Errorf("%s: got %s, want %s", test.text, got, test.want)
		}
		if s.In(test.text) != (test.text != test.want) {
			t.Errorf("In(%q) and Remove disagree", test.text)
		}
	}
}

// TestEncodedSecrets: a secret is found in the forms in which answers repeat it, whatever stands around it.
func TestEncodedSecrets(t *testing.T) {
	t.Parallel()
	const secret = "S3cret?t>ken~ü"
	var s foreign.Secrets
	s.Add(secret)
	forms := map[string]string{"lower case": strings.ToLower(secret), "upper case": strings.ToUpper(secret), "hex": hex.EncodeToString([]byte(secret)),
		"upper-case hex": fmt.Sprintf("%X", secret), "encoded base64": url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(secret)))}
	for _, before := range []string{"", "u", "me", "me:", "user:"} {
		for _, after := range []string{"", "\n", ";x", "abc"} {
			for name, encoding := range map[string]*base64.Encoding{"std": base64.StdEncoding, "raw std": base64.RawStdEncoding, "url": base64.URLEncoding, "raw url": base64.RawURLEncoding} {
				forms[fmt.Sprintf("base64 %s, %q before, %q behind", name, before, after)] = encoding.EncodeToString([]byte(before + secret + after))
			}
		}
	}
	for name, text := range forms {
		if got := s.Remove("Basic " + text); !s.In(text) || !strings.HasPrefix(got, "Basic ") || !strings.Contains(got, "(token)") || len(got) > len("Basic (token)")+14 {
			t.Errorf("%s: %q becomes %q", name, text, got)
		}
	}
	for _, other := range []string{base64.StdEncoding.EncodeToString([]byte("another text of some length")), hex.EncodeToString([]byte("another text")), "s3cret"} {
		if s.In(other) {
			t.Errorf("%q is taken for the secret", other)
		}
	}
	u, err := url.Parse("https://h/dl/" + base64.URLEncoding.EncodeToString([]byte("x:"+secret)) + "/a.zip")
	if err != nil {
		t.Fatal(err)
	}
	if got, ephemeral := foreign.URL(u, s.In); got != "https://h/dl/" || !ephemeral {
		t.Errorf("shown %s, ephemeral %v", got, ephemeral)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\x1b[0m\u202e\xff", 3)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = min(max(limit, 0), 1000)
		for _, got := range []string{foreign.Line(text), foreign.Short(text, limit), foreign.Message(text)} {
			for _, r := range got {
				if !unicode.IsPrint(r) {
					t.Fatalf("%q holds %U", got, r)
				}
			}
		}
		if n := utf8.RuneCountInString(foreign.Short(text, limit)); n > limit+1 {
			t.Fatalf("%d characters, want at most %d", n, limit+1)
		}
	})
}

func FuzzURL(f *testing.F) {
	f.Add("https://h/%5Farchivist/%2f/x?y")
	f.Add("https://archivist.terraform.io/v1%2Fobject/x")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			return
		}
		shown, _ := foreign.URL(u, nil)
		if again, err := url.Parse(shown); err != nil || again.RawQuery != "" || again.User != nil {
			t.Fatalf("%q becomes %q: %v", text, shown, err)
		}
	})
}
