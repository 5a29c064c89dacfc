package trust

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tests/trustfixtures"
	"rules_tf_mirror/tests/trustfixtures/testkeys"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/signatures"
	"rules_tf_mirror/tools/internal/sums"
)

var (
	made   = time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	signed = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	now    = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	never  time.Time
)

// sumsOf is the list of one version of widget, with made-up hashes.
func sumsOf(version string) (list string, packages map[string]string) {
	packages = map[string]string{}
	for _, platform := range trustfixtures.Platforms {
		hash := trustfixtures.Hash([]byte(version + platform))
		packages[platform] = hash
		list += hash + "  " + sums.Filename("widget", version, platform) + "\n"
	}
	return list, packages
}

// release is an answer for a version whose list the key signed in 2024.
func release(source addrs.Provider, version string, key testkeys.Key) Input {
	list, packages := sumsOf(version)
	return Input{
		Source: source, Tool: addrs.Terraform, Version: version, Packages: packages, Now: now,
		Keys: []KeyEntry{{ASCIIArmor: key.Block()}}, Sums: Document{Bytes: []byte(list)}, Signature: Document{Bytes: key.Sign(list, signed)},
	}
}

func with(in Input, change func(*Input)) Input {
	in.Packages = maps.Clone(in.Packages)
	in.Keys = slices.Clone(in.Keys)
	change(&in)
	return in
}

