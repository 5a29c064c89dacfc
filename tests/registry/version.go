package registry

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"
	"time"
)

// Version is one version of a provider.
type Version struct {
	provider *Provider
	number   string

	// Guarded by registry.mu.
	platforms []string
	zips      map[string]*Zip
	lies      map[string]Lie // by platform, "" for all others
	protocols []string
	unlisted  bool
	signers   []*Key
	offered   []OfferedKey
	signing   SignOptions
	sumLines  []string
	rawSums   []byte
	rawSig    []byte
	expiry    *ephemeral
}

// Lie is what the download answer, or what it points to, says against the truth. The zero value is honest.
type Lie struct {
	WrongShasum   bool     // shasum is of nothing
	WrongSums     bool     // the line in SHA256SUMS is of nothing
	WrongZip      bool     // other bytes are served than hashed; same size
	WrongPlatform string   // os and arch of the answer
	Filename      string   // filename of the answer; URLs stay
	DownloadURL   string   // download_url of the answer
	ShasumsURL    string   // shasums_url of the answer
	SignatureURL  string   // shasums_signature_url of the answer
	Protocols     []string // protocols of the answer, not of the list
	NoKeys        bool     // gpg_public_keys is empty
	// Fields set further top-level fields of the answer; nil removes one.
	Fields map[string]any
	// Body is sent instead of the answer.
	Body string
}

// OfferedKey is an entry of gpg_public_keys in the download answer.
type OfferedKey struct {
	KeyID          string `json:"key_id"`
	ASCIIArmor     string `json:"ascii_armor"`
	TrustSignature string `json:"trust_signature"`
	Source         string `json:"source"`
	SourceURL      string `json:"source_url"`
}

func (v *Version) set(change func()) *Version {
	v.provider.host.registry.mu.Lock()
	defer v.provider.host.registry.mu.Unlock()
	change()
	return v
}

// Lie makes the answers for all platforms lie; LieAbout wins for its platform.
func (v *Version) Lie(l Lie) *Version { return v.set(func() { v.lies[""] = l }) }

// LieAbout makes the answers for one platform lie.
func (v *Version) LieAbout(platform string, l Lie) *Version {
	return v.set(func() { v.lies[platform] = l })
}

// Protocols are the plugin protocols in list and download answer, ["5.0"] unless set.
func (v *Version) Protocols(protocols ...string) *Version {
	return v.set(func() { v.protocols = protocols })
}

// Unlist takes the version off the list; downloads go on.
func (v *Version) Unlist() *Version { return v.set(func() { v.unlisted = true }) }

// Key signs SHA256SUMS with k and offers k's public key.
func (v *Version) Key(k *Key) *Version { return v.SignWith(k).Offer(k.Offer()) }

// SignWith signs SHA256SUMS with the keys; the signature packets stand one after the other.
func (v *Version) SignWith(keys ...*Key) *Version { return v.set(func() { v.signers = keys }) }

// Offer replaces the public keys of the download answer.
func (v *Version) Offer(keys ...OfferedKey) *Version { return v.set(func() { v.offered = keys }) }

// Signing sets time, digest and lifetime of the signatures.
func (v *Version) Signing(o SignOptions) *Version { return v.set(func() { v.signing = o }) }

// SumsLine adds lines to SHA256SUMS, after those of the packages.
func (v *Version) SumsLine(lines ...string) *Version {
	return v.set(func() { v.sumLines = append(v.sumLines, lines...) })
}

// Manifest adds the line of a manifest file to SHA256SUMS, as publishers do; it is no package but counts for lock files (R-AUTH-7).
func (v *Version) Manifest() *Version {
	name := fmt.Sprintf("terraform-provider-%s_%s_manifest.json", v.provider.typ, v.number)
	return v.SumsLine(fakeHash(v.provider.String()+name) + "  " + name)
}

// SetSums replaces SHA256SUMS; it is signed as it is. Nil ends it.
func (v *Version) SetSums(data []byte) *Version { return v.set(func() { v.rawSums = data }) }

// SetSignature replaces the signature. Nil ends it.
func (v *Version) SetSignature(data []byte) *Version { return v.set(func() { v.rawSig = data }) }

// Ephemeral makes download URLs that end: see the kinds. A ttl of 0 never ends by time; ExpireURLs ends all at once.
func (v *Version) Ephemeral(kind EphemeralKind, ttl time.Duration) *Version {
	return v.set(func() { v.expiry = &ephemeral{kind, ttl} })
}

// lieLocked is the lie for a platform.
func (v *Version) lieLocked(platform string) Lie {
	if l, ok := v.lies[platform]; ok {
		return l
	}
	return v.lies[""]
}

// Filename is the true name of a package.
func (v *Version) Filename(platform string) string {
	return fmt.Sprintf("terraform-provider-%s_%s_%s.zip", v.provider.typ, v.number, platform)
}

func (v *Version) platformNames() []string {
	v.provider.host.registry.mu.Lock()
	defer v.provider.host.registry.mu.Unlock()
	return slices.Clone(v.platforms)
}

func (v *Version) sumsName() string {
	return fmt.Sprintf("terraform-provider-%s_%s_SHA256SUMS", v.provider.typ, v.number)
}

// path is the URL path of a file of this version.
func (v *Version) path(file string) string {
	p := v.provider
	return strings.Join([]string{"/packages", p.host.Name(), p.namespace, p.typ, v.number, file}, "/")
}

