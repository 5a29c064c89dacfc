package cli

import (
	"rules_tf_mirror/tools/internal/cliconfig"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/sources"
	"rules_tf_mirror/tools/internal/transport"
)

// Registry returns what answers a request's questions: the registries or the mirrors that it names, with the tool and version in the headers and
// the credentials and settings of environment and CLI configuration. The latter is read at the first question that no fact answers.
func (e Env) Registry(request *manifest.Request) *sources.Set {
	return sources.New(sources.Options{
		Request:   request,
		Config:    func() *cliconfig.Config { return cliconfig.Load(request.Tool, cliconfig.ThisSystem(e.Environ)) },
		Transport: transport.New(transport.Options{RoundTripper: e.RoundTripper}),
		Download:  download.New(download.Options{RoundTripper: e.RoundTripper, Getenv: e.Getenv, UserAgent: "tfmirror/" + Version}),
		Getenv:    e.Getenv,
	})
}
