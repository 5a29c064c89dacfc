package registry

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// EphemeralKind is a way in which download URLs are capabilities and not addresses.
type EphemeralKind string

const (
	// EphemeralQuery carries the secret in the query, as signed object store URLs do.
	EphemeralQuery EphemeralKind = "query"
	// EphemeralPath carries it in a long segment behind /_archivist/.
	EphemeralPath EphemeralKind = "path"
	// EphemeralSegment carries it in a long segment of an otherwise ordinary path.
	EphemeralSegment EphemeralKind = "segment"
	// EphemeralOnce is EphemeralQuery, and good for one GET.
	EphemeralOnce EphemeralKind = "once"
)

// ephemeral is the setting of a version.
type ephemeral struct {
	kind EphemeralKind
	ttl  time.Duration
}

// grant is a URL that was given out.
type grant struct {
	version  *Version
	platform string
	expires  time.Time // zero: never
	once     bool
	used     bool
}

const (
	archivistPath = "/_archivist/v1/object/"
	segmentPath   = "/objects/"
	grantQuery    = "X-Fixture-Signature"
)

// zipURLLocked is the download_url for a platform; for ephemeral versions each call makes a new one.
func (v *Version) zipURLLocked(platform string) string {
	r := v.provider.host.registry
	base, path := v.provider.host.zipBaseLocked(), v.path(v.Filename(platform))
	if v.provider.host.knobs.relative {
		base = ""
	}
	if v.expiry == nil {
		return base + path
	}
	secret := newSecret()
	g := &grant{version: v, platform: platform, once: v.expiry.kind == EphemeralOnce}
	if v.expiry.ttl > 0 {
		g.expires = r.now().Add(v.expiry.ttl)
	}
	r.grants[secret] = g
	r.secrets = append(r.secrets, secret)
	switch v.expiry.kind {
	case EphemeralPath:
		return base + archivistPath + secret
	case EphemeralSegment:
		return base + segmentPath + secret + "/" + v.Filename(platform)
	default:
		return base + path + "?" + url.Values{grantQuery: {secret}}.Encode()
	}
}

// newSecret is 128 hex digits: longer than the 100 characters from which on a segment counts as a secret.
func newSecret() string {
	b := make([]byte, 64)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// grantOf finds the grant whose secret is in a path or query, nil if there is none.
func (r *Registry) grantOf(u *url.URL) (g *grant, secret string) {
	secret = u.Query().Get(grantQuery)
	for _, prefix := range []string{archivistPath, segmentPath} {
		if rest, ok := strings.CutPrefix(u.Path, prefix); ok {
			secret, _, _ = strings.Cut(rest, "/")
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.grants[secret], secret
}

// checkGrant is the refusal of a request for a package of an ephemeral version, nil if it may pass. It uses up what works once.
func (r *Registry) checkGrant(v *Version, platform string, req *http.Request) *answer {
	g, _ := r.grantOf(req.URL)
	r.mu.Lock()
	defer r.mu.Unlock()
	if v.expiry == nil && g == nil {
		return nil
	}
	if g == nil || g.version != v || g.platform != platform || g.once && g.used || !g.expires.IsZero() && !r.now().Before(g.expires) {
		return refusedLink()
	}
	g.used = g.used || req.Method == http.MethodGet
	return nil
}

// refusedLink is the answer for a secret that does not work (any more); as with object stores nothing tells why.
func refusedLink() *answer {
	return errorAnswer(http.StatusForbidden, "the link is wrong, has expired or was used")
}

// Secrets returns the secret parts of all ephemeral URLs that were ever given out, for tests that look for them where they must not be.
func (r *Registry) Secrets() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.secrets)
}

// ExpireURLs ends all ephemeral URLs that were given out.
func (r *Registry) ExpireURLs() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.grants)
}
