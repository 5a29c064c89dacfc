package cli

import (
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/transport"
)

// Registry returns the registry client for a request: its tool and version in the headers, the tokens and settings of the environment.
func (e Env) Registry(request *manifest.Request) *registry.Client {
	return registry.New(registry.Options{
		Transport:   transport.New(transport.Options{RoundTripper: e.RoundTripper}),
		Credentials: credentials.FromEnviron(e.Environ),
		Tool:        request.Tool,
		ToolVersion: request.ToolVersion,
		Getenv:      e.Getenv,
	})
}
