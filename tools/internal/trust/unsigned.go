package trust

import (
	"fmt"
	"maps"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/sums"
)

// ContentKind is the kind of a refusal because a published version changed.
const ContentKind = problem.ContentChanged

// opentofuHost is the only registry whose keyless providers tofu installs (R-AUTH-23).
const opentofuHost = "registry.opentofu.org"

// unsignedReason returns which part of the chain is absent, "" if all are there. A bad part is not an absent one.
func (d *decision) unsignedReason() Reason {
	switch {
	case d.Sums.Missing:
		return SumsMissing
	case d.Signature.Missing:
		return SignatureMissing
	case len(d.Keys) == 0:
		return NoKeys
	default:
		return ""
	}
}

func (d *decision) describeAbsence(reason Reason) string {
	at := func(document Document) string {
		if document.URL == "" {
			return ""
		}
		return " (" + document.URL + ")"
	}
	switch reason {
	case SumsMissing:
		return "the registry answers 404 for SHA256SUMS" + at(d.Sums)
	case SignatureMissing:
		return "the registry answers 404 for the signature of SHA256SUMS" + at(d.Signature)
	default:
		return "the registry offers no signing key"
	}
}

// decideUnsigned judges a version without a signature.
func (d *decision) decideUnsigned(reason Reason) *Error {
	what := d.describeAbsence(reason)
	permitted := fmt.Sprintf("%s = [%q]", attrUnsigned, d.Source.String())
	if found, ok := d.anchors.of(d.Source); ok {
		return d.refuse(KindUnsigned, NeverUnsigned, nil, "%s. %s signs all providers of %s/%s; no setting allows an unsigned one",
			what, found.owner, d.Source.DisplayHost(), d.Source.Namespace)
	}
	allowed := d.Policy.unsigned[d.Source]
	if signers, from := d.allowed(); from != fromFirstUse && !allowed {
		return d.refuse(KindUnsigned, BecameUnsigned, nil, "ALARM: signed before, unsigned now. %s, but the source's signers are %s. "+
			"Ask the publisher. To accept it without signature: %s", what, strings.Join(signers, ", "), permitted)
	}
	if d.Fact != nil && d.Fact.Signer != "" && !allowed {
		return d.refuse(KindUnsigned, BecameUnsigned, nil, "ALARM: signed before, unsigned now. %s, but the recorded signer of this version is %s. "+
			"Ask the publisher. To accept it without signature: %s", what, d.Fact.Signer, permitted)
	}
	fact, err := d.unsignedFact()
	if err != nil {
		return err
	}
	if allowed {
		if err := d.checkContent(fact); err != nil {
			return err
		}
		d.warn("%s; accepted without signature, as %s says", what, attrUnsigned)
		d.rememberUnsigned()
		d.accept(fact)
		return nil
	}
	tofuPermits := reason == NoKeys && d.Source.Host == opentofuHost && d.Tool == addrs.OpenTofu
	if tofuPermits && !d.Policy.strict {
		d.warn("%s, so nothing was verified; tofu installs it all the same. To record what the registry says: %s", what, permitted)
		d.rememberUnsigned()
		d.verdict.Outcome, d.verdict.Status = DoesNotApply, StatusUnsigned
		return nil
	}
	because := "terraform and tofu refuse it too"
	if tofuPermits {
		because = "provider_locks_strict refuses what is not verified"
	}
	return d.refuse(KindUnsigned, reason, nil, "%s; %s. To accept it without signature: %s", what, because, permitted)
}

// rememberUnsigned records that the source had no signer, so that a later change can be called one (D13).
func (d *decision) rememberUnsigned() {
	if d.Recorded == nil {
		d.verdict.Record = &Signer{Fingerprints: []string{}, Tier: Unsigned}
	}
}

// unsignedFact is what the registry says about an unsigned version. A list that is there must fit.
func (d *decision) unsignedFact() (*Verified, *Error) {
	fact := &Verified{ZH: map[string]string{}, Other: []string{}, Tier: Unsigned}
	if !d.Sums.Missing {
		if err := sums.Check(d.Sums.Bytes); err != nil {
			return nil, d.badList(err)
		}
		read, err := d.readList()
		if err != nil {
			return nil, err
		}
		read.Tier = Unsigned
		return read, nil
	}
	for platform, hash := range d.Packages {
		if !sums.IsHash(hash) {
			return nil, d.refuse(KindChecksum, Mismatch, nil, "for %s the registry answers %q, which is no SHA-256", platform, hash)
		}
		fact.ZH[platform] = strings.ToLower(hash)
	}
	if d.Fact != nil { // without a list, platforms that were not asked for stay as recorded
		for platform, hash := range maps.All(d.Fact.ZH) {
			if _, asked := d.Packages[platform]; !asked {
				fact.ZH[platform] = hash
			}
		}
		fact.Other = d.Fact.Other
	}
	return fact, nil
}
