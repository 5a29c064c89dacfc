package resolve

import (
	"context"
	"encoding/json"
	"sync"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/registry"
)

// Registry is what resolving needs of a registry client. Each method may be called many times with the same question and must then ask
// only once; errors are *problem.Error or the cause of the context's end.
type Registry interface {
	Service(ctx context.Context, p addrs.Provider) error
	Versions(ctx context.Context, p addrs.Provider) (*registry.VersionList, error)
	Download(ctx context.Context, p addrs.Provider, version string, platform platforms.Platform) (*registry.Package, error)
}

// Sources is what a Registry may offer beside, if providers come from other places than their own registries.
type Sources interface {
	// Places names where a provider was looked for, in the singular and for messages.
	Places(p addrs.Provider) string
	// Explain says, as the end of a sentence, why nothing may have been found there; perhaps nothing.
	Explain(ctx context.Context, p addrs.Provider) string
	// Warnings are for the user, one line each.
	Warnings() []string
}

// Run answers a request that Check accepts. The error is the cause of ctx's end; everything else that goes wrong is in the response. The
// same request and answers give the same response, whatever order the answers come in.
func Run(ctx context.Context, r Registry, request *manifest.Request) (*manifest.Response, error) {
	run := &run{registry: r, request: request, platforms: request.PlatformList(), outcomes: map[question]*outcome{}}
	order := make([]rowKey, len(request.Providers))
	for i, entry := range request.Providers {
		order[i] = run.enter(entry)
	}
	var group sync.WaitGroup
	for q, o := range run.outcomes {
		group.Go(func() { run.answer(ctx, q, o) })
	}
	group.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	run.advise(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return run.response(order), nil
}

// question is what an entry asks; equal entries are one question.
type question struct {
	provider addrs.Provider
	text     string // trimmed; empty: newest release
}

// rowKey leads from an entry to its outcome.
type rowKey struct {
	entry manifest.Entry
	question
	err error // the entry could not be read; question has no provider if that is why
}

// run is the state of one Run.
type run struct {
	registry  Registry
	request   *manifest.Request
	platforms []platforms.Platform
	outcomes  map[question]*outcome
}

// outcome is the answer to one question. It is written by one goroutine and read after all have ended.
type outcome struct {
	label    string // the entry as its author knows it, for messages
	version  string
	packages map[platforms.Platform]*packageOutcome
	warnings []string
	facts    map[string]json.RawMessage
	err      error
	unknown  bool // err says, under whatever kind, that nobody knows the provider
}

// packageOutcome is the answer for one platform: a fact or an error.
type packageOutcome struct {
	fact     facts.Package
	raw      json.RawMessage // as recorded; nil if asked now
	warnings []string
	err      error
}

// response puts the outcomes into the order of the manifest.
func (r *run) response(order []rowKey) *manifest.Response {
	response := &manifest.Response{Schema: manifest.Schema, Facts: map[string]json.RawMessage{}, Warnings: []string{}}
	warned := map[string]bool{}
	for _, row := range order {
		response.Providers = append(response.Providers, r.row(row))
		if row.err != nil {
			continue
		}
		o := r.outcomes[row.question]
		for key, value := range o.facts {
			response.Facts[key] = value
		}
		for _, text := range o.warnings {
			if !warned[text] {
				warned[text] = true
				response.Warnings = append(response.Warnings, text)
			}
		}
	}
	if sources, ok := r.registry.(Sources); ok {
		response.Warnings = append(response.Warnings, sources.Warnings()...)
	}
	r.addToolFacts(response)
	return response
}

func (r *run) row(row rowKey) manifest.Provider {
	provider := manifest.Provider{Packages: map[string]manifest.Package{}}
	if row.err != nil {
		provider.Source, provider.Constraint = row.entry.Source, constraintText(row.entry)
		if row.provider != (addrs.Provider{}) {
			provider.Source = row.provider.String()
		}
		provider.Error = manifest.ErrorOf(row.err)
		return provider
	}
	o := r.outcomes[row.question]
	provider.Source, provider.Constraint, provider.Version = row.provider.String(), row.text, o.version
	provider.Error = manifest.ErrorOf(o.err)
	for platform, p := range o.packages {
		answer := manifest.Package{Error: manifest.ErrorOf(p.err)}
		if p.err == nil {
			f := p.fact
			answer = manifest.Package{DownloadURL: f.DownloadURL, Filename: f.Filename, SHA256: f.SHA256, Ephemeral: f.Ephemeral, Mirror: f.Mirror, Unavailable: f.Unavailable}
		}
		provider.Packages[platform.String()] = answer
	}
	return provider
}

// addToolFacts carries the recorded archives of the tool itself forward, if they are of this manifest's tool, version and platforms.
// This manifest asks for none.
func (r *run) addToolFacts(response *manifest.Response) {
	if r.request.ToolVersion == "" {
		return
	}
	for _, platform := range r.platforms {
		key := facts.ToolKey(r.request.Tool, r.request.ToolVersion, platform)
		raw, ok := r.request.Facts[key]
		if !ok {
			continue
		}
		if _, err := facts.ParseTool(key, raw); err != nil {
			response.Warnings = append(response.Warnings, err.Error())
			continue
		}
		response.Facts[key] = raw
	}
}
