package registry_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"rules_tf_mirror/tests/registry"
)

func TestEphemeral(t *testing.T) {
	t.Parallel()
	for kind, shape := range map[registry.EphemeralKind]string{
		registry.EphemeralQuery:   `^https://releases\.registry\.acme\.dev/packages/.*_linux_amd64\.zip\?X-Fixture-Signature=[0-9a-f]{128}$`,
		registry.EphemeralOnce:    `^https://releases\.registry\.acme\.dev/packages/.*_linux_amd64\.zip\?X-Fixture-Signature=[0-9a-f]{128}$`,
		registry.EphemeralPath:    `^https://releases\.registry\.acme\.dev/_archivist/v1/object/[0-9a-f]{128}$`,
		registry.EphemeralSegment: `^https://releases\.registry\.acme\.dev/objects/[0-9a-f]{128}/terraform-provider-widget_1\.4\.0_linux_amd64\.zip$`,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			c := newClock()
			reg := startAt(t, c)
			v := reg.Host(acme).Provider("acme/widget").Version("1.4.0", registry.Platforms("linux_amd64", "linux_arm64")).Ephemeral(kind, time.Minute)
			client := reg.HTTPClient()
			first, second := ask(t, reg).DownloadURL, ask(t, reg).DownloadURL
			if !regexp.MustCompile(shape).MatchString(first) || first == second {
				t.Errorf("found %s and %s, wanted two of %s", first, second, shape)
			}
			head, err := client.Head(first)
			if err != nil || head.StatusCode != 200 { // HEAD uses nothing up
				t.Errorf("HEAD: found %v, %v", head, err)
			}
			again := 200
			if kind == registry.EphemeralOnce {
				again = 403
			}
			if len(wantStatus(t, client, first, 200)) < 4096 {
				t.Error("found no package")
			}
			wantStatus(t, client, first, again)
			// The lasting address, a false secret and another platform's package are refused.
			wantStatus(t, client, v.URL("linux_amd64"), 403)
			wantStatus(t, client, strings.Replace(second, secretOf(second), "00", 1), 403)
			if strings.Contains(second, "?") {
				wantStatus(t, client, strings.Replace(second, "linux_amd64", "linux_arm64", 1), 403)
			}
			c.add(time.Minute - time.Second)
			wantStatus(t, client, second, 200)
			c.add(time.Second)
			wantStatus(t, client, second, 403)
			third := ask(t, reg).DownloadURL
			reg.ExpireURLs()
			wantStatus(t, client, third, 403)
			for _, r := range reg.Requests() {
				if strings.Contains(r.Path, secretOf(first)) {
					t.Errorf("the log has a secret: %s", r.Path)
				}
			}
			if n := reg.Count(registry.Filter{Endpoint: registry.EndpointZip, Provider: acme + "/acme/widget", Platform: "linux_amd64", Status: 200}); n != map[bool]int{true: 3, false: 4}[kind == registry.EphemeralOnce] {
				t.Errorf("found %d good package requests in the log", n)
			}
		})
	}
}

func secretOf(url string) string { return regexp.MustCompile(`[0-9a-f]{128}`).FindString(url) }
