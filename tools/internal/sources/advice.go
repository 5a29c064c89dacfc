package sources

import (
	"context"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/explain"
	"rules_tf_mirror/tools/internal/registry"
)

// Listing returns the version list of a provider's own registry if that is one of the provider's places, else nil without a request: a mirror's
// index says nothing about platforms, and who has a mirror instead of the registry wants nobody to ask the registry (B17). See resolve.Adviser.
func (s *Set) Listing(ctx context.Context, p addrs.Provider) (*registry.VersionList, error) {
	client, ok := s.origin(p)
	if !ok {
		return nil, nil
	}
	list, err := client.Listing(ctx, p)
	if err != nil {
		return nil, s.cleanError(ctx, err)
	}
	own := &registry.VersionList{}
	for _, listed := range list.Versions {
		for _, platform := range listed.OfPlatforms() { // read, because JSON can write one text in many ways
			if s.secrets.In(platform.String()) {
				listed.Platforms = nil
			}
		}
		own.Versions = append(own.Versions, listed)
	}
	s.cleanList(own)
	return own, nil
}

// Successor is registry.Client's, where patterns admit both the provider and the address that is asked for to its own registry (R-ADDR-23).
func (s *Set) Successor(ctx context.Context, p addrs.Provider, tool addrs.Tool) (addrs.Provider, bool) {
	client, ok := s.origin(p)
	if !ok {
		return addrs.Provider{}, false
	}
	if _, ok = s.origin(explain.Legacy(p)); !ok {
		return addrs.Provider{}, false
	}
	q, ok := client.Successor(ctx, p, tool)
	if !ok || s.secrets.In(q.String()) {
		return addrs.Provider{}, false
	}
	return q, true
}

// origin returns the client of a provider's own registry, if that is one of the provider's places.
func (s *Set) origin(p addrs.Provider) (*registry.Client, bool) {
	members, err := s.built().places(p)
	if err != nil {
		return nil, false
	}
	for _, m := range members {
		if own, ok := m.place.(origin); ok {
			return own.Client, true
		}
	}
	return nil, false
}
