package trust

import (
	"fmt"
	"sort"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
)

// The names of the root tag's attributes, which are also the fields of a manifest's "policy"; messages propose them.
const (
	attrSigners  = "signers"
	attrUnsigned = "allow_unsigned"
	attrExpired  = "expired_keys"
	attrSHA1     = "allow_sha1"
	attrChanged  = "allow_changed"
	attrChecksum = "allow_checksum"
)

// ExpiredKeys is what to do with a good signature by a key that has expired.
type ExpiredKeys string

// The values of expired_keys.
const (
	ExpiredAccept       ExpiredKeys = "accept"        // warn; terraform accepts silently (R-AUTH-14)
	ExpiredSignedBefore ExpiredKeys = "signed-before" // accept only signatures that claim to be older than the expiry
	ExpiredRefuse       ExpiredKeys = "refuse"
)

// PolicyText is a policy as a manifest writes it.
type PolicyText struct {
	Signers       map[string][]string // source or host/namespace → full fingerprints
	AllowUnsigned []string            // sources
	ExpiredKeys   string              // empty: accept
	AllowSHA1     []string            // sources
	AllowChanged  []string            // source:version, a release whose changed content is accepted, as long as it is named
	AllowChecksum []string            // sources for which a mirror's word is enough under strictness
	Strict        bool                // unsigned and unverified versions are refused unless allowed by name
}

// Policy is what the root module says about trust. The zero value allows nothing beyond the defaults.
type Policy struct {
	signers  map[addrs.Provider][]string // Type is empty for a namespace
	unsigned map[addrs.Provider]bool
	sha1     map[addrs.Provider]bool
	changed  map[string]bool // subject, "source version"
	checksum map[addrs.Provider]bool
	expired  ExpiredKeys
	strict   bool
}

// ParsePolicy reads a policy. A source is an address as in a mirror entry; without a host it is of the tool's registry. What stands for a
// whole namespace is host/namespace: two parts of which the first has a dot or a colon, or is "localhost". Errors name attribute and value.
func ParsePolicy(text PolicyText, tool addrs.Tool) (Policy, error) {
	policy := Policy{signers: map[addrs.Provider][]string{}, changed: map[string]bool{}, strict: text.Strict}
	keys := make([]string, 0, len(text.Signers))
	for key := range text.Signers {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		scope, err := parseScope(key, tool)
		if err != nil {
			return Policy{}, fmt.Errorf("%s: %w", attrSigners, err)
		}
		if _, twice := policy.signers[scope]; twice {
			return Policy{}, fmt.Errorf("%s: %q names a source that another key of it names too", attrSigners, key)
		}
		for _, given := range text.Signers[key] {
			fingerprint, err := ParseFingerprint(given)
			if err != nil {
				return Policy{}, fmt.Errorf("%s: %q: %w", attrSigners, key, err)
			}
			policy.signers[scope] = append(policy.signers[scope], fingerprint)
		}
		if len(policy.signers[scope]) == 0 {
			return Policy{}, fmt.Errorf("%s: %q has no fingerprint; %s is for providers without signature", attrSigners, key, attrUnsigned)
		}
	}
	var err error
	if policy.unsigned, err = parseSources(attrUnsigned, text.AllowUnsigned, tool); err != nil {
		return Policy{}, err
	}
	if policy.sha1, err = parseSources(attrSHA1, text.AllowSHA1, tool); err != nil {
		return Policy{}, err
	}
	if policy.checksum, err = parseSources(attrChecksum, text.AllowChecksum, tool); err != nil {
		return Policy{}, err
	}
	for _, entry := range text.AllowChanged {
		slash := strings.LastIndexByte(entry, '/') + 1
		name, version, ok := strings.Cut(entry[slash:], ":")
		source, err := addrs.Parse(entry[:slash]+name, tool)
		if !ok || version == "" || err != nil {
			return Policy{}, fmt.Errorf("%s: %q is no source:version", attrChanged, entry)
		}
		policy.changed[source.String()+" "+version] = true
	}
	switch policy.expired = ExpiredKeys(text.ExpiredKeys); policy.expired {
	case "":
		policy.expired = ExpiredAccept
	case ExpiredAccept, ExpiredSignedBefore, ExpiredRefuse:
	default:
		return Policy{}, fmt.Errorf("%s: %q is none of accept, signed-before, refuse", attrExpired, text.ExpiredKeys)
	}
	return policy, nil
}

// ParseFingerprint returns a full fingerprint in upper-case hex, without the spaces and the 0x that gpg and people add. Key ids are refused:
// another key can be made to have the same id.
func ParseFingerprint(text string) (string, error) {
	plain := strings.ToUpper(strings.TrimPrefix(strings.ReplaceAll(strings.TrimSpace(text), " ", ""), "0x"))
	if len(plain) != 40 && len(plain) != 64 {
		return "", fmt.Errorf("%q is no full fingerprint (40 hex digits, or 64 of a version 6 key); `gpg --show-keys FILE` prints it", text)
	}
	if strings.Trim(plain, "0123456789ABCDEF") != "" {
		return "", fmt.Errorf("%q is no fingerprint: not hex", text)
	}
	return plain, nil
}

func parseSources(attribute string, sources []string, tool addrs.Tool) (map[addrs.Provider]bool, error) {
	parsed := map[addrs.Provider]bool{}
	for _, text := range sources {
		source, err := addrs.Parse(text, tool)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", attribute, err)
		}
		parsed[source] = true
	}
	return parsed, nil
}

// parseScope reads the key of a signers entry.
func parseScope(text string, tool addrs.Tool) (addrs.Provider, error) {
	host, namespace, two := strings.Cut(text, "/")
	if !two || strings.Contains(namespace, "/") || !strings.ContainsAny(host, ".:") && host != "localhost" {
		return addrs.Parse(text, tool)
	}
	scope, err := addrs.Parse(text+"/any", tool) // the type is only there to have host and namespace checked
	scope.Type = ""
	return scope, err
}

// signersOf returns the signers that policy names for a source: the source's own entry, else its namespace's.
func (p Policy) signersOf(source addrs.Provider) []string {
	if named, ok := p.signers[source]; ok {
		return named
	}
	source.Type = ""
	return p.signers[source]
}

// AllowsChanged reports whether policy accepts other content than recorded for this version, so that its recorded packages do not count.
func (p Policy) AllowsChanged(source addrs.Provider, version string) bool {
	return p.changed[source.String()+" "+version]
}

func (p Policy) expiredKeys() ExpiredKeys {
	if p.expired == "" {
		return ExpiredAccept
	}
	return p.expired
}
