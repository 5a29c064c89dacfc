package trust

import (
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/problem"
)

// DecideRecorded: facts must agree with each other, with policy and with the built-in signers.
func TestDecideRecorded(t *testing.T) {
	t.Parallel()
	a, b, c := strings.Repeat("a", 64), strings.Repeat("b", 64), strings.Repeat("c", 64)
	k1, k2 := strings.Repeat("1", 40), strings.Repeat("2", 40)
	strict := mustPolicy(t, PolicyText{Strict: true})
	base := func() RecordedInput {
		return RecordedInput{
			Source: source, Version: "1.0.0", Packages: map[string]string{"linux_amd64": a, "linux_arm64": b},
			Fact:     &Verified{ZH: map[string]string{"linux_amd64": a, "linux_arm64": b}, Other: []string{c}, Signer: k1, Tier: Community},
			Recorded: &Signer{Fingerprints: []string{k1}, Tier: Community},
		}
	}
	terraform := func(in *RecordedInput) {
		in.Source, in.Recorded = official, nil
		in.Fact.Signer, in.Fact.Tier = HashiCorpFingerprint, Official
	}
	allow := func(text PolicyText) func(*RecordedInput) {
		return func(in *RecordedInput) { in.Policy = mustPolicy(t, text) }
	}
	unsigned := func(in *RecordedInput) { in.Fact.Signer, in.Fact.Tier = "", Unsigned }
	checksum := func(in *RecordedInput) { in.Fact.Signer, in.Fact.Tier = "", Checksum }
	type changes []func(*RecordedInput)
	for _, test := range []struct {
		name    string
		changes changes
		kind    problem.Kind // empty: accepted
		reason  Reason
	}{
		{"agreeing facts", nil, "", ""},
		{"agreeing facts, strict", changes{func(in *RecordedInput) { in.Policy = strict }}, "", ""},
		{"official", changes{terraform}, "", ""},
		{"swapped platform (C25)", changes{func(in *RecordedInput) { in.Packages["linux_amd64"] = b }}, KindChecksum, OtherPlatform},
		{"changed hash", changes{func(in *RecordedInput) { in.Packages["linux_amd64"] = c }}, KindChecksum, Mismatch},
		{"unbound platform", changes{func(in *RecordedInput) { in.Packages["plan9_amd64"] = c }}, KindChecksum, NotListed},
		{"other signer than recorded", changes{func(in *RecordedInput) { in.Fact.Signer = k2 }}, KindSigner, SignerNotAllowed},
		{"no signer fact", changes{func(in *RecordedInput) { in.Recorded = nil }}, KindSigner, BadRecord},
		{"signer not in policy", changes{allow(PolicyText{Signers: map[string][]string{"registry.acme.dev/acme": {k2}}})}, KindSigner, SignerNotAllowed},
		{"signer in policy, none recorded", changes{allow(PolicyText{Signers: map[string][]string{"registry.acme.dev/acme": {k1}}}), func(in *RecordedInput) { in.Recorded = nil }}, "", ""},
		{"official namespace, other signer", changes{terraform, func(in *RecordedInput) { in.Fact.Signer, in.Fact.Tier = k1, Community }}, KindSigner, SignerNotAllowed},
		{"official namespace, other signer called official", changes{terraform, func(in *RecordedInput) { in.Fact.Signer = k1 }}, KindSigner, BadRecord},
		{"official elsewhere", changes{func(in *RecordedInput) { in.Fact.Tier = Official }}, KindSigner, BadRecord},
		{"retired key", changes{func(in *RecordedInput) { in.Fact.Signer = RetiredHashiCorpFingerprint }}, KindRevoked, RetiredKey},
		{"unsigned", changes{unsigned}, KindSigner, BadRecord},
		{"unsigned, allowed", changes{unsigned, allow(PolicyText{AllowUnsigned: []string{"registry.acme.dev/acme/widget"}})}, "", ""},
		{"official unsigned, allowed", changes{terraform, unsigned, allow(PolicyText{AllowUnsigned: []string{"hashicorp/widget"}})}, KindSigner, BadRecord},
		{"mirror's word", changes{checksum}, "", ""},
		{"mirror's word, strict", changes{checksum, allow(PolicyText{Strict: true})}, KindSigner, BadRecord},
		{"mirror's word, strict, allowed", changes{checksum, allow(PolicyText{Strict: true, AllowChecksum: []string{"registry.acme.dev/acme/widget"}})}, "", ""},
		{"no hash", changes{func(in *RecordedInput) { in.Fact.ZH = nil }}, KindSigner, BadRecord},
		{"upper-case hash", changes{func(in *RecordedInput) { in.Fact.ZH["linux_amd64"] = strings.ToUpper(a) }}, KindSigner, BadRecord},
		{"odd other hash", changes{func(in *RecordedInput) { in.Fact.Other = []string{"x"} }}, KindSigner, BadRecord},
		{"unknown tier", changes{func(in *RecordedInput) { in.Fact.Tier = "gold" }}, KindSigner, BadRecord},
		{"key id instead of fingerprint", changes{func(in *RecordedInput) { in.Fact.Signer = k1[:16] }}, KindSigner, BadRecord},
		{"unsigned with signer", changes{func(in *RecordedInput) { in.Fact.Tier = Unsigned }}, KindSigner, BadRecord},
		{"nothing recorded, strict", changes{func(in *RecordedInput) { in.Fact, in.Policy = nil, strict }}, KindUnsigned, NotVerified},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := base()
			for _, change := range test.changes {
				change(&in)
			}
			verdict := DecideRecorded(in)
			if test.kind == "" {
				accepted(t, verdict)
				return
			}
			refused(t, verdict, test.kind, test.reason, in.Source.String()+" 1.0.0")
		})
	}
	in := base()
	in.Fact = nil
	if got := DecideRecorded(in); got.Outcome != DoesNotApply || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "providers_lock") {
		t.Errorf("nothing recorded: %+v", got)
	}
}

