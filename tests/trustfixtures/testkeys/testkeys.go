// Package testkeys makes OpenPGP keys and signatures in tests whose dates or owners no fixture has.
package testkeys

import (
	"bytes"
	"crypto"
	"fmt"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// Key is an EdDSA key that may sign. Methods panic on errors, which only a wrong test can cause.
type Key struct{ Entity *openpgp.Entity }

// New makes a key. A zero expiry means never.
func New(owner string, made, expires time.Time) Key {
	config := at(made)
	if !expires.IsZero() {
		config.KeyLifetimeSecs = uint32(expires.Sub(made) / time.Second)
	}
	entity := must(openpgp.NewEntity(owner, "", "release@example.com", config))
	entity.Subkeys = nil
	return Key{entity}
}

// NewECDSA makes a key of another algorithm than New.
func NewECDSA(owner string, made time.Time) Key {
	config := at(made)
	config.Algorithm, config.Curve = packet.PubKeyAlgoECDSA, packet.CurveNistP256
	entity := must(openpgp.NewEntity(owner, "", "release@example.com", config))
	entity.Subkeys = nil
	return Key{entity}
}

// AddUserID adds a user id, certified at the given moment with an expiry of its own; zero means never.
func (k Key) AddUserID(owner string, primary bool, moment, expires time.Time) {
	before := map[string]bool{}
	for name := range k.Entity.Identities {
		before[name] = true
	}
	check(k.Entity.AddUserId(owner, "", "release@example.com", at(moment)))
	var lifetime uint32
	if !expires.IsZero() {
		lifetime = uint32(expires.Sub(k.Entity.PrimaryKey.CreationTime) / time.Second)
	}
	for name, identity := range k.Entity.Identities {
		if before[name] {
			continue
		}
		self := identity.SelfSignature
		self.CreationTime, self.KeyLifetimeSecs, self.IsPrimaryId = moment, &lifetime, &primary
		self.FlagsValid, self.FlagSign, self.FlagCertify = true, true, true
		check(self.SignUserId(name, k.Entity.PrimaryKey, k.Entity.PrivateKey, at(moment)))
		identity.Signatures = []*packet.Signature{self}
	}
}

// Prolong certifies the key anew, with another expiry; zero means never.
func (k Key) Prolong(moment, expires time.Time) {
	var lifetime uint32
	if !expires.IsZero() {
		lifetime = uint32(expires.Sub(k.Entity.PrimaryKey.CreationTime) / time.Second)
	}
	for _, identity := range k.Entity.Identities {
		identity.SelfSignature.CreationTime, identity.SelfSignature.KeyLifetimeSecs = moment, &lifetime
		check(identity.SelfSignature.SignUserId(identity.Name, k.Entity.PrimaryKey, k.Entity.PrivateKey, at(moment)))
		identity.Signatures = []*packet.Signature{identity.SelfSignature}
	}
}

// AddSubkey adds a signing subkey.
func (k Key) AddSubkey(made, expires time.Time) {
	config := at(made)
	if !expires.IsZero() {
		config.KeyLifetimeSecs = uint32(expires.Sub(made) / time.Second)
	}
	check(k.Entity.AddSigningSubkey(config))
}

// RevokeUserID adds a revocation of the only user id and drops its certification if bare is set.
func (k Key) RevokeUserID(moment time.Time, bare bool) {
	for _, identity := range k.Entity.Identities {
		revocation := *identity.SelfSignature
		revocation.SigType, revocation.CreationTime = packet.SigTypeCertificationRevocation, moment
		check(revocation.SignUserId(identity.Name, k.Entity.PrimaryKey, k.Entity.PrivateKey, at(moment)))
		if bare {
			identity.Signatures = nil
		}
		identity.Signatures = append(identity.Signatures, &revocation)
	}
}

// Fingerprint returns the primary key's fingerprint in upper-case hex.
func (k Key) Fingerprint() string { return fmt.Sprintf("%X", k.Entity.PrimaryKey.Fingerprint) }

// Binary returns the public key.
func (k Key) Binary() []byte {
	var buffer bytes.Buffer
	check(k.Entity.Serialize(&buffer))
	return buffer.Bytes()
}

// Block returns the armored public key.
func (k Key) Block() string { return Armor(openpgp.PublicKeyType, k.Binary()) }

// Sign returns a binary detached signature by the primary key.
func (k Key) Sign(document string, moment time.Time) []byte {
	return sign(k.Entity.PrivateKey, document, moment)
}

// SignBySubkey returns a binary detached signature by the first subkey.
func (k Key) SignBySubkey(document string, moment time.Time) []byte {
	return sign(k.Entity.Subkeys[0].PrivateKey, document, moment)
}

// SignNaming returns a signature by k that names another key as its issuer, with that key's fingerprint or with k's own.
func (k Key) SignNaming(issuer Key, ownFingerprint bool, document string, moment time.Time) []byte {
	fingerprint := issuer.Entity.PrimaryKey.Fingerprint
	if ownFingerprint {
		fingerprint = k.Entity.PrimaryKey.Fingerprint
	}
	private := *k.Entity.PrivateKey // go-crypto takes the issuer from the key that signs
	private.KeyId, private.Fingerprint = issuer.Entity.PrimaryKey.KeyId, fingerprint
	return sign(&private, document, moment)
}

func sign(private *packet.PrivateKey, document string, moment time.Time) []byte {
	signature := &packet.Signature{Version: 4, SigType: packet.SigTypeBinary, PubKeyAlgo: private.PubKeyAlgo, Hash: crypto.SHA256,
		CreationTime: moment, IssuerKeyId: &private.KeyId, IssuerFingerprint: private.Fingerprint}
	hash := must(signature.PrepareSign(at(moment)))
	must(hash.Write([]byte(document)))
	check(signature.Sign(hash, private, at(moment)))
	var buffer bytes.Buffer
	check(signature.Serialize(&buffer))
	return buffer.Bytes()
}

// Armor returns the ASCII armor of a block such as openpgp.SignatureType.
func Armor(blockType string, body []byte) string {
	var buffer bytes.Buffer
	writer := must(armor.Encode(&buffer, blockType, nil))
	must(writer.Write(body))
	check(writer.Close())
	return buffer.String() + "\n"
}

func at(moment time.Time) *packet.Config {
	return &packet.Config{Time: func() time.Time { return moment }, Algorithm: packet.PubKeyAlgoEdDSA, DefaultHash: crypto.SHA256}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
