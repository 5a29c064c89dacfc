package signatures_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"

	"rules_tf_mirror/tests/trustfixtures"
	"rules_tf_mirror/tests/trustfixtures/testkeys"
	"rules_tf_mirror/tools/internal/signatures"
)

// Armor as registries and people write it: what the tools' reader accepts is accepted, with the same key.
func TestArmorSpellings(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	block, signature := key.Block(), key.Sign(document, signed)
	withHeaders := strings.Replace(block, "BLOCK-----\n", "BLOCK-----\nVersion: GnuPG v2\nComment: release key\n", 1)
	checksum := block[strings.LastIndex(block, "\n="):strings.Index(block, "\n-----END")]
	for _, test := range []struct {
		name, text string
		kind       signatures.Kind // empty: accepted
	}{
		{"as it is", block, ""},
		{"CR LF", strings.ReplaceAll(block, "\n", "\r\n"), ""},
		{"headers", withHeaders, ""},
		{"text before", "Our release key:\n\n" + block, ""},
		{"text after", block + "\nThank you.\n", ""},
		{"no checksum", strings.Replace(block, checksum, "", 1), ""},
		{"wrong checksum, which the reader does not compare", strings.Replace(block, checksum, "\n=AAAA", 1), ""},
		{"spaces at line ends", strings.ReplaceAll(block, "\n", "  \n"), ""},
		{"without end line", block[:strings.Index(block, "-----END")], ""},
		{"empty", "", signatures.UnreadableKey},
		{"blank", " \n\n", signatures.UnreadableKey},
		{"only the begin line", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n", signatures.UnreadableKey},
		{"no body", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n-----END PGP PUBLIC KEY BLOCK-----\n", signatures.UnreadableKey},
		{"base64 without armor", strings.Join(strings.Split(block, "\n")[2:5], ""), signatures.UnreadableKey},
		{"escaped newlines", strings.ReplaceAll(block, "\n", `\n`), signatures.UnreadableKey},
		{"damaged base64", strings.Replace(block, "\n\n", "\n\n!!!!", 1), signatures.UnreadableKey},
		{"a signature", testkeys.Armor(openpgp.SignatureType, signature), signatures.UnreadableKey},
		{"a signature called a key", testkeys.Armor(openpgp.PublicKeyType, signature), signatures.UnreadableKey},
		{"a message", testkeys.Armor("PGP MESSAGE", key.Binary()), signatures.UnreadableKey},
		{"half a key", testkeys.Armor(openpgp.PublicKeyType, key.Binary()[:60]), signatures.UnreadableKey},
		{"a key cut before its self-signature ends", testkeys.Armor(openpgp.PublicKeyType, key.Binary()[:len(key.Binary())-3]), signatures.UnreadableKey},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result := check(t, []string{test.text}, signature, later)
			if test.kind == "" {
				if got := only(t, result); got.Signer.Fingerprint != key.Fingerprint() {
					t.Errorf("signer %s", got.Signer.Fingerprint)
				}
				return
			}
			if len(result.Good) > 0 || result.Defects[0].Kind != test.kind || !strings.Contains(result.Err().Error(), "key entry 1") {
				t.Errorf("good %d, %s: %v", len(result.Good), result.Defects[0].Kind, result.Err())
			}
		})
	}
}

// One broken key in a block does not hide the others, wherever it stands, and is reported by its fingerprint.
func TestBrokenKeyInBlock(t *testing.T) {
	t.Parallel()
	good, broken := testkeys.New("Good", made, never), testkeys.New("Broken", made, never)
	var bare bytes.Buffer
	if err := broken.Entity.PrimaryKey.Serialize(&bare); err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(broken.Binary())
	flipped[len(flipped)-1] ^= 1
	for name, damaged := range map[string][]byte{"no user id": bare.Bytes(), "bad self-signature": flipped} {
		for _, body := range [][]byte{bytes.Join([][]byte{damaged, good.Binary()}, nil), bytes.Join([][]byte{good.Binary(), damaged}, nil)} {
			blocks := []string{testkeys.Armor(openpgp.PublicKeyType, body)}
			result := check(t, blocks, good.Sign(document, signed), later)
			only(t, result)
			if len(result.Defects) != 1 || result.Defects[0].Kind != signatures.NoSelfSignature || !strings.Contains(result.Defects[0].Message, broken.Fingerprint()) {
				t.Errorf("%s: defects %v", name, result.Defects)
			}
			result = check(t, blocks, broken.Sign(document, signed), later)
			if len(result.Good) > 0 || result.Defects[0].Kind != signatures.NoSelfSignature || result.Defects[0].Issuer != broken.Fingerprint() {
				t.Errorf("%s, signed by the broken key: %v", name, result.Err())
			}
		}
	}
}