func mustPolicy(t *testing.T, text PolicyText) Policy {
	t.Helper()
	policy, err := ParsePolicy(text, addrs.Terraform)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

func accepted(t *testing.T, verdict Verdict) Verdict {
	t.Helper()
	if verdict.Outcome != Accepted || verdict.Err != nil || verdict.Fact == nil {
		t.Fatalf("%s: %v", verdict.Outcome, verdict.Err)
	}
	return verdict
}

// refused checks kind, reason, text and that nothing is to be recorded.
func refused(t *testing.T, verdict Verdict, kind problem.Kind, reason Reason, texts ...string) {
	t.Helper()
	if verdict.Outcome != Refused || verdict.Err == nil {
		t.Fatalf("%s, want refused as %s", verdict.Outcome, reason)
	}
	if got := problem.KindOf(verdict.Err); got != kind || verdict.Err.Reason != reason {
		t.Errorf("%s (%s), want %s (%s): %v", got, verdict.Err.Reason, kind, reason, verdict.Err)
	}
	if verdict.Fact != nil || verdict.Record != nil {
		t.Errorf("something is to be recorded: %+v", verdict)
	}
	for _, text := range texts {
		if !strings.Contains(verdict.Err.Error(), text) {
			t.Errorf("%q lacks %q", verdict.Err, text)
		}
	}
}

// A pin is bumped under a registry that then serves another key: refused until the root module allows it, also after many versions.
func TestSignerChangesWithVersion(t *testing.T) {
	t.Parallel()
	k1, k2 := testkeys.New("Acme", made, never), testkeys.New("Mallory", made, never)
	first := accepted(t, Decide(release(source, "1.4.0", k1)))
	if diff := cmp.Diff(&Signer{Fingerprints: []string{k1.Fingerprint()}, Tier: Community}, first.Record); diff != "" {
		t.Fatalf("first use: (-want +got)\n%s", diff)
	}
	same := accepted(t, Decide(with(release(source, "1.5.0", k1), func(in *Input) { in.Recorded = first.Record })))
	if diff := cmp.Diff(first.Record, same.Record); diff != "" {
		t.Errorf("same signer: (-want +got)\n%s", diff)
	}
	bumped := with(release(source, "1.5.0", k2), func(in *Input) { in.Recorded = first.Record })
	refused(t, Decide(bumped), KindSigner, SignerChanged, "ALARM", k1.Fingerprint(), k2.Fingerprint(), "Mallory", "1.5.0",
		`signers = {"registry.acme.dev/acme/widget": ["`+k1.Fingerprint()+`", "`+k2.Fingerprint()+`"]}`)

	bumped.Policy = mustPolicy(t, PolicyText{Signers: map[string][]string{"registry.acme.dev/acme/widget": {k1.Fingerprint(), k2.Fingerprint()}}})
	allowed := accepted(t, Decide(bumped))
	if diff := cmp.Diff([]string{k2.Fingerprint()}, allowed.Record.Fingerprints); diff != "" {
		t.Errorf("allowed signer: (-want +got)\n%s", diff)
	}
}

// D14: trust is kept per provider; a recorded signer of one says nothing about another of the same namespace.
func TestSignerIsPerProvider(t *testing.T) {
	t.Parallel()
	k1, k2 := testkeys.New("Artifactory", made, never), testkeys.New("Project", made, never)
	record := &Signer{Fingerprints: []string{k1.Fingerprint()}, Tier: Community}
	refused(t, Decide(with(release(source, "1.0.0", k2), func(in *Input) { in.Recorded = record })), KindSigner, SignerChanged)
	accepted(t, Decide(release(source, "1.0.0", k2)))
	list := mustPolicy(t, PolicyText{Signers: map[string][]string{"registry.acme.dev/acme": {k1.Fingerprint()}, "registry.acme.dev/acme/widget": {k2.Fingerprint()}}})
	accepted(t, Decide(with(release(source, "1.0.0", k2), func(in *Input) { in.Policy = list })))
	refused(t, Decide(with(release(source, "1.0.0", k1), func(in *Input) { in.Policy = list })), KindSigner, SignerNotAllowed, "allows only")
}

// A signer list is the whole list: what was recorded before does not add to it.
func TestPolicyReplacesRecord(t *testing.T) {
	t.Parallel()
	k1, k2 := testkeys.New("Old", made, never), testkeys.New("New", made, never)
	in := with(release(source, "1.0.0", k1), func(in *Input) {
		in.Recorded = &Signer{Fingerprints: []string{k1.Fingerprint()}}
		in.Policy = mustPolicy(t, PolicyText{Signers: map[string][]string{"registry.acme.dev/acme": {k2.Fingerprint()}}})
	})
	refused(t, Decide(in), KindSigner, SignerNotAllowed, k1.Fingerprint(), k2.Fingerprint())
}

// Of two good signatures in one file, the allowed one counts (D08).
func TestAllowedOfTwoSignatures(t *testing.T) {
	t.Parallel()
	old, renewed := testkeys.New("Old", made, never), testkeys.New("New", made, never)
	in := release(source, "1.0.0", old)
	in.Keys = append(in.Keys, KeyEntry{ASCIIArmor: renewed.Block()})
	in.Signature.Bytes = append(old.Sign(string(in.Sums.Bytes), signed), renewed.Sign(string(in.Sums.Bytes), signed)...)
	in.Recorded = &Signer{Fingerprints: []string{renewed.Fingerprint()}, Tier: Community}
	if got := accepted(t, Decide(in)).Fact.Signer; got != renewed.Fingerprint() {
		t.Errorf("signer %s", got)
	}
}

// ownAnchors are anchors with keys that tests can sign with.
func ownAnchors(official testkeys.Key, partner testkeys.Key, embedded string) anchors {
	ring := signatures.ParseKeys([]string{embedded})
	return anchors{
		namespaces: map[addrs.Provider]anchor{{Host: "registry.terraform.io", Namespace: "hashicorp"}: {owner: "HashiCorp", fingerprints: []string{official.Fingerprint()}}},
		partner:    signatures.ParseKeys([]string{partner.Block()}),
		material:   map[string][]byte{official.Fingerprint(): ring.Material(official.Fingerprint())},
		retired:    map[string]string{},
	}
}

var official = addrs.Provider{Host: "registry.terraform.io", Namespace: "hashicorp", Type: "widget"}

// D10: an official namespace has a built-in signer; another key is refused, and there is a documented way to add it. Nothing is recorded.
func TestOfficial(t *testing.T) {
	t.Parallel()
	k1, k2 := testkeys.New("HashiCorp Security", made, never), testkeys.New("HashiCorp Security", made, never)
	a := ownAnchors(k1, k2, k1.Block())
	verdict := accepted(t, a.decide(release(official, "1.0.0", k1)))
	if verdict.Fact.Tier != Official || verdict.Record != nil {
		t.Errorf("tier %s, record %v", verdict.Fact.Tier, verdict.Record)
	}
	in := release(official, "1.0.0", k2)
	in.Recorded = &Signer{Fingerprints: []string{k2.Fingerprint()}, Tier: Official} // an edited fact does not help
	refused(t, a.decide(in), KindSigner, UnknownOfficial, "unknown new key", k2.Fingerprint(), k1.Fingerprint(),
		`signers = {"registry.terraform.io/hashicorp": ["`+k2.Fingerprint()+`"]}`)
	in.Policy = mustPolicy(t, PolicyText{Signers: map[string][]string{"registry.terraform.io/hashicorp": {k2.Fingerprint()}}})
	verdict = accepted(t, a.decide(in))
	if verdict.Fact.Tier != Community || verdict.Record != nil {
		t.Errorf("allowed by policy: tier %s, record %v", verdict.Fact.Tier, verdict.Record)
	}
	in = with(release(official, "1.0.0", k1), func(next *Input) { next.Policy = in.Policy })
	accepted(t, a.decide(in)) // the built-in signer stays allowed
}

// D03, D09: two years ahead the embedded copy has long expired; the registry's prolonged copy of the same key counts, and its own expiry warns.
func TestOfficialTwoYearsAhead(t *testing.T) {
	t.Parallel()
	ends, renewed := now.AddDate(0, -7, 0), time.Date(2030, 3, 1, 0, 0, 0, 0, time.UTC)
	key := testkeys.New("HashiCorp Security", made, ends)
	embedded := key.Block()
	a := ownAnchors(key, testkeys.New("Partner", made, never), embedded)
	old := release(official, "1.0.0", key)
	key.Prolong(ends.AddDate(0, -1, 0), renewed)
	fresh := release(official, "1.0.0", key)
	fresh.Signature.Bytes = key.Sign(string(fresh.Sums.Bytes), now)
	for _, test := range []struct {
		name string
		in   Input
		now  time.Time
		warn string
	}{
		{"prolonged copy, two years ahead", fresh, now.AddDate(2, 0, 0), ""},
		{"prolonged copy, 90 days before its end", fresh, renewed.Add(-90 * 24 * time.Hour), "in 90 days"},
		{"prolonged copy, 91 days before its end", fresh, renewed.Add(-91 * 24 * time.Hour), ""},
		{"prolonged copy, after its end", fresh, renewed.AddDate(1, 0, 0), "was made before"},
		{"old copy from the registry", old, now.AddDate(2, 0, 0), "was made before"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := with(test.in, func(in *Input) { in.Now = test.now })
			verdict := accepted(t, a.decide(in))
			if verdict.Fact.Tier != Official || strings.Contains(strings.Join(verdict.Warnings, "\n"), test.warn) == (test.warn == "") && len(verdict.Warnings) > 0 {
				t.Errorf("tier %s, warnings %q, want %q", verdict.Fact.Tier, verdict.Warnings, test.warn)
			}
			if test.warn != "" && len(verdict.Warnings) != 1 {
				t.Errorf("warnings %q, want one with %q", verdict.Warnings, test.warn)
			}
		})
	}
}

