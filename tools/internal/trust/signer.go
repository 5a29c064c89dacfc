package trust

import (
	"fmt"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/signatures"
	"rules_tf_mirror/tools/internal/sums"
)

// verifySignature finds a good signature over the list by an allowed signer.
func (d *decision) verifySignature() (signatures.Signature, *Error) {
	armors := make([]string, len(d.Keys))
	for i, entry := range d.Keys {
		armors[i] = entry.ASCIIArmor
	}
	d.ring = signatures.ParseKeys(armors)
	result := d.ring.Verify(d.Sums.Bytes, d.Signature.Bytes, signatures.Options{Now: d.Now, AllowSHA1: d.Policy.sha1[d.Source], Context: d.Context})
	if len(result.Good) == 0 {
		return signatures.Signature{}, d.badSignature(result)
	}
	good := slices.DeleteFunc(slices.Clone(result.Good), func(s signatures.Signature) bool { return d.anchors.retired[s.Signer.Fingerprint] != "" })
	if len(good) == 0 {
		retired := result.Good[0].Signer
		return signatures.Signature{}, d.retiredKey(retired.String(), d.anchors.retired[retired.Fingerprint], nil)
	}
	var allowed []signatures.Signature
	for _, good := range good {
		fingerprint := good.Signer.Fingerprint
		if known, ok := d.anchors.material[fingerprint]; ok && !slices.Equal(known, d.ring.Material(fingerprint)) {
			return good, d.refuse(KindSigner, ForgedKey, nil, "ALARM: the key that signed it has the fingerprint %s but is not that key", fingerprint)
		}
		if d.maysign(fingerprint) {
			allowed = append(allowed, good)
		}
	}
	if len(allowed) == 0 {
		return signatures.Signature{}, d.wrongSigner(good)
	}
	chosen, err := d.judgeExpiry(allowed)
	if err != nil {
		return chosen, err
	}
	if err := d.sameSigner(chosen.Signer); err != nil {
		return chosen, err
	}
	for _, defect := range result.Defects {
		if defect.Kind != signatures.UnknownIssuer {
			d.warn("passed over: %v", defect)
		}
	}
	if chosen.Weak != "" {
		d.warn("the signing key %s is weak: %s", chosen.Signer, chosen.Weak)
	}
	return chosen, nil
}

func (d *decision) retiredKey(key, why string, cause error) *Error {
	return d.refuse(KindRevoked, RetiredKey, cause, "it is signed by %s: %s. No setting allows it", key, why)
}

// badSignature turns the most telling defect into a refusal.
func (d *decision) badSignature(result signatures.Result) *Error {
	defect := result.Defects[0]
	for fingerprint, why := range d.anchors.retired {
		if defect.Issuer != "" && strings.HasSuffix(fingerprint, defect.Issuer) {
			return d.retiredKey(fingerprint, why, defect)
		}
	}
	kind, hint := KindSignature, ""
	switch defect.Kind {
	case signatures.RevokedKey, signatures.RevokedSubkey:
		kind, hint = KindRevoked, ". A revoked key is always refused; the publisher must sign the release again"
	case signatures.ExpiredSignature:
		kind, hint = KindExpired, ". terraform notices that only while the key is valid; no setting accepts it"
	case signatures.SecretKey, signatures.FutureKey, signatures.OlderThanKey, signatures.WeakKey:
		hint = ". terraform accepts it; no setting does so here"
	case signatures.WeakDigest:
		if strings.Contains(defect.Message, "SHA-1") {
			hint = fmt.Sprintf(". To accept SHA-1 for this source: %s = [%q]", attrSHA1, d.Source.String())
		}
	case signatures.UnknownIssuer:
		hint = ". Either the publisher gave the registry another key than the one that signs, or somebody else signed"
	}
	var prefix string
	if d.Recorded != nil && len(d.Recorded.Fingerprints) == 0 {
		prefix = "it was unsigned when it was recorded; now the registry offers a key, and the signature is bad: " // D13
	}
	return d.refuse(kind, Reason(defect.Kind), defect, "%s%s%s", prefix, defect.Message, hint)
}

// origin tells where the set of allowed signers is from.
type origin int

const (
	fromAnchor origin = iota
	fromPolicy
	fromRecord
	fromFirstUse
)

// allowed returns the fingerprints that may sign for the source; nil with fromFirstUse: any.
func (d *decision) allowed() ([]string, origin) {
	named := d.Policy.signersOf(d.Source)
	if found, ok := d.anchors.of(d.Source); ok {
		return slices.Concat(found.fingerprints, named), fromAnchor
	}
	switch {
	case len(named) > 0:
		return named, fromPolicy
	case d.Recorded != nil && len(d.Recorded.Fingerprints) > 0:
		return d.Recorded.Fingerprints, fromRecord
	default:
		return nil, fromFirstUse
	}
}

func (d *decision) maysign(fingerprint string) bool {
	signers, from := d.allowed()
	return from == fromFirstUse || slices.Contains(signers, fingerprint)
}

// wrongSigner is the alarm for good signatures by keys that may not sign.
func (d *decision) wrongSigner(good []signatures.Signature) *Error {
	var found, fingerprints []string
	for _, signature := range good {
		found = append(found, fmt.Sprintf("%s, key made %s", signature.Signer, signature.Signer.Created.Format("2006-01-02")))
		fingerprints = append(fingerprints, signature.Signer.Fingerprint)
	}
	by := strings.Join(found, " and ")
	signers, from := d.allowed()
	line := func(source string, all []string) string {
		return fmt.Sprintf("%s = {%q: [\"%s\"]}", attrSigners, source, strings.Join(slices.Compact(all), "\", \""))
	}
	switch from {
	case fromAnchor:
		anchor, _ := d.anchors.of(d.Source)
		return d.refuse(KindSigner, UnknownOfficial, nil, "ALARM: an unknown new key for an official namespace. It is signed by %s; %s's providers are signed by %s. "+
			"If %s announced the new key, allow it in the root module: %s", by, anchor.owner, strings.Join(signers, ", "), anchor.owner,
			line(d.Source.DisplayHost()+"/"+d.Source.Namespace, fingerprints))
	case fromPolicy:
		return d.refuse(KindSigner, SignerNotAllowed, nil, "it is signed by %s; %s in the root module allows only %s. To allow it too: %s",
			by, attrSigners, strings.Join(signers, ", "), line(d.Source.String(), slices.Concat(signers, fingerprints)))
	default:
		return d.refuse(KindSigner, SignerChanged, nil, "ALARM: the signer changed. It is signed by %s; versions locked before were signed by %s. "+
			"Ask the publisher, not the registry. If the change is genuine, allow it in the root module: %s",
			by, strings.Join(signers, ", "), line(d.Source.String(), slices.Concat(signers, fingerprints)))
	}
}

// readList reads the signed list and binds the answered packages to it.
func (d *decision) readList() (*Verified, *Error) {
	list := sums.Parse(d.Sums.Bytes)
	release, err := list.Release(d.Source.Type, d.Version)
	if err != nil {
		return nil, d.badList(err)
	}
	d.warnAboutList(list)
	if err := d.checkPackages(list, release.ZH); err != nil {
		return nil, err
	}
	other := release.Other
	if other == nil {
		other = []string{}
	}
	return &Verified{ZH: release.ZH, Other: other}, nil
}
