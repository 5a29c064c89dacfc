package cliconfig_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/cliconfig"
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/problem"
)

// rc is where load puts the file.
const rc = "/home/u/.terraformrc"

// TestCredentials is R-CRED-5 in HCL 1 and JSON: tokens by host with their origin, and defects with file and line.
func TestCredentials(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       map[string]string // host: token@line
		errors     []string
		warnings   []string
	}{
		{name: "block", text: "\ncredentials \"a.example\" {\n  token = \"s1\"\n}\n", want: map[string]string{"a.example": "s1@2"}},
		{name: "JSON", text: "{\n \"credentials\": {\n  \"a.example\": {\"token\": \"s1\"},\n  \"b.example\": {\"token\": \"s2\"}\n }\n}",
			want: map[string]string{"a.example": "s1@3", "b.example": "s2@4"}},
		{name: "R-CLI-6 JSON by content, after space", text: "\n \t{\"credentials\":{\"a.example\":{\"token\":\"s1\"}}}", want: map[string]string{"a.example": "s1@2"}},
		{name: "R-CRED-8 after logout", text: `{"credentials": {}}`, want: map[string]string{}},
		{name: "JSON array", text: `{"credentials": [{"a.example": {"token": "s1"}}]}`, want: map[string]string{"a.example": "s1@1"}},
		{name: "map form", text: "credentials {\n  \"a.example\" = { token = \"s1\" }\n  \"b.example\" { token = \"s2\" }\n}", want: map[string]string{"a.example": "s1@2", "b.example": "s2@3"}},
		{name: "no regard to case", text: `Credentials "a.example" { Token = "s1" }`, want: map[string]string{"a.example": "@1"}},
		{name: "normalised", text: `credentials "Bücher.Example:0443" { token = "s1" }`, want: map[string]string{"xn--bcher-kva.example": "s1@1"}},
		{name: "port", text: `credentials "localhost:8443" { token = "s1" }`, want: map[string]string{"localhost:8443": "s1@1"}},
		{name: "no token ends the search", text: `credentials "a.example" {}`, want: map[string]string{"a.example": "@1"}},
		{name: "other settings", text: `credentials "a.example" { username = "x" }`, want: map[string]string{"a.example": "@1"}},
		{name: "empty token", text: `credentials "a.example" { token = "" }`, want: map[string]string{"a.example": "@1"}},
		{name: "number", text: `credentials "a.example" { token = 12345 }`, want: map[string]string{"a.example": "@1"},
			warnings: []string{rc + ":1: the token is not a string"}},
		{name: "one host twice", text: "credentials \"a.example\" { token = \"s1\" }\ncredentials \"a.example\" { token = \"s2\" }", want: map[string]string{"a.example": "s2@2"}},
		{name: "one host twice adds up", text: "credentials \"a.example\" { token = \"s1\" }\ncredentials \"a.example\" { x = \"s2\" }", want: map[string]string{"a.example": "s1@1"}},
		{name: "heredoc and escape", text: "credentials \"a.example\" { token = \"s\\u0031\" }", want: map[string]string{"a.example": "s1@1"}},
		{name: "bad host", text: "credentials \"ok.example\" { token = \"s1\" }\n\ncredentials \"https://a.example/x\" { token = \"s1\" }", want: map[string]string{"ok.example": "s1@1"},
			errors: []string{rc + `:3: "https://a.example/x" is not a valid host name: write it as in a source address`}},
		{name: "punycode", text: `credentials "xn--bcher-kva.example" { token = "s1" }`, want: map[string]string{},
			errors: []string{rc + `:1: "xn--bcher-kva.example" is not a valid host name: write it in Unicode`}},
		{name: "assigned", text: "x = 1\ncredentials = \"s3cret\"", want: map[string]string{}, errors: []string{rc + ":2: a credentials block must have the form"}},
		{name: "host assigned", text: `credentials "a.example" = "s3cret"`, want: map[string]string{}, errors: []string{rc + ":1: syntax error"}},
		{name: "JSON host assigned", text: "{\"credentials\":\n{\"a.example\": \"s3cret\"}}", want: map[string]string{}, errors: []string{rc + ":1: a credentials block must have the form"}},
		{name: "syntax", text: "\ncredentials \"a.example\" {\n token s3cret\n}", want: map[string]string{}, errors: []string{rc + ":4: syntax error: the file is not valid HCL 1"}},
		{name: "JSON syntax", text: "{\n\"credentials\":\n{\"a.example\": {\"token\": \"s3cret\" = \"x\"}}}", want: map[string]string{}, errors: []string{rc + ":3: syntax error: the file is not valid JSON"}},
		{name: "R-CLI-6 unknown settings", text: "unknown \"x\" { y = 1 }\nother = [1]\ncredentials \"a.example\" { token = \"s1\" }", want: map[string]string{"a.example": "s1@3"}},
		{name: "empty", text: "", want: map[string]string{}},
		{name: "null", text: "{}", want: map[string]string{}},
		{name: "deep", text: "\nx = " + strings.Repeat("[", 300), want: map[string]string{}, errors: []string{rc + ":2: the file nests"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := load(test.text)
			got := map[string]string{}
			for host, token := range c.Credentials {
				got[host] = token.Reveal() + "@" + strings.TrimPrefix(token.Origin(), "the credentials block at "+rc+":")
			}
			if !maps.Equal(got, test.want) {
				t.Errorf("found %v, want %v", got, test.want)
			}
			wantProblems(t, "errors", c.Errors, test.errors...)
			wantProblems(t, "warnings", c.Warnings, test.warnings...)
			if all := fmt.Sprint(texts(c.Errors), texts(c.Warnings), c.Err("a.example", true)); strings.Contains(all, "s3cret") {
				t.Errorf("a message holds the token: %s", all)
			}
		})
	}
}

