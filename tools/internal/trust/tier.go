package trust

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/signatures"
)

// warnBefore is how long before its expiry a key is warned about.
const warnBefore = 90 * 24 * time.Hour

// judgeExpiry chooses among signatures by allowed signers: one whose key is valid, else one whose expiry policy tolerates.
func (d *decision) judgeExpiry(allowed []signatures.Signature) (signatures.Signature, *Error) {
	for _, signature := range allowed {
		if !signature.Expired {
			if left := signature.KeyExpires.Sub(d.Now); !signature.KeyExpires.IsZero() && left <= warnBefore {
				d.warn("the signing key %s expires on %s, in %d days", signature.Signer, day(signature.KeyExpires), int(left.Hours()/24))
			}
			return signature, nil
		}
	}
	setting := d.Policy.expiredKeys()
	for _, signature := range allowed {
		if setting == ExpiredAccept || setting == ExpiredSignedBefore && !signature.SignedAfterExpiry {
			d.warn("%s. %s = %q accepts it; terraform accepts it silently", expiryText(signature), attrExpired, setting)
			return signature, nil
		}
	}
	return allowed[0], d.refuse(KindExpired, ExpiredKey, nil, "%s. %s = %q refuses it; terraform accepts it. The publisher must prolong the key and give it to the registry",
		expiryText(allowed[0]), attrExpired, setting)
}

func expiryText(signature signatures.Signature) string {
	when := "before"
	if signature.SignedAfterExpiry {
		when = "after"
	}
	return fmt.Sprintf("the signing key %s, key id %s, expired on %s; the signature is of %s and so was made %s the key expired",
		signature.Signer, signature.Signer.ID, day(signature.KeyExpires), day(signature.Created), when)
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02") }

// tier says what stands behind the signer. For terraform a trust signature that is not good refuses the version, as terraform itself does
// (R-AUTH-20); tofu has no such thing (R-AUTH-22).
func (d *decision) tier(signature signatures.Signature) (Tier, *Error) {
	if found, ok := d.anchors.of(d.Source); ok {
		for _, fingerprint := range found.fingerprints {
			if fingerprint == signature.Signer.Fingerprint {
				return Official, nil
			}
		}
	}
	tier := Community
	if d.Tool != addrs.Terraform {
		return tier, nil
	}
	for _, entry := range signature.Entries {
		trust := d.Keys[entry].TrustSignature
		if trust == "" {
			continue
		}
		if err := d.vouched(d.ring.Body(entry), trust); err != nil {
			return "", d.refuse(KindSignature, TrustSignature, err,
				"the trust signature of key entry %d, for the signing key %s, is not a good signature by HashiCorp's partner key %s: %v. terraform refuses it too; tofu does not look at it",
				entry+1, signature.Signer, d.partnerFingerprints(), err)
		}
		tier = Partner
	}
	return tier, nil
}

// vouched checks an armored trust signature over the binary of a key block.
func (d *decision) vouched(body []byte, trust string) error {
	block, err := armor.Decode(strings.NewReader(trust))
	if err != nil {
		return fmt.Errorf("it is no ASCII armor (%v)", err)
	}
	if block.Type != openpgp.SignatureType {
		return fmt.Errorf("it is %q, not a signature", signatures.Printable(block.Type))
	}
	binary, err := io.ReadAll(block.Body)
	if err != nil {
		return fmt.Errorf("its armor is damaged (%v)", err)
	}
	if len(bytes.TrimSpace(binary)) == 0 {
		return fmt.Errorf("it is empty")
	}
	return d.anchors.partner.Verify(body, binary, signatures.Options{Now: d.Now, AllowSHA1: d.Policy.sha1[d.Source], Context: d.Context}).Err()
}

func (d *decision) partnerFingerprints() string {
	var fingerprints []string
	for _, key := range d.anchors.partner.Keys() {
		fingerprints = append(fingerprints, key.Fingerprint)
	}
	return strings.Join(fingerprints, ", ")
}
