// Package trust decides whether a provider version may be believed. It is the one door for that decision: nothing else in the module accepts a
// signature, a signer or a hash.
//
// # The chain
//
// namespace → allowed signer → detached signature over SHA256SUMS → the line of the package's own file name → sha256. The bytes behind that
// sha256 are Bazel's business: its downloader refuses others.
//
// # Outcomes
//
// A decision is Accepted, Refused or DoesNotApply. DoesNotApply means that there is nothing to check (an unsigned provider where the registry
// permits that, R-AUTH-23); it is never the answer to a failed check, and nothing is recorded for it but that the source was unsigned.
//
// # Who may sign
//
// In this order: the built-in signers of a namespace (and those that policy adds for it); the signers that policy names for the source, and
// then only these; the signers recorded at first use; whoever signs the first version that is locked. Names are full fingerprints of primary
// keys. A registry's own word about a key (key_id, source, tier pages) plays no part (R-AUTH-21).
//
// # What is not promised
//
// First use believes the registry. A signature's date is the signer's claim. A publisher whose key was stolen and who has not revoked it looks
// genuine. And that a release is signed says nothing about what it does.
//
// The package is pure: no network, no files but embedded keys; the clock is an input.
package trust

import (
	"context"
	"time"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/signatures"
	"rules_tf_mirror/tools/internal/sums"
)

// Outcome is the result of a decision. The zero value is no outcome, so that a forgotten one is not taken for acceptance.
type Outcome int

// The three outcomes.
const (
	Accepted     Outcome = iota + 1 // Verdict.Fact holds what to record
	Refused                         // Verdict.Err says why; nothing may be recorded or fetched
	DoesNotApply                    // nothing to check; Verdict.Warnings says why
)

// String returns the outcome's name in words.
func (o Outcome) String() string {
	switch o {
	case Accepted:
		return "accepted"
	case Refused:
		return "refused"
	case DoesNotApply:
		return "does not apply"
	default:
		return "undecided"
	}
}

// Tier says how much stands behind an accepted version (design §3.3).
type Tier string

// The tiers.
const (
	Official  Tier = "official"  // signed by a built-in signer of the namespace
	Partner   Tier = "partner"   // HashiCorp's partner key vouches for the signer's key (R-AUTH-20)
	Community Tier = "community" // signed by any other allowed key
	Checksum  Tier = "checksum"  // a mirror's word
	Unsigned  Tier = "unsigned"  // policy allows the source without a signature
)

// Status is the column of that name in `lock`'s table and JSON (design §3.3); "unavailable" is for callers to say.
type Status string

// The statuses that a verdict can have.
const (
	StatusVerified Status = "verified" // exactly as recorded
	StatusChanged  Status = "changed"  // recorded anew, or platforms were added to an otherwise equal list
	StatusUnsigned Status = "unsigned"
	StatusRefused  Status = "refused"
)

// KeyEntry is one element of signing_keys.gpg_public_keys. Callers turn a null element into a response error before (R-REG-9).
type KeyEntry struct {
	ASCIIArmor     string
	TrustSignature string
}

// Document is SHA256SUMS or its signature as the registry answered it.
type Document struct {
	Bytes   []byte
	Missing bool   // answered 404; a failed request is no input for a decision
	URL     string // for messages, without query; may be empty
}

// Verified is the value of a verified/ fact.
type Verified struct {
	ZH     map[string]string `json:"zh"`     // platform → 64 lower-case hex digits
	Other  []string          `json:"other"`  // hashes of the list's other lines, sorted
	Signer string            `json:"signer"` // fingerprint of the primary key, upper-case hex; empty if unsigned
	Tier   Tier              `json:"tier"`
}

// Signer is the value of a signer/ fact: who signed the versions of a source so far.
type Signer struct {
	Fingerprints []string `json:"fingerprints"` // upper-case hex, sorted; empty: the source was unsigned when it was recorded
	Tier         Tier     `json:"tier"`         // the lowest tier of them
}

// Input is everything that a decision depends on.
type Input struct {
	Source    addrs.Provider
	Tool      addrs.Tool
	Version   string            // canonical
	Packages  map[string]string // platform → sha256 that the registry answered or a fact recorded; each must be bound by the list
	Keys      []KeyEntry
	Sums      Document
	Signature Document
	Mirror    string    // names the mirror that answered instead of the origin registry; then keys and documents do not count
	Recorded  *Signer   // the source's signer fact, nil at first use
	Fact      *Verified // this version's verified fact, nil if there is none
	Policy    Policy
	Now       time.Time
	Context   context.Context // its end stops the decision, which then refuses; nil: never
}

// Verdict is a decision with everything that it implies.
type Verdict struct {
	Outcome  Outcome
	Status   Status
	Fact     *Verified // to record for the version; nil unless accepted
	Record   *Signer   // what the version contributes to the source's signer fact, see Remember; nil: nothing. May be set for DoesNotApply
	Owner    string    // the signer's user id, for tables; empty if unsigned
	Warnings []string  // complete sentences that name source and version
	Err      *Error    // nil unless refused
}

// Decide judges a version by what the registry answered for it.
func Decide(input Input) Verdict { return builtin().decide(input) }

// decide is Decide with the given anchors; tests have keys of their own.
func (a anchors) decide(input Input) Verdict {
	d := &decision{Input: input, anchors: a}
	var err *Error
	switch {
	case input.Now.IsZero() || input.Version == "" || input.Source == (addrs.Provider{}):
		err = d.refuse(Response, "input", nil, "the decision lacks source, version or time")
	default:
		err = d.run()
	}
	d.finish(err)
	return d.verdict
}

// decision is the state of one run through the door.
type decision struct {
	Input
	anchors anchors
	ring    *signatures.Ring // set once a signature is looked at
	verdict Verdict
}

// run follows the chain and returns why it broke.
func (d *decision) run() *Error {
	if d.Mirror != "" {
		return d.decideMirror()
	}
	if reason := d.unsignedReason(); reason != "" {
		return d.decideUnsigned(reason)
	}
	if err := sums.Check(d.Sums.Bytes); err != nil {
		return d.badList(err)
	}
	signer, err := d.verifySignature()
	if err != nil {
		return err
	}
	tier, err := d.tier(signer)
	if err != nil {
		return err
	}
	fact, err := d.readList()
	if err != nil {
		return err
	}
	fact.Signer, fact.Tier = signer.Signer.Fingerprint, tier
	if err := d.checkContent(fact); err != nil {
		return err
	}
	d.verdict.Owner = signer.Signer.Owner
	d.verdict.Record = d.record(signer.Signer.Fingerprint, tier)
	d.accept(fact)
	return nil
}

func (d *decision) accept(fact *Verified) {
	d.verdict.Outcome, d.verdict.Fact, d.verdict.Status = Accepted, fact, StatusChanged
	switch {
	case fact.Tier == Unsigned:
		d.verdict.Status = StatusUnsigned
	case d.Fact != nil && fact.equal(d.Fact):
		d.verdict.Status = StatusVerified
	}
}

// finish makes a refusal complete: whatever was found out before, nothing of it may be recorded.
func (d *decision) finish(err *Error) {
	if err != nil {
		d.verdict = Verdict{Outcome: Refused, Status: StatusRefused, Err: err, Warnings: d.verdict.Warnings}
	}
}
