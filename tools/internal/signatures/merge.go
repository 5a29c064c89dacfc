package signatures

import (
	"bytes"
	"sort"

	"github.com/ProtonMail/go-crypto/openpgp"
)

// merge adds another copy of the same key. Of each user id and each subkey the newest self-signature counts (D03): a publisher who prolonged a
// key is believed although the registry also serves the old copy. Revocations of all copies count.
func (k *ringKey) merge(other *openpgp.Entity) {
	entity := k.entity
	entity.Revocations = append(entity.Revocations, other.Revocations...)
	if other.SelfSignature != nil && (entity.SelfSignature == nil || other.SelfSignature.CreationTime.After(entity.SelfSignature.CreationTime)) {
		entity.SelfSignature = other.SelfSignature // a version 6 key
	}
	for name, identity := range other.Identities {
		known, ok := entity.Identities[name]
		if !ok {
			entity.Identities[name] = identity
			continue
		}
		known.Revocations = append(known.Revocations, identity.Revocations...)
		if identity.SelfSignature.CreationTime.After(known.SelfSignature.CreationTime) {
			known.SelfSignature = identity.SelfSignature
		}
	}
	for _, subkey := range other.Subkeys {
		known := findSubkey(entity, subkey.PublicKey.Fingerprint)
		if known == nil {
			entity.Subkeys = append(entity.Subkeys, subkey)
			continue
		}
		known.Revocations = append(known.Revocations, subkey.Revocations...)
		if subkey.Sig.CreationTime.After(known.Sig.CreationTime) {
			known.Sig = subkey.Sig
		}
	}
}

func findSubkey(entity *openpgp.Entity, fingerprint []byte) *openpgp.Subkey {
	for i := range entity.Subkeys {
		if bytes.Equal(entity.Subkeys[i].PublicKey.Fingerprint, fingerprint) {
			return &entity.Subkeys[i]
		}
	}
	return nil
}

// reduce leaves only the user id that decides about expiry and flags. go-crypto chooses one out of a map, and where two are equal in its eyes
// the outcome would differ from run to run. The order is its own: fewer revocations, the primary mark, the newer self-signature; then the name.
func (k *ringKey) reduce() {
	identities := make([]*openpgp.Identity, 0, len(k.entity.Identities))
	for _, identity := range k.entity.Identities {
		identities = append(identities, identity)
	}
	if len(identities) < 2 {
		return
	}
	marked := func(i *openpgp.Identity) bool {
		return i.SelfSignature.IsPrimaryId != nil && *i.SelfSignature.IsPrimaryId
	}
	sort.Slice(identities, func(a, b int) bool {
		x, y := identities[a], identities[b]
		switch {
		case len(x.Revocations) != len(y.Revocations):
			return len(x.Revocations) < len(y.Revocations)
		case marked(x) != marked(y):
			return marked(x)
		case !x.SelfSignature.CreationTime.Equal(y.SelfSignature.CreationTime):
			return x.SelfSignature.CreationTime.After(y.SelfSignature.CreationTime)
		default:
			return x.Name < y.Name
		}
	})
	k.entity.Identities = map[string]*openpgp.Identity{identities[0].Name: identities[0]}
}
