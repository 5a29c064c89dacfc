package facts

import (
	"encoding/json"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/versions"
)

const mirrorKey = "package/registry.acme.dev/acme/widget/1.0.0/linux_amd64"

// TestMirrorFact: a recorded place in a mirror leads to nothing but the package of its key (design §3.7).
func TestMirrorFact(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("a", 64)
	const dir = "registry.acme.dev/acme/widget/"
	for _, test := range []struct{ path, err string }{
		{dir + "terraform-provider-widget_1.0.0_linux_amd64.zip", ""},
		{"Registry.acme.dev/Acme/widget/Terraform-provider-widget_1.0_linux_amd64_x.zip", ""}, // R-FS-2, R-FS-3
		{dir + "terraform-provider-widget_1.0.1_linux_amd64.zip", "whose name is not that of version 1.0.0"},
		{dir + "terraform-provider-widget_1.0.0_linux_arm64.zip", "whose name is not that"},
		{dir + "terraform-provider-gadget_1.0.0_linux_amd64.zip", "whose name is not that"},
		{"registry.acme.dev/other/widget/terraform-provider-widget_1.0.0_linux_amd64.zip", "no path of registry.acme.dev/acme/widget"},
		{"/" + dir + "terraform-provider-widget_1.0.0_linux_amd64.zip", "below the root"},
		{"../../../terraform-provider-widget_1.0.0_linux_amd64.zip", "no path of"},
		{"x/../" + dir + "terraform-provider-widget_1.0.0_linux_amd64.zip", "below the root"},
		{dir + `..\terraform-provider-widget_1.0.0_linux_amd64.zip`, "below the root"},
		{`C:\` + dir + "terraform-provider-widget_1.0.0_linux_amd64.zip", "below the root"},
		{dir + "1.0.0/linux_amd64", "below the root"},
		{dir + "terraform-provider-widget_1.0.0_linux_amd64_\n.zip", "below the root"},
	} {
		raw, err := json.Marshal(map[string]string{"mirror": test.path, "sha256": hash})
		if err != nil {
			t.Fatal(err)
		}
		fact, err := ParsePackage(mirrorKey, raw)
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q: %v, want %q", test.path, err, test.err)
		}
		if err == nil && (fact.Mirror != test.path || fact.SHA256 != hash) {
			t.Errorf("%q: %+v", test.path, fact)
		}
	}
	for _, text := range []string{
		`{"mirror": "` + dir + `terraform-provider-widget_1.0.0_linux_amd64.zip"}`,
		`{"mirror": "` + dir + `terraform-provider-widget_1.0.0_linux_amd64.zip", "sha256": "` + strings.ToUpper(hash) + `"}`,
		`{"mirror": "` + dir + `terraform-provider-widget_1.0.0_linux_amd64.zip", "sha256": "` + hash + `", "ephemeral": true}`,
		`{"mirror": "` + dir + `terraform-provider-widget_1.0.0_linux_amd64.zip", "sha256": "` + hash + `", "download_url": "https://x/"}`,
		`{"mirror": "` + dir + `terraform-provider-widget_1.0.0_linux_amd64.zip", "sha256": "` + hash + `", "root": "/x"}`,
		`{"mirror": "` + dir + `terraform-provider-widget_1.0.0_linux_amd64.zip", "sha256": "` + hash + `", "unavailable": true}`,
	} {
		if fact, err := ParsePackage(mirrorKey, json.RawMessage(text)); err == nil {
			t.Errorf("%s: %+v, want an error", text, fact)
		}
	}
}

// FuzzParsePacked: no name makes the parser panic, and what it accepts has the three parts (R-FS-3).
func FuzzParsePacked(f *testing.F) {
	f.Add("terraform-provider-widget_1.0.0_linux_amd64.zip", "widget")
	f.Add("Terraform-Provider-W_1_A_B_C.ZIP", "w")
	f.Add("terraform-provider-_.zip", "")
	f.Fuzz(func(t *testing.T, name, typ string) {
		v, platform, ok := ParsePacked(name, typ)
		if !ok {
			return
		}
		if _, err := platforms.Parse(platform.String()); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := versions.Parse(v.String()); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	})
}
