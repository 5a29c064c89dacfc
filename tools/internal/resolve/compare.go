package resolve

import (
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
)

// SameContent compares a recorded package with a new answer of the registry. A recorded sha256 wins: another one is an error of kind
// content_changed, never an overwrite (design §3.1). A new address, file name or expiry with the same hash is no change of content, and
// neither is a platform that became available.
func SameContent(p addrs.Provider, version string, platform platforms.Platform, recorded, answered facts.Package) error {
	switch {
	case recorded.Unavailable, recorded.SHA256 == answered.SHA256:
		return nil
	case answered.Unavailable:
		return problem.New(problem.ContentChanged, "%s %s for %s was published with sha256 %s and is gone from the registry; "+
			"ask its publisher, and keep the recorded fact as long as a cache holds the package", p, version, platform, recorded.SHA256)
	default:
		return problem.New(problem.ContentChanged, "%s %s for %s changed its content: recorded sha256 %s, the registry now says %s; "+
			"a published version must not change. Ask its publisher; only if the new content is right, delete the fact %q from MODULE.bazel.lock",
			p, version, platform, recorded.SHA256, answered.SHA256, facts.PackageKey(p, version, platform))
	}
}
