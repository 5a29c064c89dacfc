package registry_test

import (
	"bytes"
	"crypto"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"rules_tf_mirror/tests/registry"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	pgperrors "github.com/ProtonMail/go-crypto/openpgp/errors"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// verify checks a detached binary signature as the tools do.
func verify(armored string, data, signature []byte) error {
	return verifyAt(armored, data, signature, time.Now(), 0)
}

// verifyAt is verify at a time; a digest that is refused by default can be accepted.
func verifyAt(armored string, data, signature []byte, at time.Time, accept crypto.Hash) error {
	keys, err := openpgp.ReadArmoredKeyRing(strings.NewReader(armored))
	if err != nil {
		return err
	}
	config := &packet.Config{Time: func() time.Time { return at }}
	if accept != 0 {
		config.RejectMessageHashAlgorithms = map[crypto.Hash]bool{}
	}
	_, err = openpgp.CheckDetachedSignature(keys, bytes.NewReader(data), bytes.NewReader(signature), config)
	return err
}

var day0 = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

func TestKeys(t *testing.T) {
	t.Parallel()
	data := []byte("sums\n")
	for name, tc := range map[string]struct {
		key     registry.KeyOptions
		change  func(*registry.Key)
		sign    registry.SignOptions
		at      time.Duration // after day0
		wantErr error
	}{
		"good":             {},
		"RSA":              {key: registry.KeyOptions{RSABits: 2048}},
		"SHA-512":          {sign: registry.SignOptions{Hash: crypto.SHA512}},
		"SHA-1":            {sign: registry.SignOptions{Hash: crypto.SHA1}},
		"subkey":           {key: registry.KeyOptions{SigningSubkey: true}},
		"primary":          {key: registry.KeyOptions{SigningSubkey: true}, sign: registry.SignOptions{WithPrimary: true}},
		"not yet expired":  {key: registry.KeyOptions{Lifetime: 10 * day}, at: 9 * day},
		"R-AUTH-14":        {key: registry.KeyOptions{Lifetime: 10 * day}, at: 11 * day, wantErr: pgperrors.ErrKeyExpired},
		"signed after end": {key: registry.KeyOptions{Lifetime: 10 * day}, sign: registry.SignOptions{Time: day0.Add(20 * day)}, at: 21 * day, wantErr: pgperrors.ErrKeyExpired},
		"R-AUTH-15":        {sign: registry.SignOptions{Lifetime: 10 * day}, at: 11 * day, wantErr: pgperrors.ErrSignatureExpired},
		"of the future":    {sign: registry.SignOptions{Time: day0.Add(20 * day)}, at: day, wantErr: pgperrors.ErrSignatureExpired},
		"R-AUTH-16":        {change: func(k *registry.Key) { k.Revoke(day0.Add(day)) }, at: 2 * day, wantErr: pgperrors.ErrKeyRevoked},
		"subkey revoked":   {key: registry.KeyOptions{SigningSubkey: true}, change: func(k *registry.Key) { k.RevokeSubkey(day0.Add(day)) }, at: 2 * day, wantErr: pgperrors.ErrKeyRevoked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.key.Created = day0
			k := registry.NewKey(tc.key)
			if tc.change != nil {
				tc.change(k)
			}
			signature, err := k.Sign(data, tc.sign)
			if err != nil {
				t.Fatal(err)
			}
			err = verifyAt(k.Armored(), data, signature, day0.Add(tc.at+time.Hour), tc.sign.Hash)
			if !errors.Is(err, tc.wantErr) {
				t.Errorf("found %v, wanted %v", err, tc.wantErr)
			}
			if tc.wantErr == nil && verifyAt(k.Armored(), []byte("other"), signature, day0.Add(tc.at), tc.sign.Hash) == nil {
				t.Error("the signature is good for other data")
			}
		})
	}
}

