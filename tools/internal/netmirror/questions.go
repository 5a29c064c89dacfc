package netmirror

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/versions"
)

// Versions returns what the mirror's index lists. A mirror without the provider is a *problem.Error of kind not_found, which lets other
// sources answer (R-NET-8); every other error is final.
func (c *Client) Versions(ctx context.Context, p addrs.Provider) (*registry.VersionList, error) {
	return c.indexes.Do(ctx, p, func(ctx context.Context) (*registry.VersionList, error) {
		a, err := c.get(ctx, p, "index.json")
		if err != nil {
			return nil, err
		}
		if a.Status == http.StatusNotFound {
			return nil, problem.New(problem.NotFound, "%s has no %s (404 for %s)", c, p, a.endpoint)
		}
		texts, err := ParseIndex(a.Header.Get("Content-Type"), a.Body)
		if err != nil {
			return nil, c.badAnswer(a, err)
		}
		c.speaks.Store(true)
		list := &registry.VersionList{}
		for _, text := range texts {
			list.Versions = append(list.Versions, registry.Listed{Version: text})
		}
		return list, nil
	})
}

// document is what one version document says.
type document struct {
	archives map[string]*Archive
	final    *url.URL
	endpoint string
}

// version asks for a version document. 404 is an error that no other source makes good, as in the tools (R-NET-8, R-CLI-24).
func (c *Client) version(ctx context.Context, p addrs.Provider, version string) (*document, error) {
	return c.documents.Do(ctx, release{p, version}, func(ctx context.Context) (*document, error) {
		a, err := c.get(ctx, p, version+".json")
		if err != nil {
			return nil, err
		}
		if a.Status == http.StatusNotFound {
			if !c.speaks.Load() {
				_, _ = c.Versions(ctx, p) // a good index makes this a mirror that lacks the version, whatever else its host offers
			}
			hint := c.Explain(ctx, p)
			if hint == "" {
				hint = fmt.Sprintf(`; terraform and tofu stop here too, whatever other sources have: choose a version that the mirror has, or take this `+
					`provider from another source, with "exclude": ["%s"] for the mirror`, p)
			}
			return nil, problem.New(problem.NoMatchingVersion, "%s has no version %s of %s (404 for %s)%s", c, version, p, a.endpoint, hint)
		}
		archives, err := ParseArchives(a.Header.Get("Content-Type"), a.Body)
		if err != nil {
			return nil, c.badAnswer(a, err)
		}
		c.speaks.Store(true)
		if archives == nil {
			c.empty.Store(p, a.endpoint)
		}
		return &document{archives, a.FinalURL, a.endpoint}, nil
	})
}

// Download returns where a package is and what it hashes to. A platform that the version document lacks is a *problem.Error of kind platform
// (R-NET-12). The version is in canonical form.
func (c *Client) Download(ctx context.Context, p addrs.Provider, version string, platform platforms.Platform) (*registry.Package, error) {
	return c.packages.Do(ctx, platformOf{release{p, version}, platform}, func(ctx context.Context) (*registry.Package, error) {
		d, err := c.version(ctx, p, version)
		if err != nil {
			return nil, err
		}
		archive, ok := d.archives[platform.String()]
		if !ok {
			return nil, problem.New(problem.Platform, "%s has no package of %s %s for %s (%s does not list it)", c, p, version, platform, d.endpoint)
		}
		pkg, err := c.read(ctx, p, version, platform, d, archive)
		var known *problem.Error
		if err == nil || errors.As(err, &known) || ctx.Err() != nil {
			return pkg, err
		}
		return nil, problem.Wrap(problem.Response, err, "%s answers %s with an archive for %s that cannot be used: %v", c, d.endpoint, platform, err)
	})
}

func (c *Client) read(ctx context.Context, p addrs.Provider, version string, platform platforms.Platform, d *document, archive *Archive) (*registry.Package, error) {
	if archive == nil {
		return nil, errors.New("the entry is null")
	}
	location, err := registry.Locate(d.final, archive.URL)
	if err != nil {
		return nil, fmt.Errorf("it has a url %w", err)
	}
	told, err := readHashes(archive.Hashes)
	if err != nil {
		return nil, fmt.Errorf("its document lists %w", err)
	}
	parsed, err := versions.Parse(version)
	if err != nil {
		return nil, err
	}
	pkg := &registry.Package{Location: location, Mirror: c.String()}
	sha256 := told.sha256
	if sha256 == "" {
		if sha256, err = c.measure(ctx, location, told.list); err != nil {
			return nil, err
		}
		if len(told.list) == 0 {
			pkg.Warnings = append(pkg.Warnings, fmt.Sprintf("%s %s %s: %s lists no hash; the sha256 recorded is that of what it served now", p, version, platform, c))
		}
	}
	// The archive's own name is free (R-NET-11); ours is that of the registry protocol.
	name := fmt.Sprintf("terraform-provider-%s_%s_%s.zip", p.Type, version, platform)
	if pkg.Fact, err = facts.NewPackage(p, parsed, platform, location.Reveal(), name, sha256); err != nil {
		return nil, errors.Unwrap(err)
	}
	// For a dependency lock: what the mirror says, in the form of the registry's own words.
	words := []string{hashes.FromSHA256(sha256).String()}
	for _, h := range told.list {
		if h.Scheme == hashes.SchemeDir {
			words = append(words, h.String())
		}
	}
	pkg.Hashes = map[string][]string{platform.String(): words}
	return pkg, nil
}