// TestMerge is R-CLI-7 and R-CRED-6: later files win per key, but for the plugin cache.
func TestMerge(t *testing.T) {
	t.Parallel()
	c := cliconfig.Load(addrs.OpenTofu, linux(files{
		"/home/u/.tofurc": `credentials "a.example" { token = "main" }` + "\n" + `credentials "b.example" { token = "main" }` + "\n" +
			`host "h.example" { services = { "providers.v1" = "https://main/" } }` + "\n" + `credentials_helper "x" { args = ["main"] }` + "\n" +
			`plugin_cache_may_break_dependency_lock_file = true` + "\n" + `registry_protocols { retry_count = 3 }`,
		"/home/u/.terraform.d/a.tfrc":                          `plugin_cache_dir = "$BASE/a"` + "\n" + `credentials "b.example" {}` + "\n" + `host "H.example" { services = { "providers.v1" = "/p" } }`,
		"/home/u/.terraform.d/b.tfrc":                          `plugin_cache_dir = "/b"` + "\n" + `credentials_helper "x" {}` + "\n" + `registry_protocols { request_timeout_seconds = 7 }`,
		"/home/u/.terraform.d/credentials.tfrc.json":           `{"credentials": {"A.example": {"token": "login"}}}`,
		"/home/u/.terraform.d/plugins/terraform-credentials-x": "",
		"/cache/a/x": "",
	}, "BASE=/cache"))
	wantProblems(t, "errors", c.Errors)
	wantProblems(t, "warnings", c.Warnings)
	if c.Credentials["a.example"].Reveal() != "login" || c.Credentials["b.example"].Reveal() != "" || len(c.Credentials) != 2 {
		t.Errorf("a: %q, b: %q of %d", c.Credentials["a.example"].Reveal(), c.Credentials["b.example"].Reveal(), len(c.Credentials))
	}
	if u, ok, err := c.ServiceURL("h.example"); err != nil || !ok || u.String() != "https://h.example/p" {
		t.Errorf("service %v, %t, %v", u, ok, err)
	}
	if h := c.Helper; h == nil || len(h.Args) != 0 || h.Program != "/home/u/.terraform.d/plugins/terraform-credentials-x" || h.Position.String() != "/home/u/.terraform.d/b.tfrc:2" {
		t.Errorf("helper %+v", h)
	}
	if p := c.PluginCache; p.Dir != "/cache/a" || !p.MayBreakLockFile || p.Origin != "/home/u/.terraform.d/a.tfrc:1" {
		t.Errorf("plugin cache %+v", p)
	}
	if p := c.RegistryProtocols; p.RetryCount == nil || *p.RetryCount != 3 || p.TimeoutSeconds == nil || *p.TimeoutSeconds != 7 {
		t.Errorf("registry_protocols %+v (R-CLI-27)", p)
	}
}