// URL is the lasting address of a package: that of the download answer unless a Lie, SetRelativeURLs or Ephemeral changes it.
func (v *Version) URL(platform string) string {
	v.provider.host.registry.mu.Lock()
	defer v.provider.host.registry.mu.Unlock()
	return v.urlLocked(v.Filename(platform))
}

func (v *Version) urlLocked(file string) string {
	return v.provider.host.zipBaseLocked() + v.path(file)
}

// SHA256 is the lower-case hex hash of the honest package.
func (v *Version) SHA256(platform string) string {
	b, err := v.buildZip(platform, false)
	if err != nil {
		panic(err) // an unknown platform or an unwritable directory: a mistake of the test
	}
	return b.sha256
}

// buildZip generates the package of a platform, the false one if lie is set.
func (v *Version) buildZip(platform string, lie bool) (builtZip, error) {
	v.provider.host.registry.mu.Lock()
	z := v.zips[platform]
	if z == nil {
		v.provider.host.registry.mu.Unlock()
		return builtZip{}, fmt.Errorf("registry: %s %s has no platform %q", v.provider, v.number, platform)
	}
	spec := z.spec.clone()
	v.provider.host.registry.mu.Unlock()
	if lie {
		spec.Salt += " falsified"
	}
	return v.provider.host.registry.zips.build(spec)
}

// Sums is the text of SHA256SUMS: the packages sorted by name, then further lines.
func (v *Version) Sums() ([]byte, error) {
	r := v.provider.host.registry
	r.mu.Lock()
	raw, extra := v.rawSums, append([]string(nil), v.sumLines...)
	platforms := append([]string(nil), v.platforms...)
	wrong := map[string]bool{}
	for _, p := range platforms {
		wrong[p] = v.lieLocked(p).WrongSums
	}
	r.mu.Unlock()
	if raw != nil {
		return raw, nil
	}
	sort.Strings(platforms)
	var out bytes.Buffer
	for _, p := range platforms {
		hash := fakeHash(v.path(p))
		if !wrong[p] {
			b, err := v.buildZip(p, false)
			if err != nil {
				return nil, err
			}
			hash = b.sha256
		}
		fmt.Fprintf(&out, "%s  %s\n", hash, v.Filename(p))
	}
	for _, line := range extra {
		fmt.Fprintln(&out, line)
	}
	return out.Bytes(), nil
}

// Signature is the detached binary signature of Sums.
func (v *Version) Signature() ([]byte, error) {
	r := v.provider.host.registry
	r.mu.Lock()
	raw, signers, options := v.rawSig, v.signers, v.signing
	if signers == nil {
		signers = []*Key{v.defaultKeyLocked()}
	}
	r.mu.Unlock()
	if raw != nil {
		return raw, nil
	}
	sums, err := v.Sums()
	if err != nil {
		return nil, err
	}
	if options.Time.IsZero() {
		options.Time = r.now()
	}
	var out bytes.Buffer
	for _, k := range signers {
		sig, err := k.Sign(sums, options)
		if err != nil {
			return nil, err
		}
		out.Write(sig)
	}
	return out.Bytes(), nil
}

func (v *Version) defaultKeyLocked() *Key {
	if v.provider.key != nil {
		return v.provider.key
	}
	return v.provider.host.registry.defaultKeyLocked()
}

// DefaultKey is the key of everything that names no other.
func (r *Registry) DefaultKey() *Key {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.defaultKeyLocked()
}

func (r *Registry) defaultKeyLocked() *Key {
	if r.key == nil {
		// A day old, so that a client whose clock is a little behind does not see a key of the future.
		r.key = NewKey(KeyOptions{Name: "Fixture Registry", Created: r.now().Add(-24 * time.Hour)})
	}
	return r.key
}

// downloadAnswer is the answer of the download endpoint for a platform (R-REG §4.4).
func (v *Version) downloadAnswer(platform string) *answer {
	r := v.provider.host.registry
	built, err := v.buildZip(platform, false)
	if err != nil {
		return errorAnswer(http.StatusNotFound, "Not Found")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	lie := v.lieLocked(platform)
	if lie.Body != "" {
		return newAnswer(http.StatusOK, "application/json", []byte(lie.Body))
	}
	os, arch, _ := strings.Cut(or(lie.WrongPlatform, platform), "_")
	protocols, keys := v.protocols, v.offered
	if lie.Protocols != nil {
		protocols = lie.Protocols
	}
	if keys == nil {
		keys = []OfferedKey{v.defaultKeyLocked().Offer()}
	}
	if lie.NoKeys {
		keys = []OfferedKey{}
	}
	shasum := built.sha256
	if lie.WrongShasum {
		shasum = fakeHash(v.path(platform) + " shasum")
	}
	zipURL := or(lie.DownloadURL, v.zipURLLocked(platform))
	sumsURL, sigURL := v.urlLocked(v.sumsName()), v.urlLocked(v.sumsName()+".sig")
	if v.provider.host.knobs.relative {
		sumsURL, sigURL = v.path(v.sumsName()), v.path(v.sumsName()+".sig")
	}
	body := map[string]any{
		"protocols": protocols, "os": os, "arch": arch, "filename": or(lie.Filename, v.Filename(platform)),
		"download_url": zipURL, "shasum": shasum,
		"shasums_url": or(lie.ShasumsURL, sumsURL), "shasums_signature_url": or(lie.SignatureURL, sigURL),
		"signing_keys": map[string]any{"gpg_public_keys": keys},
	}
	for name, value := range lie.Fields {
		if body[name] = value; value == nil {
			delete(body, name)
		}
	}
	return jsonAnswer(body)
}

// or is the first text that is not empty.
func or(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
