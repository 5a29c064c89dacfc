package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tests/workspace"
)

// With a network mirror on the tag the origin is never asked (B17, B19), and the facts hold as for any registry.
func TestNetworkMirror(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{
		Mirror: []string{"hashicorp/random:~> 3.1.0", "registry.acme.dev/acme/widget:1.4.0"},
		Deps:   []string{`tf.source(network_mirror = "https://mirror.example.com/providers/")`},
	})
	mirror := p.reg.Host("mirror.example.com").Mirror("/providers/",
		p.reg.Host(terraformHost).Provider("hashicorp/random"), p.reg.Host(acmeHost).Provider("acme/widget"))
	if mirror.URL() != "https://mirror.example.com/providers/" {
		t.Fatalf("the mirror is at %s", mirror.URL())
	}
	p.reg.Host(terraformHost).SetDown(true)
	p.reg.Host(acmeHost).SetDown(true)
	p.pass("build", "@tf_toolchains//:mirror")
	for _, request := range p.reg.Requests() {
		if request.Host == terraformHost || request.Host == acmeHost {
			t.Errorf("the origin was asked: %s %s%s", request.Method, request.Host, request.Path)
		}
	}
	p.selected("3.1.3")
	p.pass("mod", "deps")
	p.reg.Reset()
	p.newOutputBase("second")
	p.pass("build", "--lockfile_mode=error", "@tf_toolchains//:mirror")
	p.wantSilence()
}

// A filesystem mirror that terraform itself wrote into the workspace serves without any request; what it holds is recorded below its root, not by a path of
// this machine.
func TestFilesystemMirror(t *testing.T) {
	t.Parallel()
	terraform := testtools.Terraform(t)
	p := newProject(t, workspace.Module{
		Mirror: []string{"registry.acme.dev/acme/widget:~> 1.4"},
		Attrs:  []string{`platforms = ["` + hostPlatform() + `"]`},
		Deps:   []string{`tf.source(filesystem_mirror = "//third_party/providers:BUILD.bazel")`},
	})
	dir := p.configuration("mirrored", [][2]string{{"registry.acme.dev/acme/widget", "1.4.0"}})
	p.write("third_party/providers/BUILD.bazel", "")
	if out, err := p.tool(terraform, dir, p.reg.Env(), "providers", "mirror", "-platform="+hostPlatform(), p.ws.Path("third_party/providers")); err != nil {
		t.Fatalf("terraform providers mirror: %v\n%s", err, out)
	}
	p.setDown(true)
	p.reg.Reset()
	p.pass("build", "@tf_toolchains//:mirror")
	p.wantSilence()
	if strings.Contains(p.lockfile(), p.scratch) {
		t.Errorf("the lockfile has a path of this machine:\n%s", p.lockfile())
	}
	fact := p.facts()["package/registry.acme.dev/acme/widget/1.4.0/"+hostPlatform()]
	if want := "registry.acme.dev/acme/widget/terraform-provider-widget_1.4.0_" + hostPlatform() + ".zip"; fact["mirror"] != want {
		t.Errorf("the fact is %v, want the mirror path %s", fact, want)
	}
}

// Credentials of the CLI configuration count, and its token is written nowhere; a registry that repeats it changes nothing about that.
func TestCredentialsOfTheCLIConfiguration(t *testing.T) {
	t.Parallel()
	const token = "s3cret-t0ken-of-the-cli-configuration"
	p := newProject(t, workspace.Module{Mirror: []string{"registry.acme.dev/acme/widget:~> 1.4"}})
	host := p.reg.Host(acmeHost).RequireToken(token)
	host.Provider("acme/widget").Warnings("your token is " + token)
	config := filepath.Join(p.scratch, "cli.tfrc")
	if err := os.WriteFile(config, []byte("credentials \"registry.acme.dev\" {\n  token = \""+token+"\"\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.setEnv("TF_CLI_CONFIG_FILE=" + config)
	result := p.pass("build", "--build_event_json_file="+filepath.Join(p.ws.Dir, "events.json"), "@tf_toolchains//:mirror")
	if strings.Contains(result.Stderr+result.Stdout, token) {
		t.Errorf("the token was printed: %s", result)
	}
	for _, request := range p.reg.Select(registry.Filter{NotEndpoint: registry.EndpointConnect}) {
		if request.HasAuthorization != (request.Host == acmeHost) || request.HasAuthorization && !request.AuthorizationOK {
			t.Errorf("%s %s%s: token sent %t, right %t", request.Method, request.Host, request.Path, request.HasAuthorization, request.AuthorizationOK)
		}
	}
	p.grepFor(token)
}

// What configurations require is gathered, locked and held: nothing is written twice, and a stale file fails the check and the test.
func TestRequirements(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{Attrs: []string{`mirror_json = "//:providers.json"`}})
	p.write("BUILD.bazel", `load("@rules_tf_mirror//tf:defs.bzl", "tf_providers_lock", "tf_requirements_test")

tf_providers_lock(
    name = "providers_lock",
    mirror_json = "providers.json",
    requirements = ["live"],
)

tf_requirements_test(
    name = "requirements_test",
    size = "small",
    srcs = glob(["live/**/*.tf", "modules/**/*.tf"]),
    requirements = ["live"],
)
`)
	p.write("providers.json", "[]\n")
	p.write("live/main.tf", "module \"widget\" {\n  source = \"../modules/widget\"\n}\n")
	p.write("modules/widget/main.tf", `terraform {
  required_providers {
    widget = {
      source  = "registry.acme.dev/acme/widget"
      version = "~> 1.4"
    }
  }
}
`)
	p.lock(1, []string{"registry.acme.dev/acme/widget"}) // the file changed, so the manifest is from before
	if text := p.read("providers.json"); !strings.Contains(text, `"registry.acme.dev/acme/widget:~> 1.4"`) || !strings.Contains(text, "modules/widget/main.tf") {
		t.Errorf("the gathered file:\n%s", text)
	}
	p.lock(0, []string{"registry.acme.dev/acme/widget", "1.4.0"})
	p.lock(0, nil, "--check")
	p.pass("build", "@tf_toolchains//:mirror")
	p.pass("test", "//:requirements_test")

	p.replace("modules/widget/main.tf", "~> 1.4", "~> 2.0")
	p.lock(1, []string{"~> 2.0"}, "--check")
	p.fail(nil, "test", "//:requirements_test")

	// Nothing matches: the error says who wants it (A13).
	p.lock(1, nil)
	p.fail([]string{"registry.acme.dev/acme/widget", "~> 2.0", "modules/widget/main.tf"}, "build", "@tf_toolchains//:mirror")
}
