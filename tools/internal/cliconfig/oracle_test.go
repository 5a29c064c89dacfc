package cliconfig_test

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/cliconfig"
)

// oracleCase is a home directory, an environment, and providers that somebody wants.
type oracleCase struct {
	name    string
	files   map[string]string // below HOME; {HOME} stands for it; names with "credentials-" are made executable
	environ []string
	sources []string // a.example/acme/widget if empty
	work    []string // files in the working directory
	held    []string // sources that implied mirrors hold
	only    addrs.Tool
	// emptyToken marks the deliberate difference of R-CRED-3: the tools send a header with an empty token, we send none.
	emptyToken bool
	// refused marks the other one: the tools go on in spite of a defect, we ask nobody (design 3.3).
	refused bool
}

// script is a helper that prints an answer.
func script(answer string) string { return "#!/bin/sh\necho '" + answer + "'\n" }

const helperPath = ".terraform.d/plugins/terraform-credentials-x"

// block is a credentials block for a.example.
func block(token string) string {
	return "credentials \"a.example\" {\n  token = \"" + token + "\"\n}\n"
}

func installation(body string) map[string]string {
	return map[string]string{".terraformrc": "provider_installation {\n" + body + "\n}\n"}
}

const mirrorAndDirect = "network_mirror {\n url = \"https://mirror.example/m/\"\n %s\n}\ndirect {\n %s\n}"

