package trust

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"rules_tf_mirror/tests/trustfixtures"
	"rules_tf_mirror/tests/trustfixtures/testkeys"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/sums"
)

// An answered hash is only good for the platform whose own file name the list gives it (C23, C25); the text says what it is instead.
func TestPackagesAreBoundToPlatforms(t *testing.T) {
	t.Parallel()
	manifest := strings.Repeat("d", 64)
	key := testkeys.New("Acme", made, never)
	base := release(source, "1.0.0", key)
	list := string(base.Sums.Bytes) + manifest + "  terraform-provider-widget_1.0.0_manifest.json\n"
	base.Sums.Bytes, base.Signature.Bytes = []byte(list), key.Sign(list, signed)
	arm := base.Packages["linux_arm64"]
	for _, test := range []struct {
		name, platform, hash string
		reason               Reason
		texts                []string
	}{
		{"another platform's", "linux_amd64", arm, OtherPlatform, []string{"linux_amd64", "the package of linux_arm64", arm, base.Packages["linux_amd64"]}},
		{"another platform's, in upper case", "linux_amd64", strings.ToUpper(arm), OtherPlatform, nil},
		{"the manifest's", "linux_amd64", manifest, NotAPackage, []string{"manifest.json", manifest}},
		{"none of the list", "linux_amd64", strings.Repeat("e", 64), Mismatch, []string{strings.Repeat("e", 64), base.Packages["linux_amd64"]}},
		{"platform without line", "plan9_amd64", strings.Repeat("e", 64), NotListed, []string{"terraform-provider-widget_1.0.0_plan9_amd64.zip", "optional_platforms"}},
		{"platform without line, another's hash", "plan9_amd64", arm, OtherPlatform, []string{"no line for terraform-provider-widget_1.0.0_plan9_amd64.zip"}},
		{"empty hash", "linux_amd64", "", Mismatch, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			refused(t, Decide(with(base, func(in *Input) { in.Packages[test.platform] = test.hash })), KindChecksum, test.reason, test.texts...)
		})
	}
	accepted(t, Decide(with(base, func(in *Input) { in.Packages["linux_amd64"] = strings.ToUpper(in.Packages["linux_amd64"]) })))
	accepted(t, Decide(with(base, func(in *Input) { in.Packages = nil })))
	refused(t, Decide(with(base, func(in *Input) { in.Packages["linux_amd64"], in.Packages["darwin_arm64"] = arm, arm })), KindChecksum, OtherPlatform, "darwin_arm64", "linux_amd64")
}

// The signed list of another release by the same key: rollback and replay.
func TestOtherReleaseIsAnAlarm(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	older := release(source, "1.0.0", key)
	refused(t, Decide(with(older, func(in *Input) { in.Version = "1.1.0" })), KindChecksum, Reason(sums.OtherRelease), "ALARM", "widget 1.0.0", "widget_1.1.0_*")
	refused(t, Decide(with(older, func(in *Input) { in.Source.Type = "gadget" })), KindChecksum, Reason(sums.OtherRelease), "widget 1.0.0")
	refused(t, Decide(with(older, func(in *Input) { in.Packages = nil; in.Version = "1.1.0" })), KindChecksum, Reason(sums.OtherRelease))
}

