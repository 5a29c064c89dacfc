package lock

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"rules_tf_mirror/tools/internal/archive"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/fetch"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/resolve"
)

// dirHashes finds the h1: hashes that the dependency lock lacks: from the registry where it tells them, else from the packages. A release
// for which that fails has its error then.
func (r *run) dirHashes(ctx context.Context, releases []*release) error {
	missing := map[*release][]platforms.Platform{}
	for _, rel := range releases {
		switch {
		case r.Check == CheckFull:
			missing[rel] = r.available(rel)
		case r.complete(rel) || r.Check == CheckOnly:
		default:
			for _, told := range rel.offered {
				rel.computed = append(rel.computed, hashes.Hash{Scheme: hashes.SchemeDir, Value: told})
			}
			for _, platform := range r.available(rel) {
				if rel.offered[platform.String()] == "" {
					missing[rel] = append(missing[rel], platform)
				}
			}
		}
	}
	// Releases that lack the same platforms are one request.
	groups := map[string][]*release{}
	for _, rel := range releases {
		if len(missing[rel]) > 0 {
			key := join(missing[rel])
			groups[key] = append(groups[key], rel)
		}
	}
	for _, rel := range releases {
		key := join(missing[rel])
		if group := groups[key]; len(group) > 0 && group[0] == rel {
			if err := r.compute(ctx, missing[rel], group); err != nil {
				return err
			}
		}
	}
	return nil
}

func join(list []platforms.Platform) string {
	var texts []string
	for _, p := range list {
		texts = append(texts, p.String())
	}
	return strings.Join(texts, " ")
}

// compute fetches the packages of some releases for some platforms, each once, and hashes them.
func (r *run) compute(ctx context.Context, list []platforms.Platform, releases []*release) error {
	dir, err := os.MkdirTemp("", "tfmirror-lock-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	request := *r.Request // with where to ask
	request.Facts, request.Providers, request.Platforms = map[string]json.RawMessage{}, nil, nil
	for _, platform := range list {
		request.Platforms = append(request.Platforms, platform.String())
	}
	byName := map[string]*release{}
	for _, rel := range releases {
		version := "= " + rel.version.String()
		request.Providers = append(request.Providers, manifest.Entry{Source: rel.provider.String(), Version: &version})
		byName[rel.String()] = rel
		for _, platform := range list {
			key := facts.PackageKey(rel.provider, rel.version.String(), platform)
			request.Facts[key] = rel.facts[key]
		}
	}
	sink := &hashSink{dir: dir, found: map[string][]hashes.Hash{}}
	report, err := fetch.Run(ctx, fetch.Options{
		Request: &request, Registry: func() resolve.Registry { return r.Registry() }, Download: r.Download, Sink: sink, Progress: r.Progress,
	})
	if err != nil {
		return err
	}
	var failed = map[*release][]error{}
	for _, row := range report.Rows {
		if rel := byName[row.Source+" "+row.Version]; rel != nil && row.Error != nil {
			failed[rel] = append(failed[rel], problem.New(row.Error.Kind, "%s", row.Error.Message))
		}
	}
	for name, rel := range byName {
		if errs := failed[rel]; len(errs) > 0 {
			worst := slices.MaxFunc(errs, func(a, b error) int { return int(r.classify(a)) - int(r.classify(b)) })
			rel.err = problem.Wrap(problem.KindOf(worst), worst, "%v", errors.Join(errs...))
			continue
		}
		rel.computed = append(rel.computed, sink.found[name]...)
	}
	return nil
}

// hashSink takes packages, notes their h1: and keeps nothing.
type hashSink struct {
	dir   string
	mu    sync.Mutex
	found map[string][]hashes.Hash // by the release's name
}

func (s *hashSink) Have(context.Context, fetch.Package) (fetch.Stored, bool, error) {
	return fetch.Stored{}, false, nil
}

func (s *hashSink) WorkDir() string { return s.dir }

// Put hashes the unpacked package, as the tools do when they record (R-HASH-6): for a zip with directory entries the zip's own h1: differs.
func (s *hashSink) Put(ctx context.Context, p fetch.Package, file *download.File) (fetch.Stored, error) {
	target := filepath.Join(s.dir, "unpacked-"+filepath.Base(file.Path))
	defer os.RemoveAll(target)
	err := archive.Unzip(ctx, file.Path, target, archive.Options{ProviderType: p.Provider.Type})
	_ = os.Remove(file.Path)
	if err != nil {
		return fetch.Stored{}, err
	}
	h, err := hashes.Dir(target)
	if err != nil {
		return fetch.Stored{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := p.Provider.String() + " " + p.Version
	s.found[name] = append(s.found[name], h)
	return fetch.Stored{Bytes: file.Bytes}, nil
}

func (s *hashSink) Close() error { return nil }
