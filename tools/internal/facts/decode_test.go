package facts_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/problem"
)

const (
	resolveKey = "resolve/registry.terraform.io/hashicorp/random/~> 3.1.0"
	latestKey  = "resolve/registry.terraform.io/hashicorp/random/latest"
	packageKey = "package/registry.terraform.io/hashicorp/random/3.1.3/linux_amd64"
	toolKey    = "tool/terraform/1.9.5/linux_amd64"

	sum      = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	url      = "https://releases.hashicorp.com/r/terraform-provider-random_3.1.3_linux_amd64.zip"
	filename = "terraform-provider-random_3.1.3_linux_amd64.zip"
)

// pkg writes a package fact; an empty part is left out.
func pkg(url, filename, sum, more string) string {
	fields := []string{}
	for _, f := range [][2]string{{"download_url", url}, {"filename", filename}, {"sha256", sum}} {
		if f[1] != "" {
			fields = append(fields, strconv.Quote(f[0])+":"+strconv.Quote(f[1]))
		}
	}
	if more != "" {
		fields = append(fields, more)
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// Recorded forms survive a round byte for byte: the lockfile must not change when nothing has (design §3.1).
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ key, value string }{
		{resolveKey, `{"version":"3.1.3"}`},
		{latestKey, `{"version":"9.9.9+m"}`},
		{"resolve/acme.dev/a/b/2.0.0-rc1, >= 1", `{"version":"2.0.0-rc1"}`},
		{packageKey, pkg(url, filename, sum, "")},
		{packageKey, pkg(url, filename, sum, `"ephemeral":true`)},
		{packageKey, pkg("http://127.0.0.1:8080/a/b%20c&d.zip", strings.Replace(filename, "3.1.3", "v3.1.3", 1), sum, "")},
		{packageKey, `{"unavailable":true}`},
		{toolKey, `{"download_url":"` + url + `","sha256":"` + sum + `"}`},
	} {
		got, err := reencode(test.key, test.value)
		if err != nil || got != test.value {
			t.Errorf("%s: %s becomes %s, %v", test.key, test.value, got, err)
		}
	}
}

// reencode reads a fact by the kind of its key and writes it again.
func reencode(key, value string) (string, error) {
	raw := json.RawMessage(value)
	kind, _, _ := strings.Cut(key, "/")
	switch kind {
	case "resolve":
		fact, err := facts.ParseResolve(key, raw)
		return string(fact.JSON()), err
	case "package":
		fact, err := facts.ParsePackage(key, raw)
		return string(fact.JSON()), err
	default:
		fact, err := facts.ParseTool(key, raw)
		return string(fact.JSON()), err
	}
}