var oracleCases = []oracleCase{
	{name: "nothing"},
	{name: "R-CRED-1 variable beats block and helper", environ: []string{"TF_TOKEN_a_example=env"},
		files: map[string]string{".terraformrc": block("block") + `credentials_helper "x" {}`, helperPath: script(`{"token":"helper"}`)}},
	{name: "R-CRED-1 block beats helper", files: map[string]string{".terraformrc": block("block") + `credentials_helper "x" {}`, helperPath: script(`{"token":"helper"}`)}},
	{name: "R-CRED-2 B37 hyphen", environ: []string{"TF_TOKEN_my__registry_example_com=env"}, sources: []string{"my-registry.example.com/acme/widget"}},
	{name: "R-CRED-2 single underscore is a dot", environ: []string{"TF_TOKEN_my_registry_example_com=env"}, sources: []string{"my-registry.example.com/acme/widget"}},
	{name: "R-CRED-2 Unicode", environ: []string{"TF_TOKEN_xn____bcher__kva_example=env"}, sources: []string{"bücher.example/acme/widget"}},
	{name: "R-CRED-2 lower-case prefix", environ: []string{"tf_token_a_example=env", "TFE_TOKEN_a_example=env"}},
	{name: "R-CRED-3 empty variable", environ: []string{"TF_TOKEN_a_example="}, files: map[string]string{".terraformrc": block("block")}, emptyToken: true},
	{name: "R-CRED-5 empty token", files: map[string]string{".terraformrc": block("")}, emptyToken: true},
	{name: "R-CRED-5 no token stops the helper", files: map[string]string{".terraformrc": "credentials \"a.example\" {}\ncredentials_helper \"x\" {}", helperPath: script(`{"token":"helper"}`)}},
	{name: "R-CRED-5 number", files: map[string]string{".terraformrc": "credentials \"a.example\" {\n token = 5\n}"}},
	{name: "R-CRED-5 other host's block is bad", refused: true, files: map[string]string{".terraformrc": block("block") + "credentials \"https://b\" {\n token = \"x\"\n}"}},
	{name: "R-CRED-5 two blocks of one host", files: map[string]string{".terraformrc": block("first") + block("second") + "credentials \"a.example\" {\n x = 1\n}"}},
	{name: "R-CRED-6 later file", files: map[string]string{".terraformrc": block("main"), ".terraform.d/a.tfrc": block("a"), ".terraform.d/b.tfrc": block("b")}},
	{name: "R-CRED-6 later file without token", files: map[string]string{".terraformrc": block("main"), ".terraform.d/a.tfrc": `credentials "a.example" {}`}},
	{name: "R-CRED-8 login", files: map[string]string{".terraform.d/credentials.tfrc.json": `{"credentials":{"a.example":{"token":"login"}}}`}},
	{name: "R-CRED-9 no login file", environ: []string{"TF_CLI_CONFIG_FILE={HOME}/other"},
		files: map[string]string{"other": "", ".terraform.d/credentials.tfrc.json": `{"credentials":{"a.example":{"token":"login"}}}`}},
	{name: "R-CRED-10 helper", files: map[string]string{".terraformrc": `credentials_helper "x" {}`, helperPath: script(`{"token":"helper"}`)}},
	{name: "R-CRED-10 newest helper", files: map[string]string{".terraformrc": `credentials_helper "x" {}`, helperPath: script(`{"token":"old"}`),
		helperPath + "_v1.9.0": script(`{"token":"older"}`), ".terraform.d/plugins/" + runtime.GOOS + "_" + runtime.GOARCH + "/terraform-credentials-x_v1.10.0": script(`{"token":"new"}`)}},
	{name: "R-CRED-10 no such helper", files: map[string]string{".terraformrc": `credentials_helper "y" {}`, helperPath: script(`{"token":"helper"}`)}},
	{name: "R-CRED-11 arguments", files: map[string]string{".terraformrc": `credentials_helper "x" { args = ["one", "$HOME"] }`, helperPath: "#!/bin/sh\nprintf '{\"token\":\"%s\"}' \"$*\"\n"}},
	{name: "R-CRED-12 none", files: map[string]string{".terraformrc": `credentials_helper "x" {}`, helperPath: script(`{}`)}},
	{name: "R-CRED-12 empty token", files: map[string]string{".terraformrc": `credentials_helper "x" {}`, helperPath: script(`{"token":""}`)}, emptyToken: true},
	{name: "R-CRED-14 exit 1", files: map[string]string{".terraformrc": `credentials_helper "x" {}`, helperPath: "#!/bin/sh\nexit 1\n"}},
	{name: "R-CRED-14 junk", files: map[string]string{".terraformrc": `credentials_helper "x" {}`, helperPath: script(`junk`)}},
	{name: "B43 two hosts", sources: []string{"a.example/acme/widget", "b.example/acme/widget"},
		files: map[string]string{".terraformrc": block("a") + "credentials \"b.example\" {\n token = \"b\"\n}"}},
	{name: "R-CRED-15 R-DISC-16 B20 host block", environ: []string{"TF_TOKEN_a_example=env", "TF_TOKEN_api_example=other"},
		files: map[string]string{".terraformrc": "host \"a.example\" {\n services = {\n \"providers.v1\" = \"https://api.example/tf/\"\n }\n}"}},
	{name: "R-DISC-16 relative", files: map[string]string{".terraformrc": "host \"a.example\" {\n services = {\n \"providers.v1\" = \"/v1/providers/\"\n }\n}"}},
	{name: "R-DISC-16 JSON", files: map[string]string{".terraformrc": `{"host":{"a.example":{"services":{"providers.v1":"https://api.example/tf/"}}}}`}},
	{name: "R-DISC-16 without providers", refused: true, files: map[string]string{".terraformrc": "host \"a.example\" {\n services = {\n \"modules.v1\" = \"/m/\"\n }\n}"}},

	{name: "R-CLI-2 .tofurc", files: map[string]string{".tofurc": block("tofu"), ".terraformrc": block("terraform")}},
	{name: "R-CLI-2 R-CLI-4 XDG", environ: []string{"XDG_CONFIG_HOME={HOME}/x"},
		files: map[string]string{"x/opentofu/tofurc": block("xdg") + "credentials \"b.example\" {\n token = \"b\"\n}", "x/opentofu/a.tfrc": block("dir")}, sources: []string{"a.example/acme/widget", "b.example/acme/widget"}},
	{name: "R-CLI-4 XDG data", only: addrs.OpenTofu, environ: []string{"XDG_DATA_HOME={HOME}/d"},
		files: map[string]string{".terraformrc": `credentials_helper "x" {}`, "d/opentofu/plugins/terraform-credentials-x": script(`{"token":"helper"}`)}},
	{name: "R-CLI-3 not recursive, not others", files: map[string]string{".terraform.d/sub/a.tfrc": block("a"), ".terraform.d/a.json": block("b"), ".terraform.d/a.tfrc.bak": block("c")}},
	{name: "R-CLI-5 override", environ: []string{"TF_CLI_CONFIG_FILE={HOME}/other"}, files: map[string]string{"other": block("other"), ".terraformrc": block("main")}},
	{name: "R-CLI-5 missing override", environ: []string{"TF_CLI_CONFIG_FILE={HOME}/none"}, files: map[string]string{".terraformrc": block("main")}},
	{name: "R-CLI-5 old variable", environ: []string{"TERRAFORM_CONFIG={HOME}/other", "TF_CLI_CONFIG_FILE="}, files: map[string]string{"other": block("other"), ".terraformrc": block("main")}},
	{name: "R-CLI-6 JSON in .terraformrc", files: map[string]string{".terraformrc": "\n {\"credentials\": {\"a.example\": {\"token\": \"json\"}}}"}},
	{name: "R-CLI-6 HCL in .json", files: map[string]string{".terraform.d/a.tfrc.json": block("hcl")}},
	{name: "R-CLI-9 syntax error", refused: true, files: map[string]string{".terraformrc": block("main") + "x {", ".terraform.d/a.tfrc": "plugin_cache_may_break_dependency_lock_file = true"}},

	{name: "R-CLI-11 equals sign", refused: true, files: map[string]string{".terraformrc": "provider_installation = {\n network_mirror {\n url = \"https://mirror.example/\"\n}\n}"}},
	{name: "R-CLI-11 labels", refused: true, files: map[string]string{".terraformrc": "provider_installation \"x\" {\n network_mirror \"y\" {\n url = \"https://mirror.example/\"\n}\n}"}},
	{name: "R-CLI-11 unknown method", refused: true, files: installation("mirror {}\ndirect {}")},
	{name: "R-CLI-12 JSON arrays", files: map[string]string{".terraformrc": `{"provider_installation":{"network_mirror":[{"url":"https://mirror.example/m/","include":["b.example/*/*"]}],"direct":[{}]}}`},
		sources: []string{"a.example/acme/widget", "b.example/acme/widget"}},
	{name: "R-CLI-12 JSON object", refused: true, files: map[string]string{".terraformrc": `{"provider_installation":{"direct":{}}}`}},
	{name: "R-CLI-12 JSON objects", refused: true, files: map[string]string{".terraformrc": `{"provider_installation":{"network_mirror":{"url":"https://mirror.example/m/"},"direct":{}}}`}},
	{name: "R-CLI-12 JSON mixed", files: map[string]string{".terraformrc": `{"provider_installation":{"direct":{},"network_mirror":[{"url":"https://mirror.example/m/"}]}}`}},
	{name: "R-CLI-14 two parts are the default host", files: installation(fmt.Sprintf(mirrorAndDirect, `include = ["*/*"]`, `include = ["a.example/*/*"]`))},
	{name: "R-CLI-15 bad patterns", refused: true, files: installation(fmt.Sprintf(mirrorAndDirect, `include = ["a.example/*/widget"]`, ""))},
	{name: "R-CLI-16 exclude wins", files: installation(fmt.Sprintf(mirrorAndDirect, `include = ["a.example/*/*"]`, "include = [\"*/*/*\"]\n exclude = [\"a.example/acme/*\"]")),
		sources: []string{"a.example/acme/widget", "a.example/other/widget"}},
	{name: "R-CLI-17 bad URL", refused: true, files: installation("network_mirror {\n url = \"http://mirror.example/\"\n}\ndirect {}")},
	{name: "R-CLI-17 no path", refused: true, files: installation("filesystem_mirror {}\ndirect {}")},
	{name: "R-CLI-18 empty block", files: installation("")},
	{name: "R-CLI-18 B17 mirror alone", files: installation("network_mirror {\n url = \"https://mirror.example/m/\"\n}")},
	{name: "R-CLI-19 R-CLI-20 stray package", work: []string{"terraform.d/plugins/a.example/acme/widget/terraform-provider-widget_0.1.0_plan9_386.zip"},
		held: []string{"a.example/acme/widget"}, sources: []string{"a.example/acme/widget", "b.example/acme/widget"}},
	{name: "R-CLI-19 below the configuration directory", files: map[string]string{".terraform.d/plugins/a.example/acme/widget/terraform-provider-widget_0.1.0_plan9_386.zip": ""}, held: []string{"a.example/acme/widget"}},
	{name: "R-CRED-16 token of the mirror", environ: []string{"TF_TOKEN_a_example=a", "TF_TOKEN_mirror_example=m"}, files: installation(fmt.Sprintf(mirrorAndDirect, "", ""))},
}

