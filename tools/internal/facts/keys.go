// Package facts defines what the extension records in MODULE.bazel.lock: keys, values and their checks (design §3.1).
//
// A fact is an answer that somebody outside gave. Keys are flat and name the smallest unit, because Bazel merges lockfiles by top-level
// key. Recorded facts come back from a file that people edit and merge, so that every one of them is checked before it is used, and an
// error names the key and the repair.
package facts

import (
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/platforms"
)

// Latest stands in a resolve key where the entry has no constraint.
const Latest = "latest"

// ResolveKey returns the key of the selection for a constraint's text, which is trimmed; no text means the newest release.
func ResolveKey(p addrs.Provider, constraintText string) string {
	text := strings.TrimSpace(constraintText)
	if text == "" {
		text = Latest
	}
	return "resolve/" + p.String() + "/" + text
}

// PackageKey returns the key of one package. The version is in canonical form (versions.Version.String).
func PackageKey(p addrs.Provider, version string, platform platforms.Platform) string {
	return "package/" + p.String() + "/" + version + "/" + platform.String()
}

// ToolKey returns the key of the archive of terraform or tofu itself.
func ToolKey(tool addrs.Tool, version string, platform platforms.Platform) string {
	return "tool/" + string(tool) + "/" + version + "/" + platform.String()
}
