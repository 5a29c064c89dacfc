package ocimirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/cliconfig"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/once"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/transport"
	"rules_tf_mirror/tools/internal/versions"
)

// maxTagPages bounds a list of tags, whose length the registry decides.
const maxTagPages = 1000

// login is what to do about missing credentials.
const login = "its credentials are those of container tools: log in with `docker login HOST` or `podman login HOST`"

// stall is how long nothing of a package may arrive, as for other archives.
const stall = time.Minute

// Options configure a Mirror; all fields but Include are needed.
type Options struct {
	Template  string
	Include   []cliconfig.Pattern
	Transport *transport.Client
	Policy    transport.Policy    // of each request; only the head of an answer counts for its time limit
	Getenv    func(string) string // for the places of credentials
	UserAgent string
}

// Mirror asks OCI registries. Each question is asked once; it is safe for concurrent use.
type Mirror struct {
	options  Options
	template *Template
	client   *auth.Client

	lists    once.Map[addrs.Provider, *registry.VersionList]
	indexes  once.Map[release, *ocispec.Index]
	packages once.Map[platformOf, *registry.Package]
}

type release struct {
	provider addrs.Provider
	version  string
}

type platformOf struct {
	release
	platform platforms.Platform
}

// New returns a Mirror. Errors are those of ParseTemplate.
func New(o Options) (*Mirror, error) {
	template, err := ParseTemplate(o.Template, o.Include)
	if err != nil {
		return nil, fmt.Errorf("repository_template: %w", err)
	}
	client := &auth.Client{
		Client:     &http.Client{Transport: o.Transport.RoundTripper(o.Policy, stall)},
		Credential: credential(o.Getenv),
		Cache:      auth.NewCache(),
	}
	client.SetUserAgent(o.UserAgent)
	return &Mirror{options: o, template: template, client: client}, nil
}

// String names the mirror in messages.
func (m *Mirror) String() string { return "the OCI mirror " + m.options.Template }

func (m *Mirror) repository(p addrs.Provider) (*remote.Repository, error) {
	reference, err := m.template.Repository(p)
	if err != nil {
		return nil, problem.Wrap(problem.Config, err, "%s: %v", m, err)
	}
	return &remote.Repository{Client: m.client, Reference: reference, TagListMaxPages: maxTagPages, MaxMetadataBytes: maxManifest}, nil
}

// Service tells whether the template makes a repository of the provider. Nothing is requested.
func (m *Mirror) Service(_ context.Context, p addrs.Provider) error {
	_, err := m.repository(p)
	return err
}

// Versions returns the tags that may be versions. A repository that does not exist is a *problem.Error of kind not_found, which lets other sources
// answer.
func (m *Mirror) Versions(ctx context.Context, p addrs.Provider) (*registry.VersionList, error) {
	return m.lists.Do(ctx, p, func(ctx context.Context) (*registry.VersionList, error) {
		repository, err := m.repository(p)
		if err != nil {
			return nil, err
		}
		list := &registry.VersionList{}
		err = repository.Tags(ctx, "", func(tags []string) error {
			for _, tag := range tags {
				if text := strings.ReplaceAll(tag, "_", "+"); parses(text) {
					list.Versions = append(list.Versions, registry.Listed{Version: text})
				}
			}
			return nil
		})
		if err != nil {
			return nil, m.failure(ctx, problem.NotFound, err, "%s has no %s (no repository %s)", m, p, repository.Reference)
		}
		return list, nil
	})
}

// parses tells whether a tag is a version; others, such as "latest", are no news (R-NET-18).
func parses(text string) bool {
	_, err := versions.Parse(text)
	return err == nil
}

// index asks for the manifest of a version.
func (m *Mirror) index(ctx context.Context, p addrs.Provider, version string) (*ocispec.Index, error) {
	return m.indexes.Do(ctx, release{p, version}, func(ctx context.Context) (*ocispec.Index, error) {
		repository, err := m.repository(p)
		if err != nil {
			return nil, err
		}
		tag := strings.ReplaceAll(version, "+", "_")
		descriptor, body, err := repository.Manifests().FetchReference(ctx, tag) // GET alone (B03)
		if err != nil {
			return nil, m.failure(ctx, problem.NoMatchingVersion, err, "%s has no version %s of %s (no tag %s in %s)", m, version, p, tag, repository.Reference)
		}
		defer body.Close()
		data, err := read(body, descriptor)
		if err != nil {
			return nil, m.failure(ctx, problem.Response, err, "")
		}
		index, err := parseIndex(descriptor.MediaType, data)
		if err != nil {
			return nil, problem.Wrap(problem.Response, err, "%s: the tag %s of %s %v", m, tag, repository.Reference, err)
		}
		return index, nil
	})
}

