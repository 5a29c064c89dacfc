package trust

import (
	_ "embed"
	"sync"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/signatures"
)

// Fingerprints of the keys that are known without asking a registry (R-AUTH-28).
const (
	// HashiCorpFingerprint signs registry.terraform.io/hashicorp/*.
	HashiCorpFingerprint = "C874011F0AB405110D02105534365D9472D7468F"
	// PartnerFingerprint makes the trust signatures over partners' keys.
	PartnerFingerprint = "51890657C5ACDB4B823086567D72D4268E4660FC"
	// OpenTofuFingerprint signs registry.opentofu.org/hashicorp/* and /opentofu/*.
	OpenTofuFingerprint = "E3E6E43D84CB852EADB0051D0C0AF313E5FD9F80"
	// RetiredHashiCorpFingerprint was HashiCorp's key until it was exposed in April 2021 and revoked.
	RetiredHashiCorpFingerprint = "91A6E7F85D05C65630BEF18951852D87348FFC4C"
)

//go:embed keys/hashicorp.asc
var hashicorpKey string

//go:embed keys/hashicorp-partner.asc
var partnerKey string

// anchors are the trust decisions that are built in.
type anchors struct {
	namespaces map[addrs.Provider]anchor // by host and namespace; Type is empty
	partner    *signatures.Ring          // the key that trust signatures are by
	material   map[string][]byte         // fingerprint → public key packet, where it is known
	retired    map[string]string         // fingerprint → why it is refused everywhere
}

// anchor is the built-in signer of one namespace.
type anchor struct {
	owner        string
	fingerprints []string
}

// builtin returns the anchors of a release of this module.
var builtin = sync.OnceValue(func() anchors {
	hashicorp := anchor{owner: "HashiCorp", fingerprints: []string{HashiCorpFingerprint}}
	opentofu := anchor{owner: "OpenTofu", fingerprints: []string{OpenTofuFingerprint}}
	embedded := signatures.ParseKeys([]string{hashicorpKey, partnerKey})
	return anchors{
		namespaces: map[addrs.Provider]anchor{
			{Host: "registry.terraform.io", Namespace: "hashicorp"}: hashicorp,
			{Host: "registry.opentofu.org", Namespace: "hashicorp"}: opentofu,
			{Host: "registry.opentofu.org", Namespace: "opentofu"}:  opentofu,
		},
		partner: signatures.ParseKeys([]string{partnerKey}),
		material: map[string][]byte{
			HashiCorpFingerprint: embedded.Material(HashiCorpFingerprint),
			PartnerFingerprint:   embedded.Material(PartnerFingerprint),
		},
		retired: map[string]string{
			RetiredHashiCorpFingerprint: "HashiCorp's old key, whose secret part was exposed in April 2021 and which HashiCorp revoked",
		},
	}
})

// of returns the anchor of a source's namespace.
func (a anchors) of(source addrs.Provider) (anchor, bool) {
	found, ok := a.namespaces[addrs.Provider{Host: source.Host, Namespace: source.Namespace}]
	return found, ok
}