// A subkey that is not marked for signing cannot sign, although its primary key can.
func TestEncryptionSubkeyCannotSign(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	key.AddSubkey(made, never)
	subkey := &key.Entity.Subkeys[0]
	subkey.Sig.FlagSign, subkey.Sig.FlagEncryptStorage, subkey.Sig.EmbeddedSignature = false, true, nil
	if err := subkey.Sig.SignKey(subkey.PublicKey, key.Entity.PrivateKey, nil); err != nil {
		t.Fatal(err)
	}
	result := check(t, []string{key.Block()}, key.SignBySubkey(document, signed), later)
	if len(result.Good) > 0 || result.Defects[0].Kind != signatures.NotForSigning || !strings.Contains(result.Err().Error(), "subkey") {
		t.Errorf("got %+v, %v", result.Good, result.Err())
	}
}

// Dates of subkeys: one from the future cannot have signed, and a signature cannot be older than the subkey that made it.
func TestSubkeyDates(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	key.AddSubkey(later, never)
	for _, test := range []struct {
		name string
		kind signatures.Kind
		want string
	}{
		{"before the subkey exists", signatures.FutureKey, "2023-01-01"},
		{"after", signatures.OlderThanKey, "2021-06-01"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			now := later.AddDate(1, 0, 0)
			if test.kind == signatures.FutureKey {
				now = signed.AddDate(0, 1, 0)
			}
			result := check(t, []string{key.Block()}, key.SignBySubkey(document, signed), now)
			if len(result.Good) > 0 || result.Defects[0].Kind != test.kind || !strings.Contains(result.Err().Error(), test.want) {
				t.Errorf("got %+v, %v", result.Good, result.Err())
			}
		})
	}
}

// The clock's edge: a signature of this very second is good, one of the next is not.
func TestSignatureOfThisSecond(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	signature := key.Sign(document, signed)
	only(t, check(t, []string{key.Block()}, signature, signed))
	if result := check(t, []string{key.Block()}, signature, signed.Add(-1)); len(result.Good) > 0 || result.Defects[0].Kind != signatures.FutureSignature {
		t.Errorf("got %+v, %v", result.Good, result.Err())
	}
	// The key of a signature from its own first second is valid too.
	only(t, check(t, []string{key.Block()}, key.Sign(document, made), made))
}

// Forms in which signature files are uploaded by mistake.
func TestSignatureFiles(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	good := key.Sign(document, signed)
	armored := testkeys.Armor(openpgp.SignatureType, good)
	for _, test := range []struct {
		name string
		file []byte
		kind signatures.Kind
	}{
		{"blank", []byte(" \r\n\n"), signatures.EmptySignature},
		{"armored", []byte(armored), signatures.Armored},
		{"armored after a byte order mark", []byte("\ufeff" + armored), signatures.Armored},
		{"armored after blank lines", []byte("\n\n" + armored), signatures.Armored},
		{"clear-signed message", []byte("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n" + document), signatures.Armored},
		{"JSON", []byte(`{"message": "Not Found"}`), signatures.Malformed},
		{"the list itself", []byte(document), signatures.Malformed},
		{"cut", good[:len(good)-10], signatures.Malformed},
		{"cut within the header", good[:1], signatures.Malformed},
		{"zero bytes", make([]byte, 64), signatures.Malformed},
		{"marker packet only", []byte{0xCA, 3, 'P', 'G', 'P'}, signatures.Malformed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result := check(t, []string{key.Block()}, test.file, later)
			if len(result.Good) > 0 || result.Err() == nil || result.Defects[0].Kind != test.kind {
				t.Errorf("good %d, %v, want %s", len(result.Good), result.Err(), test.kind)
			}
		})
	}
	only(t, check(t, []string{key.Block()}, append([]byte{0xCA, 3, 'P', 'G', 'P'}, good...), later)) // a marker packet means nothing
}