// read reads a manifest and checks its digest.
func read(body io.Reader, d ocispec.Descriptor) ([]byte, error) {
	if d.Size > maxManifest {
		return nil, fmt.Errorf("a manifest has %d bytes; up to %d are read", d.Size, maxManifest)
	}
	return content.ReadAll(body, d)
}

// Download returns the package of a platform, which Content fetches. A platform that the version lacks is a *problem.Error of kind platform.
func (m *Mirror) Download(ctx context.Context, p addrs.Provider, version string, platform platforms.Platform) (*registry.Package, error) {
	return m.packages.Do(ctx, platformOf{release{p, version}, platform}, func(ctx context.Context) (*registry.Package, error) {
		index, err := m.index(ctx, p, version)
		if err != nil {
			return nil, err
		}
		repository, err := m.repository(p)
		if err != nil {
			return nil, err
		}
		descriptor, err := choose(index, platform)
		switch {
		case errors.Is(err, errNoPlatform):
			return nil, problem.New(problem.Platform, "%s has no package of %s %s for %s", m, p, version, platform)
		case err != nil:
			return nil, problem.Wrap(problem.Response, err, "%s: version %s of %s %v", m, version, repository.Reference, err)
		case descriptor.Size > maxManifest:
			return nil, problem.New(problem.Response, "%s: the image of %s %s for %s has a manifest of %d bytes; up to %d are read", m, p, version, platform, descriptor.Size, maxManifest)
		}
		data, err := content.FetchAll(ctx, repository.Manifests(), descriptor)
		if err != nil {
			return nil, m.failure(ctx, problem.Response, err, "%s: the image of %s %s for %s is missing from %s", m, p, version, platform, repository.Reference)
		}
		layer, err := parseImage(data)
		if err != nil {
			return nil, problem.Wrap(problem.Response, err, "%s: the image of %s %s for %s %v", m, p, version, platform, err)
		}
		return m.pkg(repository, p, version, platform, layer)
	})
}

func (m *Mirror) pkg(repository *remote.Repository, p addrs.Provider, version string, platform platforms.Platform, layer ocispec.Descriptor) (*registry.Package, error) {
	parsed, err := versions.Parse(version)
	if err != nil {
		return nil, err
	}
	reference := repository.Reference
	address := fmt.Sprintf("https://%s/v2/%s/blobs/%s", reference.Host(), reference.Repository, layer.Digest)
	name := fmt.Sprintf("terraform-provider-%s_%s_%s.zip", p.Type, version, platform)
	fact, err := facts.NewPackage(p, parsed, platform, address, name, layer.Digest.Encoded())
	if err != nil {
		return nil, err
	}
	fact.Ephemeral = true
	return &registry.Package{
		Fact:   fact,
		Mirror: m.String(),
		Hashes: map[string][]string{platform.String(): {"zh:" + layer.Digest.Encoded()}},
		Content: func(ctx context.Context) (io.ReadCloser, error) {
			body, err := repository.Blobs().Fetch(ctx, layer)
			if err != nil {
				return nil, m.failure(ctx, problem.Response, err, "%s: the package of %s %s for %s is missing from %s", m, p, version, platform, reference)
			}
			return body, nil
		},
	}, nil
}

// failure gives an error of the client its kind; missing and the text that follows are for what the registry does not have.
func (m *Mirror) failure(ctx context.Context, missing problem.Kind, err error, format string, args ...any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var response *errcode.ErrorResponse
	var silent *transport.Error
	isResponse := errors.As(err, &response)
	switch {
	case format != "" && (errors.Is(err, errdef.ErrNotFound) || isResponse && response.StatusCode == http.StatusNotFound):
		return problem.Wrap(missing, err, format, args...)
	case isResponse && (response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden):
		return problem.Wrap(problem.Unauthorized, err, "%s: host %s answers %d; %s", m, response.URL.Host, response.StatusCode, login)
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return problem.Wrap(problem.Unauthorized, err, "%s: the registry wants a user and a password, and none are stored for its host; %s", m, login)
	case isResponse:
		return problem.Wrap(problem.Network, err, "%s: host %s answers %d", m, response.URL.Host, response.StatusCode)
	case errors.As(err, &silent):
		return problem.Wrap(problem.Network, err, "%s: %v", m, silent)
	default:
		return problem.Wrap(problem.Network, err, "%s: no usable answer from the registry: %v", m, unwrapURL(err))
	}
}
