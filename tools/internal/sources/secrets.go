package sources

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
)

// Who is sent a token may send it back, in every part of an answer. Here, where all answers pass, it is kept from getting any further.

// cleanError removes tokens from a message. The cause goes with them, because it has the same text.
func (s *Set) cleanError(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || !s.secrets.In(err.Error()) {
		return err
	}
	return problem.New(problem.KindOf(err), "%s", s.secrets.Remove(err.Error()))
}

// cleanList removes tokens from a list that is the caller's own. A version with a token in it becomes one that cannot be read.
func (s *Set) cleanList(list *registry.VersionList) {
	if list == nil {
		return
	}
	for i, listed := range list.Versions {
		list.Versions[i].Version = s.secrets.Remove(listed.Version)
	}
	s.cleanTexts(list.Warnings)
}

func (s *Set) cleanTexts(texts []string) {
	for i, text := range texts {
		texts[i] = s.secrets.Remove(text)
	}
}

// cleanPackage returns a package whose fact holds no token: an address with one in its path is ephemeral. A token in any other place, where it
// has no sense, is an error.
func (s *Set) cleanPackage(pkg *registry.Package, p addrs.Provider, version string, platform platforms.Platform) (*registry.Package, error) {
	out := *pkg
	fact, err := pkg.Fact.Withhold(s.secrets.In)
	var keys any
	switch {
	case err != nil:
	case json.Unmarshal(pkg.SigningKeys, &keys) == nil && s.secrets.In(fmt.Sprint(keys)):
		err = errors.New("the signing keys hold a secret")
	default:
		for _, list := range pkg.Hashes {
			for _, hash := range list {
				if s.secrets.In(hash) {
					err = errors.New("a hash holds a secret")
				}
			}
		}
	}
	if err != nil {
		return nil, problem.Wrap(problem.Response, err, "%s %s %s: the answer repeats the token that was sent (%v), which cannot be recorded or shown: "+
			"tell who runs the registry", p, s.secrets.Remove(version), platform, err)
	}
	out.Fact = fact
	out.Warnings = append([]string{}, pkg.Warnings...)
	s.cleanTexts(out.Warnings)
	return &out, nil
}
