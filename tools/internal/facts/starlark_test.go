package facts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"rules_tf_mirror/tests/starlark/fakebazel"
)

// starlarkProblem is what tf/private/fact_shapes.bzl says of a fact, "" if it takes it.
func starlarkProblem(t *testing.T, interpreter *fakebazel.Interpreter, key, value string) string {
	t.Helper()
	var decoded any
	if err := json.Unmarshal([]byte(value), &decoded); err != nil {
		t.Fatal(err)
	}
	if object, ok := decoded.(map[string]any); ok {
		for name, member := range object {
			if number, ok := member.(float64); ok {
				object[name] = int(number)
			}
		}
	}
	parts := strings.SplitN(key, "/", 5)
	source := strings.Join(parts[1:4], "/")
	var result any
	if parts[0] == "resolve" {
		var constraint any
		if parts[4] != "latest" {
			constraint = parts[4]
		}
		answer, err := interpreter.Call("//tf/private:fact_shapes.bzl", "read_resolve", decoded, constraint)
		if err != nil {
			t.Fatal(err)
		}
		result = fakebazel.ToGo(answer)
	} else {
		version, platform, _ := strings.Cut(parts[4], "/")
		answer, err := interpreter.Call("//tf/private:fact_shapes.bzl", "read_package", decoded, source, version, platform)
		if err != nil {
			t.Fatal(err)
		}
		result = fakebazel.ToGo(answer)
	}
	problem, _ := result.([]any)[1].(string)
	return problem
}

// sharedValues are facts that Go and Starlark both read, and must agree about: what one accepts and the other calls malformed would be
// asked for again and again, or go unchecked to Bazel's downloader.
var sharedValues = []struct {
	key, value string
	ok         bool
}{
	{resolveKey, `{"version":"3.1.3"}`, true},
	{resolveKey, `{"version":"3.1.3+x."}`, true},
	{resolveKey, `{"version":"3.1.3+"}`, false},
	{resolveKey, `{"version":"3.1.3\u001b[31m"}`, false},
	{resolveKey, `{"version":"3.3.2"}`, false},
	{resolveKey, `{"version":"03.1.3"}`, false},
	{latestKey, `{"version":"9.9.9"}`, true},
	{latestKey, `{"version":"9.9.9-rc1"}`, false},
	{"resolve/acme.dev/a/b/>= 1, no constraint", `{"version":"1.0.0"}`, false},
	{"resolve/acme.dev/a/b/2.0.0-rc1, >= 1", `{"version":"2.0.0-rc1"}`, true},
	{packageKey, `{"unavailable":true}`, true},
	{packageKey, pkg(url, filename, sum, ""), true},
	{packageKey, pkg(url, filename, sum, `"ephemeral":true`), true},
	{packageKey, pkg(url, filename, sum, `"unavailable":false`), true},
	{packageKey, pkg(url, filename, sum, `"size":3`), false},
	{packageKey, pkg(url, filename, sum, `"h1":null`), false},
	{packageKey, pkg(url, strings.Replace(filename, "3.1.3", "v3.1.3", 1), sum, ""), true},
	{packageKey, pkg(url, strings.Replace(filename, "3.1.3", "vv3.1.3", 1), sum, ""), false},
	{packageKey, pkg(url, strings.Replace(filename, "3.1.3", "3.01.3", 1), sum, ""), true},
	{packageKey, pkg(url, strings.Replace(filename, "3.1.3", "3.3.2", 1), sum, ""), false},
	{packageKey, pkg(url, strings.Replace(filename, "3.1.3", "", 1), sum, ""), false},
	{packageKey, pkg(url, "terraform-provider-random_linux_amd64.zip", sum, ""), false},
	{packageKey, pkg(url, "terraform-provider-random_3.1.3_linux_amd64.zip.zip", sum, ""), false},
	{packageKey, pkg("https://acme.dev:8443/a%20b/x.zip", filename, sum, ""), true},
	{packageKey, pkg("https://[::1]:8443/x.zip", filename, sum, ""), true},
	{packageKey, pkg("https://acme.dev:x/x.zip", filename, sum, ""), false},
	{packageKey, pkg("https://acme.dev/%zz", filename, sum, ""), false},
	{packageKey, pkg("https://acme.dev/%2", filename, sum, ""), false},
	{packageKey, `{"mirror":"registry.terraform.io/hashicorp/random/` + filename + `","sha256":"` + sum + `"}`, true},
	{packageKey, `{"mirror":"registry.terraform.io/hashicorp/random/terraform-provider-random_3.1.3_linux_amd64_x.ZIP","sha256":"` + sum + `"}`, true},
	{packageKey, `{"mirror":"registry.terraform.io/hashicorp/null/` + filename + `","sha256":"` + sum + `"}`, false},
	{packageKey, `{"mirror":"registry.terraform.io/hashicorp/random/terraform-provider-random_3.3.2_linux_amd64.zip","sha256":"` + sum + `"}`, false},
	{packageKey, `{"mirror":"registry.terraform.io/hashicorp/random/terraform-provider-random_3.1.3_linux_arm64.zip","sha256":"` + sum + `"}`, false},
	{packageKey, `{"mirror":"../hashicorp/random/` + filename + `","sha256":"` + sum + `"}`, false},
}

func TestStarlarkReadsTheSameFacts(t *testing.T) {
	t.Parallel()
	interpreter := fakebazel.NewInterpreter("../../..")
	for _, test := range sharedValues {
		_, err := reencode(test.key, test.value)
		problem := starlarkProblem(t, interpreter, test.key, test.value)
		if (err == nil) != test.ok || (problem == "") != test.ok {
			t.Errorf("%s: %s: Go: %v; Starlark: %q; want ok %t", test.key, test.value, err, problem, test.ok)
		}
		if strings.Contains(problem, "\x1b") {
			t.Errorf("%s: the text reaches the terminal as it is: %q", test.value, problem)
		}
	}
	for _, test := range badValues {
		if !json.Valid([]byte(test.value)) || strings.HasPrefix(test.key, "tool/") || test.reason == "given twice" {
			continue
		}
		if problem := starlarkProblem(t, interpreter, test.key, test.value); problem == "" {
			t.Errorf("%s: Starlark takes %s", test.key, test.value)
		}
	}
}
