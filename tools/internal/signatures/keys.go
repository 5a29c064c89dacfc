package signatures

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// OpenPGP packet tags that are told apart here.
const (
	tagSignature = 2
	tagSecretKey = 5
	tagPublicKey = 6
	tagMarker    = 10
	tagPadding   = 21
)

// What a registry may make us compute: signatures by longer RSA and DSA keys take minutes to check.
const (
	maximumBits  = 16384
	maximumEntry = 1 << 20 // bytes of armor
)

// Ring holds the keys of one download answer.
type Ring struct {
	keys     []*ringKey
	unusable []unusable
	bodies   [][]byte // per entry: the binary of its first armor block, nil if there is none
	problems []*Defect
}

type ringKey struct {
	entity  *openpgp.Entity
	entries []int
}

// unusable is a key that was seen but cannot verify anything.
type unusable struct {
	ids    map[uint64]bool // of primary key and subkeys
	defect *Defect
}

// ParseKeys reads the key entries of a download answer, in their order. An entry or a key that cannot be used is passed over and reported by
// Problems (D20; the tools stop at it, R-AUTH-8).
func ParseKeys(armored []string) *Ring {
	ring := &Ring{bodies: make([][]byte, len(armored))}
	for i, text := range armored {
		ring.addEntry(i, text)
	}
	for _, key := range ring.keys {
		key.reduce()
	}
	return ring
}

// Problems returns the defects of key entries.
func (r *Ring) Problems() []*Defect { return r.problems }

// Keys returns the usable keys, in the order of the entries that first held them.
func (r *Ring) Keys() []Key {
	keys := make([]Key, len(r.keys))
	for i, key := range r.keys {
		keys[i] = key.describe()
	}
	return keys
}

// Body returns the de-armored binary of an entry's first block, which a partner's trust signature is over (R-AUTH-20); nil if there is none.
func (r *Ring) Body(entry int) []byte { return r.bodies[entry] }

// Material returns the serialized public key packet of a primary key, nil if the ring does not hold it. Two keys with one fingerprint and
// different material would be a forgery of the fingerprint.
func (r *Ring) Material(fingerprint string) []byte {
	for _, key := range r.keys {
		if key.describe().Fingerprint == fingerprint {
			return material(key.entity.PrimaryKey)
		}
	}
	return nil
}

func (r *Ring) problem(kind Kind, entry int, err error, format string, args ...any) *Defect {
	defect := &Defect{Kind: kind, Entry: entry, Err: err, Message: fmt.Sprintf("key entry %d ", entry+1) + fmt.Sprintf(format, args...)}
	r.problems = append(r.problems, defect)
	return defect
}

func (r *Ring) addEntry(entry int, text string) {
	if len(text) > maximumEntry {
		r.problem(UnreadableKey, entry, nil, "has %d bytes, more than the %d that a key needs", len(text), maximumEntry)
		return
	}
	block, err := armor.Decode(strings.NewReader(text))
	if err != nil {
		r.problem(UnreadableKey, entry, err, "is no ASCII-armored key block (it begins with %q)", beginning([]byte(text)))
		return
	}
	if block.Type != openpgp.PublicKeyType && block.Type != openpgp.PrivateKeyType {
		r.problem(UnreadableKey, entry, nil, "is no public key but %q", Printable(block.Type))
		return
	}
	body, err := io.ReadAll(block.Body)
	if err != nil {
		r.problem(UnreadableKey, entry, err, "has damaged armor: %v", err)
		return
	}
	r.bodies[entry] = body
	groups, err := splitKeys(body)
	if err != nil || len(groups) == 0 {
		r.problem(UnreadableKey, entry, err, "holds no readable key: %s", because(err, "no public key packet"))
		return
	}
	for _, group := range groups {
		r.addGroup(entry, group)
	}
	r.addLaterBlocks(entry, text)
}

// addGroup reads one key with its user ids, subkeys and signatures.
func (r *Ring) addGroup(entry int, group []*packet.OpaquePacket) {
	ids, primary, bits, longest := inspect(group)
	unusableKey := func(kind Kind, err error, format string, args ...any) {
		defect := r.problem(kind, entry, err, "(key %s) %s", primary, fmt.Sprintf(format, args...))
		r.unusable = append(r.unusable, unusable{ids: ids, defect: defect})
	}
	switch {
	case group[0].Tag == tagSecretKey:
		unusableKey(SecretKey, nil, "is a PRIVATE key: everybody who can read the registry's answer can sign with it. The publisher must revoke it")
		return
	case longest > maximumBits:
		unusableKey(UnreadableKey, nil, "holds a key of %d bits; more than %d are not computed with", longest, maximumBits)
		return
	}
	entity, err := readEntity(group)
	if err == nil {
		for name, identity := range entity.Identities {
			if identity.SelfSignature == nil { // only revoked, never certified
				delete(entity.Identities, name)
			}
		}
		if len(entity.Identities) == 0 && entity.PrimaryKey.Version < 6 {
			err = errors.New("every user id is revoked or not certified")
		}
	}
	if err != nil {
		kind, text := classifyKeyError(err, bits)
		unusableKey(kind, err, "%s: %v", text, err)
		return
	}
	for _, known := range r.keys {
		if bytes.Equal(known.entity.PrimaryKey.Fingerprint, entity.PrimaryKey.Fingerprint) {
			if !bytes.Equal(material(known.entity.PrimaryKey), material(entity.PrimaryKey)) {
				r.problem(WrongKey, entry, nil, "has the fingerprint %X of another entry but another key", entity.PrimaryKey.Fingerprint)
				return
			}
			known.merge(entity)
			known.entries = append(known.entries, entry)
			return
		}
	}
	r.keys = append(r.keys, &ringKey{entity: entity, entries: []int{entry}})
}