// A version that was locked keeps its content: a hash that differs or is gone is an alarm, a new platform is not.
func TestContentChanged(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	base := release(source, "1.0.0", key)
	before := accepted(t, Decide(base)).Fact
	record := func(change func(*Verified)) func(*Input) {
		return func(in *Input) {
			fact := &Verified{ZH: map[string]string{}, Other: append([]string{}, before.Other...), Signer: before.Signer, Tier: before.Tier}
			for platform, hash := range before.ZH {
				fact.ZH[platform] = hash
			}
			change(fact)
			in.Fact = fact
		}
	}
	gone := strings.Repeat("f", 64)
	for _, test := range []struct {
		name   string
		change func(*Verified)
		status Status // empty: refused
		texts  []string
	}{
		{"same", func(*Verified) {}, StatusVerified, nil},
		{"a platform was added", func(f *Verified) { delete(f.ZH, "linux_arm64") }, StatusChanged, nil},
		{"another tier", func(f *Verified) { f.Tier = Partner }, StatusChanged, nil},
		{"a hash differs", func(f *Verified) { f.ZH["linux_amd64"] = gone }, "", []string{"linux_amd64: " + gone + " became " + before.ZH["linux_amd64"]}},
		{"a platform is gone", func(f *Verified) { f.ZH["plan9_amd64"] = gone }, "", []string{"plan9_amd64: " + gone + " is gone"}},
		{"another file is gone", func(f *Verified) { f.Other = []string{gone} }, "", []string{"another file: " + gone}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := with(base, record(test.change))
			verdict := Decide(in)
			if test.status != "" {
				if got := accepted(t, verdict); got.Status != test.status {
					t.Errorf("status %s, want %s", got.Status, test.status)
				}
				return
			}
			refused(t, verdict, problem.ContentChanged, ContentChanged, append(test.texts, "ALARM", `allow_changed = ["registry.acme.dev/acme/widget:1.0.0"]`)...)
			in.Policy = mustPolicy(t, PolicyText{AllowChanged: []string{"registry.acme.dev/acme/widget:1.0.0"}})
			if got := accepted(t, Decide(in)); got.Status != StatusChanged || !strings.Contains(strings.Join(got.Warnings, ""), "allow_changed") {
				t.Errorf("status %s, warnings %q", got.Status, got.Warnings)
			}
			in.Policy = mustPolicy(t, PolicyText{AllowChanged: []string{"registry.acme.dev/acme/widget:1.0.1"}})
			refused(t, Decide(in), problem.ContentChanged, ContentChanged)
		})
	}
}

// SHA-1 is allowed by source, and the refusal says how (R-AUTH-17).
func TestAllowSHA1(t *testing.T) {
	t.Parallel()
	in := input(trustfixtures.Get("sha1"))
	refused(t, Decide(in), KindSignature, "weak_digest", `allow_sha1 = ["registry.acme.dev/acme/widget"]`)
	in.Policy = mustPolicy(t, PolicyText{AllowSHA1: []string{"registry.acme.dev/acme/gadget"}})
	refused(t, Decide(in), KindSignature, "weak_digest")
	in.Policy = mustPolicy(t, PolicyText{AllowSHA1: []string{"registry.acme.dev/acme/widget"}})
	if got := accepted(t, Decide(in)); !strings.Contains(fmt.Sprint(got.Warnings), "SHA-1") {
		t.Errorf("warnings %q", got.Warnings)
	}
}

// Kinds as design §3.3 names them.
func TestKindsOfSignatureDefects(t *testing.T) {
	t.Parallel()
	for fixture, want := range map[string]problem.Kind{
		"revoked-key": "revoked", "revoked-subkey": "revoked", "expired-signature": "expired", "unknown-issuer": "signature", "tampered-sums": "signature",
		"keys-empty": "unsigned", "sums-404": "unsigned", "signature-404": "unsigned", "older-release": "checksum", "other-platforms-zip": "checksum",
		"two-hashes": "checksum", "trust-signature-garbage": "signature",
	} {
		if got := problem.KindOf(Decide(input(trustfixtures.Get(fixture))).Err); got != want {
			t.Errorf("%s: %s, want %s", fixture, got, want)
		}
	}
}

// A list that is too long is refused before a signature over it is computed, an unsigned one too.
func TestTooLongList(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	in := release(source, "1.0.0", key)
	padded := func(size int) Input {
		return with(in, func(in *Input) {
			in.Sums.Bytes = append(bytes.Clone(in.Sums.Bytes), bytes.Repeat([]byte("\n"), size-len(in.Sums.Bytes))...)
			in.Signature.Bytes = key.Sign(string(in.Sums.Bytes), signed)
		})
	}
	accepted(t, Decide(padded(sums.MaxSize)))
	long := padded(sums.MaxSize + 1)
	refused(t, Decide(long), KindChecksum, Reason(sums.TooLong), "262145 bytes", "more than 262144")
	long.Keys, long.Policy = nil, mustPolicy(t, PolicyText{AllowUnsigned: []string{source.String()}})
	refused(t, Decide(long), KindChecksum, Reason(sums.TooLong))
}
