package signatures_test

import (
	"bytes"
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tests/trustfixtures"
	"rules_tf_mirror/tests/trustfixtures/testkeys"
	"rules_tf_mirror/tools/internal/signatures"
)

var (
	made   = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	signed = time.Date(2021, 6, 1, 0, 0, 0, 0, time.UTC)
	expiry = time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC)
	later  = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	never  time.Time
)

const document = "the signed list\n"

func check(t *testing.T, blocks []string, signature []byte, now time.Time) signatures.Result {
	t.Helper()
	return signatures.ParseKeys(blocks).Verify([]byte(document), signature, signatures.Options{Now: now})
}

func only(t *testing.T, result signatures.Result) signatures.Signature {
	t.Helper()
	if len(result.Good) != 1 {
		t.Fatalf("%d good signatures, %v", len(result.Good), result.Err())
	}
	return result.Good[0]
}

// The result names the primary key, its owner and dates, whoever signed.
func TestGoodSignature(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme Releases", made, never)
	got := only(t, check(t, []string{key.Block()}, key.Sign(document, signed), later))
	want := signatures.Signature{
		Signer:     signatures.Key{Fingerprint: key.Fingerprint(), ID: key.Fingerprint()[24:], Owner: "Acme Releases <release@example.com>", Created: made},
		SigningKey: key.Fingerprint(), Created: signed, Digest: "SHA-256", Entries: []int{0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// R-AUTH-4: the identity of a subkey's signature is the primary key.
func TestSubkeySigner(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	key.AddSubkey(made.AddDate(0, 1, 0), expiry)
	got := only(t, check(t, []string{key.Block()}, key.SignBySubkey(document, signed), signed))
	if got.Signer.Fingerprint != key.Fingerprint() || got.SigningKey == key.Fingerprint() || !got.KeyExpires.Equal(expiry) || got.Expired {
		t.Errorf("got %+v", got)
	}
}

// D01, D04: expiry is told, not judged; a signature from before is told apart from one after. The bounds belong to the key's life.
func TestExpiry(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, expiry)
	for _, test := range []struct {
		name                string
		at, now             time.Time
		expired, afterwards bool
	}{
		{"valid", signed, signed, false, false},
		{"last second", expiry, expiry, false, false},
		{"expired, signed before", signed, later, true, false},
		{"expired, signed in the last second", expiry, later, true, false},
		{"expired, signed after", expiry.Add(time.Second), later, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := only(t, check(t, []string{key.Block()}, key.Sign(document, test.at), test.now))
			if got.Expired != test.expired || got.SignedAfterExpiry != test.afterwards || !got.KeyExpires.Equal(expiry) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// The earlier of primary key's and subkey's expiry counts.
func TestExpiryOfSubkeyAndPrimary(t *testing.T) {
	t.Parallel()
	short, long := expiry, expiry.AddDate(1, 0, 0)
	for _, test := range []struct {
		name                  string
		primary, subkey, want time.Time
	}{
		{"subkey first", long, short, short}, {"primary first", short, long, short}, {"subkey only", never, short, short},
		{"primary only", short, never, short}, {"neither", never, never, never},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			key := testkeys.New("Acme", made, test.primary)
			key.AddSubkey(made, test.subkey)
			got := only(t, check(t, []string{key.Block()}, key.SignBySubkey(document, signed), signed))
			if !got.KeyExpires.Equal(test.want) {
				t.Errorf("expires %v, want %v", got.KeyExpires, test.want)
			}
		})
	}
}

// D03: the newest self-signature counts, in whatever order the copies come, also when it shortens the life.
func TestCopiesOfOneKey(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, expiry)
	old := key.Block()
	key.Prolong(signed, later.AddDate(5, 0, 0))
	renewed := key.Block()
	key.Prolong(signed.AddDate(0, 1, 0), signed.AddDate(0, 2, 0))
	shortened := key.Block()
	signature := key.Sign(document, signed)
	for _, test := range []struct {
		name    string
		blocks  []string
		expired bool
	}{
		{"old alone", []string{old}, true},
		{"old, renewed", []string{old, renewed}, false},
		{"renewed, old", []string{renewed, old}, false},
		{"renewed, shortened, old", []string{renewed, shortened, old}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := only(t, check(t, test.blocks, signature, later))
			if got.Expired != test.expired || len(got.Entries) != len(test.blocks) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// A subkey that only one copy has, or that one copy prolongs, is taken over; a revocation in a copy counts.
func TestCopiesWithSubkeys(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	bare := key.Block()
	key.AddSubkey(made, never)
	full := key.Block()
	signature := key.SignBySubkey(document, signed)
	only(t, check(t, []string{bare, full}, signature, later))
	only(t, check(t, []string{full, full}, signature, later))
	key.RevokeUserID(signed, false)
	result := check(t, []string{full, key.Block()}, signature, later)
	if len(result.Good) != 0 || result.Defects[0].Kind != signatures.RevokedKey {
		t.Errorf("got %+v, %v", result.Good, result.Err())
	}
}

// A user id that is only revoked and never certified has no self-signature in go-crypto's data; that must not crash.
func TestUserIDWithoutCertification(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	signature := key.Sign(document, signed)
	key.RevokeUserID(signed, true)
	result := check(t, []string{key.Block()}, signature, later)
	if len(result.Good) != 0 || result.Defects[0].Kind != signatures.NoSelfSignature {
		t.Errorf("got %+v, %v", result.Good, result.Err())
	}
}

// Messages have what people need to act: D06 (key id, owner, date) and D11 (both ids).
func TestMessages(t *testing.T) {
	t.Parallel()
	fingerprint := func(name string) string {
		return signatures.ParseKeys(trustfixtures.Get(name).Armors()).Keys()[0].Fingerprint
	}
	for _, test := range []struct {
		fixture string
		want    []string
	}{
		{"unknown-issuer", []string{fingerprint("several-blocks-first"), fingerprint("unknown-issuer"), "Other (fixture)", "not among the offered keys"}},
		{"tampered-sums", []string{fingerprint("tampered-sums"), "Good (fixture)", "does not fit SHA256SUMS"}},
		{"revoked-key", []string{fingerprint("revoked-key"), "2024-05-01", "laptop stolen"}},
		{"revoked-subkey", []string{fingerprint("revoked-subkey"), "subkey", "2024-05-01"}},
		{"expired-signature", []string{fingerprint("expired-signature"), "2022-06-01", "2022-06-02"}},
		{"future-signature", []string{"2100-01-01", "2027-01-15", "clock"}},
		{"future-key", []string{"2100-01-01", "2027-01-15", "clock"}},
		{"older-than-key", []string{"2018-03-01", "2019-03-01"}},
		{"armored-signature", []string{"ASCII-armored", "binary", "--dearmor", "terraform"}},
		{"several-blocks-second", []string{"key entry 1", "more than one armor block", "terraform"}},
		{"secret-key", []string{"PRIVATE", "key entry 1"}},
		{"no-sign-flag", []string{fingerprint("no-sign-flag"), "key flags"}},
		{"no-cross-signature", []string{"does not certify its primary key"}},
		{"md5", []string{"MD5"}},
		{"sha1", []string{"SHA-1", "accept it"}},
		{"rsa-768", []string{"768 bits"}},
		{"unreadable-key-only", []string{"key entry 1", "unexpected EOF"}},
		{"html-signature", []string{"<!DOCTYPE html>"}},
		{"signature-is-key", []string{"packet of type 6"}},
		{"wrong-type", []string{"0x10"}},
	} {
		t.Run(test.fixture, func(t *testing.T) {
			t.Parallel()
			text := verify(trustfixtures.Get(test.fixture), signatures.Options{}).Err().Error()
			for _, want := range test.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q lacks %q", text, want)
				}
			}
		})
	}
}

// R-AUTH-17: SHA-1 needs permission, MD5 has none.
func TestAllowSHA1(t *testing.T) {
	t.Parallel()
	if got := only(t, verify(trustfixtures.Get("sha1"), signatures.Options{AllowSHA1: true})); got.Digest != "SHA-1" || !strings.Contains(got.Weak, "SHA-1") {
		t.Errorf("got %+v", got)
	}
	if err := verify(trustfixtures.Get("md5"), signatures.Options{AllowSHA1: true}).Err(); err == nil {
		t.Error("MD5 is accepted")
	}
}

// D20: what does not count is still reported beside a good signature.
func TestDefectsBesideGoodSignature(t *testing.T) {
	t.Parallel()
	for fixture, want := range map[string]signatures.Kind{
		"unreadable-key-first": signatures.UnreadableKey, "bad-signature-first": signatures.Tampered, "several-signatures": signatures.UnknownIssuer,
		"several-blocks-first": signatures.LaterBlock,
	} {
		result := verify(trustfixtures.Get(fixture), signatures.Options{})
		if len(result.Good) != 1 || len(result.Defects) != 1 || result.Defects[0].Kind != want || result.Err() != nil {
			t.Errorf("%s: good %d, defects %v", fixture, len(result.Good), result.Defects)
		}
	}
}

// The list may hold signatures by two keys (D08); both are returned and policy may choose.
func TestTwoGoodSignatures(t *testing.T) {
	t.Parallel()
	a, b := testkeys.New("A", made, never), testkeys.New("B", made, never)
	result := check(t, []string{b.Block(), a.Block()}, append(a.Sign(document, signed), b.Sign(document, signed)...), later)
	if len(result.Good) != 2 || result.Good[0].Signer.Fingerprint != a.Fingerprint() || result.Good[1].Signer.Fingerprint != b.Fingerprint() {
		t.Errorf("got %+v", result.Good)
	}
}

// Line ends do not count in text mode and do in binary mode (R-AUTH-10).
func TestLineEnds(t *testing.T) {
	t.Parallel()
	for fixture, want := range map[string]bool{"text-mode": true, "good": false} {
		changed := trustfixtures.Get(fixture)
		text := strings.ReplaceAll(*changed.Sums, "\n", "\r\n")
		changed.Sums = &text
		if got := verify(changed, signatures.Options{}).Err() == nil; got != want {
			t.Errorf("%s: accepted %v, want %v", fixture, got, want)
		}
	}
}

func TestOtherDocumentAndNoClock(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	ring := signatures.ParseKeys([]string{key.Block()})
	var defect *signatures.Defect
	result := ring.Verify([]byte("another list\n"), key.Sign(document, signed), signatures.Options{Now: later})
	if !errors.As(result.Err(), &defect) || defect.Kind != signatures.Tampered || defect.Issuer != key.Fingerprint() || defect.Entry != -1 {
		t.Errorf("got %#v", result.Err())
	}
	if result := ring.Verify([]byte(document), key.Sign(document, signed), signatures.Options{}); len(result.Good) > 0 {
		t.Error("a signature is accepted without a clock")
	}
	if (signatures.Result{}).Err() == nil {
		t.Error("an empty result is no error")
	}
}

// Bytes after a good signature do not undo it, as in go-crypto; before it they do.
func TestTrailingAndLeadingGarbage(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	good := key.Sign(document, signed)
	only(t, check(t, []string{key.Block()}, append(append([]byte{}, good...), "garbage"...), later))
	if result := check(t, []string{key.Block()}, append([]byte("garbage"), good...), later); len(result.Good) > 0 || result.Defects[0].Kind != signatures.Malformed {
		t.Errorf("got %+v, %v", result.Good, result.Err())
	}
}

// Foreign text cannot steer a terminal.
func TestPrintable(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"Acme <a@b.c>": "Acme <a@b.c>", "a\x1b[31mb": "a [31mb", "a\nb\r": "a b ", "\u202eevil": " evil", "\x9b1m": " 1m", "Zoë": "Zoë",
		strings.Repeat("x", 200): strings.Repeat("x", 160) + "…",
	} {
		if got := signatures.Printable(given); got != want {
			t.Errorf("Printable(%q) = %q, want %q", given, got, want)
		}
	}
	key := testkeys.New("Ev\x1bil", made, never)
	if owner := signatures.ParseKeys([]string{key.Block()}).Keys()[0].Owner; strings.ContainsRune(owner, '\x1b') {
		t.Errorf("owner %q", owner)
	}
}

func TestBodyAndMaterial(t *testing.T) {
	t.Parallel()
	a, b := testkeys.New("A", made, never), testkeys.New("B", made, never)
	ring := signatures.ParseKeys([]string{a.Block(), "garbage", b.Block()})
	if diff := cmp.Diff(a.Binary(), ring.Body(0)); diff != "" || ring.Body(1) != nil {
		t.Errorf("body differs: %s", diff)
	}
	if m := ring.Material(a.Fingerprint()); len(m) == 0 || cmp.Equal(m, ring.Material(b.Fingerprint())) || ring.Material("00") != nil {
		t.Errorf("material %X", m)
	}
	if len(ring.Keys()) != 2 || len(ring.Problems()) != 1 || ring.Problems()[0].Entry != 1 {
		t.Errorf("keys %v, problems %v", ring.Keys(), ring.Problems())
	}
}

// A registry cannot make us compute with a key of absurd length or read an absurd key block.
func TestLimits(t *testing.T) {
	t.Parallel()
	modulus := new(big.Int).SetBit(big.NewInt(1), 19_999, 1)
	key := packet.NewRSAPublicKey(made, &rsa.PublicKey{N: modulus, E: 65537})
	var body bytes.Buffer
	if err := errors.Join(key.Serialize(&body), packet.NewUserId("Huge", "", "").Serialize(&body)); err != nil {
		t.Fatal(err)
	}
	for text, block := range map[string]string{
		"20000 bits":    testkeys.Armor(openpgp.PublicKeyType, body.Bytes()),
		"1048577 bytes": strings.Repeat("x", 1<<20+1),
	} {
		ring := signatures.ParseKeys([]string{block})
		if len(ring.Keys()) != 0 || len(ring.Problems()) != 1 || !strings.Contains(ring.Problems()[0].Error(), text) {
			t.Errorf("%s: keys %v, problems %v", text, ring.Keys(), ring.Problems())
		}
	}
}

func fuzz(t *testing.T, armored string, binary, document []byte) {
	ring := signatures.ParseKeys([]string{armored, testkeys.Armor(openpgp.PublicKeyType, binary)})
	for _, options := range []signatures.Options{{Now: later}, {Now: later, AllowSHA1: true}} {
		result := ring.Verify(document, binary, options)
		_ = fmt.Sprint(result.Err(), result.Defects)
	}
}

// FuzzKeys: no key block and no signature crashes the verifier.
func FuzzKeys(f *testing.F) {
	for _, fixture := range trustfixtures.All() {
		if len(fixture.Keys) > 0 && fixture.Sums != nil {
			f.Add(fixture.Keys[0].ASCIIArmor, fixture.Signature, []byte(*fixture.Sums))
		}
	}
	f.Fuzz(fuzz)
}

// FuzzSignature: a signature that differs from the good one in any byte but its unhashed part is not by the signer over this document; and
// whatever the bytes are, a good result is by an offered key.
func FuzzSignature(f *testing.F) {
	fixture := trustfixtures.Get("good")
	ring := signatures.ParseKeys(fixture.Armors())
	f.Add(fixture.Signature, []byte(*fixture.Sums))
	for _, other := range trustfixtures.All() {
		if other.Sums != nil {
			f.Add(other.Signature, []byte(*other.Sums))
		}
	}
	f.Fuzz(func(t *testing.T, signature, document []byte) {
		result := ring.Verify(document, signature, signatures.Options{Now: trustfixtures.Now})
		for _, good := range result.Good {
			if string(document) != *fixture.Sums || good.Signer.Fingerprint != ring.Keys()[0].Fingerprint {
				t.Errorf("accepted: %+v", good)
			}
		}
	})
}

// What a registry may make us compute is bounded: bytes, signatures, and after the context's end nothing more. A good signature among the first
// counts; the rest is told.
func TestLimitsOfASignatureFile(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	good, bad := key.Sign(document, signed), key.Sign("another", signed)
	ring := signatures.ParseKeys([]string{key.Block()})
	many := func(n int) []byte { return bytes.Repeat(bad, n) }
	for name, c := range map[string]struct {
		signature []byte
		good      int
		want      string
	}{
		"16, the last is good":    {append(many(signatures.MaxPackets-1), good...), 1, ""},
		"17, the last is good":    {append(many(signatures.MaxPackets), good...), 0, "more than 16 signatures"},
		"17, the first is good":   {append(bytes.Clone(good), many(signatures.MaxPackets)...), 1, "more than 16 signatures"},
		"64 KiB and more":         {append(bytes.Clone(good), make([]byte, signatures.MaxFile)...), 0, "more than 65536"},
		"many bytes, few packets": {append(bytes.Clone(good), many(3)...), 1, ""},
	} {
		result := ring.Verify([]byte(document), c.signature, signatures.Options{Now: later})
		var texts []string
		for _, defect := range result.Defects {
			texts = append(texts, defect.Message)
		}
		if text := strings.Join(texts, "\n"); len(result.Good) != c.good || c.want != "" && !strings.Contains(text, c.want) || c.want == "" && strings.Contains(text, "more than") {
			t.Errorf("%s: %d good, %s", name, len(result.Good), text)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if result := ring.Verify([]byte(document), good, signatures.Options{Now: later, Context: ctx}); len(result.Good) > 0 || !errors.Is(result.Err(), context.Canceled) {
		t.Errorf("after the end: %+v", result)
	}
}
