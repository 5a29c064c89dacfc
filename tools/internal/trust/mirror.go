package trust

import (
	"fmt"
	"strings"
)

// decideMirror judges a version that a mirror answered, which has no signed list (R-NET-14). What was verified against a signature before binds
// the mirror's packages; otherwise they rest on the mirror's word, tier checksum, which strictness takes only for sources that policy names
// (design §3.7).
func (d *decision) decideMirror() *Error {
	if d.Fact != nil && d.Fact.Signer != "" {
		if text := d.Fact.defect(); text != "" {
			return d.badRecord("the verified fact is malformed: %s", text)
		}
		if err := d.recordedSigner(); err != nil {
			return err
		}
		if err := d.recordedPackages(); err != nil {
			return err
		}
		d.warn("signature not checked: taken from a mirror, %s, which has none. What is recorded of signer %s (tier %s) was compared with the mirror's packages, "+
			"and not proved; a check against changes by others needs the origin registry", d.Mirror, d.Fact.Signer, d.Fact.Tier)
		d.acceptRecorded()
		return nil
	}
	permitted := fmt.Sprintf("%s = [%q]", attrChecksum, d.Source.String())
	if found, ok := d.anchors.of(d.Source); ok {
		return d.refuse(KindUnsigned, NeverUnsigned, nil, "%s has no signed list, and %s signs all providers of %s/%s; no setting allows an unsigned one. "+
			"Lock once with the origin registry: its signed hashes then bind what the mirror serves", d.Mirror, found.owner, d.Source.DisplayHost(), d.Source.Namespace)
	}
	allowed := d.Policy.checksum[d.Source]
	if signers, from := d.allowed(); from != fromFirstUse && !allowed {
		return d.refuse(KindUnsigned, BecameUnsigned, nil, "ALARM: signed before, a mirror's word now. %s has no signed list, but the source's signers are %s. "+
			"Lock with the origin registry, or accept the mirror's word: %s", d.Mirror, strings.Join(signers, ", "), permitted)
	}
	if d.Policy.strict && !allowed {
		return d.refuse(KindUnsigned, NotVerified, nil, "%s has no signed list, and provider_locks_strict wants more than its word. To let it do for this source: %s", d.Mirror, permitted)
	}
	input := d.Sums
	d.Sums = Document{Missing: true} // a mirror has none, whatever the caller says
	fact, err := d.unsignedFact()
	d.Sums = input
	if err != nil {
		return err
	}
	fact.Tier = Checksum
	if err := d.checkContent(fact); err != nil {
		return err
	}
	d.warn("%s has no signed list; its word alone is recorded (tier %s)", d.Mirror, Checksum)
	d.accept(fact)
	return nil
}
