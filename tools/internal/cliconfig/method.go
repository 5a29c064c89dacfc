package cliconfig

import (
	"net/url"

	"rules_tf_mirror/tools/internal/addrs"
)

// Kind is an installation method.
type Kind string

// The methods of R-CLI-13.
const (
	Direct           Kind = "direct"
	FilesystemMirror Kind = "filesystem_mirror"
	NetworkMirror    Kind = "network_mirror"
	OCIMirror        Kind = "oci_mirror" // OpenTofu only
)

// Method is one source of packages.
type Method struct {
	Kind Kind
	// Path is the directory of a FilesystemMirror, as written: nothing is expanded, and it is relative to the process's directory.
	Path string
	// URL is the base of a NetworkMirror: https, with a host.
	URL *url.URL
	// RepositoryTemplate is the template of an OCIMirror, as written (R-NET-18).
	RepositoryTemplate string
	// DownloadRetryCount and TrustAllHashes are OpenTofu's; the former is nil where not set.
	DownloadRetryCount *int
	TrustAllHashes     bool

	Include, Exclude []Pattern
	Position         Position // zero for implied methods
}

// Admits tells whether the method may serve the provider (R-CLI-16): exclude wins, and no include means all.
func (m Method) Admits(p addrs.Provider) bool {
	return !matchesAny(m.Exclude, p) && (len(m.Include) == 0 || matchesAny(m.Include, p))
}

func matchesAny(patterns []Pattern, p addrs.Provider) bool {
	for _, pattern := range patterns {
		if pattern.Matches(p) {
			return true
		}
	}
	return false
}

// Installation is a provider_installation block. With it nothing is implied, and without methods there is no source at all (R-CLI-18).
type Installation struct {
	Methods []Method // in order
	// DevOverrides are directories that the tools run a provider from whatever the versions are. They are reported, not used.
	DevOverrides map[addrs.Provider]string
	Position     Position
}

// For returns the methods that may serve a provider, in order.
func (i *Installation) For(p addrs.Provider) []Method {
	var methods []Method
	for _, m := range i.Methods {
		if m.Admits(p) {
			methods = append(methods, m)
		}
	}
	return methods
}

// Implied returns the methods that count without a provider_installation block: the implied mirrors, then the origin registries for every
// provider that no mirror holds in any version for any platform (R-CLI-20). held are the providers that ImpliedMirrors hold.
func (c *Config) Implied(held []addrs.Provider) []Method {
	var methods []Method
	for _, dir := range c.ImpliedMirrors {
		methods = append(methods, Method{Kind: FilesystemMirror, Path: dir})
	}
	direct := Method{Kind: Direct}
	for _, p := range held {
		direct.Exclude = append(direct.Exclude, Only(p))
	}
	return append(methods, direct)
}