// TestOracle runs the real tools and compares which hosts they ask, and with which token, with what this package says. Where a defect makes us
// ask nobody, what is left of the configuration is the tools' all the same.
func TestOracle(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("the tools trust only the system's certificate store here: SSL_CERT_FILE does not count on macOS and Windows")
	}
	for tool, find := range map[addrs.Tool]func(testing.TB) string{addrs.Terraform: testtools.Terraform, addrs.OpenTofu: testtools.Tofu} {
		t.Run(string(tool), func(t *testing.T) {
			t.Parallel()
			program := find(t)
			for _, test := range oracleCases {
				if test.only == "" || test.only == tool {
					t.Run(test.name, func(t *testing.T) {
						t.Parallel()
						compare(t, tool, program, test)
					})
				}
			}
		})
	}
}

// compare runs one case.
func compare(t *testing.T, tool addrs.Tool, program string, test oracleCase) {
	home, work := t.TempDir(), t.TempDir()
	for name, content := range test.files {
		place(t, filepath.Join(home, name), strings.ReplaceAll(content, "{HOME}", home))
	}
	for _, name := range test.work {
		place(t, filepath.Join(work, name), "")
	}
	if len(test.sources) == 0 {
		test.sources = []string{"a.example/acme/widget"}
	}
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CHECKPOINT_DISABLE=1"}
	for _, pair := range test.environ {
		environ = append(environ, strings.ReplaceAll(pair, "{HOME}", home))
	}
	reg := registry.Start(t, "mirror.example")
	reg.Host("a.example").ServeAt("api.example", "/tf/")
	for _, source := range test.sources {
		host, rest, _ := strings.Cut(source, "/")
		reg.Host(host).Provider(rest).Version("1.0.0", registry.Platforms("linux_amd64"))
	}
	want := expected(t, tool, environ, work, reg, test)

	manifest := "terraform {\n  required_providers {\n"
	for i, source := range test.sources { // a version that does not exist ends the run after the lists
		manifest += fmt.Sprintf("    p%d = {\n      source  = %q\n      version = \"99.0.0\"\n    }\n", i, source)
	}
	place(t, filepath.Join(work, "main.tf"), manifest+"  }\n}\n")
	command := exec.CommandContext(t.Context(), program, "init", "-no-color", "-input=false", "-backend=false")
	command.Dir, command.Env = work, append(environ, reg.Env()...)
	output, _ := command.CombinedOutput()

	got := map[string]bool{}
	for _, r := range reg.Select(registry.Filter{NotEndpoint: registry.EndpointConnect}) {
		token := "no token"
		switch {
		case r.AuthorizationOK:
			token = "our token"
		case r.HasAuthorization && test.emptyToken:
			token = "empty token"
		case r.HasAuthorization:
			token = "another token"
		}
		got[r.Host+" "+r.Endpoint+" "+token] = true
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s asked %q, we say %q\n%s", tool, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), output)
	}
}

