package signatures_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/packet"

	"rules_tf_mirror/tests/trustfixtures/testkeys"
	"rules_tf_mirror/tools/internal/signatures"
)

// rawPacket is a signature packet of any content.
func rawPacket(t *testing.T, body ...[]byte) []byte {
	t.Helper()
	var buffer bytes.Buffer
	if err := (&packet.OpaquePacket{Tag: 2, Contents: bytes.Join(body, nil)}).Serialize(&buffer); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// Packets that go-crypto passes over in silence are still named by their issuer.
func TestUnsupportedPackets(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	id := binary.BigEndian.AppendUint64(nil, key.Entity.PrimaryKey.KeyId)
	keyID := key.Fingerprint()[24:]
	fingerprint6 := append([]byte{6}, bytes.Repeat([]byte{0x66}, 32)...)
	for _, test := range []struct {
		name string
		body [][]byte
		kind signatures.Kind
		text string
	}{
		{"version 3, MD5", [][]byte{{3, 5, 0, 0, 0, 0, 0}, id, {1, 1, 0, 0}}, signatures.WeakDigest, keyID},
		{"version 3, SHA-256", [][]byte{{3, 5, 0, 0, 0, 0, 0}, id, {1, 8, 0, 0}}, signatures.Unsupported, keyID},
		{"version 3, cut", [][]byte{{3, 5, 0, 0, 0, 0, 0}}, signatures.Malformed, "too short"},
		{"version 4, RIPEMD-160", [][]byte{{4, 0, 1, 3, 0, 10, 9, 16}, id, {0, 0, 0, 0}}, signatures.WeakDigest, "RIPEMD-160"},
		{"version 4, unknown digest", [][]byte{{4, 0, 1, 99, 0, 10, 9, 16}, id, {0, 0, 0, 0}}, signatures.Unsupported, "digest algorithm 99"},
		{"version 4, unknown critical subpacket", [][]byte{{4, 0, 22, 8, 0, 2, 1, 0x80 | 99, 0, 10, 9, 16}, id, {0, 0}}, signatures.Unsupported, keyID},
		{"version 4, subpackets longer than the packet", [][]byte{{4, 0, 22, 8, 0xff, 0xff, 9, 16}, id}, signatures.Unsupported, "a key that it does not name"},
		{"version 6", [][]byte{{6, 0, 27, 8, 0, 0, 0, 35, 34, 33}, fingerprint6, {0, 0, 0, 0, 0, 0}}, signatures.Unsupported, strings.Repeat("66", 32)},
		{"version 9", [][]byte{{9, 0, 1, 8, 0, 0, 0}}, signatures.Unsupported, "version 9"},
		{"one byte", [][]byte{{4}}, signatures.Malformed, "too short"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result := check(t, []string{key.Block()}, rawPacket(t, test.body...), later)
			if len(result.Good) > 0 || result.Defects[0].Kind != test.kind || !strings.Contains(result.Err().Error(), test.text) {
				t.Errorf("got %s: %v; want %s with %q", result.Defects[0].Kind, result.Err(), test.kind, test.text)
			}
		})
	}
}

// A signature that names one key and is by another: the text says which, as far as the packet does.
func TestWrongKey(t *testing.T) {
	t.Parallel()
	offered, other, ecdsa := testkeys.New("Offered", made, never), testkeys.New("Other", made, never), testkeys.NewECDSA("ECDSA", made)
	for _, test := range []struct {
		name      string
		signature []byte
		kind      signatures.Kind
		texts     []string
	}{
		{"same algorithm", other.SignNaming(offered, false, document, signed), signatures.Tampered, []string{offered.Fingerprint()}},
		{"same id, own fingerprint", other.SignNaming(offered, true, document, signed), signatures.UnknownIssuer, []string{offered.Fingerprint(), other.Fingerprint()}},
		{"another algorithm", ecdsa.SignNaming(offered, false, document, signed), signatures.WrongKey, []string{offered.Fingerprint(), "another algorithm"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result := check(t, []string{offered.Block()}, test.signature, later)
			if len(result.Good) > 0 {
				t.Fatalf("accepted: %+v", result.Good)
			}
			for _, text := range test.texts {
				if result.Defects[0].Kind != test.kind || !strings.Contains(result.Err().Error(), text) {
					t.Errorf("got %s: %v; want %s with %q", result.Defects[0].Kind, result.Err(), test.kind, text)
				}
			}
		})
	}
}

// Which user id decides about expiry does not depend on chance: the primary mark, then the newer certification.
func TestSeveralUserIDs(t *testing.T) {
	t.Parallel()
	type id struct {
		owner   string
		primary bool
		at      time.Time
		expires time.Time
	}
	for _, test := range []struct {
		name  string
		ids   []id
		owner string
		want  time.Time
	}{
		{"the first is primary", []id{{"B", false, signed, expiry}}, "A", never},
		{"two are primary, the newer counts", []id{{"B", true, signed, expiry}}, "B", expiry},
		{"equal but for the name", []id{{"C", true, signed, expiry}, {"B", true, signed, later}}, "B", later},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			key := testkeys.New("A", made, never)
			for _, id := range test.ids {
				key.AddUserID(id.owner, id.primary, id.at, id.expires)
			}
			block, signature := key.Block(), key.Sign(document, signed)
			for range 20 {
				got := only(t, check(t, []string{block}, signature, signed))
				if !strings.HasPrefix(got.Signer.Owner, test.owner+" ") || !got.KeyExpires.Equal(test.want) {
					t.Fatalf("owner %s, expires %v; want %s, %v", got.Signer.Owner, got.KeyExpires, test.owner, test.want)
				}
			}
		})
	}
}

// The issuer's fingerprint counts more than a key id beside it (R-AUTH-12).
func TestFingerprintBeatsID(t *testing.T) {
	t.Parallel()
	offered, other := testkeys.New("Offered", made, never), testkeys.New("Other", made, never)
	only(t, check(t, []string{offered.Block()}, offered.SignNaming(other, true, document, signed), later))
}

// A copy that adds a user id, and one whose user id is newer, are merged too.
func TestMergedUserIDs(t *testing.T) {
	t.Parallel()
	key := testkeys.New("A", made, expiry)
	old := key.Block()
	key.AddUserID("B", true, signed, never)
	renewed := key.Block()
	for _, blocks := range [][]string{{old, renewed}, {renewed, old}} {
		if got := only(t, check(t, blocks, key.Sign(document, signed), later)); got.Expired || got.Signer.Owner != "B <release@example.com>" {
			t.Errorf("got %+v", got)
		}
	}
}
