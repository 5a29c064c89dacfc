package signatures

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	pgperrors "github.com/ProtonMail/go-crypto/openpgp/errors"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// verify checks one parsed signature with one key that has the issuer's id. go-crypto's verdict comes first; what it accepts is then judged
// by rules that it lacks or leaves out once a key is expired (R-AUTH-15).
func (k *ringKey) verify(signed []byte, raw *packet.OpaquePacket, sig *packet.Signature, head header, options Options) (Signature, *Defect) {
	key := k.describe()
	used := k.use(*sig.IssuerKeyId)
	defect := func(kind Kind, err error, format string, args ...any) (Signature, *Defect) {
		return Signature{}, &Defect{Kind: kind, Entry: -1, Err: err, Message: fmt.Sprintf(format, args...)}
	}
	if bits, name := weakBits(used.key); bits > 0 && bits < minimumBits {
		return defect(WeakKey, nil, "the signing key %s is %s of %d bits, which can be broken", k.name(used), name, bits)
	}
	err := k.check(signed, raw, options)
	var structural pgperrors.SignatureError
	var argument pgperrors.InvalidArgumentError
	switch {
	case err == nil, errors.Is(err, pgperrors.ErrKeyExpired), errors.Is(err, pgperrors.ErrSignatureExpired), errors.Is(err, pgperrors.ErrKeyRevoked):
		// the mathematics is right; dates and revocations are judged below
	case errors.Is(err, pgperrors.ErrUnknownIssuer):
		return defect(NotForSigning, err, "the signature is by key %s, which is not marked for signing (key flags); terraform and tofu do not consider it either", k.name(used))
	case errors.As(err, &structural) && strings.Contains(string(structural), "critical notation"):
		return defect(Unsupported, err, "the signature by key %s has a condition that is not understood: %v", k.name(used), err)
	case errors.As(err, &argument):
		return defect(WrongKey, err, "the signature names key %s but was made with a key of another algorithm: %v", k.name(used), err)
	case len(head.fingerprint) > 0 && !bytes.Equal(head.fingerprint, used.key.Fingerprint):
		return defect(WrongKey, err, "the signature is by key %X; the offered key with the same id is %s", head.fingerprint, k.name(used))
	case errors.As(err, &structural):
		return defect(Tampered, err, "the signature names key %s but does not fit SHA256SUMS: one of the two was changed, or they are of different releases", k.name(used))
	default:
		return defect(Unsupported, err, "the signature by key %s cannot be checked: %v", k.name(used), err)
	}
	if refused := k.judge(used, sig, options.Now); refused != nil {
		return Signature{}, refused
	}
	if err != nil && !errors.Is(err, pgperrors.ErrKeyExpired) {
		// never reached as long as judge knows every reason of the library; acceptance must not depend on that
		return defect(Unsupported, err, "the signature by key %s is not accepted: %v", k.name(used), err)
	}
	found := Signature{
		Signer: key, SigningKey: fmt.Sprintf("%X", used.key.Fingerprint), Created: sig.CreationTime.UTC(), KeyExpires: k.expires(used),
		Digest: head.digestName(), Text: sig.SigType == packet.SigTypeText, Entries: append([]int(nil), k.entries...),
	}
	found.Expired = errors.Is(err, pgperrors.ErrKeyExpired)
	found.SignedAfterExpiry = !found.KeyExpires.IsZero() && found.Created.After(found.KeyExpires)
	found.Weak = weakness(used.key, head)
	return found, nil
}

// judge returns why dates or revocations forbid the signature, or nil. An expired key is no reason here.
func (k *ringKey) judge(used usedKey, sig *packet.Signature, now time.Time) *Defect {
	refuse := func(kind Kind, format string, args ...any) *Defect {
		return &Defect{Kind: kind, Entry: -1, Message: fmt.Sprintf(format, args...)}
	}
	if len(k.entity.Revocations) > 0 {
		return refuse(RevokedKey, "the signing key %s was revoked on %s%s", k.name(used), date(k.entity.Revocations[0].CreationTime), reason(k.entity.Revocations[0]))
	}
	if len(used.revocations) > 0 {
		return refuse(RevokedSubkey, "the signing subkey %s was revoked on %s%s", k.name(used), date(used.revocations[0].CreationTime), reason(used.revocations[0]))
	}
	if identity := k.entity.PrimaryIdentity(); identity != nil && len(identity.Revocations) > 0 {
		return refuse(RevokedKey, "the only user id of signing key %s was revoked on %s%s", k.name(used), date(identity.Revocations[0].CreationTime), reason(identity.Revocations[0]))
	}
	for _, made := range []time.Time{k.entity.PrimaryKey.CreationTime, used.key.CreationTime} {
		if made.After(now) {
			return refuse(FutureKey, "the signing key %s is dated %s, which is after now (%s); is this machine's clock right?", k.name(used), date(made), date(now))
		}
	}
	if sig.CreationTime.After(now) {
		return refuse(FutureSignature, "the signature by key %s is dated %s, which is after now (%s); is this machine's clock right?", k.name(used), date(sig.CreationTime), date(now))
	}
	if sig.SigExpired(now) {
		return refuse(ExpiredSignature, "the signature by key %s was made on %s and expired on %s", k.name(used), date(sig.CreationTime), date(signatureExpiry(sig)))
	}
	for _, own := range used.selfSignatures {
		if own.SigExpired(now) {
			return refuse(ExpiredSignature, "a self-signature of the signing key %s, of %s, is not valid now (%s)", k.name(used), date(own.CreationTime), date(now))
		}
	}
	if sig.CreationTime.Before(used.key.CreationTime) {
		return refuse(OlderThanKey, "the signature by key %s is dated %s, before the key was made (%s)", k.name(used), date(sig.CreationTime), date(used.key.CreationTime))
	}
	return nil
}

