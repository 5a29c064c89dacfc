package lock

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/resolve"
	"rules_tf_mirror/tools/internal/terminal"
	"rules_tf_mirror/tools/internal/versions"
)

// online finds and verifies the versions of all sources at once.
func (r *run) online(ctx context.Context, progress *terminal.Progress) error {
	var group sync.WaitGroup
	for _, s := range r.sources {
		group.Go(func() { r.lockSource(ctx, s, progress) })
	}
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (r *run) lockSource(ctx context.Context, s *source, progress *terminal.Progress) {
	var signerErr error
	s.signer, signerErr = r.recordedSigner(s.provider.String())
	request := r.question(s)
	response, err := resolve.Run(ctx, r.registry, request)
	if err != nil {
		return // the context's end, which online reports
	}
	s.warnings = response.Warnings
	byVersion := map[string]*release{}
	for i, row := range response.Providers {
		e := s.entries[i]
		if err := rowError(e, row, request); err != nil {
			e.err = err
			progress.Start(e.label()).Done(string(r.statusOf(err)))
			continue
		}
		rel, ok := byVersion[row.Version]
		if !ok {
			rel = newRelease(s, row, request.Facts)
			byVersion[row.Version] = rel
			s.releases = append(s.releases, rel)
		}
		rel.add(e, row, response.Facts, r.platforms)
	}
	var group sync.WaitGroup
	items := map[*release]*terminal.Item{}
	for _, rel := range s.releases {
		items[rel] = progress.Start(rel.String())
		if rel.err = signerErr; signerErr == nil {
			group.Go(func() { rel.err = r.decide(ctx, rel, s.signer) })
		}
	}
	group.Wait()
	r.judgeTogether(s)
	for _, rel := range s.releases {
		status := string(rel.verdict.Status)
		if rel.err != nil {
			status = string(r.statusOf(rel.err))
		}
		items[rel].Done(status)
	}
}

// question is the request that answers the entries of one source: its recorded facts without those that are to be asked for again.
func (r *run) question(s *source) *manifest.Request {
	name := s.provider.String()
	known := map[string]json.RawMessage{}
	for key, raw := range r.facts {
		switch {
		case s.upgrade:
		case strings.HasPrefix(key, "resolve/"+name+"/"):
			known[key] = raw
		case strings.HasPrefix(key, "package/"+name+"/") && !r.askAgain(key, raw):
			known[key] = raw
		}
	}
	request := *r.Request // with its platforms and where to ask
	request.Facts, request.Providers = known, nil
	for _, e := range s.entries {
		request.Providers = append(request.Providers, manifest.Entry{Source: e.Source, Version: e.Version})
		if e.selected != "" && !e.exact && !s.upgrade {
			known[e.resolveKey()] = facts.Resolve{Version: e.selected}.JSON()
		}
	}
	return &request
}

// askAgain reports whether a package/ fact does not answer: the platform was unavailable, and may not be any more, or policy says that
// the content has changed.
func (r *run) askAgain(key string, raw json.RawMessage) bool {
	k, err := facts.ParseKey(key)
	if err != nil {
		return false // the entry that needs it says so
	}
	if r.policy.AllowsChanged(k.Provider, k.Version.String()) {
		return true
	}
	fact, err := facts.ParsePackage(key, raw)
	return err == nil && fact.Unavailable && r.Check == Write
}

// rowError returns what failed about an entry: all of it, or some of its platforms. What failed about a platform that has a recorded fact
// failed because of the fact, since nobody was asked.
func rowError(e *entry, row manifest.Provider, request *manifest.Request) error {
	if row.Error != nil {
		return problem.New(row.Error.Kind, "%s", row.Error.Message)
	}
	var first *manifest.Error
	var texts []string
	recorded := true
	for _, platform := range request.PlatformList() {
		platform, key := platform.String(), facts.PackageKey(e.provider, row.Version, platform)
		if failure := row.Packages[platform].Error; failure != nil {
			if first == nil {
				first = failure
			}
			texts = append(texts, platform+": "+failure.Message)
			_, ok := request.Facts[key]
			recorded = recorded && ok
		}
	}
	if first == nil {
		return nil
	}
	err := problem.New(first.Kind, "%s: the packages of some platforms cannot be located: %s", e.label(), strings.Join(texts, "; "))
	if recorded {
		return badRecord(err)
	}
	return err
}

func newRelease(s *source, row manifest.Provider, known map[string]json.RawMessage) *release {
	v, _ := versions.Parse(row.Version) // resolve gives canonical versions
	rel := &release{provider: s.provider, version: v}
	rel.facts, rel.packages, rel.fresh = map[string]json.RawMessage{}, map[platforms.Platform]facts.Package{}, map[platforms.Platform]bool{}
	for text, p := range row.Packages {
		platform, err := platforms.Parse(text)
		if err != nil {
			continue // resolve repeats the request's platforms
		}
		rel.packages[platform] = facts.Package{DownloadURL: p.DownloadURL, Filename: p.Filename, SHA256: p.SHA256, Ephemeral: p.Ephemeral, Mirror: p.Mirror, Unavailable: p.Unavailable}
		if _, ok := known[facts.PackageKey(s.provider, row.Version, platform)]; !ok {
			rel.fresh[platform] = true
		}
	}
	return rel
}

// add notes one more entry of the release and the facts that answer it.
func (rel *release) add(e *entry, row manifest.Provider, answered map[string]json.RawMessage, all []platforms.Platform) {
	rel.entries = append(rel.entries, e)
	if raw, ok := answered[e.resolveKey()]; ok && !e.exact && !e.stale {
		rel.facts[e.resolveKey()] = raw
	}
	for _, platform := range all {
		key := facts.PackageKey(rel.provider, row.Version, platform)
		if raw, ok := answered[key]; ok {
			rel.facts[key] = raw
		}
	}
}
