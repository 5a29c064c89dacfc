package fsmirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/inputfile"
	"rules_tf_mirror/tools/internal/once"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/versions"
)

// Options configure a Mirror.
type Options struct {
	Root string // a directory; a relative one starts at the process's directory (R-CLI-13)
	Tool addrs.Tool
	// Private says where a mirror was named that no lockfile may mention, because it is this machine's alone: its versions count, and its
	// packages are refused. Empty for a mirror that the workspace names.
	Private string
}

// Mirror is one filesystem mirror, scanned at the first question and then no more (R-CLI-26). It is safe for concurrent use.
type Mirror struct {
	options Options
	scan    func() (map[addrs.Provider][]Found, error)
	sums    once.Map[string, string]
}

// New returns a Mirror; nothing is read yet.
func New(o Options) *Mirror {
	m := &Mirror{options: o}
	m.scan = sync.OnceValues(func() (map[addrs.Provider][]Found, error) { return Scan(os.DirFS(o.Root), o.Tool) })
	return m
}

// String names the mirror in messages.
func (m *Mirror) String() string {
	if m.options.Private != "" {
		return fmt.Sprintf("the filesystem mirror %s (%s)", m.options.Root, m.options.Private)
	}
	return "the filesystem mirror " + m.options.Root
}

// Held returns the providers of which the mirror has any version for any platform (R-CLI-20).
func (m *Mirror) Held() ([]addrs.Provider, error) {
	found, err := m.all()
	if err != nil {
		return nil, err
	}
	held := make([]addrs.Provider, 0, len(found))
	for p := range found {
		held = append(held, p)
	}
	return held, nil
}

func (m *Mirror) all() (map[addrs.Provider][]Found, error) {
	found, err := m.scan()
	if err == nil {
		return found, nil
	}
	reason := err
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		reason = pathError.Err
	}
	return nil, problem.Wrap(problem.Config, err, "%s cannot be read (%v): correct its path, or remove it from the sources", m, reason)
}

// Service tells whether the mirror can be read.
func (m *Mirror) Service(context.Context, addrs.Provider) error {
	_, err := m.all()
	return err
}

// Explain says, as the end of a sentence, what to do about a provider, or a package of one, that the mirror does not hold.
func (m *Mirror) Explain(_ context.Context, p addrs.Provider) string {
	found, err := m.all()
	if err != nil {
		return ""
	}
	command := fmt.Sprintf("add it with `%s providers mirror -platform=OS_ARCH %s`, run where the provider is required", m.options.Tool, m.options.Root)
	if len(found[p]) > 0 {
		return "; if the mirror lacks it, " + command
	}
	return "; " + command + fmt.Sprintf(`, or take the provider from another source, such as direct, with "exclude": ["%s"] for this one`, p)
}

// Versions returns the versions of all platforms (R-FS-7). A mirror without the provider is a *problem.Error of kind not_found, which lets
// other sources answer.
func (m *Mirror) Versions(_ context.Context, p addrs.Provider) (*registry.VersionList, error) {
	found, err := m.all()
	if err != nil {
		return nil, err
	}
	if len(found[p]) == 0 {
		return nil, problem.New(problem.NotFound, "%s has no %s", m, p)
	}
	list := &registry.VersionList{}
	seen := map[versions.Version]bool{}
	for _, f := range found[p] {
		if !seen[f.Version] {
			seen[f.Version] = true
			list.Versions = append(list.Versions, registry.Listed{Version: f.Version.String()})
		}
	}
	return list, nil
}

// Download returns a packed package. A package that is not there is a *problem.Error of kind platform, which lets other sources answer; one
// that is there and cannot be recorded is of kind config.
func (m *Mirror) Download(ctx context.Context, p addrs.Provider, version string, platform platforms.Platform) (*registry.Package, error) {
	found, err := m.all()
	if err != nil {
		return nil, err
	}
	wanted, err := versions.Parse(version)
	if err != nil {
		return nil, err
	}
	var chosen *Found
	for i, f := range found[p] {
		if f.Version == wanted && f.Platform == platform && (chosen == nil || f.Packed && !chosen.Packed) {
			chosen = &found[p][i]
		}
	}
	switch {
	case chosen == nil:
		return nil, problem.New(problem.Platform, "%s has no package of %s %s for %s", m, p, version, platform)
	case m.options.Private != "":
		return nil, problem.New(problem.Config, "%s has %s %s for %s, and a package of this machine alone cannot be recorded in a lockfile that is shared: "+
			`put the directory into the workspace and name it on the tag, as a source of kind "filesystem_mirror", or exclude the provider there`, m, p, version, platform)
	case !chosen.Packed:
		return nil, problem.New(problem.Config, "%s has %s %s for %s only unpacked, in %s: an unpacked package has no zip whose sha256 could be recorded and "+
			"checked. Put the publisher's %s beside the version's directory; `terraform providers mirror` writes such files",
			m, p, version, platform, chosen.Path, fmt.Sprintf("terraform-provider-%s_%s_%s.zip", p.Type, version, platform))
	}
	return m.packed(ctx, p, wanted, platform, chosen.Path)
}

func (m *Mirror) packed(ctx context.Context, p addrs.Provider, v versions.Version, platform platforms.Platform, below string) (*registry.Package, error) {
	file := filepath.Join(m.options.Root, filepath.FromSlash(below))
	sum, err := m.sums.Do(ctx, below, func(context.Context) (string, error) { return hashes.FileSHA256(file) })
	if err != nil {
		return nil, problem.Wrap(problem.Config, err, "%s: %s cannot be read: %v", m, below, err)
	}
	fact, err := facts.NewMirrored(p, v, platform, below, sum)
	if err != nil {
		return nil, problem.Wrap(problem.Config, err, "%s: %s cannot be recorded: %v", m, below, err)
	}
	return &registry.Package{
		Fact:    fact,
		Mirror:  m.String(),
		Hashes:  map[string][]string{platform.String(): {hashes.FromSHA256(sum).String()}},
		Content: func(context.Context) (io.ReadCloser, error) { return inputfile.Open(file) },
	}, nil
}
