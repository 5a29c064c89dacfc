package registry

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/versions"
)

// Package is the answer of the download endpoint, checked as far as it is used without the signed list.
type Package struct {
	Location  Location      // where the archive is now
	Fact      facts.Package // what may be recorded: the address without its secret part, the checked file name, the hash
	Protocols []string      // plugin protocols, as written

	// What verification needs. The references are not checked yet; Resolve makes URLs of them.
	SHASumsURL          string
	SHASumsSignatureURL string
	SigningKeys         json.RawMessage // the signing_keys object, unread
	// Hashes are the registry's own words about the packages of all platforms (R-AUTH-26), as written; nil where it says nothing.
	Hashes map[string][]string
	answer *url.URL

	// Mirror names the mirror that answered, for messages; empty for the origin registry. On a mirror's word alone rests what it says: there is
	// no signed list (R-NET-14, R-FS-9).
	Mirror string
	// Warnings are for the user, one line each.
	Warnings []string
	// Content opens the archive where Location cannot be requested as it is: a file, or a blob of an OCI registry. nil: GET Location.
	Content func(context.Context) (io.ReadCloser, error)
}

// Resolve makes an absolute URL of a reference of the answer, which starts at the answer's final URL (R-REG-6), and checks it as a
// download URL. An empty reference is an error, unlike in the tools, which then fetch the answer itself again.
func (p *Package) Resolve(reference string) (Location, error) { return locate(p.answer, reference) }

// Download asks where a package is. The version is in canonical form. A 404 is a *problem.Error of kind platform: what it means depends
// on the other platforms. Other errors are *problem.Error too, or the cause of ctx's end.
func (c *Client) Download(ctx context.Context, p addrs.Provider, version string, platform platforms.Platform) (*Package, error) {
	return c.downloads.Do(ctx, question{p, version, platform}, func(ctx context.Context) (*Package, error) {
		a, err := c.get(ctx, p, p.Namespace, p.Type, version, "download", platform.OS, platform.Arch)
		if err != nil {
			return nil, err
		}
		if a.Status == http.StatusNotFound {
			return nil, problem.New(problem.Platform, "the registry has no package of %s %s for %s (404 for %s)", p, version, platform, a.endpoint)
		}
		pkg, err := ParseDownload(a.Body, a.FinalURL, p, version, platform)
		if err == nil {
			return pkg, nil
		}
		kind := problem.KindOf(err)
		if kind != problem.Protocol {
			return nil, problem.Wrap(problem.Response, err, "host %s answers %s with %v", p.DisplayHost(), a.endpoint, err)
		}
		return nil, problem.Wrap(kind, err, "%s %s %v; %s", p, version, err, c.compatible(ctx, p))
	})
}

// ParseDownload reads and checks a download answer in the order of R-REG-8. final is the URL that answered. The error continues the
// sentence "host X answers U with …", of kind protocol: "provider P …".
func ParseDownload(body []byte, final *url.URL, p addrs.Provider, version string, platform platforms.Platform) (*Package, error) {
	var document struct {
		Protocols           []string        `json:"protocols"`
		OS                  string          `json:"os"`
		Arch                string          `json:"arch"`
		Filename            string          `json:"filename"`
		DownloadURL         string          `json:"download_url"`
		SHASum              string          `json:"shasum"`
		SHASumsURL          json.RawMessage `json:"shasums_url"`
		SHASumsSignatureURL json.RawMessage `json:"shasums_signature_url"`
		SigningKeys         json.RawMessage `json:"signing_keys"`
		Packages            json.RawMessage `json:"packages"`
	}
	if err := decodeFirst(body, &document); err != nil {
		return nil, err
	}
	if err := checkProtocols(document.Protocols); err != nil {
		return nil, err
	}
	if document.OS != platform.OS || document.Arch != platform.Arch {
		return nil, problem.New(problem.Response, "a package for os %q and arch %q; %q and %q were asked for",
			foreign.Short(document.OS, 40), foreign.Short(document.Arch, 40), platform.OS, platform.Arch)
	}
	location, err := locate(final, document.DownloadURL)
	if err != nil {
		return nil, problem.Wrap(problem.Response, err, "a download_url %v", err)
	}
	if !shasumPattern.MatchString(document.SHASum) {
		return nil, problem.New(problem.Response, "the shasum %q; 64 hex digits are wanted", foreign.Short(document.SHASum, 80))
	}
	parsed, err := versions.Parse(version)
	if err != nil {
		return nil, problem.Wrap(problem.Response, err, "what was asked for version %q, which is no version", version)
	}
	// What a URL may leave in a lockfile, and which file name stands for this package (B40), is decided where facts are made.
	fact, err := facts.NewPackage(p, parsed, platform, location.Reveal(), document.Filename, document.SHASum)
	if err != nil {
		return nil, problem.Wrap(problem.Response, err, "what cannot be used: %v", errors.Unwrap(err))
	}
	return &Package{
		Location:            location,
		Fact:                fact,
		Protocols:           document.Protocols,
		SHASumsURL:          lenientString(document.SHASumsURL),
		SHASumsSignatureURL: lenientString(document.SHASumsSignatureURL),
		SigningKeys:         document.SigningKeys,
		Hashes:              lenientHashes(document.Packages),
		answer:              final,
	}, nil
}

var shasumPattern = regexp.MustCompile(`^[0-9A-Fa-f]{64}$`)

// lenientString reads fields that resolving does not need: their defects are for whoever uses them.
func lenientString(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// lenientHashes reads the `packages` object (R-AUTH-26). Nothing depends on it that could not be had otherwise, so what cannot be read is
// as good as absent.
func lenientHashes(raw json.RawMessage) map[string][]string {
	var packages map[string]struct {
		Hashes []string `json:"hashes"`
	}
	if json.Unmarshal(raw, &packages) != nil || len(packages) == 0 {
		return nil
	}
	found := map[string][]string{}
	for platform, p := range packages {
		found[platform] = p.Hashes
	}
	return found
}