// No byte of the signed document and no hashed byte of the signature can be changed.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	ring := signatures.ParseKeys([]string{key.Block()})
	good := key.Sign(document, signed)
	options := signatures.Options{Now: later}
	for i := range document {
		changed := []byte(document)
		changed[i] ^= 0x20
		if len(ring.Verify(changed, good, options).Good) > 0 {
			t.Errorf("byte %d of the document does not count", i)
		}
	}
	free := freeBytes(good)
	for i := range good {
		changed := bytes.Clone(good)
		changed[i] ^= 0x01
		if len(ring.Verify([]byte(document), changed, options).Good) > 0 && !free[i] {
			t.Errorf("byte %d of the signature (%d bytes) does not count", i, len(good))
		}
	}
	for i := range document {
		if len(ring.Verify([]byte(document)[:i], good, options).Good) > 0 {
			t.Errorf("the first %d bytes are enough", i)
		}
	}
}

// freeBytes returns the positions in an EdDSA signature packet of version 4 (RFC 9580, 5.2.3) whose low bit nothing relies on: the two bytes of the
// digest's beginning, and the bit counts of the two numbers, which mean the same as long as the count of bytes stays.
func freeBytes(signature []byte) map[int]bool {
	const header, fixed = 2, 4 // tag and length; version, type and the two algorithms
	area := func(at int) int { return at + 2 + int(signature[at])<<8 + int(signature[at+1]) }
	digest := area(area(header + fixed)) // behind the hashed and the unhashed subpackets
	r := digest + 2
	s := r + 2 + (int(signature[r])<<8+int(signature[r+1])+7)/8
	return map[int]bool{digest: true, digest + 1: true, r + 1: true, s + 1: true}
}

// A defect keeps its cause and says which entry it is of.
func TestDefectsAreErrors(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	defect := &signatures.Defect{Kind: signatures.Tampered, Message: "text", Err: cause}
	if !errors.Is(fmt.Errorf("wrapped: %w", defect), cause) || defect.Error() != "text" {
		t.Errorf("got %v", defect)
	}
	problems := signatures.ParseKeys([]string{trustfixtures.Get("good").Keys[0].ASCIIArmor, "x", "y"}).Problems()
	if len(problems) != 2 || problems[0].Entry != 1 || problems[1].Entry != 2 || !strings.Contains(problems[1].Error(), "key entry 3") {
		t.Errorf("problems %v", problems)
	}
	if got := (signatures.Key{Fingerprint: "AB"}).String(); got != "AB" {
		t.Errorf("a key without owner is %q", got)
	}
}

// Many offered keys do not make an endless message.
func TestUnknownIssuerAmongMany(t *testing.T) {
	t.Parallel()
	var blocks []string
	for i := range 12 {
		blocks = append(blocks, testkeys.New(fmt.Sprintf("Key %d", i), made, never).Block())
	}
	text := check(t, blocks, testkeys.New("Signer", made, never).Sign(document, signed), later).Err().Error()
	if !strings.Contains(text, "Key 7 ") || strings.Contains(text, "Key 8 ") || !strings.Contains(text, "4 more") {
		t.Errorf("got %q", text)
	}
}

// A user attribute (a photo) and packets of unknown types in a key do not matter.
func TestOtherPacketsInKey(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	body := bytes.NewBuffer(key.Binary())
	for _, extra := range []*packet.OpaquePacket{{Tag: 63, Contents: []byte("experiment")}, {Tag: 12, Contents: []byte{0, 6}}} {
		if err := extra.Serialize(body); err != nil {
			t.Fatal(err)
		}
	}
	only(t, check(t, []string{testkeys.Armor(openpgp.PublicKeyType, body.Bytes())}, key.Sign(document, signed), later))
}
