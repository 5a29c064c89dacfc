package lock

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
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
	err := r.computeAll(ctx, releases, missing, func(rel *release, found hashed) {
		rel.computed = append(rel.computed, found.dir...)
	})
	if err != nil || r.Check != CheckFull {
		return err
	}
	// What is left may be of platforms that are not configured (C15).
	others := map[*release][]platforms.Platform{}
	for _, rel := range releases {
		if _, kept := r.kept(rel); rel.err == nil && len(rel.unexplained(kept.Dir)) > 0 {
			others[rel] = rel.others(missing[rel])
		}
	}
	return r.computeAll(ctx, releases, others, nil)
}

// unexplained returns the h1: that are of no package that was looked at.
func (rel *release) unexplained(list []hashes.Hash) []hashes.Hash {
	return slices.DeleteFunc(slices.Clone(list), func(h hashes.Hash) bool { return rel.proved[h] })
}

// others returns the platforms of the list that are not among some.
func (rel *release) others(some []platforms.Platform) []platforms.Platform {
	var list []platforms.Platform
	for _, text := range slices.Sorted(maps.Keys(rel.bound)) {
		if platform, err := platforms.Parse(text); err == nil && !slices.Contains(some, platform) {
			list = append(list, platform)
		}
	}
	return list
}

// computeAll computes the hashes of packages; releases with the same platforms are one request. A release for which that fails has its error
// then; of the others found is told, unless it is nil.
func (r *run) computeAll(ctx context.Context, releases []*release, wanted map[*release][]platforms.Platform, found func(*release, hashed)) error {
	groups := map[string][]*release{}
	for _, rel := range releases {
		if len(wanted[rel]) > 0 {
			key := join(wanted[rel])
			groups[key] = append(groups[key], rel)
		}
	}
	for _, rel := range releases {
		key := join(wanted[rel])
		if group := groups[key]; len(group) > 0 && group[0] == rel {
			if err := r.compute(ctx, wanted[rel], group, found); err != nil {
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
func (r *run) compute(ctx context.Context, list []platforms.Platform, releases []*release, found func(*release, hashed)) error {
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
			if raw, ok := rel.facts[key]; ok {
				request.Facts[key] = raw
			}
		}
	}
	sink := &hashSink{dir: dir, releases: byName, found: map[string]hashed{}}
	report, err := fetch.Run(ctx, fetch.Options{
		Request: &request, Registry: func() resolve.Registry { return r.Registry() }, Download: r.Download, Sink: sink, Progress: r.Progress,
	})
	if err != nil {
		return err
	}
	var failed = map[*release][]error{}
	for _, row := range report.Rows {
		if rel := byName[row.Source+" "+row.Version]; rel != nil && row.Error != nil && row.Error.Kind != problem.Platform {
			failed[rel] = append(failed[rel], problem.New(row.Error.Kind, "%s", row.Error.Message))
		}
	}
	for name, rel := range byName {
		if errs := failed[rel]; len(errs) > 0 {
			worst := slices.MaxFunc(errs, func(a, b error) int { return int(r.classify(a)) - int(r.classify(b)) })
			rel.err = problem.Wrap(problem.KindOf(worst), worst, "%v", errors.Join(errs...))
			continue
		}
		if rel.proved == nil {
			rel.proved = map[hashes.Hash]bool{}
		}
		for _, h := range slices.Concat(sink.found[name].dir, sink.found[name].zip) {
			rel.proved[h] = true
		}
		if found != nil {
			found(rel, sink.found[name])
		}
	}
	return nil
}

// hashed are the h1: of some packages.
type hashed struct {
	dir []hashes.Hash // of the unpacked packages
	zip []hashes.Hash // of the zips themselves, which differ where a zip has entries for directories; a registry may tell these
}

// hashSink takes packages, notes their h1: and keeps nothing.
type hashSink struct {
	dir      string
	releases map[string]*release // by name
	mu       sync.Mutex
	found    map[string]hashed // by the release's name
}

func (s *hashSink) Have(context.Context, fetch.Package) (fetch.Stored, bool, error) {
	return fetch.Stored{}, false, nil
}

func (s *hashSink) WorkDir() string { return s.dir }

// Put hashes the unpacked package, as the tools do when they record (R-HASH-6): for a zip with directory entries the zip's own h1: differs.
func (s *hashSink) Put(ctx context.Context, p fetch.Package, file *download.File) (fetch.Stored, error) {
	name := p.Provider.String() + " " + p.Version
	// A package of a configured platform was held against the list before; that of another was only just asked for.
	if rel := s.releases[name]; rel == nil || rel.bound[p.Platform.String()] != p.SHA256 {
		return fetch.Stored{}, problem.New(fetch.Checksum, "%s: the registry's package has sha256 %s, which the list does not have for that platform", p, p.SHA256)
	}
	target := filepath.Join(s.dir, "unpacked-"+filepath.Base(file.Path))
	defer os.RemoveAll(target)
	defer os.Remove(file.Path)
	if err := archive.Unzip(ctx, file.Path, target, archive.Options{ProviderType: p.Provider.Type}); err != nil {
		return fetch.Stored{}, err
	}
	packed, zipErr := hashes.Zip(file.Path)
	h, err := hashes.Dir(target)
	if err != nil {
		return fetch.Stored{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.found[name]
	found.dir = append(found.dir, h)
	if zipErr == nil { // it serves only to explain what is recorded
		found.zip = append(found.zip, packed)
	}
	s.found[name] = found
	return fetch.Stored{Bytes: file.Bytes}, nil
}

func (s *hashSink) Close() error { return nil }
