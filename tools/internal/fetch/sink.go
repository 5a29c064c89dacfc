package fetch

import (
	"context"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/repocache"
)

// Package is one package to fetch, as resolved.
type Package struct {
	Provider addrs.Provider
	Version  string // canonical
	Platform platforms.Platform
	SHA256   string // wanted, lower-case hex

	address   string // as recorded
	ephemeral bool   // address is not to be requested
	mirrored  bool   // in a filesystem mirror; there is no address
}

// String names the package in messages.
func (p Package) String() string {
	return p.Provider.String() + " " + p.Version + " " + p.Platform.String()
}

// Stored says where a package is.
type Stored struct {
	Path  string
	Bytes int64 // of the zip
}

// Sink is where packages go. Its methods but Close may be called concurrently, for different packages.
type Sink interface {
	// Have looks for a package that is there and whole; anything less is false.
	Have(ctx context.Context, p Package) (Stored, bool, error)
	// WorkDir is a directory for downloads that Put takes.
	WorkDir() string
	// Put stores a download whose sha256 was checked. The package appears whole or not at all. The file is the sink's from here on.
	Put(ctx context.Context, p Package, file *download.File) (Stored, error)
	// Close removes what did not become a package.
	Close() error
}

// cacheSink stores zips in a Bazel repository cache.
type cacheSink struct{ cache *repocache.Cache }

// OpenRepositoryCache returns a Sink that fills a Bazel repository cache, which is made if it is missing.
func OpenRepositoryCache(dir string) (Sink, error) {
	cache, err := repocache.Open(dir)
	if err != nil {
		return nil, err
	}
	return &cacheSink{cache}, nil
}

func (s *cacheSink) Have(ctx context.Context, p Package) (Stored, bool, error) {
	size, found, err := s.cache.Has(ctx, p.SHA256)
	return Stored{Path: s.cache.Path(p.SHA256), Bytes: size}, found, err
}

func (s *cacheSink) WorkDir() string { return s.cache.WorkDir() }

func (s *cacheSink) Put(_ context.Context, p Package, file *download.File) (Stored, error) {
	path, err := s.cache.Put(file.Path, p.SHA256)
	return Stored{Path: path, Bytes: file.Bytes}, err
}

func (s *cacheSink) Close() error { return s.cache.Close() }
