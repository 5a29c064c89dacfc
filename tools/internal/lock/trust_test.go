package lock_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/lock"
	"rules_tf_mirror/tools/internal/manifest"
)

// A refused or failed version leaves nothing behind, and the others are recorded (design §3.3, §3.7). good is always accepted.
func TestDefects(t *testing.T) {
	t.Parallel()
	const good = gadget
	for name, c := range map[string]struct {
		prepare func(b *bench, v *fixture.Version)
		status  string
		kind    string
		parts   []string
		outcome lock.Outcome
	}{
		"B14 no signing keys": {
			func(_ *bench, v *fixture.Version) { v.Lie(fixture.Lie{NoKeys: true}) }, "refused", "unsigned", []string{"no signing key", "allow_unsigned"}, lock.Refused},
		"B14 signing_keys is missing": {
			func(_ *bench, v *fixture.Version) { v.Lie(fixture.Lie{Fields: map[string]any{"signing_keys": nil}}) }, "refused", "unsigned", []string{"no signing key"}, lock.Refused},
		"B14 gpg_public_keys is null": {
			func(_ *bench, v *fixture.Version) {
				v.Lie(fixture.Lie{Fields: map[string]any{"signing_keys": map[string]any{"gpg_public_keys": nil}}})
			}, "refused", "unsigned", []string{"no signing key"}, lock.Refused},
		"a null key": {
			func(_ *bench, v *fixture.Version) {
				v.Lie(fixture.Lie{Fields: map[string]any{"signing_keys": map[string]any{"gpg_public_keys": []any{nil}}}})
			}, "unavailable", "response", []string{"gpg_public_keys[0] is null"}, lock.Unreachable},
		"signing_keys of another form": {
			func(_ *bench, v *fixture.Version) { v.Lie(fixture.Lie{Fields: map[string]any{"signing_keys": "none"}}) }, "unavailable", "response", []string{"another form"}, lock.Unreachable},
		"B27 SHA256SUMS 404": {
			func(b *bench, _ *fixture.Version) {
				b.provider(widget).Fail(fixture.EndpointSums, fixture.Fault{Status: 404})
			}, "refused", "unsigned", []string{"404 for SHA256SUMS"}, lock.Refused},
		"C27 signature 404": {
			func(b *bench, _ *fixture.Version) {
				b.provider(widget).Fail(fixture.EndpointSignature, fixture.Fault{Status: 404})
			}, "refused", "unsigned", []string{"404 for the signature"}, lock.Refused},
		"no address of SHA256SUMS": {
			func(_ *bench, v *fixture.Version) { v.Lie(fixture.Lie{Fields: map[string]any{"shasums_url": nil}}) }, "refused", "unsigned", []string{"the download answer names none"}, lock.Refused},
		"B32 SHA256SUMS 403": {
			func(b *bench, _ *fixture.Version) {
				b.provider(widget).Fail(fixture.EndpointSums, fixture.Fault{Status: 403})
			}, "unavailable", "unauthorized", []string{"SHA256SUMS", "403"}, lock.Unreachable},
		"signature 401": {
			func(b *bench, _ *fixture.Version) {
				b.provider(widget).Fail(fixture.EndpointSignature, fixture.Fault{Status: 401})
			}, "unavailable", "unauthorized", []string{"the signature of SHA256SUMS", "401"}, lock.Unreachable},
		"SHA256SUMS 500": {
			func(b *bench, _ *fixture.Version) {
				b.provider(widget).Fail(fixture.EndpointSums, fixture.Fault{Status: 500})
			}, "unavailable", "network", []string{"SHA256SUMS", "500"}, lock.Unreachable},
		"SHA256SUMS cut off": {
			func(b *bench, _ *fixture.Version) {
				b.provider(widget).Fail(fixture.EndpointSums, fixture.Fault{Truncate: true})
			}, "unavailable", "network", []string{"SHA256SUMS"}, lock.Unreachable},
		"SHA256SUMS 410": {
			func(b *bench, _ *fixture.Version) {
				b.provider(widget).Fail(fixture.EndpointSums, fixture.Fault{Status: 410})
			}, "unavailable", "response", []string{"SHA256SUMS", "410"}, lock.Unreachable},
		"D11 another key than offered": {
			func(_ *bench, v *fixture.Version) { v.SignWith(fixture.NewKey(fixture.KeyOptions{})) }, "refused", "signature", nil, lock.Refused},
		"tampered list": {
			func(_ *bench, v *fixture.Version) {
				signature, _ := v.Signature()
				list, _ := v.Sums()
				v.SetSums(append(list, []byte(strings.Repeat("0", 64)+"  other\n")...)).SetSignature(signature)
			}, "refused", "signature", nil, lock.Refused},
		"list of another release": {
			func(b *bench, v *fixture.Version) {
				old, _ := b.version(widget, "1.3.0").Sums()
				v.SetSums(old)
			}, "refused", "checksum", []string{"ALARM"}, lock.Refused},
		"C25 package of another platform": {
			func(b *bench, v *fixture.Version) {
				v.LieAbout("linux_amd64", fixture.Lie{Fields: map[string]any{"shasum": v.SHA256("linux_arm64")}})
			}, "refused", "checksum", []string{"the package of linux_arm64"}, lock.Refused},
		"one platform's answer is 500": {
			func(b *bench, _ *fixture.Version) {
				b.provider(widget).FailNext(fixture.EndpointDownload, 7, fixture.Fault{Status: 500})
			}, "unavailable", "network", []string{"500"}, lock.Unreachable},
		"revoked key": {
			func(_ *bench, v *fixture.Version) {
				key := fixture.NewKey(fixture.KeyOptions{Created: time.Now().AddDate(-1, 0, 0)})
				v.Key(key.Revoke(time.Now().AddDate(0, -1, 0)))
			}, "refused", "revoked", nil, lock.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, widget+":1.4.0", good+":2.0.0")
			v := b.version(widget, "1.4.0")
			b.version(good, "2.0.0")
			c.prepare(b, v)
			report := b.run(nil)
			b.row(report, 0, c.status, c.kind, append(c.parts, "widget")...)
			b.row(report, 1, "changed", "")
			outcome(t, report, c.outcome)
			for key := range b.facts() {
				if strings.Contains(key, widget) && !strings.HasPrefix(key, "retry/") {
					t.Errorf("%s is recorded", key)
				}
			}
			if len(b.keys("verified/")) != 1 || len(b.keys("signer/")) != 1 || len(b.keys("package/")) != 4 {
				t.Errorf("recorded %q", b.keys(""))
			}
		})
	}
}

