package signatures

// Kind classifies what is wrong with a signature or with a key. Values are stable: fixtures and the documentation's table use them.
type Kind string

// The kinds of defects.
const (
	// NoKeys: no key entry was offered.
	NoKeys Kind = "no_keys"
	// UnreadableKey: a key entry is no armored public key block, or OpenPGP cannot read it (D20).
	UnreadableKey Kind = "unreadable_key"
	// SecretKey: a key entry is a private key block. Whoever can read the registry can sign; terraform accepts it.
	SecretKey Kind = "secret_key"
	// NoSelfSignature: a key has no user id with a valid self-signature (R-AUTH-13).
	NoSelfSignature Kind = "no_self_signature"
	// NoCrossSignature: a signing subkey does not certify its primary key in return (R-AUTH-13).
	NoCrossSignature Kind = "no_cross_signature"
	// LaterBlock: the signer's key is in a second armor block of an entry, which no tool reads (R-AUTH-11).
	LaterBlock Kind = "later_block"
	// NotForSigning: the issuer's key has no key flags or lacks the sign capability (R-AUTH-13).
	NotForSigning Kind = "not_for_signing"
	// EmptySignature: the signature file has no byte; the tools report an unknown issuer (R-AUTH-9).
	EmptySignature Kind = "empty_signature"
	// Armored: the signature file is ASCII-armored; the tools want the binary form (D15, R-AUTH-9).
	Armored Kind = "armored_signature"
	// Malformed: the signature file is no OpenPGP data, or not a signature.
	Malformed Kind = "malformed_signature"
	// Unsupported: a packet version, signature type, algorithm or critical subpacket that OpenPGP here does not know (R-AUTH-16).
	Unsupported Kind = "unsupported_signature"
	// WeakDigest: the signature is over an MD5, RIPEMD-160 or (unless allowed) SHA-1 digest (R-AUTH-17).
	WeakDigest Kind = "weak_digest"
	// WeakKey: the key is too short for any use (RSA and DSA below 1024 bits, R-AUTH-18).
	WeakKey Kind = "weak_key"
	// UnknownIssuer: no offered key is the signature's issuer (D11).
	UnknownIssuer Kind = "unknown_issuer"
	// WrongKey: a key has the issuer's id but is of another algorithm or fingerprint than the signature says.
	WrongKey Kind = "wrong_key"
	// Tampered: the issuer's key is there, and the signature is not by it over these bytes.
	Tampered Kind = "tampered"
	// RevokedKey: the signer's primary key, or its user id, is revoked (R-AUTH-16).
	RevokedKey Kind = "revoked_key"
	// RevokedSubkey: the signing subkey is revoked (R-AUTH-16).
	RevokedSubkey Kind = "revoked_subkey"
	// ExpiredSignature: the signature itself has an expiry that has passed (R-AUTH-15).
	ExpiredSignature Kind = "expired_signature"
	// FutureSignature: the signature is dated after now (R-AUTH-15).
	FutureSignature Kind = "future_signature"
	// FutureKey: the signing key is dated after now.
	FutureKey Kind = "future_key"
	// OlderThanKey: the signature is dated before its key was made.
	OlderThanKey Kind = "older_than_key"
)

// Defect is one reason why a signature or key does not count. Its text has key ids, owner, dates and what was expected; it names neither the
// provider nor the entry of the manifest, which callers add.
type Defect struct {
	Kind    Kind
	Message string
	Entry   int    // index of the key entry, -1 if the defect is of the signature
	Issuer  string // the id or fingerprint that the signature names, upper-case hex; empty if unknown
	Err     error  // what go-crypto said, or nil
}

// Error returns the message.
func (d *Defect) Error() string { return d.Message }

// Unwrap returns the library's error.
func (d *Defect) Unwrap() error { return d.Err }

// rank orders defects for messages: what is known about the true signer tells more than that other keys are not it.
var rank = map[Kind]int{
	RevokedKey: 1, RevokedSubkey: 1, Tampered: 2, WrongKey: 2, ExpiredSignature: 3, FutureSignature: 3, FutureKey: 3, OlderThanKey: 3,
	WeakDigest: 4, WeakKey: 4, Unsupported: 4, NotForSigning: 5, NoCrossSignature: 5, NoSelfSignature: 5, LaterBlock: 5,
	EmptySignature: 6, Armored: 6, NoKeys: 7, UnknownIssuer: 8, Malformed: 9, UnreadableKey: 10, SecretKey: 10,
}
