package starlark_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

func TestParseEntry(t *testing.T) {
	t.Parallel()
	const host = "registry.terraform.io"
	for _, tc := range []struct {
		text, source string
		constraint   any
		version      any
		request      string
	}{
		{"hashicorp/random:~> 3.1.0", host + "/hashicorp/random", "~> 3.1.0", nil, "~> 3.1.0"},
		{"hashicorp/random", host + "/hashicorp/random", nil, nil, "latest"},
		{"hashicorp/random:3.3.2", host + "/hashicorp/random", "3.3.2", "3.3.2", "3.3.2"},
		{"hashicorp/random:= 3.3", host + "/hashicorp/random", "= 3.3", "3.3.0", "3.3.0"},
		{"hashicorp/random:  >= 1, < 2 ", host + "/hashicorp/random", ">= 1, < 2", nil, ">= 1, < 2"},
		{"registry.terraform.io/hashicorp/random:1", host + "/hashicorp/random", "1", "1.0.0", "1.0.0"},
		{"registry.acme.dev/acme/widget:1.4.0", "registry.acme.dev/acme/widget", "1.4.0", "1.4.0", "1.4.0"},
		// The first colon after the last slash (design §3.1), so a port is none of it (R-ADDR-10).
		{"localhost:8443/acme/widget:1.4.0", "localhost:8443/acme/widget", "1.4.0", "1.4.0", "1.4.0"},
		{"localhost:8443/acme/widget", "localhost:8443/acme/widget", nil, nil, "latest"},
		{"localhost:80/acme/widget", "localhost:80/acme/widget", nil, nil, "latest"},
		{"a.example./acme/widget", "a.example./acme/widget", nil, nil, "latest"}, // R-ADDR-12
		{"acme_corp/widget", host + "/acme_corp/widget", nil, nil, "latest"},     // R-ADDR-7
		{"123/456", host + "/123/456", nil, nil, "latest"},                       // R-ADDR-6
		// No constraint, but that is for the helper to explain.
		{"hashicorp/random:1.2.3.4", host + "/hashicorp/random", "1.2.3.4", nil, "1.2.3.4"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			t.Parallel()
			value, problem := pair(t, call(t, "sources.bzl", "parse_entry", tc.text, host))
			if problem != "" {
				t.Fatal(problem)
			}
			got := value.(fakebazel.Struct)
			want := []any{tc.text, tc.source, tc.constraint, tc.version, tc.request}
			if diff := cmp.Diff(want, []any{got["text"], got["source"], got["constraint"], got["version"], got["request"]}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if joined := got["host"].(string) + "/" + got["namespace"].(string) + "/" + got["type"].(string); joined != tc.source {
				t.Errorf("parts %s, source %s", joined, tc.source)
			}
		})
	}
}

func TestParseEntryErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"random:1", `Write "hashicorp/random:1"`},
		{"random", `Write "hashicorp/random"`},
		{"Random:~> 1", `Write "hashicorp/random:~> 1"`},
		{"HashiCorp/Random:~> 3.1", `not in normal form. Write "hashicorp/random:~> 3.1"`},
		{"Registry.Acme.dev/acme/widget", `Write "registry.acme.dev/acme/widget"`},
		{"registry.acme.dev:443/acme/widget:1", `Write "registry.acme.dev/acme/widget:1"`},
		{"registry.acme.dev:0443/acme/widget:1", `Write "registry.acme.dev/acme/widget:1"`}, // R-ADDR-10
		{"registry.acme.dev:08443/acme/widget:1", `Write "registry.acme.dev:8443/acme/widget:1"`},
		{" hashicorp/random:1", `Write "hashicorp/random:1"`},
		{"hashicorp/random :1", `Write "hashicorp/random:1"`},
		{"bücher.example/acme/widget", "only ASCII characters"},
		{"acme/ｆｕｌｌ:1", "only ASCII characters"},
		{"hashicorp/random:", `Write "hashicorp/random" for the newest release`}, // R-CON-6
		{"hashicorp/random:  ", "nothing follows the colon"},
		{"hashicorp/random:latest", `"latest" is no version constraint`}, // would be the key of no constraint
		{"a/b/c/d:1", "found 4 parts"},
		{"", "found 1 parts"},
		{"https://registry.acme.dev/acme/widget", "found 5 parts"}, // R-ADDR-1
		{"hashicorp//random", `"" is no namespace`},
		{"hashicorp/", `"" is no provider type`},
		{"/acme/widget", `"" is no host name`},
		{"hashicorp/ran_dom", `"ran_dom" is no provider type`}, // R-ADDR-7
		{"hashicorp/*", `"*" is no provider type`},             // R-ADDR-9
		{"host:/acme/widget", `"host:" is no host name`},       // R-ADDR-10
		{"host:x/acme/widget", `"host:x" is no host name`},
		{"host:-1/acme/widget", `"host:-1" is no host name`},
		{"host:65536/acme/widget", `"host:65536" is no host name`},
		{"host:99999999999999999999/acme/widget", "is no host name"},
		{"a_b.example/acme/widget", `"a_b.example" is no host name`}, // R-ADDR-12
		// A path is made of these.
		{"../acme/widget:1", `".." is no host name`},
		{"./acme/widget:1", `"." is no host name`},
		{"a..b/acme/widget:1", `"a..b" is no host name`},
		{`a\b/acme/widget:1`, "is no host name"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			t.Parallel()
			_, problem := pair(t, call(t, "sources.bzl", "parse_entry", tc.text, "registry.terraform.io"))
			contains(t, problem, "mirror entry \""+tc.text+"\"", tc.want)
		})
	}
}

func TestExactVersion(t *testing.T) {
	t.Parallel()
	for constraint, want := range map[string]any{
		"3.1.3": "3.1.3", "= 3.1.3": "3.1.3", "=3.1.3": "3.1.3", "1": "1.0.0", "1.2": "1.2.0", "01.002.0003": "1.2.3", "0": "0.0.0",
		"1.0.0-beta1": "1.0.0-beta1", "1.2-rc.1": "1.2.0-rc.1", "1.0.0+meta.1": "1.0.0+meta.1", "1.0.0-rc-1+b-2": "1.0.0-rc-1+b-2",
		"1.2.3-":                  "1.2.3",                   // both parsers take it (table after R-CON-12)
		"9223372036854775807.0.0": "9223372036854775807.0.0", // no integer of Starlark's is made of it
		"~> 3.1.3":                nil,
		"=  3.1.3":                nil, // two spaces (R-CON-4)
		"=\t3.1.3":                nil,
		"== 3.1.3":                nil,
		"!= 3.1.3":                nil,
		">= 1":                    nil,
		"1.0.0, 1.0.0":            nil, // two terms
		"v1.2.3":                  nil, // R-CON-5
		"1.2.3.4":                 nil,
		"1.x":                     nil,
		"*":                       nil,
		"1.":                      nil,
		".1":                      nil,
		"":                        nil,
		"=":                       nil,
		"1.0.0-":                  "1.0.0",
		"1.0.0-a..b":              nil,
		"1.0.0+":                  nil,
		"1.0.0-~x":                nil,
		"1.0.0/../../x":           nil,
		"1.0.0-ü":                 nil,
		"１.0.0":                   nil,
	} {
		if got := call(t, "exact_version.bzl", "exact_version", constraint); got != want {
			t.Errorf("%q: got %v, want %v", constraint, got, want)
		}
	}
}

func TestPlatforms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"linux_amd64": true, "windows_386": true, "linux": false, "linux_": false, "_amd64": false, "Linux_amd64": false,
		"linux_amd64_v2": false, "linux/amd64": false, "": false, "../x_y": false,
	} {
		if got := call(t, "platforms.bzl", "is_platform", text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	value, err := fakebazel.NewInterpreter(moduleRoot).Call("//tf/private:platforms.bzl", "constraint_values", "darwin_arm64")
	if err != nil || value.String() != `["@@platforms//os:macos", "@@platforms//cpu:aarch64"]` {
		t.Errorf("got %v, %v", value, err)
	}
	if got := call(t, "platforms.bzl", "constraint_values", "solaris_amd64"); got != nil {
		t.Errorf("solaris: got %v", got)
	}
}