// B32: what was recorded stays usable when a document cannot be had now.
func TestRecordsStayWhenTheRegistryFails(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	b.run(nil)
	text := b.read(b.lockfile())
	b.provider(widget).Fail(fixture.EndpointSums, fixture.Fault{Status: 403})
	for _, change := range []func(*lock.Options){nil, checkOnly} {
		report := b.run(change)
		b.row(report, 0, "unavailable", "unauthorized", "SHA256SUMS", "earlier verification stays")
		outcome(t, report, lock.Unreachable)
	}
	outcome(t, b.run(checkOffline), lock.Done)
	if b.read(b.lockfile()) != text {
		t.Error("the lockfile changed")
	}
}

// D10, D13: alarms, and that bumping a pin under a registry that then serves another key is refused.
func TestSignersOutliveVersions(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	b.run(nil)
	other := fixture.NewKey(fixture.KeyOptions{Name: "Mallory"})
	b.version(widget, "1.5.0").Key(other)
	b.want(widget + ":1.5.0")
	report := b.run(nil)
	b.row(report, 0, "refused", "signer", "ALARM", other.Fingerprint(), b.reg.DefaultKey().Fingerprint(), "signers = {")
	outcome(t, report, lock.Refused)
	if got := b.keys("verified/"); len(got) != 1 {
		t.Errorf("verified %q", got)
	}
	b.policy = &manifest.Policy{Signers: map[string][]string{widget: {b.reg.DefaultKey().Fingerprint(), other.Fingerprint()}}}
	report = b.run(nil)
	b.row(report, 0, "changed", "")
	if got := b.facts()["signer/"+widget]; !strings.Contains(got, other.Fingerprint()) {
		t.Errorf("signer fact %s", got)
	}
}

// All versions locked in one run are judged by the record from before it, and all their signers are recorded (design §3.7).
func TestTwoKeysInOneFirstRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0", widget+":1.5.0")
	b.version(widget, "1.4.0")
	other := fixture.NewKey(fixture.KeyOptions{})
	b.version(widget, "1.5.0").Key(other)
	outcome(t, b.run(nil), lock.Done)
	contains(t, b.facts()["signer/"+widget], other.Fingerprint(), b.reg.DefaultKey().Fingerprint())
	outcome(t, b.run(checkOnly), lock.Done)
}

