package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/workspace"
)

// Links that carry a secret, expire or work once (design of ephemeral packages; B03, B04, B06): the package comes all the same, also cold after the recorded
// link died, and the secret is nowhere that Bazel or this module writes.
func TestExpiringLinks(t *testing.T) {
	t.Parallel()
	for _, kind := range []registry.EphemeralKind{
		registry.EphemeralQuery, registry.EphemeralPath, registry.EphemeralSegment, registry.EphemeralOnce,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := newProject(t, workspace.Module{Mirror: []string{"registry.acme.dev/acme/private:1.0.0"}})
			p.reg.Host(acmeHost).Provider("acme/private").Version("1.0.0", defaultPlatforms).Ephemeral(kind, 0)
			events := filepath.Join(p.ws.Dir, "events.json")
			bep := "--build_event_json_file=" + events
			var shown strings.Builder
			show := func(result workspace.Result) {
				shown.WriteString(result.Stdout + result.Stderr)
			}

			show(p.pass("build", bep, "@tf_toolchains//:mirror"))
			fact := p.facts()["package/registry.acme.dev/acme/private/1.0.0/"+hostPlatform()]
			if fact["ephemeral"] != true {
				t.Errorf("the fact is %v, want it ephemeral", fact)
			}
			if zips := p.reg.Count(registry.Filter{Endpoint: registry.EndpointZip, Method: "GET"}); zips != 1 {
				t.Errorf("%d packages were fetched, want 1", zips)
			}
			p.wantSecretsNowhere(&shown)

			// Every link is dead now. The repository cache serves a new output base without asking for another, and without the helper.
			p.reg.ExpireURLs()
			p.reg.Reset()
			p.newOutputBase("warm")
			show(p.pass("build", bep, "@tf_toolchains//:mirror"))
			p.wantSilence()
			if p.helperBuilt() {
				t.Error("the helper was built although the cache has the package")
			}

			// With an empty cache the helper asks for a fresh one.
			p.ws.RepositoryCache = filepath.Join(p.scratch, "empty_cache")
			p.newOutputBase("cold")
			show(p.pass("build", bep, "@tf_toolchains//:mirror"))
			p.wantRequests(map[string]int{registry.EndpointDiscovery: 1, registry.EndpointDownload: 1, registry.EndpointZip: 1})
			p.wantSecretsNowhere(&shown)

			// A failure does not show it either.
			p.reg.Host("releases."+acmeHost).Fail(registry.EndpointZip, registry.Fault{Status: 403})
			p.ws.RepositoryCache = filepath.Join(p.scratch, "another_cache")
			p.newOutputBase("refused")
			show(p.fail([]string{"registry.acme.dev/acme/private", "1.0.0"}, "build", bep, "@tf_toolchains//:mirror"))
			p.wantSecretsNowhere(&shown)
		})
	}
}

// wantSecretsNowhere looks for the secrets of all links in what was shown, the workspace and the output base.
func (p *project) wantSecretsNowhere(shown *strings.Builder) {
	p.t.Helper()
	secrets := p.reg.Secrets()
	if len(secrets) == 0 {
		p.t.Fatal("no link with a secret was given out")
	}
	for _, secret := range secrets {
		if strings.Contains(shown.String(), secret) {
			p.t.Errorf("a secret was printed:\n%s", shown)
		}
	}
	p.grepFor(secrets...)
}
