package lock

import (
	"encoding/json"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/trust"
	"rules_tf_mirror/tools/internal/versions"
)

// The forms of signing_keys (B14, R-REG-9).
func TestReadKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		keys int
		err  string
	}{
		{"", 0, ""}, {"null", 0, ""}, {"{}", 0, ""}, {`{"gpg_public_keys": null}`, 0, ""}, {`{"gpg_public_keys": []}`, 0, ""},
		{`{"gpg_public_keys": [{"ascii_armor": "a", "trust_signature": "t", "key_id": "k", "source": null}, {}]}`, 2, ""},
		{`{"gpg_public_keys": [{}, null]}`, 0, "gpg_public_keys[1] is null"},
		{`[]`, 0, "another form"}, {`{"gpg_public_keys": {}}`, 0, "another form"}, {`{"gpg_public_keys": [{"ascii_armor": 1}]}`, 0, "another form"},
	} {
		keys, err := readKeys(json.RawMessage(c.text))
		if len(keys) != c.keys || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s gives %v, %v", c.text, keys, err)
		}
	}
	keys, _ := readKeys(json.RawMessage(`{"gpg_public_keys": [{"ascii_armor": "a", "trust_signature": "t"}]}`))
	if len(keys) != 1 || keys[0] != (trust.KeyEntry{ASCIIArmor: "a", TrustSignature: "t"}) {
		t.Errorf("keys %+v", keys)
	}
}

// Whatever a registry answers as its keys is keys, none, or an error.
func FuzzReadKeys(f *testing.F) {
	f.Add([]byte(`{"gpg_public_keys": [{"ascii_armor": "a"}, null]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if keys, err := readKeys(raw); err != nil && keys != nil {
			t.Error("keys beside an error")
		}
	})
}

// Whatever stands in the place of a record of trust is read, or refused; nothing is taken for no record.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"fingerprints": ["C874011F0AB405110D02105534365D9472D7468F"], "tier": "community"}`))
	f.Add([]byte(`{"zh": {"linux_amd64": "00"}, "other": [], "signer": "", "tier": "unsigned"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		rel := &release{provider: addrs.Provider{Host: "h.example", Namespace: "a", Type: "b"}, version: versions.Version{}}
		r := &run{facts: map[string]json.RawMessage{verifiedKey(rel): raw, signerKey(rel.provider.String()): raw}}
		verified, err := r.readVerified(rel)
		if (verified == nil) != (err != nil) || err != nil && r.classify(err) != Refused {
			t.Errorf("verified %v, %v", verified, err)
		}
		if verified != nil && len(verified.ZH) == 0 {
			t.Error("a record without hashes")
		}
		signer, err := r.readSigner(rel.provider.String())
		if (signer == nil) != (err != nil) || err != nil && r.classify(err) != Refused {
			t.Errorf("signer %v, %v", signer, err)
		}
		if signer != nil && len(signer.Fingerprints) == 0 && signer.Tier != trust.Unsigned {
			t.Error("a record without signers")
		}
	})
}