// An MD5 signature is well-formed: the library reads all of it and refuses the digest, not the packet.
func TestMD5Signature(t *testing.T) {
	t.Parallel()
	k := registry.NewKey(registry.KeyOptions{RSABits: 2048, Created: day0})
	data := []byte("sums\n")
	signature, err := k.Sign(data, registry.SignOptions{Hash: crypto.MD5})
	if err != nil {
		t.Fatal(err)
	}
	if err := verifyAt(k.Armored(), data, signature, day0.Add(day), 0); err == nil {
		t.Error("the library accepts MD5")
	}
	if len(signature) < 256 || signature[6+3] != 1 {
		t.Errorf("found %x, wanted a packet whose digest is 1 (MD5)", signature)
	}
	if _, err := registry.NewKey(registry.KeyOptions{}).Sign(data, registry.SignOptions{Hash: crypto.MD5}); err == nil {
		t.Error("MD5 with Ed25519 passes")
	}
}

func TestKeyNames(t *testing.T) {
	t.Parallel()
	k := registry.NewKey(registry.KeyOptions{Name: "Ned", Email: "ned@example.com"})
	if !regexp.MustCompile(`^[0-9A-F]{40}$`).MatchString(k.Fingerprint()) || k.ID() != k.Fingerprint()[24:] {
		t.Errorf("found %s and %s", k.Fingerprint(), k.ID())
	}
	keys, err := openpgp.ReadArmoredKeyRing(strings.NewReader(k.Armored()))
	if err != nil || keys[0].PrivateKey != nil || keys[0].PrimaryKey.KeyIdString() != k.ID() || keys[0].Identities["Ned <ned@example.com>"] == nil {
		t.Errorf("found %v, %v, wanted Ned's public key", keys, err)
	}
	two, err := openpgp.ReadArmoredKeyRing(strings.NewReader(registry.ArmorKeys(k, registry.NewKey(registry.KeyOptions{}))))
	if err != nil || len(two) != 2 { // R-AUTH-11
		t.Errorf("found %d keys in one block, %v, wanted 2", len(two), err)
	}
}

// R-AUTH-20: an armored signature over the binary of the other key.
func TestTrustSignature(t *testing.T) {
	t.Parallel()
	partner, k := registry.NewKey(registry.KeyOptions{}), registry.NewKey(registry.KeyOptions{})
	text, err := partner.TrustSignature(k)
	if err != nil {
		t.Fatal(err)
	}
	block, err := armor.Decode(strings.NewReader(text))
	if err != nil || block.Type != openpgp.SignatureType {
		t.Fatalf("found %v, %v, wanted an armored signature", block, err)
	}
	keys, _ := openpgp.ReadArmoredKeyRing(strings.NewReader(partner.Armored()))
	if _, err := openpgp.CheckDetachedSignature(keys, bytes.NewReader(k.Binary()), block.Body, nil); err != nil {
		t.Error(err)
	}
}

// Several signers stand one after the other; who is offered is another question.
func TestSigners(t *testing.T) {
	t.Parallel()
	reg, h, v := widget(t)
	first, second, third := registry.NewKey(registry.KeyOptions{}), registry.NewKey(registry.KeyOptions{}), registry.NewKey(registry.KeyOptions{})
	h.Provider("acme/widget").Key(third)
	d := ask(t, reg)
	if got := d.SigningKeys.GPGPublicKeys[0].KeyID; got != third.ID() {
		t.Errorf("found %s, wanted the provider's key %s", got, third.ID())
	}
	check := func(k *registry.Key, want bool) {
		t.Helper()
		sums := wantStatus(t, reg.HTTPClient(), d.ShasumsURL, 200)
		if err := verify(k.Armored(), sums, wantStatus(t, reg.HTTPClient(), d.SignatureURL, 200)); (err == nil) != want {
			t.Errorf("key %s: found %v, wanted good: %v", k.ID(), err, want)
		}
	}
	check(third, true)
	v.Key(first)
	check(first, true)
	check(third, false)
	v.SignWith(first, second)
	check(first, true)
	check(second, true)
	v.Signing(registry.SignOptions{Time: time.Now().Add(-time.Hour)})
	v.Offer(second.Offer(), registry.OfferedKey{ASCIIArmor: "junk"})
	d = ask(t, reg)
	if keys := d.SigningKeys.GPGPublicKeys; len(keys) != 2 || keys[0].KeyID != second.ID() || keys[1].ASCIIArmor != "junk" {
		t.Errorf("found %+v", keys)
	}
	check(second, true)
}
