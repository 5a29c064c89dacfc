package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// File is an entry of a package. Names are written as they are, hostile ones too.
type File struct {
	// Name is the path; one that ends with a slash is a directory.
	Name string
	// Mode are the permission bits; 0 means 0644, and 0755 for directories. fs.ModeSymlink makes a link to Content. NoMode leaves the
	// attributes of the entry zero, as zips made on other systems do.
	Mode   fs.FileMode
	NoMode bool
	// Content comes first; if Size is larger, pseudo-random bytes fill up to it.
	Content []byte
	Size    int64
	// Deflate compresses the entry; otherwise it is stored.
	Deflate bool
}

// zipSpec says everything about the bytes of a package; equal specs give equal bytes.
type zipSpec struct {
	Seed  string // identity of the package
	Salt  string
	Files []File
	Modes map[string]fs.FileMode
	Raw   []byte
	// RawFile is a file that is served as the package; its path, size and time stand for its content.
	RawFile string
}

func (s zipSpec) clone() zipSpec {
	s.Files = slices.Clone(s.Files)
	s.Modes = maps.Clone(s.Modes)
	return s
}

// Zip is the package of one platform; its methods change what is served from then on.
type Zip struct {
	version *Version
	spec    zipSpec // guarded by registry.mu
}

// defaultSize is the size in bytes of the executable unless Size says otherwise.
const defaultSize = 4096

// newZip is the default package: an executable that differs by platform, and a licence.
func newZip(v *Version, platform string) *Zip {
	p := v.provider
	seed := fmt.Sprintf("%s/%s/%s %s %s", p.host.name, p.namespace, p.typ, v.number, platform)
	script := fmt.Sprintf("#!/bin/sh\necho 'fixture provider %s' >&2\nexit 1\n", seed)
	return &Zip{version: v, spec: zipSpec{Seed: seed, Files: []File{
		{Name: fmt.Sprintf("terraform-provider-%s_v%s_x5", p.typ, v.number), Mode: 0o755, Content: []byte(script), Size: defaultSize},
		{Name: "LICENSE.txt", Content: []byte("Fixture licence of " + p.namespace + "/" + p.typ + ".\n")},
	}}}
}

// Zip is the package of a platform, which the version must have.
func (v *Version) Zip(platform string) *Zip {
	v.provider.host.registry.mu.Lock()
	defer v.provider.host.registry.mu.Unlock()
	z := v.zips[platform]
	if z == nil {
		panic(fmt.Sprintf("registry: %s %s has no platform %q", v.provider, v.number, platform))
	}
	return z
}

// EachZip calls f for the packages of all platforms.
func (v *Version) EachZip(f func(*Zip)) *Version {
	v.provider.host.registry.mu.Lock()
	all := make([]*Zip, 0, len(v.platforms))
	for _, p := range v.platforms {
		all = append(all, v.zips[p])
	}
	v.provider.host.registry.mu.Unlock()
	for _, z := range all {
		f(z)
	}
	return v
}

func (z *Zip) set(change func(s *zipSpec)) *Zip {
	z.version.provider.host.registry.mu.Lock()
	defer z.version.provider.host.registry.mu.Unlock()
	change(&z.spec)
	return z
}

// Size makes the first file n bytes long, filled with pseudo-random bytes that do not compress; the whole package is a little larger.
func (z *Zip) Size(n int64) *Zip {
	return z.set(func(s *zipSpec) {
		if len(s.Files) > 0 {
			s.Files[0].Size = n
		}
	})
}

// Salt changes the pseudo-random bytes, and so the hash: the same version with other content.
func (z *Zip) Salt(salt string) *Zip { return z.set(func(s *zipSpec) { s.Salt = salt }) }

// Files replaces all content.
func (z *Zip) Files(files ...File) *Zip {
	return z.set(func(s *zipSpec) { s.Files = slices.Clone(files) })
}

// Add adds entries after the others.
func (z *Zip) Add(files ...File) *Zip {
	return z.set(func(s *zipSpec) { s.Files = append(slices.Clip(s.Files), files...) })
}

// Modes changes the permission bits of entries by name.
func (z *Zip) Modes(modes map[string]fs.FileMode) *Zip {
	return z.set(func(s *zipSpec) { s.Modes = maps.Clone(modes) })
}

// Raw serves these bytes as the package; nil ends it.
func (z *Zip) Raw(data []byte) *Zip { return z.set(func(s *zipSpec) { s.Raw = data }) }

// RawFile serves a file of the disk as the package; it must not change while it is served. An empty path ends it.
func (z *Zip) RawFile(path string) *Zip { return z.set(func(s *zipSpec) { s.RawFile = path }) }

// ExecutableName is the name of the default package's executable.
func (v *Version) ExecutableName() string {
	return fmt.Sprintf("terraform-provider-%s_v%s_x5", v.provider.typ, v.number)
}

// allZips are the specs of all packages.
func (r *Registry) allZips() []zipSpec {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []zipSpec
	for _, h := range r.order {
		for _, p := range h.providers {
			for _, v := range p.versions {
				for _, platform := range v.platforms {
					out = append(out, v.zips[platform].spec.clone())
				}
			}
		}
	}
	return out
}

// fakeHash is a well-formed SHA-256 of no file.
func fakeHash(of string) string {
	sum := sha256.Sum256([]byte("no file: " + of))
	return hex.EncodeToString(sum[:])
}
