package trust

import (
	"bytes"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tests/trustfixtures/testkeys"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/signatures"
)

// R-AUTH-28: the embedded blocks are the keys that terraform knows, by full fingerprint and owner.
func TestEmbeddedKeys(t *testing.T) {
	t.Parallel()
	ring := signatures.ParseKeys([]string{hashicorpKey, partnerKey})
	if len(ring.Problems()) > 0 {
		t.Fatalf("problems: %v", ring.Problems())
	}
	type named struct{ Fingerprint, ID, Owner string }
	var got []named
	for _, key := range ring.Keys() {
		got = append(got, named{key.Fingerprint, key.ID, key.Owner})
	}
	want := []named{
		{"C874011F0AB405110D02105534365D9472D7468F", "34365D9472D7468F", "HashiCorp Security (hashicorp.com/security) <security@hashicorp.com>"},
		{"51890657C5ACDB4B823086567D72D4268E4660FC", "7D72D4268E4660FC", "HashiCorp Security (Terraform Partner Signing) <security+terraform@hashicorp.com>"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Design §3.7: who signs which namespace, and nobody else's namespace has a built-in signer.
func TestBuiltin(t *testing.T) {
	t.Parallel()
	a := builtin()
	for _, test := range []struct{ host, namespace, want string }{
		{"registry.terraform.io", "hashicorp", "C874011F0AB405110D02105534365D9472D7468F"},
		{"registry.opentofu.org", "hashicorp", "E3E6E43D84CB852EADB0051D0C0AF313E5FD9F80"},
		{"registry.opentofu.org", "opentofu", "E3E6E43D84CB852EADB0051D0C0AF313E5FD9F80"},
		{"registry.terraform.io", "opentofu", ""},
		{"registry.acme.dev", "hashicorp", ""},
		{"registry.terraform.io:8443", "hashicorp", ""},
	} {
		found, ok := a.of(addrs.Provider{Host: test.host, Namespace: test.namespace, Type: "any"})
		if ok != (test.want != "") || ok && !cmp.Equal(found.fingerprints, []string{test.want}) {
			t.Errorf("%s/%s: %v", test.host, test.namespace, found)
		}
	}
	if a.retired["91A6E7F85D05C65630BEF18951852D87348FFC4C"] == "" {
		t.Error("HashiCorp's old key is not refused")
	}
	for _, fingerprint := range []string{HashiCorpFingerprint, PartnerFingerprint} {
		if len(a.material[fingerprint]) == 0 {
			t.Errorf("the material of %s is not known", fingerprint)
		}
	}
	if keys := a.partner.Keys(); len(keys) != 1 || keys[0].Fingerprint != PartnerFingerprint {
		t.Errorf("partner keys %v", keys)
	}
}

// The genuine anchors refuse a registry that serves its own key for an official namespace, whatever tool asks.
func TestBuiltinRefusesOtherKeys(t *testing.T) {
	t.Parallel()
	key := testkeys.New("HashiCorp Security", made, never)
	for _, source := range []addrs.Provider{official, {Host: "registry.opentofu.org", Namespace: "hashicorp", Type: "widget"}, {Host: "registry.opentofu.org", Namespace: "opentofu", Type: "widget"}} {
		for _, tool := range []addrs.Tool{addrs.Terraform, addrs.OpenTofu} {
			in := release(source, "1.0.0", key)
			in.Tool = tool
			refused(t, Decide(in), KindSigner, UnknownOfficial, key.Fingerprint())
		}
	}
}

// A signature that names the key of 2021 is refused by the genuine anchors for that reason, also where the registry does not offer the key.
func TestBuiltinRefusesRetiredKey(t *testing.T) {
	t.Parallel()
	body := []byte{4, 0, 1, 8, 0, 10, 9, 16, 0x51, 0x85, 0x2D, 0x87, 0x34, 0x8F, 0xFC, 0x4C, 0, 0, 0, 0, 0, 1, 1}
	var signature bytes.Buffer
	if err := (&packet.OpaquePacket{Tag: 2, Contents: body}).Serialize(&signature); err != nil {
		t.Fatal(err)
	}
	in := release(official, "1.0.0", testkeys.New("Other", made, never))
	in.Signature.Bytes = signature.Bytes()
	refused(t, Decide(in), KindRevoked, RetiredKey, "91A6E7F85D05C65630BEF18951852D87348FFC4C", "April 2021", "No setting")
}

// The key is embedded as data only: its own expiry, long past, is consulted nowhere. The material is compared, not the certificate.
func TestEmbeddedExpiryDoesNotCount(t *testing.T) {
	t.Parallel()
	again := signatures.ParseKeys([]string{hashicorpKey})
	if !bytes.Equal(builtin().material[HashiCorpFingerprint], again.Material(HashiCorpFingerprint)) {
		t.Error("the material depends on more than the key")
	}
}
