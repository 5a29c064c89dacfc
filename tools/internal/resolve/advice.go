package resolve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/explain"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/transport"
	"rules_tf_mirror/tools/internal/versions"
)

// Adviser is what a Registry may offer beside for the messages of failures. Each method asks at most once per provider, and only the provider's
// own registry. Nothing is asked while nothing fails, so the number of requests of a good run does not change.
type Adviser interface {
	// Listing returns the version list, nil where the provider's own registry is not asked at all.
	Listing(ctx context.Context, p addrs.Provider) (*registry.VersionList, error)
	// Successor returns under which address the registry knows a provider that it does not know under this one.
	Successor(ctx context.Context, p addrs.Provider, tool addrs.Tool) (addrs.Provider, bool)
}

// advise adds to each entry's failure what its author may have meant. It runs when all questions are answered, so that only what was found is
// suggested.
func (r *run) advise(ctx context.Context) {
	found := r.found()
	var group sync.WaitGroup
	for q, o := range r.outcomes {
		if o.err == nil {
			continue
		}
		group.Go(func() {
			if text := r.advice(ctx, q, o, found); text != "" {
				o.err = problem.Wrap(problem.KindOf(o.err), o.err, "%v%s", o.err, text)
			}
		})
	}
	group.Wait()
}

// found returns the providers that somebody knows, each once.
func (r *run) found() []addrs.Provider {
	known := map[addrs.Provider]bool{}
	for q, o := range r.outcomes {
		switch kind := problem.KindOf(o.err); {
		case o.err == nil, kind == problem.NoMatchingVersion, kind == problem.ContentChanged, kind == problem.Protocol:
			known[q.provider] = true
		}
	}
	return slices.SortedFunc(maps.Keys(known), func(p, q addrs.Provider) int {
		if p.Less(q) {
			return -1
		}
		return 1
	})
}

// advice returns the end of an entry's message, perhaps nothing.
func (r *run) advice(ctx context.Context, q question, o *outcome, found []addrs.Provider) string {
	p := q.provider
	switch kind := problem.KindOf(o.err); {
	case o.unknown, kind == problem.NotFound:
		return r.otherSource(ctx, q, found)
	case kind == problem.Discovery, kind == problem.Network && noAnswer(o.err, p.Host):
		hosts := []string{addrs.Terraform.DefaultHost(), addrs.OpenTofu.DefaultHost()}
		for _, other := range found {
			hosts = append(hosts, other.Host)
		}
		if host, ok := explain.NearHost(p.Host, hosts); ok {
			return didYouMean(addrs.Provider{Host: host, Namespace: p.Namespace, Type: p.Type}, q.text)
		}
	}
	return ""
}

// noAnswer tells whether a host never answered, as one that does not exist.
func noAnswer(err error, host string) bool {
	var failure *transport.Error
	return errors.As(err, &failure) && failure.Status == 0 && failure.Host == host
}

// otherSource suggests an address for a provider that nobody knows: that of an entry, else the one that the registry names (R-ADDR-23).
func (r *run) otherSource(ctx context.Context, q question, found []addrs.Provider) string {
	p := q.provider
	if other, ok := explain.SameType(p, found); ok {
		return didYouMean(other, q.text) + " The manifest has that source too"
	}
	if other, ok := explain.NearSource(p, found); ok {
		return didYouMean(other, q.text) + " The manifest has that source too"
	}
	if adviser, ok := r.registry.(Adviser); ok && explain.HasSuccessor(p, r.request.Tool) {
		if other, ok := adviser.Successor(ctx, p, r.request.Tool); ok {
			return didYouMean(other, q.text) + " The registry knows the provider under that source"
		}
	}
	if p.Host == addrs.OpenTofu.DefaultHost() {
		return "; a provider that this registry lacks can be asked for at https://github.com/opentofu/registry/issues"
	}
	return ""
}

func didYouMean(p addrs.Provider, text string) string {
	return fmt.Sprintf("; did you mean %q?", label(p, text))
}

// noPackage explains that a registry answers 404 for each wanted platform of a version. Whether the provider, the version or only its packages
// are missing is told by the version list, which an exact version has not asked for before.
func (r *run) noPackage(ctx context.Context, p addrs.Provider, o *outcome) (text string, unknown bool) {
	adviser, ok := r.registry.(Adviser)
	if !ok {
		return "", false
	}
	list, err := adviser.Listing(ctx, p)
	switch {
	case err != nil && problem.KindOf(err) == problem.NotFound:
		return err.Error(), true
	case err != nil, list == nil, len(list.Versions) == 0:
		return "", false
	}
	version, err := versions.Parse(o.version)
	if err != nil {
		return "", false
	}
	var releases []explain.Release
	for _, listed := range list.Versions {
		if v, err := versions.Parse(listed.Version); err == nil {
			releases = append(releases, explain.Release{Version: v, Platforms: listed.OfPlatforms()})
		}
	}
	return explain.NoPackage(version, r.platforms, releases), false
}
