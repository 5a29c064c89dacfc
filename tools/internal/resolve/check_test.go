package resolve_test

import (
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/resolve"
)

// TestCheck: what this version cannot do is refused as a whole instead of being ignored.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		change  func(*manifest.Request)
		message string
	}{
		{"plain", func(*manifest.Request) {}, ""},
		{"direct", func(r *manifest.Request) { r.Installation = "direct" }, ""},
		{"no sources", func(r *manifest.Request) { r.Sources, r.Hosts = []manifest.Source{}, map[string]manifest.Host{} }, ""},
		{"prerelease of the tool", func(r *manifest.Request) { r.ToolVersion = "1.15.0-beta1" }, ""},
		{"no tool version", func(r *manifest.Request) { r.ToolVersion = "" }, ""},
		{"config", func(r *manifest.Request) { r.Installation = "config" }, ""},
		{"typo", func(r *manifest.Request) { r.Installation = "Direct" }, `"Direct"`},
		{"sources", func(r *manifest.Request) { r.Sources = []manifest.Source{{}} }, `request: sources[0]: the field "kind" is missing`},
		{"hosts", func(r *manifest.Request) { r.Hosts = map[string]manifest.Host{"h": {}} }, `request: hosts: host "h" has no "providers.v1"`},
		{"header injection", func(r *manifest.Request) { r.ToolVersion = "1.9.5\r\nX: y" }, "tool_version"},
		{"constraint", func(r *manifest.Request) { r.ToolVersion = "~> 1.9" }, "tool_version"},
		{"v", func(r *manifest.Request) { r.ToolVersion = "v1.9.5" }, "tool_version"},
		{"slash", func(r *manifest.Request) { r.ToolVersion = "1.9.5/x" }, "tool_version"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := request(fourPlatforms, "hashicorp/random")
			test.change(r)
			err := resolve.Check(r)
			if (err == nil) != (test.message == "") || err != nil && !strings.Contains(err.Error(), test.message) {
				t.Errorf("error %v, want %q", err, test.message)
			}
		})
	}
}
