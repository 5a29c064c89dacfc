package trust

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/sums"
)

// RecordedInput is what a decision without a registry depends on.
type RecordedInput struct {
	Source   addrs.Provider
	Version  string            // canonical
	Packages map[string]string // platform → sha256 of the package facts
	Fact     *Verified         // this version's verified fact, nil if there is none
	Recorded *Signer           // the source's signer fact, nil if there is none
	Policy   Policy
}

// DecideRecorded judges the recorded facts alone, as `lock --check --offline` does. Acceptance means that the facts agree with each other, with
// policy and with the built-in signers. It does not mean that anybody signed: whoever can edit the facts can make them agree.
func DecideRecorded(input RecordedInput) Verdict { return builtin().decideRecorded(input) }

func (a anchors) decideRecorded(input RecordedInput) Verdict {
	d := &decision{anchors: a, Input: Input{
		Source: input.Source, Version: input.Version, Packages: input.Packages, Fact: input.Fact, Recorded: input.Recorded, Policy: input.Policy,
	}}
	d.finish(d.runRecorded())
	return d.verdict
}

func (d *decision) runRecorded() *Error {
	if d.Fact == nil {
		if d.Policy.strict {
			return d.refuse(KindUnsigned, NotVerified, nil, "no verified fact is recorded, and provider_locks_strict wants one. Run the lock target (bazel run //:providers_lock)")
		}
		d.warn("no verified fact is recorded. Run the lock target (bazel run //:providers_lock)")
		d.verdict.Outcome, d.verdict.Status = DoesNotApply, StatusUnsigned
		return nil
	}
	if text := d.Fact.defect(); text != "" {
		return d.badRecord("the verified fact is malformed: %s", text)
	}
	if err := d.recordedSigner(); err != nil {
		return err
	}
	if err := d.recordedPackages(); err != nil {
		return err
	}
	d.acceptRecorded()
	return nil
}

// acceptRecorded accepts what is recorded; its signer counts as one of the source's.
func (d *decision) acceptRecorded() {
	if d.Fact.Signer != "" {
		d.verdict.Record = d.record(d.Fact.Signer, d.Fact.Tier)
	}
	d.accept(d.Fact)
}

// recordedSigner checks signer and tier of the fact against anchors, policy and the source's signer fact.
func (d *decision) recordedSigner() *Error {
	found, anchored := d.anchors.of(d.Source)
	switch d.Fact.Tier {
	case Unsigned:
		if anchored || !d.Policy.unsigned[d.Source] {
			return d.badRecord("the verified fact says unsigned, which %s does not allow for this source", attrUnsigned)
		}
		return nil
	case Checksum:
		if anchored || d.Policy.strict && !d.Policy.checksum[d.Source] {
			return d.badRecord("the verified fact is a mirror's word only (tier checksum), which %s does not allow for this source", attrChecksum)
		}
		return nil
	}
	if why := d.anchors.retired[d.Fact.Signer]; why != "" {
		return d.retiredKey(d.Fact.Signer, why, nil)
	}
	if official := anchored && slices.Contains(found.fingerprints, d.Fact.Signer); official != (d.Fact.Tier == Official) {
		return d.badRecord("the verified fact says tier %s for signer %s", d.Fact.Tier, d.Fact.Signer)
	}
	signers, from := d.allowed()
	if from == fromFirstUse {
		return d.badRecord("the verified fact has signer %s, but no signer fact is recorded for the source", d.Fact.Signer)
	}
	if !slices.Contains(signers, d.Fact.Signer) {
		return d.refuse(KindSigner, SignerNotAllowed, nil, "the verified fact has signer %s; allowed are %s. %s", d.Fact.Signer, strings.Join(signers, ", "), relock)
	}
	return nil
}

// recordedPackages checks that each package fact is bound to its platform by the verified fact (C25).
func (d *decision) recordedPackages() *Error {
	for _, platform := range slices.Sorted(maps.Keys(d.Packages)) {
		found, want := d.Packages[platform], d.Fact.ZH[platform]
		if found == want {
			continue
		}
		for other, hash := range d.Fact.ZH {
			if hash == found {
				return d.refuse(KindChecksum, OtherPlatform, nil, "the package fact of %s has the hash of %s's package (%s). %s", platform, other, found, relock)
			}
		}
		if want == "" {
			return d.refuse(KindChecksum, NotListed, nil, "the verified fact has no hash for %s. %s", platform, relock)
		}
		return d.refuse(KindChecksum, Mismatch, nil, "the package fact of %s has %s, the verified fact %s. %s", platform, found, want, relock)
	}
	return nil
}

const relock = "Run the lock target to verify again (bazel run //:providers_lock), and look at who changed MODULE.bazel.lock"

func (d *decision) badRecord(format string, args ...any) *Error {
	return d.refuse(KindSigner, BadRecord, nil, "%s. %s", fmt.Sprintf(format, args...), relock)
}

// defect returns why the fact cannot be one, "" if it can.
func (v *Verified) defect() string {
	if len(v.ZH) == 0 {
		return "it has no hash"
	}
	for _, hash := range slices.Concat(slices.Sorted(maps.Values(v.ZH)), v.Other) {
		if !sums.IsHash(hash) || strings.ToLower(hash) != hash {
			return fmt.Sprintf("%q is no SHA-256 in lower-case hex", hash)
		}
	}
	signed := v.Tier.signed()
	if !signed && v.Tier != Unsigned && v.Tier != Checksum {
		return fmt.Sprintf("%q is no tier", v.Tier)
	}
	if fingerprint, err := ParseFingerprint(v.Signer); signed && (err != nil || fingerprint != v.Signer) {
		return fmt.Sprintf("%q is no fingerprint in upper-case hex", v.Signer)
	}
	if !signed && v.Signer != "" {
		return fmt.Sprintf("tier %s has a signer", v.Tier)
	}
	return ""
}