// TestSettings: defects of settings that do not decide who is asked are warnings; variables beat files (R-CLI-8, R-CLI-10).
func TestSettings(t *testing.T) {
	t.Parallel()
	c := load("plugin_cache_dir = [1]\nplugin_cache_may_break_dependency_lock_file = \"maybe\"\nregistry_protocols = 1")
	wantProblems(t, "errors", c.Errors)
	wantProblems(t, "warnings", c.Warnings, rc+":1: plugin_cache_dir has a value of the wrong type", rc+":2: plugin_cache_may_break")
	wantProblems(t, "tofu", loadTofu("\nregistry_protocols { retry_count = \"many\" }").Warnings, "/home/u/.tofurc:2: registry_protocols has a value")
	wantProblems(t, "cache", load(`plugin_cache_dir = "/none"`).Warnings, "the plugin cache /none, named by "+rc+":1, is not an existing directory")
	for value, want := range map[string]bool{"": false, "0": false, "1": true, "false": true} {
		c := cliconfig.Load(addrs.Terraform, linux(files{rc: `plugin_cache_dir = "/file"`, "/env$X/x": ""}, "TF_PLUGIN_CACHE_DIR=/env$X", "X=y",
			"TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE="+value))
		if c.PluginCache != (cliconfig.PluginCache{Dir: "/env$X", Origin: "TF_PLUGIN_CACHE_DIR", MayBreakLockFile: want}) || len(c.Warnings) != 0 {
			t.Errorf("plugin cache %+v, warnings %q", c.PluginCache, texts(c.Warnings))
		}
	}
	if p := load(`registry_protocols { retry_count = 3 }`).RegistryProtocols; p.RetryCount != nil {
		t.Error("terraform knows registry_protocols")
	}
	if c := load(`{"plugin_cache_dir": "/j", "plugin_cache_may_break_dependency_lock_file": true}`); c.PluginCache.Dir != "/j" || !c.PluginCache.MayBreakLockFile {
		t.Errorf("JSON: plugin cache %+v", c.PluginCache)
	}
}