// A key with a built-in fingerprint but other material is a forgery of the fingerprint.
func TestForgedFingerprint(t *testing.T) {
	t.Parallel()
	key := testkeys.New("HashiCorp Security", made, never)
	a := ownAnchors(key, key, key.Block())
	a.material[key.Fingerprint()] = []byte("other material")
	refused(t, a.decide(release(official, "1.0.0", key)), KindSigner, ForgedKey, key.Fingerprint())
}

// The key that was exposed in 2021 is refused everywhere, even where policy or a record names it.
func TestRetiredKey(t *testing.T) {
	t.Parallel()
	key, other := testkeys.New("Old HashiCorp", made, never), testkeys.New("New", made, never)
	a := builtin()
	a.retired = map[string]string{key.Fingerprint(): "an exposed key"}
	in := with(release(source, "1.0.0", key), func(in *Input) {
		in.Recorded = &Signer{Fingerprints: []string{key.Fingerprint()}}
		in.Policy = mustPolicy(t, PolicyText{Signers: map[string][]string{"registry.acme.dev/acme": {key.Fingerprint()}}})
	})
	refused(t, a.decide(in), KindRevoked, RetiredKey, key.Fingerprint(), "an exposed key")
	bad := with(in, func(in *Input) { in.Sums.Bytes = append(slices.Clone(in.Sums.Bytes), '\n') })
	refused(t, a.decide(bad), KindRevoked, RetiredKey, key.Fingerprint())
	both := release(source, "1.0.0", key)
	both.Keys = append(both.Keys, KeyEntry{ASCIIArmor: other.Block()})
	both.Signature.Bytes = append(both.Signature.Bytes, other.Sign(string(both.Sums.Bytes), signed)...)
	if got := accepted(t, a.decide(both)).Fact.Signer; got != other.Fingerprint() {
		t.Errorf("signer %s", got)
	}
}