// usedKey is the primary key or subkey that has the issuer's id.
type usedKey struct {
	key            *packet.PublicKey
	binding        *packet.Signature // the self-signature that gives its lifetime
	revocations    []*packet.Signature
	selfSignatures []*packet.Signature // all that must be in force
}

func (k *ringKey) use(id uint64) usedKey {
	primary, _ := k.entity.PrimarySelfSignature()
	if k.entity.PrimaryKey.KeyId != id {
		for _, subkey := range k.entity.Subkeys {
			if subkey.PublicKey.KeyId == id {
				used := usedKey{key: subkey.PublicKey, binding: subkey.Sig, revocations: subkey.Revocations, selfSignatures: []*packet.Signature{primary, subkey.Sig}}
				if subkey.Sig.EmbeddedSignature != nil {
					used.selfSignatures = append(used.selfSignatures, subkey.Sig.EmbeddedSignature)
				}
				return used
			}
		}
	}
	return usedKey{key: k.entity.PrimaryKey, binding: primary, selfSignatures: []*packet.Signature{primary}}
}

// name describes the signing key for messages: fingerprint, owner, and the subkey if one signed.
func (k *ringKey) name(used usedKey) string {
	key := k.describe()
	if used.key == k.entity.PrimaryKey {
		return key.String()
	}
	return fmt.Sprintf("%s, subkey %X", key, used.key.Fingerprint)
}

// expires returns the earlier expiry of primary key and signing key, zero if neither expires.
func (k *ringKey) expires(used usedKey) time.Time {
	primary, _ := k.entity.PrimarySelfSignature()
	first := lifetime(k.entity.PrimaryKey, primary)
	if own := lifetime(used.key, used.binding); first.IsZero() || !own.IsZero() && own.Before(first) {
		first = own
	}
	return first
}

func lifetime(key *packet.PublicKey, self *packet.Signature) time.Time {
	if self == nil || self.KeyLifetimeSecs == nil || *self.KeyLifetimeSecs == 0 {
		return time.Time{}
	}
	return key.CreationTime.Add(time.Duration(*self.KeyLifetimeSecs) * time.Second).UTC()
}

func signatureExpiry(sig *packet.Signature) time.Time {
	return sig.CreationTime.Add(time.Duration(*sig.SigLifetimeSecs) * time.Second)
}

func reason(revocation *packet.Signature) string {
	if text := Printable(revocation.RevocationReasonText); text != "" {
		return fmt.Sprintf(" (%q)", text)
	}
	return ""
}

// Lengths of RSA and DSA keys. Below the minimum Go refuses RSA (R-AUTH-18); below the usual one a warning is due.
const (
	minimumBits = 1024
	usualBits   = 2048
)

// weakBits returns the length of RSA and DSA keys, whose strength depends on it; 0 for other algorithms.
func weakBits(key *packet.PublicKey) (bits int, name string) {
	switch key.PubKeyAlgo {
	case packet.PubKeyAlgoRSA, packet.PubKeyAlgoRSASignOnly:
		name = "an RSA key"
	case packet.PubKeyAlgoDSA:
		name = "a DSA key"
	default:
		return 0, ""
	}
	length, err := key.BitLength()
	if err != nil {
		return 0, ""
	}
	return int(length), name
}

func weakness(key *packet.PublicKey, head header) string {
	var parts []string
	if bits, name := weakBits(key); bits > 0 && bits < usualBits {
		parts = append(parts, fmt.Sprintf("it is %s of %d bits, 2048 are usual", name, bits))
	}
	if head.digest == digestSHA1 {
		parts = append(parts, "its signature is over a SHA-1 digest")
	}
	return strings.Join(parts, "; ")
}