// Built-in signers: another key is refused for hashicorp/*, whatever the registry says, unless policy adds it; no signer fact is kept.
func TestOfficialNamespace(t *testing.T) {
	t.Parallel()
	const random = "registry.terraform.io/hashicorp/random"
	b := newBench(t, "hashicorp/random:3.1.3")
	b.version(random, "3.1.3")
	b.row(b.run(nil), 0, "refused", "signer", "unknown new key for an official namespace", `signers = {"registry.terraform.io/hashicorp": ["`+b.reg.DefaultKey().Fingerprint())
	b.policy = &manifest.Policy{Signers: map[string][]string{"registry.terraform.io/hashicorp": {b.reg.DefaultKey().Fingerprint()}}}
	row := b.row(b.run(nil), 0, "changed", "")
	if row.Source != random || len(b.keys("signer/")) != 0 || len(b.keys("verified/")) != 1 {
		t.Errorf("row %+v, recorded %q", row, b.keys(""))
	}
}

// A release that was cut again is an alarm, also under --upgrade; allow_changed accepts it with its new packages.
func TestChangedContent(t *testing.T) {
	t.Parallel()
	for _, mode := range []struct {
		name   string
		change func(*lock.Options)
	}{{"lock", nil}, {"upgrade", upgrade}, {"check", checkOnly}} {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, widget+":~> 1.0")
			v := b.version(widget, "1.4.0")
			b.run(nil)
			text := b.read(b.lockfile())
			old := v.SHA256("linux_amd64")
			v.EachZip(func(z *fixture.Zip) { z.Salt("again") })
			report := b.run(mode.change)
			b.row(report, 0, "refused", "content_changed", old, v.SHA256("linux_amd64"))
			outcome(t, report, lock.Refused)
			if b.read(b.lockfile()) != text {
				t.Error("the lockfile changed")
			}
			b.policy = &manifest.Policy{AllowChanged: []string{widget + ":1.4.0"}}
			outcome(t, b.run(checkOnly), lock.Different)
			b.row(b.run(nil), 0, "changed", "")
			contains(t, b.facts()["package/"+widget+"/1.4.0/linux_arm64"], v.SHA256("linux_arm64"))
			b.policy = nil
			outcome(t, b.run(checkOnly), lock.Done)
		})
	}
}

// A list that shrank while the packages stayed is content that is gone; one that grew is recorded anew (design §3.3 `changed`).
func TestListGrowsAndShrinks(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	v := b.version(widget, "1.4.0").SumsLine(strings.Repeat("a", 64) + "  terraform-provider-widget_1.4.0_freebsd_amd64.zip")
	b.run(nil)
	list, err := v.Sums()
	check(t, err)
	v.SetSums(append(list, []byte(strings.Repeat("b", 64)+"  terraform-provider-widget_1.4.0_openbsd_amd64.zip\n")...))
	outcome(t, b.run(checkOnly), lock.Different)
	row := b.row(b.run(nil), 0, "changed", "")
	if len(row.ZH) != 6 {
		t.Errorf("zh %q", row.ZH)
	}
	v.SetSums(list)
	b.row(b.run(nil), 0, "refused", "content_changed", "openbsd_amd64", "is gone")
}

// A recorded package that the registry no longer has is content that is gone.
func TestPackageIsGone(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	b.run(nil)
	b.provider(widget).Fail(fixture.EndpointDownload, fixture.Fault{Status: 404})
	report := b.run(nil)
	b.row(report, 0, "refused", "content_changed", "gone")
	outcome(t, report, lock.Refused)
}

// Unsigned where tofu permits it: a warning and no verified fact, the same for a check; strict refuses; allow_unsigned records (design §3.7).
func TestUnsigned(t *testing.T) {
	t.Parallel()
	const plain = "registry.opentofu.org/acme/plain"
	b := newBench(t, "acme/plain:1.0.0")
	b.tool = addrs.OpenTofu
	b.version(plain, "1.0.0").Lie(fixture.Lie{NoKeys: true})
	report := b.run(nil)
	row := b.row(report, 0, "unsigned", "")
	if row.Tier != "unsigned" || row.Signer != "" || len(row.ZH) != 0 || len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0], "nothing was verified") {
		t.Errorf("row %+v, warnings %q", row, report.Warnings)
	}
	if len(b.keys("verified/")) != 0 || b.facts()["signer/"+plain] != `{"fingerprints":[],"tier":"unsigned"}` {
		t.Errorf("recorded %q", b.facts())
	}
	for name, change := range map[string]func(*lock.Options){"check": checkOnly, "offline": checkOffline} {
		report = b.run(change)
		b.row(report, 0, "unsigned", "")
		outcome(t, report, lock.Done)
		if len(report.Warnings) != 1 {
			t.Errorf("%s: warnings %q", name, report.Warnings)
		}
	}
	b.policy = &manifest.Policy{Strict: true}
	for _, change := range []func(*lock.Options){nil, checkOnly, checkOffline} {
		report = b.run(change)
		b.row(report, 0, "refused", "unsigned")
		outcome(t, report, lock.Refused)
	}
	b.policy = &manifest.Policy{Strict: true, AllowUnsigned: []string{"acme/plain"}}
	row = b.row(b.run(nil), 0, "unsigned", "")
	if len(row.ZH) != 4 || len(b.keys("verified/")) != 1 {
		t.Errorf("row %+v", row)
	}
	contains(t, b.facts()["verified/"+plain+"/1.0.0"], `"tier":"unsigned"`, `"signer":""`)
	outcome(t, b.run(checkOnly), lock.Done)
	outcome(t, b.run(checkOffline), lock.Done)

	// Without the permission the fact goes again.
	b.policy = nil
	outcome(t, b.run(checkOnly), lock.Different)
	b.run(nil)
	if len(b.keys("verified/")) != 0 {
		t.Errorf("recorded %q", b.keys(""))
	}

	// D13: signed now, and badly.
	b.version(plain, "1.0.0").Lie(fixture.Lie{}).SignWith(fixture.NewKey(fixture.KeyOptions{}))
	b.row(b.run(nil), 0, "refused", "signature", "was unsigned when it was recorded")
}