// badValues are recorded facts as hand edits and merges leave them, with what the error says of them.
var badValues = []struct{ key, value, reason string }{
	{resolveKey, ``, "empty"},
	{resolveKey, `{`, "ends inside"},
	{resolveKey, `null`, `found null`},
	{resolveKey, `[]`, "no object"},
	{resolveKey, `"3.1.3"`, "no object"},
	{resolveKey, `{}`, `"version" is missing`},
	{resolveKey, `{"version":null}`, `version: found null`},
	{resolveKey, `{"version":""}`, `"version" is missing`},
	{resolveKey, `{"version":3}`, "no string"},
	{resolveKey, `{"version":"3.1"}`, `written "3.1.0"`},
	{resolveKey, `{"version":"v3.1.3"}`, "prefix"},
	{resolveKey, `{"version":"../../x"}`, "../../x"},
	{resolveKey, `{"version":"99999999999999999999.0.0"}`, "too large"},
	{resolveKey, `{"version":"3.2.0"}`, "does not admit"},
	{resolveKey, `{"version":"3.1.4-rc1"}`, "does not admit"},
	{latestKey, `{"version":"3.1.4-rc1"}`, "does not admit"},
	{latestKey, `{"version":"0.0.0"}`, "0.0.0"},
	{resolveKey, `{"version":"3.1.3","versoin":"x"}`, `unknown field "versoin"`},
	{resolveKey, `{"Version":"3.1.3"}`, `unknown field "Version"`},
	{resolveKey, `{"version":"3.1.3","version":"3.1.2"}`, "given twice"},
	{resolveKey, `{"version":"3.1.3"}{}`, "after the JSON value"},
	{packageKey, `{"version":"3.1.3"}`, `unknown field "version"`},
	{packageKey, `{}`, `"download_url" is missing`},
	{packageKey, `{"unavailable":false}`, `"download_url" is missing`},
	{packageKey, `{"unavailable":1}`, "no true or false"},
	{packageKey, pkg(url, filename, sum, `"unavailable":true`), "excludes every other field"},
	{packageKey, `{"unavailable":true,"ephemeral":true}`, "excludes every other field"},
	{packageKey, pkg("", filename, sum, ""), `"download_url" is missing`},
	{packageKey, pkg(url, "", sum, ""), `"filename" is missing`},
	{packageKey, pkg(url, filename, "", ""), `"sha256" is ""`},
	{packageKey, pkg(url, filename, sum[1:], ""), "64 lower-case hex digits"},
	{packageKey, pkg(url, filename, sum+"\n", ""), "64 lower-case hex digits"},
	{packageKey, pkg(url, filename, strings.ToUpper(sum), ""), "64 lower-case hex digits"},
	{packageKey, pkg(url+"?sig=1", filename, sum, ""), "has a query"},
	{packageKey, pkg(url+"?", filename, sum, ""), "has a query"},
	{packageKey, pkg(url+"?sig=1", filename, sum, `"ephemeral":true`), "has a query"},
	{packageKey, pkg(url+"#x", filename, sum, ""), "has a fragment"},
	{packageKey, pkg("https://me:s3cret@acme.dev/x.zip", filename, sum, ""), "user name or password"},
	{packageKey, pkg("file:///etc/passwd", filename, sum, ""), `scheme "file"`},
	{packageKey, pkg("/x.zip", filename, sum, ""), `scheme ""`},
	{packageKey, pkg("https:x.zip", filename, sum, ""), "no host"},
	{packageKey, pkg("https:///x.zip", filename, sum, ""), "no host"},
	{packageKey, pkg("https://a b/x.zip", filename, sum, ""), "no URL"},
	{packageKey, pkg(url, "../"+filename, sum, ""), `"filename" is`},
	{packageKey, pkg(url, "terraform-provider-random_3.1.3_darwin_arm64.zip", sum, ""), `not "` + filename + `"`},
	{packageKey, pkg(url, "terraform-provider-random_3.1.4_linux_amd64.zip", sum, ""), `not "` + filename + `"`},
	{packageKey, pkg(url, "terraform-provider-aws_3.1.3_linux_amd64.zip", sum, ""), `not "` + filename + `"`},
	{toolKey, `{}`, `"download_url" is missing`},
	{toolKey, `{"download_url":"` + url + `"}`, "64 lower-case hex digits"},
	{toolKey, `{"download_url":"` + url + `","sha256":"` + sum + `","filename":"x"}`, `unknown field "filename"`},
	{toolKey, `{"unavailable":true}`, `unknown field "unavailable"`},
}

func TestMalformedFacts(t *testing.T) {
	t.Parallel()
	for _, test := range badValues {
		got, err := reencode(test.key, test.value)
		if err == nil {
			t.Errorf("%s: %s is read as %s", test.key, test.value, got)
			continue
		}
		var e *problem.Error
		if !errors.As(err, &e) || e.Kind != problem.Response {
			t.Errorf("%s: %s: %T, want a problem.Error of kind response", test.key, test.value, err)
		}
		for _, part := range []string{test.key, test.reason, "delete this fact from MODULE.bazel.lock and run `bazel mod deps`"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %s: %q lacks %q", test.key, test.value, err, part)
			}
		}
		if strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "sig=1") {
			t.Errorf("%s: the error shows a secret: %v", test.key, err)
		}
	}
}

// A value under a key of another kind is refused, whatever it holds.
func TestWrongKind(t *testing.T) {
	t.Parallel()
	if _, err := facts.ParseResolve(packageKey, json.RawMessage(`{"version":"3.1.3"}`)); err == nil || !strings.Contains(err.Error(), "resolve/ fact") {
		t.Errorf("resolve under a package key: %v", err)
	}
	if _, err := facts.ParsePackage(resolveKey, json.RawMessage(`{"unavailable":true}`)); err == nil || !strings.Contains(err.Error(), "package/ fact") {
		t.Errorf("package under a resolve key: %v", err)
	}
	if _, err := facts.ParseTool("nonsense", json.RawMessage(`{"download_url":"`+url+`","sha256":"`+sum+`"}`)); err == nil {
		t.Error("tool under nonsense is accepted")
	}
}

// FuzzValues: whatever is accepted is written in the form that is accepted again, and holds no place for a secret.
func FuzzValues(f *testing.F) {
	for _, test := range badValues {
		f.Add(test.key, test.value)
	}
	f.Add(packageKey, pkg(url, filename, sum, `"ephemeral":true`))
	f.Add(latestKey, `{"version":"9.9.9+m"}`)
	f.Fuzz(func(t *testing.T, key, value string) {
		first, err := reencode(key, value)
		if err != nil {
			return
		}
		second, err := reencode(key, first)
		if err != nil || first != second {
			t.Fatalf("%q %q is written as %q, which is read as %q, %v", key, value, first, second, err)
		}
		if strings.HasPrefix(key, "package/") && strings.ContainsAny(first, "?#") {
			t.Fatalf("%q holds a query or a fragment: %s", key, first)
		}
	})
}
