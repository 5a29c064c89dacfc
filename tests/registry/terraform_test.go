package registry_test

import (
	"crypto"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
)

// terraform is the real binary.
func terraform(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("terraform trusts only the system's certificate store here: SSL_CERT_FILE does not count on macOS and Windows")
	}
	return testtools.Terraform(t)
}

// run runs terraform in dir with nothing of this machine's configuration.
func run(t *testing.T, reg *registry.Registry, dir string, args ...string) (string, error) {
	t.Helper()
	home := t.TempDir()
	empty := filepath.Join(home, "empty.tfrc")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), terraform(t), args...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TF_CLI_CONFIG_FILE=" + empty, "CHECKPOINT_DISABLE=1"}, reg.Env()...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

const twoProviders = `terraform {
  required_providers {
    random = { source = "hashicorp/random", version = "~> 3.1.0" }
    widget = { source = "registry.acme.dev/acme/widget", version = "1.4.0" }
  }
}
`

// The real terraform accepts this registry: discovery, both lists, signatures, packages (R-DISC-1, R-REG-1..3, R-DL-1, R-AUTH-1), and the
// log says exactly what it did.
func TestTerraformInit(t *testing.T) {
	t.Parallel()
	reg := registry.Start(t)
	here := runtime.GOOS + "_" + runtime.GOARCH
	platforms := []string{"linux_amd64", "darwin_arm64", "windows_amd64"}
	if !slices.Contains(platforms, here) {
		platforms = append(platforms, here)
	}
	random := reg.Host("registry.terraform.io").Provider("hashicorp/random")
	random.Version("3.1.3", platforms).Manifest()
	random.Version("3.1.2", platforms)
	random.Version("3.2.0", platforms)
	widget := reg.Host("registry.acme.dev").Provider("acme/widget").Version("1.4.0", platforms)

	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.tf"), twoProviders)
	if out, err := run(t, reg, dir, "init"); err != nil {
		t.Fatalf("terraform init: %v\n%s", err, out)
	}

	got := map[string]int{}
	for _, r := range reg.Requests() {
		got[r.Method+" "+r.Host+" "+r.Endpoint]++
	}
	for _, host := range []string{"registry.terraform.io", "registry.acme.dev"} {
		for key, want := range map[string]int{
			"CONNECT " + host + " connect": -1, "CONNECT releases." + host + " connect": -1,
			"GET " + host + " discovery": 1, "GET " + host + " versions": 1, "GET " + host + " download": 1,
			"GET releases." + host + " sums": 1, "GET releases." + host + " signature": 1, "GET releases." + host + " zip": 1,
			"HEAD releases." + host + " zip": -2,
		} {
			n := got[key]
			delete(got, key)
			switch {
			case want == -1 && n < 1: // how many connections it opens is terraform's affair
				t.Errorf("%s: found none", key)
			case want == -2 && n > 1: // R-DL-1: 1.11 and 1.12 only
				t.Errorf("%s: found %d, wanted at most one", key, n)
			case want >= 0 && n != want:
				t.Errorf("%s: found %d, wanted %d", key, n, want)
			}
		}
	}
	if len(got) != 0 {
		t.Errorf("further requests: %v", got)
	}

	lock, err := os.ReadFile(filepath.Join(dir, ".terraform.lock.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	// R-AUTH-7: one zh per line of SHA256SUMS, the manifest's too.
	if n, want := strings.Count(string(lock), `"zh:`), 2*len(platforms)+1; n != want {
		t.Errorf("found %d zh hashes, wanted %d:\n%s", n, want, lock)
	}
	for _, want := range []string{
		`provider "registry.terraform.io/hashicorp/random"`, `version     = "3.1.3"`, `provider "registry.acme.dev/acme/widget"`,
		fmt.Sprintf(`"zh:%s"`, widget.SHA256("windows_amd64")),
	} {
		if !strings.Contains(string(lock), want) {
			t.Errorf("the lock file lacks %s:\n%s", want, lock)
		}
	}
	if r := reg.Select(registry.Filter{Endpoint: registry.EndpointVersions})[0]; r.TerraformVersion == "" || r.HasAuthorization {
		t.Errorf("R-REG-2: found %+v, wanted X-Terraform-Version and no Authorization", r)
	}
}

// What the real terraform says to each way of being wrong shows that the fixture is wrong in just that way.
func TestTerraformRefuses(t *testing.T) {
	t.Parallel()
	here := runtime.GOOS + "_" + runtime.GOARCH
	day := 24 * time.Hour
	now := time.Now()
	expired := registry.KeyOptions{Created: now.Add(-20 * day), Lifetime: 10 * day}
	for name, tc := range map[string]struct {
		setup func(*registry.Host, *registry.Version)
		want  string // in the output; empty: terraform accepts it
	}{
		"good": {func(*registry.Host, *registry.Version) {}, ""},
		"subkey": {func(_ *registry.Host, v *registry.Version) {
			v.Key(registry.NewKey(registry.KeyOptions{SigningSubkey: true}))
		}, ""},
		"RSA": {func(_ *registry.Host, v *registry.Version) {
			v.Key(registry.NewKey(registry.KeyOptions{RSABits: 2048}))
		}, ""},
		"R-AUTH-14 expired key": {func(_ *registry.Host, v *registry.Version) { v.Key(registry.NewKey(expired)) }, ""},
		"R-AUTH-15 expired signature": {func(_ *registry.Host, v *registry.Version) {
			v.Signing(registry.SignOptions{Time: now.Add(-20 * time.Hour), Lifetime: time.Hour})
		}, "signature expired"},
		"R-AUTH-16 revoked": {func(_ *registry.Host, v *registry.Version) {
			v.Key(registry.NewKey(registry.KeyOptions{}).Revoke(now.Add(-time.Hour)))
		}, "revoked"},
		"R-AUTH-17 SHA-1": {func(_ *registry.Host, v *registry.Version) { v.Signing(registry.SignOptions{Hash: crypto.SHA1}) }, ""},
		"R-AUTH-17 MD5": {func(_ *registry.Host, v *registry.Version) {
			v.Key(registry.NewKey(registry.KeyOptions{RSABits: 2048})).Signing(registry.SignOptions{Hash: crypto.MD5})
		}, "authentication signature"},
		"R-AUTH-8 other key": {func(_ *registry.Host, v *registry.Version) { v.SignWith(registry.NewKey(registry.KeyOptions{})) }, "authentication signature"},
		"R-AUTH-8 no keys":   {func(_ *registry.Host, v *registry.Version) { v.Lie(registry.Lie{NoKeys: true}) }, "authentication signature"},
		"R-AUTH-1 shasum":    {func(_ *registry.Host, v *registry.Version) { v.Lie(registry.Lie{WrongShasum: true}) }, "checksum"},
		"R-AUTH-1 sums":      {func(_ *registry.Host, v *registry.Version) { v.Lie(registry.Lie{WrongSums: true}) }, "checksum"},
		"R-AUTH-1 zip":       {func(_ *registry.Host, v *registry.Version) { v.Lie(registry.Lie{WrongZip: true}) }, "checksum"},
		"R-REG-8 platform":   {func(_ *registry.Host, v *registry.Version) { v.Lie(registry.Lie{WrongPlatform: "plan9_386"}) }, "plan9"},
		"R-REG-11 protocols": {func(_ *registry.Host, v *registry.Version) { v.Protocols("4.0") }, "Incompatible provider version"},
		"R-DISC-8 HTML":      {func(h *registry.Host, _ *registry.Version) { h.SetDiscovery(200, "text/html", "<p>") }, "text/html"},
		"401":                {func(h *registry.Host, _ *registry.Version) { h.RequireToken("t") }, "requires authentication credentials"},
		"truncated": {func(h *registry.Host, _ *registry.Version) {
			h.SetHTTP1Only(true).SetZipHost("").Fail(registry.EndpointZip, registry.Fault{Truncate: true})
		}, "unexpected EOF"},
		"R-REG-5 one 503": {func(h *registry.Host, _ *registry.Version) {
			h.FailNext(registry.EndpointVersions, 1, registry.Fault{Status: 503, RetryAfter: "0"})
		}, ""},
		"R-REG-7 gzip": {func(h *registry.Host, _ *registry.Version) {
			h.Fail(registry.EndpointVersions, registry.Fault{Gzip: true})
		}, ""},
		"R-REG-6 relative":    {func(h *registry.Host, _ *registry.Version) { h.SetRelativeURLs(true) }, ""},
		"R-DISC-15 elsewhere": {func(h *registry.Host, _ *registry.Version) { h.SetServiceURL("https://api.acme.dev/tf") }, ""},
		"ephemeral":           {func(_ *registry.Host, v *registry.Version) { v.Ephemeral(registry.EphemeralOnce, time.Hour) }, ""},
		"dead":                {func(h *registry.Host, _ *registry.Version) { h.SetDown(true) }, "Bad Gateway"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg := registry.Start(t)
			h := reg.Host("registry.acme.dev")
			tc.setup(h, h.Provider("acme/widget").Version("1.4.0", registry.Platforms(here)))
			dir := t.TempDir()
			write(t, filepath.Join(dir, "main.tf"), "terraform {\n  required_providers {\n    widget = {\n"+
				"      source  = \"registry.acme.dev/acme/widget\"\n      version = \"1.4.0\"\n    }\n  }\n}\n")
			out, err := run(t, reg, dir, "init", "-no-color")
			if (err == nil) != (tc.want == "") || !strings.Contains(strings.Join(strings.Fields(out), " "), tc.want) {
				t.Errorf("terraform init: %v, wanted an error with %q (none if empty):\n%s", err, tc.want, out)
			}
		})
	}
}
