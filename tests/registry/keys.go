package registry

import (
	"bytes"
	"crypto"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// KeyOptions configure NewKey. The zero value is a good Ed25519 key.
type KeyOptions struct {
	Name, Email string
	// Created is the creation time; zero is one day ago.
	Created time.Time
	// Lifetime ends the key that long after Created; 0 never does.
	Lifetime time.Duration
	// RSABits makes an RSA key of that size instead, 2048 or more.
	RSABits int
	// SigningSubkey adds a subkey that signs instead of the primary key.
	SigningSubkey bool
}

// Key is an OpenPGP key pair of a publisher. It must not be changed (Revoke) while it is used.
type Key struct {
	entity  *openpgp.Entity
	created time.Time
	signer  *packet.PrivateKey
}

// NewKey generates a key; it panics if that fails, which only a wrong option can cause.
func NewKey(o KeyOptions) *Key {
	if o.Name == "" {
		o.Name = "Fixture Publisher"
	}
	if o.Created.IsZero() {
		o.Created = time.Now().Add(-24 * time.Hour)
	}
	o.Created = o.Created.Truncate(time.Second)
	config := &packet.Config{
		Time: func() time.Time { return o.Created }, Algorithm: packet.PubKeyAlgoEdDSA, DefaultHash: crypto.SHA256,
		KeyLifetimeSecs: uint32(o.Lifetime / time.Second),
	}
	if o.RSABits != 0 {
		config.Algorithm, config.RSABits = packet.PubKeyAlgoRSA, o.RSABits
	}
	entity, err := openpgp.NewEntity(o.Name, "", or(o.Email, "publisher@example.com"), config)
	if err != nil {
		panic(fmt.Sprintf("registry: making a key: %v", err))
	}
	entity.Subkeys = nil // the encryption subkey that comes with it has no use here
	k := &Key{entity: entity, created: o.Created, signer: entity.PrivateKey}
	if o.SigningSubkey {
		if err := entity.AddSigningSubkey(config); err != nil {
			panic(fmt.Sprintf("registry: making a subkey: %v", err))
		}
		k.signer = entity.Subkeys[0].PrivateKey
	}
	return k
}

// Fingerprint is the primary key's, 40 upper-case hex digits.
func (k *Key) Fingerprint() string {
	return strings.ToUpper(hex.EncodeToString(k.entity.PrimaryKey.Fingerprint))
}

// ID is the primary key's 64-bit id, 16 upper-case hex digits (R-AUTH-4).
func (k *Key) ID() string { return fmt.Sprintf("%016X", k.entity.PrimaryKey.KeyId) }

// Binary is the public key block without armor.
func (k *Key) Binary() []byte {
	var out bytes.Buffer
	if err := k.entity.Serialize(&out); err != nil {
		panic(fmt.Sprintf("registry: writing a key: %v", err)) // a buffer does not fail
	}
	return out.Bytes()
}

// Armored is the public key block as registries offer it.
func (k *Key) Armored() string { return ArmorKeys(k) }

// ArmorKeys puts the public keys into one armor block.
func ArmorKeys(keys ...*Key) string {
	var data []byte
	for _, k := range keys {
		data = append(data, k.Binary()...)
	}
	return armored(openpgp.PublicKeyType, data)
}

// Offer is the key's entry in a download answer.
func (k *Key) Offer() OfferedKey {
	return OfferedKey{KeyID: k.ID(), ASCIIArmor: k.Armored()}
}

// Revoke adds a revocation of the primary key, made at the time at.
func (k *Key) Revoke(at time.Time) *Key {
	k.must(k.entity.RevokeKey(packet.KeyCompromised, "test", &packet.Config{Time: func() time.Time { return at }}))
	return k
}

// RevokeSubkey adds a revocation of the signing subkey, made at the time at.
func (k *Key) RevokeSubkey(at time.Time) *Key {
	k.must(k.entity.RevokeSubkey(&k.entity.Subkeys[0], packet.KeyCompromised, "test", &packet.Config{Time: func() time.Time { return at }}))
	return k
}

// must turns what only a wrong use can cause into a panic.
func (k *Key) must(err error) {
	if err != nil {
		panic(fmt.Sprintf("registry: key %s: %v", k.ID(), err))
	}
}

// SignOptions say how a signature is made.
type SignOptions struct {
	// Time is when; zero is the key's creation time.
	Time time.Time
	// Hash is the digest; zero is SHA-256. SHA-1 works, MD5 with RSA keys and without Lifetime.
	Hash crypto.Hash
	// Lifetime ends the signature; 0 never does.
	Lifetime time.Duration
	// WithPrimary signs with the primary key although there is a signing subkey.
	WithPrimary bool
}

// Sign makes a detached binary signature. Nothing is refused: expired and revoked keys sign too.
func (k *Key) Sign(data []byte, o SignOptions) ([]byte, error) {
	signer := k.signer
	if o.WithPrimary {
		signer = k.entity.PrivateKey
	}
	if o.Time.IsZero() {
		o.Time = k.created
	}
	if o.Hash == 0 {
		o.Hash = crypto.SHA256
	}
	if o.Hash == crypto.MD5 {
		return signMD5(signer, data, o.Time)
	}
	lifetime := uint32(o.Lifetime / time.Second)
	salted := false // a salt would make SHA-1 impossible, and equal signatures different
	config := &packet.Config{
		Time: func() time.Time { return o.Time }, DefaultHash: o.Hash, NonDeterministicSignaturesViaNotation: &salted,
	}
	sig := &packet.Signature{
		Version: signer.Version, SigType: packet.SigTypeBinary, PubKeyAlgo: signer.PubKeyAlgo, Hash: o.Hash,
		CreationTime: o.Time, IssuerKeyId: &signer.KeyId, IssuerKeyVersion: uint8(signer.Version), IssuerFingerprint: signer.Fingerprint,
		SigLifetimeSecs: &lifetime,
	}
	h, err := sig.PrepareSign(config)
	if err != nil {
		return nil, fmt.Errorf("registry: key %s: %w", k.ID(), err)
	}
	_, _ = h.Write(data) // a hash does not fail
	if err := sig.Sign(h, signer, config); err != nil {
		return nil, fmt.Errorf("registry: key %s: %w", k.ID(), err)
	}
	var out bytes.Buffer
	if err := sig.Serialize(&out); err != nil {
		return nil, fmt.Errorf("registry: key %s: %w", k.ID(), err)
	}
	return out.Bytes(), nil
}

// SignArmored is Sign in ASCII armor, which registries must not send (R-AUTH-9).
func (k *Key) SignArmored(data []byte, o SignOptions) (string, error) {
	sig, err := k.Sign(data, o)
	return armored(openpgp.SignatureType, sig), err
}

// TrustSignature is what a registry offers for a partner's key: k's armored signature over the binary of other (R-AUTH-20).
func (k *Key) TrustSignature(other *Key) (string, error) {
	return k.SignArmored(other.Binary(), SignOptions{Time: other.created})
}

func armored(kind string, data []byte) string {
	var out bytes.Buffer
	w, err := armor.Encode(&out, kind, nil)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(fmt.Sprintf("registry: writing armor: %v", err)) // a buffer does not fail
	}
	return out.String() + "\n"
}
