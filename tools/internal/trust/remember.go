package trust

import (
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/signatures"
)

// sameSigner is the alarm for a version whose own verified fact names a signer that the source's signer fact does not have, when another one
// signs it now: somebody exchanged the signer fact. Where the source has several recorded signers, a change from one to another is told.
func (d *decision) sameSigner(now signatures.Key) *Error {
	if d.Fact == nil || d.Fact.Signer == "" || d.Fact.Signer == now.Fingerprint {
		return nil
	}
	signers, from := d.allowed()
	if from == fromAnchor || from == fromPolicy || slices.Contains(signers, d.Fact.Signer) {
		d.warn("it was signed by %s when it was recorded, and is signed by %s now", d.Fact.Signer, now)
		return nil
	}
	return d.refuse(KindSigner, SignerChanged, nil, "ALARM: the signer changed. It is signed by %s; the verified fact of this version says %s, and the signer fact "+
		"of the source lacks that one. Look at who changed MODULE.bazel.lock, and ask the publisher. If the change is genuine, allow it in the root module: %s = {%q: [%q]}",
		now, d.Fact.Signer, attrSigners, d.Source.String(), now.Fingerprint)
}

// record returns what an accepted signer contributes to the signer fact. Built-in namespaces have none: their signers are known, and what
// policy adds lasts as long as policy says so.
func (d *decision) record(fingerprint string, tier Tier) *Signer {
	if _, from := d.allowed(); from == fromAnchor {
		return nil
	}
	if d.Recorded != nil && len(d.Recorded.Fingerprints) == 0 {
		d.warn("it was unsigned when it was recorded and is signed by %s now", fingerprint)
	}
	return &Signer{Fingerprints: []string{fingerprint}, Tier: tier}
}

// Remember returns the signer fact of a source after its versions were judged, nil to leave what is there. recorded is the fact from before,
// nil if there was none.
//
// complete says that the verdicts are of all versions that the manifest has of the source. The signers are then exactly those who signed
// these: a fingerprint that somebody added to the fact, and that signed none of them, would be believed at the next version. Where a
// version is missing, because it was refused or could not be asked about, nobody is forgotten.
func Remember(recorded *Signer, verdicts []Verdict, complete bool) *Signer {
	var now *Signer
	for _, verdict := range verdicts {
		now = MergeSigners(now, verdict.Record)
	}
	switch {
	case now == nil:
		return nil
	case !complete || len(now.Fingerprints) == 0:
		return MergeSigners(recorded, now)
	default:
		return now
	}
}

// RecordedSigner returns who signed the versions of a source so far: its signer fact, or without one the signers that the verified facts of
// its versions name, nil if there are none. A deleted signer fact is first use again only when all of these are gone as well.
func RecordedSigner(fact *Signer, versions []Verified) *Signer {
	if fact != nil {
		return fact
	}
	var found *Signer
	for _, v := range versions {
		if fingerprint, err := ParseFingerprint(v.Signer); err == nil && fingerprint == v.Signer && v.defect() == "" {
			found = MergeSigners(found, &Signer{Fingerprints: []string{fingerprint}, Tier: v.Tier})
		}
	}
	return found
}

// MergeSigners returns the union of two signer facts, with the lower tier. It serves a run that locks several versions of a source: all of
// them are judged by the record from before the run, and all signers of the run are recorded (design §3.7).
func MergeSigners(a, b *Signer) *Signer {
	switch {
	case a == nil || len(a.Fingerprints) == 0 && b != nil:
		return b
	case b == nil || len(b.Fingerprints) == 0:
		return a
	}
	merged := &Signer{Fingerprints: slices.Concat(a.Fingerprints, b.Fingerprints), Tier: a.Tier}
	slices.Sort(merged.Fingerprints)
	merged.Fingerprints = slices.Compact(merged.Fingerprints)
	if rankOf(b.Tier) < rankOf(a.Tier) {
		merged.Tier = b.Tier
	}
	return merged
}

func rankOf(tier Tier) int {
	return slices.Index([]Tier{Unsigned, Checksum, Community, Partner, Official}, tier)
}

// signed reports whether a version of the tier has a signer.
func (t Tier) signed() bool { return t == Official || t == Partner || t == Community }

// Defect returns why the value cannot be a signer fact, "" if it can.
func (s *Signer) Defect() string {
	if s.Tier != Unsigned && s.Tier != Checksum && !s.Tier.signed() {
		return "tier is none of " + strings.Join([]string{string(Checksum), string(Community), string(Official), string(Partner), string(Unsigned)}, ", ")
	}
	if (len(s.Fingerprints) == 0) == s.Tier.signed() {
		return "tier unsigned has no fingerprint, and every other has one"
	}
	for i, text := range s.Fingerprints {
		if fingerprint, err := ParseFingerprint(text); err != nil || fingerprint != text {
			return "fingerprints are full and in upper-case hex; one is " + signatures.Printable(text)
		}
		if i > 0 && s.Fingerprints[i-1] >= text {
			return "fingerprints are sorted, each once"
		}
	}
	return ""
}

// Defect returns why the value cannot be a verified fact, "" if it can.
func (v *Verified) Defect() string { return v.defect() }