// R-AUTH-20, R-AUTH-22: a good trust signature makes a partner, for terraform only; a bad one refuses, for terraform only.
func TestPartner(t *testing.T) {
	t.Parallel()
	key, partner, other := testkeys.New("Acme", made, never), testkeys.New("Partner Signing", made, never), testkeys.New("Other", made, never)
	a := ownAnchors(other, partner, other.Block())
	trust := func(by testkeys.Key, over []byte) string {
		return testkeys.Armor(openpgp.SignatureType, by.Sign(string(over), signed))
	}
	for _, test := range []struct {
		name, trust string
		want        Tier // empty: terraform refuses
	}{
		{"none", "", Community},
		{"good", trust(partner, key.Binary()), Partner},
		{"by another key", trust(other, key.Binary()), ""},
		{"over the armor instead of the binary", trust(partner, []byte(key.Block())), ""},
		{"over another key", trust(partner, other.Binary()), ""},
		{"garbage", "garbage", ""},
		{"empty armor", testkeys.Armor(openpgp.SignatureType, nil), ""},
		{"a key instead of a signature", partner.Block(), ""},
		{"damaged armor", trust(partner, key.Binary())[:80], ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := release(source, "1.0.0", key)
			in.Keys[0].TrustSignature = test.trust
			verdict := a.decide(in)
			if test.want == "" {
				refused(t, verdict, KindSignature, TrustSignature, "key entry 1", key.Fingerprint(), partner.Fingerprint())
			} else if got := accepted(t, verdict); got.Fact.Tier != test.want || got.Record.Tier != test.want {
				t.Errorf("tier %s, record %s, want %s", got.Fact.Tier, got.Record.Tier, test.want)
			}
			in.Tool = addrs.OpenTofu
			if got := accepted(t, a.decide(in)); got.Fact.Tier != Community {
				t.Errorf("tofu: tier %s", got.Fact.Tier)
			}
		})
	}
}

// The trust signature of a key that did not sign does not matter, as for terraform.
func TestTrustSignatureOfOtherKey(t *testing.T) {
	t.Parallel()
	key, other := testkeys.New("Acme", made, never), testkeys.New("Other", made, never)
	in := release(source, "1.0.0", key)
	in.Keys = append([]KeyEntry{{ASCIIArmor: other.Block(), TrustSignature: "garbage"}}, in.Keys...)
	accepted(t, Decide(in))
}

// D01, D04, D05: expired_keys, per version; a valid key among the signers is preferred.
func TestExpiredKeys(t *testing.T) {
	t.Parallel()
	end := signed.AddDate(1, 0, 0)
	key := testkeys.New("Acme", made, end)
	before := release(source, "1.0.0", key)
	after := release(source, "1.1.0", key)
	after.Signature.Bytes = key.Sign(string(after.Sums.Bytes), end.AddDate(0, 0, 1))
	for _, test := range []struct {
		setting       ExpiredKeys
		before, after bool
	}{{ExpiredAccept, true, true}, {"", true, true}, {ExpiredSignedBefore, true, false}, {ExpiredRefuse, false, false}} {
		policy := mustPolicy(t, PolicyText{ExpiredKeys: string(test.setting)})
		for _, version := range []struct {
			in   Input
			ok   bool
			made string
		}{{before, test.before, "was made before"}, {after, test.after, "was made after"}} {
			verdict := Decide(with(version.in, func(in *Input) { in.Policy = policy }))
			if !version.ok {
				refused(t, verdict, KindExpired, ExpiredKey, key.Fingerprint(), "2025-01-01", version.made, version.in.Version, "Acme", "registry.acme.dev/acme/widget")
				continue
			}
			if text := strings.Join(accepted(t, verdict).Warnings, "\n"); !strings.Contains(text, version.made) || !strings.Contains(text, "2025-01-01") || !strings.Contains(text, key.Fingerprint()[24:]) {
				t.Errorf("%s: warnings %q", test.setting, text)
			}
		}
	}
	valid := testkeys.New("Valid", made, never)
	both := release(source, "1.0.0", key)
	both.Keys = append(both.Keys, KeyEntry{ASCIIArmor: valid.Block()})
	both.Signature.Bytes = append(both.Signature.Bytes, valid.Sign(string(both.Sums.Bytes), signed)...)
	both.Policy = mustPolicy(t, PolicyText{ExpiredKeys: "refuse"})
	if got := accepted(t, Decide(both)); got.Fact.Signer != valid.Fingerprint() || len(got.Warnings) != 0 {
		t.Errorf("signer %s, warnings %q", got.Fact.Signer, got.Warnings)
	}
}

func TestMergeSigners(t *testing.T) {
	t.Parallel()
	a, b := &Signer{Fingerprints: []string{"BB", "AA"}, Tier: Partner}, &Signer{Fingerprints: []string{"CC", "AA"}, Tier: Community}
	if diff := cmp.Diff(&Signer{Fingerprints: []string{"AA", "BB", "CC"}, Tier: Community}, MergeSigners(a, b)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	unsigned := &Signer{Fingerprints: []string{}, Tier: Unsigned}
	if MergeSigners(nil, a) != a || MergeSigners(a, nil) != a || MergeSigners(unsigned, a) != a || MergeSigners(a, unsigned) != a || MergeSigners(nil, nil) != nil {
		t.Error("a missing record changes the other")
	}
	if diff := cmp.Diff([]string{"BB", "AA"}, a.Fingerprints); diff != "" {
		t.Errorf("an input is changed: %s", diff)
	}
}
