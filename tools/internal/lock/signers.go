package lock

import (
	"fmt"
	"slices"

	"rules_tf_mirror/tools/internal/trust"
)

// remember returns what the signer fact of a source is to be, nil to leave it.
func (r *run) remember(s *source) *trust.Signer {
	complete := true
	for _, e := range r.entries {
		complete = complete && (e.provider != s.provider || e.err == nil)
	}
	var verdicts []trust.Verdict
	for _, rel := range s.releases {
		if rel.err == nil {
			verdicts = append(verdicts, rel.verdict)
		}
		complete = complete && rel.err == nil
	}
	return trust.Remember(s.signer, verdicts, complete)
}

// forgotten warns about recorded signers that the new fact does not have.
func (r *run) forgotten(s *source, now *trust.Signer) {
	if s.signer == nil || r.Check != Write {
		return
	}
	for _, fingerprint := range s.signer.Fingerprints {
		if !slices.Contains(now.Fingerprints, fingerprint) {
			r.warnings = append(r.warnings, fmt.Sprintf("%s: %s was recorded as a signer and signed no version of the manifest; it is recorded no more", s.provider, fingerprint))
		}
	}
}

// judgeTogether holds the versions of a source that have no signature against those that are signed: together they are judged as the next
// run will judge them, by what this one records.
func (r *run) judgeTogether(s *source) {
	var signers *trust.Signer
	for _, rel := range s.releases {
		if rel.err == nil {
			signers = trust.MergeSigners(signers, rel.verdict.Record)
		}
	}
	if signers == nil || len(signers.Fingerprints) == 0 {
		return
	}
	for _, rel := range s.releases {
		if rel.err == nil && rel.verdict.Outcome == trust.DoesNotApply {
			rel.input.Recorded, rel.warnings = signers, nil
			rel.err = rel.judge()
		}
	}
}

// judge has package trust decide.
func (rel *release) judge() error {
	rel.verdict = trust.Decide(rel.input)
	rel.warnings = append(rel.warnings, rel.verdict.Warnings...)
	if rel.verdict.Outcome == trust.Refused {
		return rel.verdict.Err
	}
	return nil
}

// compareSigner notes a signer fact with other fingerprints than the verified facts name, where each version has one (the offline check).
func (r *run) compareSigner(s *source) {
	key := signerKey(s.provider.String())
	for _, rel := range s.releases {
		if rel.err != nil || rel.verdict.Fact == nil {
			return
		}
	}
	if now := r.remember(s); now != nil && r.facts[key] != nil && !same(r.facts[key], encode(now)) {
		r.differ(r.Lockfile, key, factLines(r.facts[key], encode(now))...)
	}
}