// TestServiceURL is R-DISC-16 and B20.
func TestServiceURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, url, err string }{
		{"absolute", `host "h.example" { services = { "providers.v1" = "https://api.example/x" } }`, "https://api.example/x", ""},
		{"relative", `host "h.example" { services = { "providers.v1" = "../v1/" } }`, "https://h.example/v1/", ""},
		{"http", `host "h.example" { services = { "providers.v1" = "http://localhost:1/" } }`, "http://localhost:1/", ""},
		{"JSON", `{"host": {"h.example": {"services": {"providers.v1": "/p/"}}}}`, "https://h.example/p/", ""},
		{"later block", "host \"h.example\" { services = { \"providers.v1\" = \"/a/\" } }\nhost \"h.example\" { services { \"providers.v1\" = \"/b/\" } }", "https://h.example/b/", ""},
		{"other hosts only", `host "other.example" { services = { "providers.v1" = "/p/" } }`, "", ""},
		{"no provider registry", "\nhost \"h.example\" { services = { \"modules.v1\" = \"/m/\" } }", "", rc + ":2"},
		{"no services", `host "h.example" {}`, "", "offers no provider registry"},
		{"number", `host "h.example" { services = { "providers.v1" = 5 } }`, "", "is not a string"},
		{"user", `host "h.example" { services = { "providers.v1" = "https://u:s3cret@x/" } }`, "", "user name or password"},
		{"scheme", `host "h.example" { services = { "providers.v1" = "ftp://x/" } }`, "", "only http and https"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := load(test.text)
			u, configured, err := c.ServiceURL("h.example")
			if test.err != "" {
				if !configured || problem.KindOf(err) != problem.Config || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "s3cret") {
					t.Errorf("error %v, want one of kind config with %q", err, test.err)
				}
				if err := c.Err("h.example", false); problem.KindOf(err) != problem.Config {
					t.Errorf("Err(h.example) = %v", err)
				}
				if err := c.Err("other.example", true); err != nil {
					t.Errorf("another host suffers: %v", err)
				}
				return
			}
			if err != nil || configured != (test.url != "") || configured && (u.String() != test.url || c.ServiceURLs()["h.example"].String() != test.url) {
				t.Errorf("ServiceURL = %v, %t, %v; want %q", u, configured, err, test.url)
			}
			wantProblems(t, "errors", c.Errors)
		})
	}
	wantProblems(t, "bad name", load("\nhost \"a..b\" { services = {} }").Errors, rc+`:2: "a..b" is not a valid host name`)
	wantProblems(t, "bad form", load("host = 1").Errors, rc+":1: a host block must have the form")
	wantProblems(t, "bad services", load(`host "h.example" { services = [1] }`).Errors, rc+":1: a host block must have the form")
}

// TestHelper is R-CRED-10: which program is chosen.
func TestHelper(t *testing.T) {
	t.Parallel()
	const dir = "/home/u/.terraform.d/plugins"
	for _, test := range []struct {
		name, text     string
		there          []string
		program        string
		errors, warned []string
	}{
		{name: "none configured", there: []string{dir + "/terraform-credentials-x"}},
		{name: "found", text: `credentials_helper "x" { args = ["a", "b"] }`, there: []string{dir + "/terraform-credentials-x"}, program: dir + "/terraform-credentials-x"},
		{name: "JSON", text: `{"credentials_helper": {"x": {"args": ["a", "b"]}}}`, there: []string{dir + "/terraform-credentials-x"}, program: dir + "/terraform-credentials-x"},
		{name: "platform directory", text: `credentials_helper "x" {}`, there: []string{dir + "/linux_amd64/terraform-credentials-x", dir + "/linux_arm64/terraform-credentials-x"},
			program: dir + "/linux_amd64/terraform-credentials-x"},
		{name: "exe, upper case", text: `credentials_helper "x" {}`, there: []string{dir + "/terraform-credentials-X.exe"}, program: dir + "/terraform-credentials-X.exe"},
		{name: "newest", text: `credentials_helper "x" {}`, there: []string{dir + "/terraform-credentials-x", dir + "/terraform-credentials-x_v1.9.0",
			dir + "/linux_amd64/terraform-credentials-x_v1.10.0_x4", dir + "/terraform-credentials-x_vnew"}, program: dir + "/linux_amd64/terraform-credentials-x_v1.10.0_x4"},
		{name: "first directory of equals", text: `credentials_helper "x" {}`, there: []string{dir + "/terraform-credentials-x", dir + "/linux_amd64/terraform-credentials-x"},
			program: dir + "/terraform-credentials-x"},
		{name: "a directory is no program", text: `credentials_helper "x" {}`, there: []string{dir + "/terraform-credentials-x/y"}, warned: []string{rc + `:1: the credentials helper "x" is not installed`}},
		{name: "other names", text: `credentials_helper "x" {}`, there: []string{dir + "/terraform-credentials-xy", dir + "/x", dir + "/terraform-provider-x"},
			warned: []string{rc + `:1: the credentials helper "x" is not installed`}},
		{name: "upper case", text: `credentials_helper "X" {}`, there: []string{dir + "/terraform-credentials-X"}, warned: []string{rc + `:1: the credentials helper "X" is never found`}},
		{name: "R-CLI-7 two", text: "credentials_helper \"x\" {}\ncredentials_helper \"y\" {}", there: []string{dir + "/terraform-credentials-x"}, program: dir + "/terraform-credentials-x",
			errors: []string{rc + ":2: only one credentials_helper may be configured, and " + rc + ":1 has another"}},
		{name: "form", text: `credentials_helper "x" { args = "s3cret" }`, errors: []string{rc + ":1: a credentials_helper block must have the form"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := files{rc: test.text}
			for _, path := range test.there {
				f[path] = ""
			}
			c := cliconfig.Load(addrs.Terraform, linux(f))
			program := ""
			if c.Helper != nil {
				program = c.Helper.Program
			}
			if program != test.program {
				t.Errorf("program %q, want %q", program, test.program)
			}
			if strings.Contains(test.text, "args") && test.errors == nil && !slices.Equal(c.Helper.Args, []string{"a", "b"}) {
				t.Errorf("args %q", c.Helper.Args)
			}
			wantProblems(t, "errors", c.Errors, test.errors...)
			wantProblems(t, "warnings", c.Warnings, test.warned...)
		})
	}
}

