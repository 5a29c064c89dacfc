// Package platforms names the operating system and processor that a package is built for.
package platforms

import (
	"regexp"

	"rules_tf_mirror/tools/internal/problem"
)

// Platform is a pair of Go's names, as registries use them. It is comparable.
type Platform struct {
	OS   string // as GOOS: linux, darwin, windows, …
	Arch string // as GOARCH: amd64, arm64, …
}

// pattern is what a registry, a file name and a label can all carry. The lists of systems and processors are open: providers are built
// for more of them with every Go release.
var pattern = regexp.MustCompile(`^([a-z0-9]+)_([a-z0-9]+)$`)

// Parse reads <os>_<arch>, in lower case. The error is a *problem.Error of kind platform.
func Parse(text string) (Platform, error) {
	match := pattern.FindStringSubmatch(text)
	if match == nil {
		return Platform{}, problem.New(problem.Platform,
			"platform %q is not <os>_<arch> in lower case; write for example linux_amd64 or darwin_arm64", text)
	}
	return Platform{OS: match[1], Arch: match[2]}, nil
}

// String returns <os>_<arch>.
func (p Platform) String() string { return p.OS + "_" + p.Arch }
