package trust

import (
	"fmt"

	"rules_tf_mirror/tools/internal/problem"
)

// The kinds of a refusal, beside those of package problem (design §3.3, `lock`).
const (
	KindChecksum  problem.Kind = "checksum"
	KindSignature problem.Kind = "signature"
	KindSigner    problem.Kind = "signer"
	KindExpired   problem.Kind = "expired"
	KindRevoked   problem.Kind = "revoked"
	KindUnsigned  problem.Kind = "unsigned"
)

// Response is the kind of a refusal because the input itself cannot be judged.
const Response = problem.Response

// Reason is the finer cause of a refusal, for tests, tables and documentation: one of the constants here, a signatures.Kind or a sums.Kind.
type Reason string

// The reasons of this package.
const (
	NoKeys           Reason = "no_keys"            // the registry offers no signing key
	SumsMissing      Reason = "sums_missing"       // SHA256SUMS is answered 404 (B27)
	SignatureMissing Reason = "signature_missing"  // the signature is answered 404 (C27)
	NeverUnsigned    Reason = "never_unsigned"     // a built-in namespace without a signature
	BecameUnsigned   Reason = "became_unsigned"    // signed before, or signers are named, and now there is no signature (D13)
	UnknownOfficial  Reason = "unknown_official"   // a new key for a built-in namespace (D10)
	SignerChanged    Reason = "signer_changed"     // not a recorded signer of the source
	SignerNotAllowed Reason = "signer_not_allowed" // policy names signers, and this is none of them
	RetiredKey       Reason = "retired_key"        // refused everywhere
	ForgedKey        Reason = "forged_key"         // a built-in fingerprint with another key behind it
	ExpiredKey       Reason = "expired_key"        // refused by policy's expired_keys
	TrustSignature   Reason = "trust_signature"    // the trust signature is not by the partner key (R-AUTH-20)
	NotListed        Reason = "not_listed"         // no line for the package's own file name
	OtherPlatform    Reason = "other_platform"     // the answered hash is of another platform's package (C25)
	NotAPackage      Reason = "not_a_package"      // the answered hash is of a listed file that is no package of this version (C23)
	Mismatch         Reason = "checksum"           // the answered hash differs from the package's line
	ContentChanged   Reason = "content_changed"    // the signed list differs from what was recorded for this version
	NotVerified      Reason = "not_verified"       // nothing is recorded, and strictness wants a record
	BadRecord        Reason = "bad_record"         // a recorded fact that cannot be: malformed, or against policy
)

// Error is a refusal. Its text names source and version, what was found and wanted, and what to do.
type Error struct {
	Problem *problem.Error
	Reason  Reason
}

// Error returns the text.
func (e *Error) Error() string { return e.Problem.Error() }

// Unwrap returns the problem.Error, so that problem.KindOf works.
func (e *Error) Unwrap() error { return e.Problem }

func (d *decision) refuse(kind problem.Kind, reason Reason, cause error, format string, args ...any) *Error {
	return &Error{Reason: reason, Problem: problem.Wrap(kind, cause, "%s: %s", d.subject(), fmt.Sprintf(format, args...))}
}

func (d *decision) warn(format string, args ...any) {
	d.verdict.Warnings = append(d.verdict.Warnings, d.subject()+": "+fmt.Sprintf(format, args...))
}

// subject names source and version.
func (d *decision) subject() string { return d.Source.String() + " " + d.Version }