// TestCredentialsSource is R-CRED-1: variable, block, helper; a helper that cannot be started is the error of those hosts that need it.
func TestCredentialsSource(t *testing.T) {
	t.Parallel()
	c := cliconfig.Load(addrs.Terraform, linux(files{
		rc: "credentials \"a.example\" { token = \"block\" }\ncredentials \"b.example\" { token = \"block\" }\ncredentials \"c.example\" {}\ncredentials_helper \"x\" {}",
		"/home/u/.terraform.d/plugins/terraform-credentials-x": "",
	}, "TF_TOKEN_a_example=env", "TF_TOKEN_d_example=", "TF_TOKEN_f_example=s3cret\n"))
	source := c.CredentialsSource()
	for _, test := range []struct {
		host, token, origin string
		kind                problem.Kind
	}{
		{"a.example", "env", "TF_TOKEN_a_example", ""},
		{"b.example", "block", "the credentials block at " + rc + ":2", ""},
		{"c.example", "", "the credentials block at " + rc + ":3", ""},
		{"d.example", "", "TF_TOKEN_d_example", ""},
		{"e.example", "", "", problem.Credentials},
		{"f.example", "", "", problem.Credentials},
	} {
		token, ok, err := source.ForHost(context.Background(), test.host)
		if test.kind != "" {
			if err == nil || problem.KindOf(err) != test.kind || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%s: error %v, want kind %s", test.host, err, test.kind)
			}
			continue
		}
		if err != nil || !ok || token.Reveal() != test.token || token.Origin() != test.origin {
			t.Errorf("%s: %q of %q, %t, %v", test.host, token.Reveal(), token.Origin(), ok, err)
		}
	}
}

// TestMissingHelper: requests go out without the tokens of a helper that is not installed, so a 401 names it.
func TestMissingHelper(t *testing.T) {
	t.Parallel()
	c := load("credentials_helper \"x\" {}\ncredentials \"b.example\" {}")
	for host, want := range map[string]string{
		"a.example": `no token was sent: the credentials helper "x" of ` + rc + ":1 is not installed: put terraform-credentials-x into /home/u/.terraform.d/plugins or ",
		"b.example": "no token was sent, because the credentials block at " + rc + ":2 is empty",
	} {
		token, _, err := c.CredentialsSource().ForHost(context.Background(), host)
		if got := credentials.Explain(host, token, false); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, %v; want %q", host, got, err, want)
		}
	}
}
