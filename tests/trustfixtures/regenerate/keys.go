package main

import (
	"bytes"
	"crypto"
	_ "crypto/md5" // for signWeak
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha1" // for signWeak
	"encoding/binary"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// Dates of the story: keys are made in 2019, releases signed in 2022, unless a fixture is about dates.
var (
	made     = time.Date(2019, 3, 1, 0, 0, 0, 0, time.UTC)
	signedAt = time.Date(2022, 6, 1, 0, 0, 0, 0, time.UTC)
	expiry   = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	later    = time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	future   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func at(moment time.Time) *packet.Config {
	return &packet.Config{Time: func() time.Time { return moment }, Algorithm: packet.PubKeyAlgoEdDSA, DefaultHash: crypto.SHA256}
}

func until(from, end time.Time) uint32 { return uint32(end.Sub(from) / time.Second) }

// key makes a key of the given owner that can sign with its primary key.
func key(owner string, options ...func(*packet.Config)) *openpgp.Entity {
	config := at(made)
	for _, option := range options {
		option(config)
	}
	entity := must(openpgp.NewEntity(owner, "fixture", "release@example.com", config))
	entity.Subkeys = nil
	return entity
}

func expires(end time.Time) func(*packet.Config) {
	return func(c *packet.Config) { c.KeyLifetimeSecs = until(made, end) }
}

func algorithm(a packet.PublicKeyAlgorithm, bits int) func(*packet.Config) {
	return func(c *packet.Config) { c.Algorithm, c.RSABits, c.Curve = a, bits, packet.CurveNistP256 }
}

func madeAt(moment time.Time) func(*packet.Config) {
	return func(c *packet.Config) { c.Time = func() time.Time { return moment } }
}

// shortRSA makes a key that is too short for NewEntity.
func shortRSA(owner string, bits int) *openpgp.Entity {
	private := packet.NewRSAPrivateKey(made, must(rsa.GenerateKey(rand.Reader, bits)))
	entity := &openpgp.Entity{PrimaryKey: &private.PublicKey, PrivateKey: private, Identities: map[string]*openpgp.Identity{}}
	check(entity.AddUserId(owner, "fixture", "release@example.com", at(made)))
	return entity
}

// withSubkey adds a signing subkey and leaves the primary key to certify only.
func withSubkey(entity *openpgp.Entity, options ...func(*packet.Config)) *openpgp.Entity {
	config := at(made.AddDate(0, 1, 0))
	for _, option := range options {
		option(config)
	}
	check(entity.AddSigningSubkey(config))
	return entity
}

// recertify changes the self-signature of the only user id and makes it anew.
func recertify(entity *openpgp.Entity, moment time.Time, change func(*packet.Signature)) *openpgp.Entity {
	for _, identity := range entity.Identities {
		identity.SelfSignature.CreationTime = moment
		change(identity.SelfSignature)
		check(identity.SelfSignature.SignUserId(identity.Name, entity.PrimaryKey, entity.PrivateKey, at(moment)))
		identity.Signatures = []*packet.Signature{identity.SelfSignature}
	}
	return entity
}

// public returns the binary public key.
func public(entities ...*openpgp.Entity) []byte {
	var buffer bytes.Buffer
	for _, entity := range entities {
		check(entity.Serialize(&buffer))
	}
	return buffer.Bytes()
}

func armored(blockType string, body []byte) string {
	var buffer bytes.Buffer
	writer := must(armor.Encode(&buffer, blockType, nil))
	must(writer.Write(body))
	check(writer.Close())
	return buffer.String() + "\n"
}

func block(entities ...*openpgp.Entity) string {
	return armored(openpgp.PublicKeyType, public(entities...))
}

// signature describes a signature to be made.
type signature struct {
	by       *openpgp.Entity
	subkey   bool
	at       time.Time
	digest   crypto.Hash
	kind     packet.SignatureType
	lifetime uint32
	notation *packet.Notation
}

// sign makes a detached binary signature without asking whether the key may sign.
func (s signature) sign(document string) []byte {
	private := s.by.PrivateKey
	if s.subkey {
		private = s.by.Subkeys[0].PrivateKey
	}
	if s.at.IsZero() {
		s.at = signedAt
	}
	if s.digest == 0 {
		s.digest = crypto.SHA256
	}
	sig := &packet.Signature{Version: 4, SigType: s.kind, PubKeyAlgo: private.PubKeyAlgo, Hash: s.digest, CreationTime: s.at,
		IssuerKeyId: &private.KeyId, IssuerFingerprint: private.Fingerprint}
	if s.lifetime > 0 {
		sig.SigLifetimeSecs = &s.lifetime
	}
	if s.notation != nil {
		sig.Notations = []*packet.Notation{s.notation}
	}
	hash := must(sig.PrepareSign(at(s.at)))
	if s.kind == packet.SigTypeText {
		must(openpgp.NewCanonicalTextHash(hash).Write([]byte(document)))
	} else {
		must(hash.Write([]byte(document)))
	}
	check(sig.Sign(hash, private, at(s.at)))
	var buffer bytes.Buffer
	check(sig.Serialize(&buffer))
	return buffer.Bytes()
}

// signWeak makes a genuine version 4 signature by an RSA key over an MD5 or SHA-1 digest, which go-crypto does not make. The number is
// OpenPGP's of the digest.
func signWeak(by *openpgp.Entity, algorithm crypto.Hash, number byte, document string) []byte {
	created := append([]byte{5, 2}, binary.BigEndian.AppendUint32(nil, uint32(signedAt.Unix()))...)
	issuer := append([]byte{9, 16}, binary.BigEndian.AppendUint64(nil, by.PrimaryKey.KeyId)...)
	head := append([]byte{4, 0, byte(packet.PubKeyAlgoRSA), number, 0, byte(len(created))}, created...)
	hash := algorithm.New()
	hash.Write([]byte(document))
	hash.Write(head)
	hash.Write(binary.BigEndian.AppendUint32([]byte{4, 0xff}, uint32(len(head))))
	digest := hash.Sum(nil)
	private := by.PrivateKey.PrivateKey.(*rsa.PrivateKey)
	value := must(rsa.SignPKCS1v15(rand.Reader, private, algorithm, digest))
	body := append(head, 0, byte(len(issuer)))
	body = append(body, issuer...)
	body = append(body, digest[0], digest[1])
	body = binary.BigEndian.AppendUint16(body, uint16(private.N.BitLen()))
	body = append(body, value...)
	var buffer bytes.Buffer
	check((&packet.OpaquePacket{Tag: 2, Contents: body}).Serialize(&buffer))
	return buffer.Bytes()
}
