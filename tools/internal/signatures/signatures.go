// Package signatures verifies a detached OpenPGP signature over a release's SHA256SUMS with the public keys that a registry offers.
//
// # Format
//
// A key entry is an ASCII-armored public key block as in signing_keys.gpg_public_keys[].ascii_armor of a download answer; one block may hold
// several keys, and as for the tools only the first block of an entry counts (R-AUTH-11). The signature is a binary detached signature, of one
// or several signature packets (R-AUTH-9, R-AUTH-10), by a primary key or by a subkey that the primary key certified for signing and that
// certified the primary key in return (R-AUTH-13).
//
// # Trust
//
// A good signature says that the holder of a key signed these bytes, and nothing about whether that key may sign for this provider: package
// trust decides that. The identity of a key is the fingerprint of its primary key, also when a subkey signed; copies of one key are merged and
// the newest self-signature counts (D03), while a revocation in any copy counts.
//
// # Limits
//
// Cryptography and packet parsing are ProtonMail's go-crypto, which terraform and tofu use too: nothing is accepted that it rejects, apart from
// the expiry of a key, which is reported in the result since policy decides about it. Its error texts name no key, so each rejection is
// diagnosed again here from the raw packets; a wrong diagnosis can make a message worse but never accept anything. The clock is a parameter.
package signatures

import (
	"context"
	"fmt"
	"time"

	"rules_tf_mirror/tools/internal/foreign"
)

// What a registry may make us compute: each signature is a digest over the whole list.
const (
	MaxFile    = 64 << 10 // bytes of a signature file
	MaxPackets = 16       // signatures in it that are looked at
)

// Options are the inputs of Verify beside keys and bytes.
type Options struct {
	Now       time.Time       // the moment to judge dates by; the zero time is refused
	AllowSHA1 bool            // accept a signature over a SHA-1 digest, as the tools do (R-AUTH-17)
	Context   context.Context // its end stops the verification between two signatures, and nothing is good then that was not before; nil: never
}

func (o Options) ended() bool { return o.Context != nil && o.Context.Err() != nil }

// Signature is a good signature. Expiry of its key is not judged: see Expired and SignedAfterExpiry.
type Signature struct {
	Signer            Key
	SigningKey        string    // fingerprint of the primary key or subkey that made the signature, upper-case hex
	Created           time.Time // as the signer claims
	KeyExpires        time.Time // the earlier expiry of primary key and signing subkey; zero: never
	Expired           bool      // KeyExpires has passed
	SignedAfterExpiry bool      // the signature claims to be younger than KeyExpires (D04)
	Digest            string    // such as "SHA-256"
	Text              bool      // a text-mode signature, where line ends do not count (R-AUTH-10)
	Weak              string    // what is weak in the key, for a warning; empty if nothing is
	Entries           []int     // indices of the key entries that hold the signer's key
}

// Key names a primary key for messages and records.
type Key struct {
	Fingerprint string    // upper-case hex; the identity
	ID          string    // 16 upper-case hex digits, as terraform prints them (R-AUTH-4)
	Owner       string    // primary user id, made printable; empty if unknown
	Created     time.Time // of the primary key
}

// String returns "fingerprint (owner)".
func (k Key) String() string {
	if k.Owner == "" {
		return k.Fingerprint
	}
	return fmt.Sprintf("%s (%s)", k.Fingerprint, k.Owner)
}

// Result is everything that was found out about one signature file.
type Result struct {
	Good    []Signature // in the order of packets, then of keys; a policy may accept any of them
	Defects []*Defect   // why the other packets and key entries do not count; the most telling first
}

// Err returns nil if there is a good signature, else the most telling defect.
func (r Result) Err() error {
	switch {
	case len(r.Good) > 0:
		return nil
	case len(r.Defects) > 0:
		return r.Defects[0]
	default:
		return &Defect{Kind: Malformed, Message: "no signature was found"}
	}
}

// date prints a moment for messages.
func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// Printable makes foreign text fit for one line of a terminal, and short.
func Printable(text string) string { return foreign.Short(text, 160) }