// D01, D04: an expired key by policy; the clock is an input.
func TestExpiredKeys(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	key := fixture.NewKey(fixture.KeyOptions{Created: time.Now().AddDate(-2, 0, 0), Lifetime: 365 * 24 * time.Hour})
	b.version(widget, "1.4.0").Key(key).Signing(fixture.SignOptions{Time: time.Now().AddDate(-1, -6, 0)})
	report := b.run(nil)
	b.row(report, 0, "changed", "")
	if len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0], "expired on") || !strings.Contains(report.Warnings[0], "made before") {
		t.Errorf("warnings %q", report.Warnings)
	}
	b.policy = &manifest.Policy{ExpiredKeys: "signed-before"}
	b.row(b.run(nil), 0, "verified", "")
	b.policy = &manifest.Policy{ExpiredKeys: "refuse"}
	report = b.run(checkOnly)
	b.row(report, 0, "refused", "expired")
	outcome(t, report, lock.Refused)
	b.ahead = -400 * 24 * time.Hour // before it expired
	b.row(b.run(checkOnly), 0, "verified", "")
}

// Malformed records of trust are refused: dropped silently they would be first use again.
func TestMalformedRecords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ key, value string }{
		{"verified/" + widget + "/1.4.0", `{"zh": []}`},
		{"verified/" + widget + "/1.4.0", `{"zh": {}, "other": [], "signer": "", "tier": "", "more": 1}`},
		{"verified/" + widget + "/1.4.0", `{}`},
		{"signer/" + widget, `{}`},
		{"signer/" + widget, `{"fingerprints": [], "tier": "community"}`},
		{"signer/" + widget, `{"fingerprints": "none"}`},
		{"signer/" + widget, `{"fingerprints": ["ABCD"], "tier": "community"}`},
		{"signer/" + widget, `{"fingerprints": ["` + strings.Repeat("b", 40) + `"], "tier": "community"}`},
		{"signer/" + widget, `{"fingerprints": ["` + strings.Repeat("B", 40) + `", "` + strings.Repeat("A", 40) + `"], "tier": "community"}`},
	} {
		t.Run(fmt.Sprint(c.key, c.value), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, widget+":1.4.0")
			b.version(widget, "1.4.0")
			b.run(nil)
			b.edit(map[string]string{c.key: c.value})
			text := b.read(b.lockfile())
			for _, change := range []func(*lock.Options){nil, checkOnly, checkOffline} {
				report := b.run(change)
				b.row(report, 0, "refused", "response", c.key, "malformed")
				outcome(t, report, lock.Refused)
			}
			if b.read(b.lockfile()) != text {
				t.Error("the lockfile changed")
			}
		})
	}
}

// A package fact that was edited is bound by the signed list (C25, C23): one platform's package for another, or the hash of a manifest file.
func TestEditedPackageFacts(t *testing.T) {
	t.Parallel()
	for _, other := range []string{"linux_arm64", "manifest"} {
		t.Run(other, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, widget+":1.4.0")
			v := b.version(widget, "1.4.0").Manifest()
			b.run(nil)
			list, err := v.Sums()
			check(t, err)
			hash := ""
			for line := range strings.Lines(string(list)) {
				if strings.Contains(line, other) {
					hash = line[:64]
				}
			}
			key := "package/" + widget + "/1.4.0/darwin_arm64"
			b.edit(map[string]string{key: strings.Replace(b.facts()[key], v.SHA256("darwin_arm64"), hash, 1)})
			for _, change := range []func(*lock.Options){nil, checkOnly, checkOffline} {
				report := b.run(change)
				b.row(report, 0, "refused", "checksum", "darwin_arm64", hash)
				outcome(t, report, lock.Refused)
			}
		})
	}
}