func TestParsePolicy(t *testing.T) {
	t.Parallel()
	fingerprint := strings.Repeat("ab", 20)
	upper := strings.ToUpper(fingerprint)
	policy, err := ParsePolicy(PolicyText{Signers: map[string][]string{
		"acme/widget": {fingerprint}, "localhost/acme": {"0x" + fingerprint}, "registry.acme.dev:8443/acme": {upper[:20] + "  " + upper[20:]},
	}}, addrs.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	for _, scope := range []addrs.Provider{
		{Host: "registry.opentofu.org", Namespace: "acme", Type: "widget"}, {Host: "localhost", Namespace: "acme", Type: "x"}, {Host: "registry.acme.dev:8443", Namespace: "acme", Type: "y"},
	} {
		if got := policy.signersOf(scope); len(got) != 1 || got[0] != upper {
			t.Errorf("%s: %q", scope, got)
		}
	}
	if got := policy.signersOf(addrs.Provider{Host: "registry.opentofu.org", Namespace: "acme", Type: "gadget"}); got != nil {
		t.Errorf("another provider: %q", got)
	}
	if got := (Policy{}).expiredKeys(); got != ExpiredAccept {
		t.Errorf("the zero policy has expired_keys %q", got)
	}
	for text, bad := range map[string]PolicyText{
		"no full fingerprint":       {Signers: map[string][]string{"acme/widget": {upper[:16]}}},
		"not hex":                   {Signers: map[string][]string{"acme/widget": {strings.Repeat("x", 40)}}},
		"has no fingerprint":        {Signers: map[string][]string{"acme/widget": {}}},
		"names too":                 {Signers: map[string][]string{"acme/widget": {upper}, "registry.opentofu.org/acme/widget": {upper}}},
		"signers: ":                 {Signers: map[string][]string{"a/b/c/d": {upper}}},
		"allow_unsigned: ":          {AllowUnsigned: []string{"?"}},
		"allow_sha1: ":              {AllowSHA1: []string{"?"}},
		"allow_checksum: ":          {AllowChecksum: []string{"?"}},
		"is no source:version":      {AllowChanged: []string{"acme/widget"}},
		"none of accept, signed-be": {ExpiredKeys: "maybe"},
	} {
		if _, err := ParsePolicy(bad, addrs.OpenTofu); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
