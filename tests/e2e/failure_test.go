package e2e

import (
	"strings"
	"testing"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/workspace"
)

// One dead host among several spoils only what uses it (F26), and is asked again by the next command once it is back.
func TestDeadHost(t *testing.T) {
	t.Parallel()
	for _, mode := range factModes(t) {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/null:3.2.1", "registry.acme.dev/acme/widget:~> 1.4"}, Register: true})
			p.setEnv("BAZEL_OFFLINE_FACTS=" + mode)
			p.reg.Host(acmeHost).SetDown(true)

			const good, bad = "@tf_toolchains//:registry.terraform.io/hashicorp/null/3.2.1", "@tf_toolchains//:mirror"
			p.pass("build", good)
			p.fail([]string{"registry.acme.dev/acme/widget", "~> 1.4", "registry.acme.dev"}, "build", bad)
			p.fail([]string{"MODULE.bazel.lock"}, "build", "--lockfile_mode=error", good)
			for key := range p.facts() {
				if strings.HasPrefix(key, "resolve/registry.acme.dev") || strings.HasPrefix(key, "package/registry.acme.dev") {
					t.Errorf("a failed entry has the fact %s", key)
				}
			}

			p.reg.Host(acmeHost).SetDown(false)
			p.reg.Reset()
			p.pass("build", bad)
			p.wantRequests(map[string]int{
				registry.EndpointDiscovery: 1, registry.EndpointVersions: 1, registry.EndpointDownload: 5, registry.EndpointZip: 1,
			})
			p.pass("mod", "deps")
			lock := p.lockfile()
			if strings.Contains(lock, `"retry/`) {
				t.Errorf("the lockfile still has a failed entry after success:\n%s", lock)
			}
			p.pass("build", "--lockfile_mode=error", "@tf_toolchains//:mirror")
			p.newOutputBase("cold")
			p.pass("build", "--lockfile_mode=error", "@tf_toolchains//:mirror")
			if got := p.lockfile(); got != lock {
				t.Error("the lockfile changed although nothing failed any more")
			}
		})
	}
}

// A token that was missing is used by the next command on the same server, and is written nowhere.
func TestMissingToken(t *testing.T) {
	t.Parallel()
	const token = "s3cret-t0ken-of-acme"
	p := newProject(t, workspace.Module{Mirror: []string{"registry.acme.dev/acme/widget:~> 1.4"}})
	p.reg.Host(acmeHost).RequireToken(token)
	p.fail([]string{"registry.acme.dev/acme/widget", "TF_TOKEN_registry_acme_dev"}, "build", "@tf_toolchains//:mirror")
	p.setEnv("TF_TOKEN_registry_acme_dev=" + token)
	p.pass("build", "@tf_toolchains//:mirror")
	p.grepFor(token)
}

// A platform that the registry does not have fails the mirror of that platform, unless it may be missing.
func TestMissingPlatform(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{Mirror: []string{"hashicorp/null:3.2.1", "registry.acme.dev/acme/old:2.0.0"}})
	p.reg.Host(acmeHost).Provider("acme/old").Version("2.0.0", registry.Platforms("linux_amd64", "darwin_amd64"))
	p.pass("build", "@tf_toolchains//:mirror_linux_amd64")
	p.fail([]string{"registry.acme.dev/acme/old", "2.0.0", "darwin_arm64"}, "build", "@tf_toolchains//:mirror_darwin_arm64")
	if got := p.facts()["package/registry.acme.dev/acme/old/2.0.0/darwin_arm64"]; got["unavailable"] != true {
		t.Errorf("the fact of the missing platform is %v, want unavailable", got)
	}
	p.replace("MODULE.bazel", "    mirror = [", "    optional_platforms = [\"darwin_arm64\"],\n    mirror = [")
	p.reg.Reset()
	result := p.pass("build", "@tf_toolchains//:mirror_darwin_arm64")
	if !strings.Contains(result.Stderr, "registry.acme.dev/acme/old") {
		t.Errorf("no warning names the provider without a package for an optional platform: %s", result)
	}
	p.wantRequests(map[string]int{registry.EndpointZip: 1})

	// What nobody has is no part of all targets, and an error by its own name.
	p.pass("build", "@tf_toolchains//:all")
	p.fail([]string{"registry.acme.dev/acme/old 2.0.0", "darwin_arm64"}, "build", "@tf_toolchains//:registry.acme.dev/acme/old/2.0.0/darwin_arm64")
}