// expected says from our reading of the configuration who is asked, and makes the registry know the tokens.
func expected(t *testing.T, tool addrs.Tool, environ []string, work string, reg *registry.Registry, test oracleCase) map[string]bool {
	t.Helper()
	system := cliconfig.ThisSystem(environ)
	system.Files = below{system.Files, work}
	c := cliconfig.Load(tool, system)
	source := c.CredentialsSource()
	want := map[string]bool{}
	refused := false
	for _, text := range test.sources {
		refused = refused || c.Err(mustProvider(t, text, tool).Host, true) != nil
	}
	if refused != test.refused {
		t.Errorf("refused: %t, want %t: %q", refused, test.refused, texts(c.Errors))
	}
	// token is what a request on behalf of host carries.
	token := func(host, asked string) (string, error) {
		token, ok, err := source.ForHost(context.Background(), host)
		switch {
		case err != nil:
			return "no token", err
		case token.Reveal() != "":
			reg.Host(asked).ExpectAuth(registry.Auth{Token: token.Reveal()})
			return "our token", nil
		case ok && test.emptyToken:
			return "empty token", nil
		}
		return "no token", nil
	}
	direct := func(p addrs.Provider) {
		base, configured, err := c.ServiceURL(p.Host)
		if err != nil { // no provider registry there
			return
		}
		if !configured {
			text, _ := token(p.Host, p.Host) // R-DISC-3
			want[p.Host+" discovery "+text] = true
			base = &url.URL{Host: p.Host}
		}
		if text, err := token(p.Host, base.Host); err == nil { // R-CRED-14
			want[base.Host+" versions "+text] = true
		}
	}
	var held []addrs.Provider
	for _, text := range test.held {
		held = append(held, mustProvider(t, text, tool))
	}
	block := c.Installation
	if block == nil {
		block = &cliconfig.Installation{Methods: c.Implied(held)}
	}
	for _, text := range test.sources {
		p := mustProvider(t, text, tool)
		for _, m := range block.For(p) {
			switch m.Kind {
			case cliconfig.Direct:
				direct(p)
			case cliconfig.NetworkMirror:
				text, _ := token(m.URL.Host, m.URL.Host)
				want[m.URL.Host+" other "+text] = true
			}
		}
	}
	return want
}

// place writes a file, executable if it is a helper.
func place(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	mode := os.FileMode(0o644)
	if strings.Contains(filepath.Base(path), "-credentials-") {
		mode = 0o755
	}
	// A child that is forked while the file is open for writing would keep it so, and the file could not be run (golang/go#22315).
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}
