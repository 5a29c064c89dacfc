package sources

import (
	"context"
	"strconv"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/cliconfig"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/registry"
)

// origin is a provider's own registry as a place.
type origin struct{ *registry.Client }

// String names the place in messages.
func (origin) String() string { return "the registry" }

// broken is a place that fails every question: to go on without it would ask the wrong place.
type broken struct{ err error }

func (b broken) String() string                                { return "a source with a defect" }
func (b broken) Service(context.Context, addrs.Provider) error { return b.err }
func (b broken) Versions(context.Context, addrs.Provider) (*registry.VersionList, error) {
	return nil, b.err
}
func (b broken) Download(context.Context, addrs.Provider, string, platforms.Platform) (*registry.Package, error) {
	return nil, b.err
}

// withProtocols is the environment with the settings of a registry_protocols block (R-CLI-27), which variables win over.
func withProtocols(getenv func(string) string, settings cliconfig.RegistryProtocols) func(string) string {
	block := map[string]*int{"TF_REGISTRY_DISCOVERY_RETRY": settings.RetryCount, "TF_REGISTRY_CLIENT_TIMEOUT": settings.TimeoutSeconds}
	return func(name string) string {
		if value := getenv(name); value != "" || block[name] == nil {
			return value
		}
		return strconv.Itoa(*block[name])
	}
}