// addLaterBlocks remembers the ids of keys that stand in further armor blocks, to say why they do not count.
func (r *Ring) addLaterBlocks(entry int, text string) {
	_, rest, _ := strings.Cut(text, "-----END PGP PUBLIC KEY BLOCK-----")
	if !strings.Contains(rest, "-----BEGIN PGP ") {
		return
	}
	defect := r.problem(LaterBlock, entry, nil, "has more than one armor block; only the first counts, for terraform and tofu too. The registry must list each block as an entry of its own")
	later := ParseKeys([]string{rest})
	ids := map[uint64]bool{}
	for _, key := range later.keys {
		for id := range key.ids() {
			ids[id] = true
		}
	}
	for _, key := range later.unusable {
		for id := range key.ids {
			ids[id] = true
		}
	}
	r.unusable = append(r.unusable, unusable{ids: ids, defect: defect})
}

// splitKeys splits packets into groups that begin with a primary key. What precedes the first key does not count, as in go-crypto.
func splitKeys(body []byte) (groups [][]*packet.OpaquePacket, err error) {
	reader := packet.NewOpaqueReader(bytes.NewReader(body))
	for {
		next, err := reader.Next()
		if err == io.EOF {
			return groups, nil
		}
		if err != nil {
			return nil, err
		}
		if next.Tag == tagPublicKey || next.Tag == tagSecretKey {
			groups = append(groups, nil)
		}
		if len(groups) > 0 {
			groups[len(groups)-1] = append(groups[len(groups)-1], next)
		}
	}
}

// readEntity has go-crypto read one key. A crash there is a defect of the key, as every other error is.
func readEntity(group []*packet.OpaquePacket) (entity *openpgp.Entity, err error) {
	defer func() {
		if crash := recover(); crash != nil {
			entity, err = nil, fmt.Errorf("the OpenPGP library crashed: %v", crash)
		}
	}()
	var serialized bytes.Buffer
	for _, part := range group {
		if err := part.Serialize(&serialized); err != nil {
			return nil, err
		}
	}
	return openpgp.ReadEntity(packet.NewReader(&serialized))
}

// inspect returns the ids of all keys of a group, the primary's fingerprint and its length where that tells its strength (else 0), and the
// greatest such length of all keys.
func inspect(group []*packet.OpaquePacket) (ids map[uint64]bool, primary string, bits, longest int) {
	defer func() { _ = recover() }() // foreign bytes; what was found so far serves a message only
	ids, primary = map[uint64]bool{}, "of unknown id"
	for _, part := range group {
		parsed, err := part.Parse()
		if err != nil {
			continue
		}
		var key *packet.PublicKey
		switch parsed := parsed.(type) {
		case *packet.PublicKey:
			key = parsed
		case *packet.PrivateKey:
			key = &parsed.PublicKey
		default:
			continue
		}
		ids[key.KeyId] = true
		length, _ := weakBits(key)
		longest = max(longest, length)
		if !key.IsSubkey {
			primary, bits = fmt.Sprintf("%X", key.Fingerprint), length
		}
	}
	return ids, primary, bits, longest
}

func classifyKeyError(err error, bits int) (Kind, string) {
	switch text := err.Error(); {
	case 0 < bits && bits < minimumBits:
		return WeakKey, fmt.Sprintf("has only %d bits and can be broken", bits)
	case strings.Contains(text, "cross-signature"):
		return NoCrossSignature, "has a signing subkey that does not certify its primary key in return"
	case strings.Contains(text, "without any identities"), strings.Contains(text, "self-signature"), strings.Contains(text, "every user id"):
		return NoSelfSignature, "has no user id with a valid self-signature"
	default:
		return UnreadableKey, "cannot be used"
	}
}

func because(err error, otherwise string) string {
	if err != nil {
		return err.Error()
	}
	return otherwise
}

func material(key *packet.PublicKey) []byte {
	var serialized bytes.Buffer
	if err := key.Serialize(&serialized); err != nil {
		return nil
	}
	return serialized.Bytes()
}

func (k *ringKey) ids() map[uint64]bool {
	ids := map[uint64]bool{k.entity.PrimaryKey.KeyId: true}
	for _, subkey := range k.entity.Subkeys {
		ids[subkey.PublicKey.KeyId] = true
	}
	return ids
}

func (k *ringKey) describe() Key {
	primary := k.entity.PrimaryKey
	key := Key{
		Fingerprint: fmt.Sprintf("%X", primary.Fingerprint),
		ID:          fmt.Sprintf("%016X", primary.KeyId),
		Created:     primary.CreationTime.UTC().Truncate(time.Second),
	}
	if identity := k.entity.PrimaryIdentity(); identity != nil {
		key.Owner = Printable(identity.Name)
	}
	return key
}
