package sources

import (
	"context"
	"strings"
	"sync"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
)

// Service tells whether a provider can be asked for at all. With several places nothing is asked, because the first may have everything.
func (s *Set) Service(ctx context.Context, p addrs.Provider) error {
	return s.cleanError(ctx, s.service(ctx, p))
}

func (s *Set) service(ctx context.Context, p addrs.Provider) error {
	members, err := s.built().places(p)
	if err != nil {
		return err
	}
	if len(members) == 1 {
		return members[0].Service(ctx, p)
	}
	return nil
}

// Versions returns the union of what all places of a provider list (R-CLI-21). A place without the provider is passed over; any other error of
// any place is the answer, even if another place has a match. Errors are *problem.Error, or the cause of ctx's end.
func (s *Set) Versions(ctx context.Context, p addrs.Provider) (*registry.VersionList, error) {
	list, err := s.versions(ctx, p)
	s.cleanList(list)
	return list, s.cleanError(ctx, err)
}

// versions returns a list of its own.
func (s *Set) versions(ctx context.Context, p addrs.Provider) (*registry.VersionList, error) {
	members, err := s.built().places(p)
	if err != nil {
		return nil, err
	}
	lists := make([]*registry.VersionList, len(members))
	failed := make([]error, len(members))
	var group sync.WaitGroup
	for i, m := range members {
		group.Go(func() { lists[i], failed[i] = m.Versions(ctx, p) })
	}
	group.Wait()
	union := &registry.VersionList{}
	seen := map[string]bool{}
	for i := range members {
		switch {
		case failed[i] != nil && problem.KindOf(failed[i]) == problem.NotFound:
			continue
		case failed[i] != nil:
			return nil, failed[i]
		}
		union.Warnings = append(union.Warnings, lists[i].Warnings...)
		for _, listed := range lists[i].Versions {
			if !seen[listed.Version] {
				seen[listed.Version] = true
				union.Versions = append(union.Versions, listed)
			}
		}
	}
	if len(union.Versions) > 0 {
		return union, nil
	}
	return union, s.unknown(ctx, p, members, failed)
}

// unknown makes the error for a provider that no place knows: a registry's own word where one was asked (R-CLI-22), else all places. A registry
// alone that lists nothing is no error here.
func (s *Set) unknown(ctx context.Context, p addrs.Provider, members []member, failed []error) error {
	if len(members) == 1 && failed[0] == nil {
		return nil
	}
	var texts []string
	for i, m := range members {
		err := failed[i]
		if _, direct := m.place.(origin); direct && err != nil {
			return problem.Wrap(problem.KindOf(err), err, "%v%s", err, why(ctx, m, p))
		}
		text := m.String() + " lists no version of it"
		if err != nil {
			text = err.Error() + why(ctx, m, p)
		}
		texts = append(texts, text)
	}
	if len(texts) == 1 {
		return problem.Wrap(problem.NotFound, failed[0], "%s", texts[0])
	}
	return problem.New(problem.NotFound, "%s is in none of its sources: %s", p, strings.Join(texts, "; "))
}

func why(ctx context.Context, m member, p addrs.Provider) string {
	if e, ok := m.place.(explainer); ok {
		return e.Explain(ctx, p)
	}
	return ""
}

// Explain says, as the end of a sentence, why no place has a package of a provider (B24); perhaps nothing.
func (s *Set) Explain(ctx context.Context, p addrs.Provider) string {
	members, err := s.built().places(p)
	if err != nil || len(members) != 1 {
		return ""
	}
	return s.secrets.Remove(why(ctx, members[0], p))
}

// Download asks the places in order for a package (R-CLI-23): a place that knows neither the provider nor the platform is passed over, any
// other error is the answer.
func (s *Set) Download(ctx context.Context, p addrs.Provider, version string, platform platforms.Platform) (*registry.Package, error) {
	pkg, err := s.download(ctx, p, version, platform)
	if err != nil {
		return nil, s.cleanError(ctx, err)
	}
	return s.cleanPackage(pkg, p, version, platform)
}

func (s *Set) download(ctx context.Context, p addrs.Provider, version string, platform platforms.Platform) (*registry.Package, error) {
	members, err := s.built().places(p)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, m := range members {
		pkg, err := m.Download(ctx, p, version, platform)
		switch kind := problem.KindOf(err); {
		case err == nil:
			return pkg, nil
		case kind != problem.NotFound && kind != problem.Platform, len(members) == 1:
			return nil, err
		}
		texts = append(texts, err.Error())
	}
	return nil, problem.New(problem.Platform, "none of the sources has %s %s for %s: %s", p, version, platform, strings.Join(texts, "; "))
}

// Document fetches what a registry's download answer refers to; see registry.Client.Document. A mirror's answer refers to nothing.
func (s *Set) Document(ctx context.Context, pkg *registry.Package, reference string) (registry.Document, error) {
	if pkg.Mirror != "" {
		return registry.Document{Missing: true, Shown: pkg.Mirror + " has no signed list"}, nil
	}
	b := s.built()
	if b.err != nil {
		return registry.Document{}, b.err
	}
	document, err := b.direct.Document(ctx, pkg, reference)
	document.Shown = s.secrets.Remove(document.Shown)
	return document, s.cleanError(ctx, err)
}
