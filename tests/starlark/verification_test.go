package starlark_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

const (
	widgetSource   = "registry.acme.dev/acme/widget"
	widgetVerified = "verified/" + widgetSource + "/1.4.0"
	widgetSigner   = "signer/" + widgetSource
)

// widgetFacts are a locked acme/widget 1.4.0 on two platforms: packages, the verified fact and the signer.
func widgetFacts() map[string]any { return lockedFacts(widgetSource, acmeKey, "community") }

// lockedFacts are the facts of version 1.4.0 of a source.
func lockedFacts(source, signer, tier string) map[string]any {
	facts, zh := map[string]any{}, m{"freebsd_386": sha("9")}
	for n, platform := range twoPlatforms {
		parts := strings.Split(source, "/")
		facts["package/"+source+"/1.4.0/"+platform] = m{
			"download_url": "https://releases.example/" + platform, "filename": "terraform-provider-" + parts[2] + "_1.4.0_" + platform + ".zip", "sha256": sha(fmt.Sprint(n)),
		}
		zh[platform] = sha(fmt.Sprint(n))
	}
	facts["verified/"+source+"/1.4.0"] = m{"zh": zh, "other": l{sha("8")}, "signer": signer, "tier": tier}
	facts["signer/"+source] = m{"fingerprints": l{signer}, "tier": tier}
	return facts
}

func widgetTag(source string, change m) m {
	tag := m{"platforms": twoPlatforms, "mirror": []string{source + ":1.4.0"}}
	maps.Copy(tag, change)
	return tag
}

// refusals are the texts of the packages' repositories by platform, empty ones left out.
func (e *evaluation) refusals() map[string]string {
	found := map[string]string{}
	for _, attrs := range e.packages() {
		if text := attrs["refuse"].(string); text != "" {
			found[attrs["platform"].(string)] = text
		}
	}
	return found
}

func (e *evaluation) warnings() string { return strings.Join(e.interpreter.Printed, "\n") }

// What verification gives is not seen in the repositories: locking fetches nothing again (design §3.6).
func TestLockingChangesNoAttribute(t *testing.T) {
	t.Parallel()
	unlocked := widgetFacts()
	delete(unlocked, widgetVerified)
	delete(unlocked, widgetSigner)
	before := (&evaluation{t: t, modules: rootTag(widgetTag(widgetSource, nil)), facts: unlocked}).run()
	after := (&evaluation{t: t, modules: rootTag(widgetTag(widgetSource, nil)), facts: widgetFacts()}).run()
	for n, repo := range before.interpreter.Declared {
		if other := after.interpreter.Declared[n]; repo.Name != other.Name || !cmp.Equal(repo.Attrs, other.Attrs) {
			t.Errorf("repository %s:\n%s", repo.Name, cmp.Diff(repo.Attrs, other.Attrs))
		}
	}
	contains(t, before.warnings(), "WARNING: 1 of 1 provider versions are not verified ("+widgetSource+" 1.4.0)",
		"): nothing but the registry's or mirror's word stands behind their hashes. Run", "bazel run //:providers_lock", "commit MODULE.bazel.lock")
	if len(before.interpreter.Printed) != 1 || len(after.interpreter.Printed) != 0 {
		t.Errorf("printed %q, then %q", before.interpreter.Printed, after.interpreter.Printed)
	}
	if len(after.ctx.Executed) != 0 {
		t.Errorf("executed %v", after.ctx.Executed)
	}
}

// Each defect of the recorded facts refuses the packages that it concerns, keeps the facts as they are, and is said at once.
func TestVerifiedFactsBind(t *testing.T) {
	t.Parallel()
	both := twoPlatforms
	change := func(key, member string, value any) func(map[string]any) {
		return func(facts map[string]any) { facts[key].(m)[member] = value }
	}
	zh := func(platform string, value any) func(map[string]any) {
		return func(facts map[string]any) { facts[widgetVerified].(m)["zh"].(m)[platform] = value }
	}
	for name, tc := range map[string]struct {
		edit    func(facts map[string]any)
		tag     m
		refused []string
		want    []string
	}{
		"good":              {nil, nil, nil, nil},
		"other hash":        {zh("linux_amd64", sha("f")), nil, both[:1], []string{"not the one in the verified fact", "found sha256 " + sha("0") + ", wanted " + sha("f")}},
		"no such platform":  {func(f map[string]any) { delete(f[widgetVerified].(m)["zh"].(m), "windows_amd64") }, nil, both[1:], []string{"no hash for this platform", "found sha256 " + sha("1") + ", wanted none"}},
		"swapped (C25)":     {func(f map[string]any) { f["package/"+widgetSource+"/1.4.0/linux_amd64"].(m)["sha256"] = sha("1") }, nil, both[:1], []string{"another platform's package", "found sha256 " + sha("1") + " of windows_amd64, wanted " + sha("0")}},
		"manifest line":     {func(f map[string]any) { f["package/"+widgetSource+"/1.4.0/linux_amd64"].(m)["sha256"] = sha("8") }, nil, both[:1], []string{"not the one in the verified fact"}}, // C23
		"hash malformed":    {zh("freebsd_386", "xyz"), nil, both, []string{`"` + widgetVerified + `" in MODULE.bazel.lock is malformed`, "the hash of freebsd_386"}},
		"upper-case hash":   {zh("linux_amd64", strings.Repeat("A", 64)), nil, both, []string{"64 lower-case"}},
		"no hash":           {change(widgetVerified, "zh", m{}), nil, both, []string{"it has no hash"}},
		"zh a list":         {change(widgetVerified, "zh", l{sha("0")}), nil, both, []string{"it is not of the form"}},
		"no object":         {func(f map[string]any) { f[widgetVerified] = "x" }, nil, both, []string{"it is not of the form"}},
		"other malformed":   {change(widgetVerified, "other", l{"x"}), nil, both, []string{"other holds something else"}},
		"other no list":     {change(widgetVerified, "other", "x"), nil, both, []string{"other is no list"}},
		"no other":          {func(f map[string]any) { delete(f[widgetVerified].(m), "other") }, nil, nil, nil},
		"lower-case signer": {change(widgetVerified, "signer", strings.ToLower(acmeKey)), nil, both, []string{"no full fingerprint in upper-case hex"}},
		"key id":            {change(widgetVerified, "signer", acmeKey[24:]), nil, both, []string{"no full fingerprint"}},
		"signer a number":   {change(widgetVerified, "signer", 1), nil, both, []string{"no full fingerprint"}},
		"no signer":         {func(f map[string]any) { delete(f[widgetVerified].(m), "signer") }, nil, both, []string{"no full fingerprint"}},
		"tier":              {change(widgetVerified, "tier", "trusted"), nil, both, []string{"tier is none of checksum, community, official, partner, unsigned"}},
		"claims official":   {change(widgetVerified, "tier", "official"), nil, both, []string{"says tier official for signer " + acmeKey}},
		"partner":           {change(widgetVerified, "tier", "partner"), nil, nil, nil},
		"other signer":      {change(widgetVerified, "signer", otherKey), nil, both, []string{"has signer " + otherKey + "; allowed are " + acmeKey}},
		"retired":           {change(widgetVerified, "signer", retiredKey), nil, both, []string{retiredKey, "revoked", "No setting allows it"}},
		"retired, recorded": {func(f map[string]any) {
			f[widgetVerified].(m)["signer"] = retiredKey
			f[widgetSigner].(m)["fingerprints"] = l{retiredKey}
		}, nil, both, []string{"No setting allows it"}},
		"no signer fact":   {func(f map[string]any) { delete(f, widgetSigner) }, nil, both, []string{`there is no fact "` + widgetSigner + `" that names it`}},
		"was unsigned":     {change(widgetSigner, "fingerprints", l{}), nil, both, []string{"that names it"}},
		"signer malformed": {change(widgetSigner, "fingerprints", l{"x"}), nil, both, []string{`"` + widgetSigner + `" in MODULE.bazel.lock is malformed`}},
		"signer no object": {func(f map[string]any) { f[widgetSigner] = l{} }, nil, both, []string{widgetSigner, "malformed"}},
		"signer tier":      {change(widgetSigner, "tier", "x"), nil, both, []string{widgetSigner, "malformed"}},
		"two signers":      {change(widgetSigner, "fingerprints", l{otherKey, acmeKey}), nil, nil, nil},
		"tag's signer":     {func(f map[string]any) { delete(f, widgetSigner) }, m{"signers": m{widgetSource: []string{acmeKey}}}, nil, nil},
		"tag's namespace":  {change(widgetSigner, "fingerprints", l{"x"}), m{"signers": m{"registry.acme.dev/acme": []string{acmeKey}}}, nil, nil},
		"not the tag's":    {nil, m{"signers": m{widgetSource: []string{otherKey}}}, both, []string{"has signer " + acmeKey + "; allowed are " + otherKey}},
		"strict":           {nil, m{"provider_locks_strict": true}, nil, nil},
		"unsigned, signer": {change(widgetVerified, "tier", "unsigned"), nil, both, []string{`it has a signer, which tier "unsigned" rules out`}},
		"unsigned": {func(f map[string]any) {
			f[widgetVerified].(m)["tier"] = "unsigned"
			delete(f[widgetVerified].(m), "signer")
		}, nil, both, []string{`allow_unsigned = ["` + widgetSource + `"]`}},
		"unsigned, allowed": {func(f map[string]any) {
			f[widgetVerified].(m)["tier"] = "unsigned"
			f[widgetVerified].(m)["signer"] = ""
		}, m{"allow_unsigned": []string{widgetSource}, "provider_locks_strict": true}, nil, nil},
		"unsigned, tampered": {func(f map[string]any) {
			f[widgetVerified] = m{"zh": m{"linux_amd64": sha("e"), "windows_amd64": sha("1")}, "tier": "unsigned"}
		}, m{"allow_unsigned": []string{widgetSource}}, both[:1], []string{"wanted " + sha("e")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := widgetFacts()
			if tc.edit != nil {
				tc.edit(facts)
			}
			e := (&evaluation{t: t, modules: rootTag(widgetTag(widgetSource, tc.tag)), facts: facts}).run()
			refused := e.refusals()
			if diff := cmp.Diff(append([]string{}, tc.refused...), slices.AppendSeq([]string{}, maps.Keys(refused)), sorted); diff != "" {
				t.Errorf("refused -want +got:\n%s", diff)
			}
			for platform, text := range refused {
				contains(t, text, append(tc.want, "provider "+widgetSource+" 1.4.0 for "+platform+" is refused: ", "bazel run //:providers_lock", "who changed MODULE.bazel.lock.")...)
			}
			if len(tc.refused) > 0 {
				contains(t, e.warnings(), "WARNING: provider "+widgetSource+" 1.4.0 for "+strings.Join(tc.refused, ", ")+" is refused: ")
			}
			if want := min(len(tc.refused), 1); len(e.interpreter.Printed) != want {
				t.Errorf("printed %d, want %d: %q", len(e.interpreter.Printed), want, e.interpreter.Printed)
			}
			if diff := cmp.Diff(facts, e.newFacts()); diff != "" {
				t.Errorf("facts -given +returned:\n%s", diff)
			}
		})
	}
}

var sorted = cmp.Transformer("sorted", func(list []string) []any {
	var result []any
	for _, text := range slices.Sorted(slices.Values(list)) {
		result = append(result, text)
	}
	return result
})

// D10: for the official namespaces the facts of the lockfile change nothing about who may sign.
func TestVerifiedFactsOfOfficialNamespaces(t *testing.T) {
	t.Parallel()
	const hashicorp, opentofu = "registry.terraform.io/hashicorp/random", "registry.opentofu.org/opentofu/random"
	unsigned := func(source, tier string) map[string]any {
		facts := lockedFacts(source, hashicorpKey, "official")
		facts["verified/"+source+"/1.4.0"].(m)["tier"] = tier
		facts["verified/"+source+"/1.4.0"].(m)["signer"] = ""
		return facts
	}
	withoutSigner := lockedFacts(hashicorp, hashicorpKey, "official")
	delete(withoutSigner, "signer/"+hashicorp)
	for name, tc := range map[string]struct {
		source string
		facts  map[string]any
		tag    m
		want   string
	}{
		"hashicorp":        {hashicorp, withoutSigner, nil, ""},
		"opentofu":         {opentofu, lockedFacts(opentofu, opentofuKey, "official"), nil, ""},
		"recorded signer":  {hashicorp, lockedFacts(hashicorp, acmeKey, "community"), nil, "has signer " + acmeKey + "; allowed are " + hashicorpKey},
		"claims official":  {hashicorp, lockedFacts(hashicorp, acmeKey, "official"), nil, "says tier official for signer " + acmeKey},
		"says community":   {hashicorp, lockedFacts(hashicorp, hashicorpKey, "community"), nil, "says tier community for signer"},
		"the other tool's": {opentofu, lockedFacts(opentofu, hashicorpKey, "community"), nil, "allowed are " + opentofuKey},
		"allowed by tag":   {hashicorp, lockedFacts(hashicorp, acmeKey, "community"), m{"signers": m{"registry.terraform.io/hashicorp": []string{acmeKey}}}, ""},
		"unsigned":         {hashicorp, unsigned(hashicorp, "unsigned"), m{"allow_unsigned": []string{hashicorp}}, "no setting allows it otherwise"},
		"checksum":         {hashicorp, unsigned(hashicorp, "checksum"), m{"allow_checksum": []string{hashicorp}}, "all providers of this namespace are signed"},
	} {
		e := (&evaluation{t: t, modules: rootTag(widgetTag(tc.source, tc.tag)), facts: tc.facts}).run()
		refused := e.refusals()
		if (len(refused) == 2) != (tc.want != "") || !strings.Contains(refused["linux_amd64"], tc.want) {
			t.Errorf("%s: refused %v, want %q", name, refused, tc.want)
		}
	}
}

// A mirror's word binds its hashes, but counts as verification only where the tag says so (design §3.7).
func TestTierChecksum(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name             string
		tag              m
		hash             string
		refused, printed int
		want             string
	}{
		{"lax", nil, "0", 0, 1, "1 of 1 provider versions are not verified"},
		{"strict", m{"provider_locks_strict": true}, "0", 2, 1, `allow_checksum = ["` + widgetSource + `"]`},
		{"allowed", m{"provider_locks_strict": true, "allow_checksum": []string{widgetSource}}, "0", 0, 0, ""},
		{"lax, other hash", nil, "f", 1, 2, "not the one in the verified fact"},
		{"strict, other hash", m{"provider_locks_strict": true}, "f", 2, 2, "not the one in the verified fact"},
	} {
		facts := widgetFacts()
		facts[widgetVerified] = m{"zh": m{"linux_amd64": sha(tc.hash), "windows_amd64": sha("1")}, "tier": "checksum"}
		e := (&evaluation{t: t, modules: rootTag(widgetTag(widgetSource, tc.tag)), facts: facts}).run()
		if len(e.refusals()) != tc.refused || len(e.interpreter.Printed) != tc.printed {
			t.Errorf("%s: refused %v, printed %q", tc.name, e.refusals(), e.interpreter.Printed)
		}
		contains(t, e.warnings()+e.refusals()["linux_amd64"], tc.want)
		if tc.hash == "f" { // the worse of two reasons
			contains(t, e.refusals()["linux_amd64"], tc.want)
		}
	}
}

// Strict and nothing recorded: packages refuse, naming the command; the hub and so the lock target need none of them.
func TestStrict(t *testing.T) {
	t.Parallel()
	tag := m{"platforms": twoPlatforms, "provider_locks_strict": true, "mirror": []string{
		"acme/a:1.0.0", "acme/b:1.0.0", "acme/c:1.0.0", "acme/d:1.0.0", "acme/e:1.0.0",
	}}
	helper := registry{digit: "a", missing: map[string]bool{"registry.terraform.io/acme/e linux_amd64": true, "registry.terraform.io/acme/e windows_amd64": true}}
	e := (&evaluation{t: t, modules: rootTag(tag), helper: helper.answer}).run()
	if len(e.packages()) != 8 {
		t.Errorf("packages: %v", e.packages())
	}
	for name, attrs := range e.packages() {
		contains(t, attrs["refuse"].(string), "is refused: it is not verified, and provider_locks_strict wants that. Run `bazel run //:providers_lock`", "commit MODULE.bazel.lock.")
		if attrs["sha256"] != sha("a") || attrs["url"] == nil {
			t.Errorf("%s: attributes differ from those of a package that may be fetched: %v", name, attrs)
		}
	}
	if len(e.interpreter.Printed) != 1 {
		t.Errorf("printed %q", e.interpreter.Printed)
	}
	// The version without a package is none of those that could be verified.
	contains(t, e.warnings(), "WARNING: 4 of 4 provider versions are not verified and refuse to be fetched, as provider_locks_strict wants (",
		"registry.terraform.io/acme/a 1.0.0, registry.terraform.io/acme/b 1.0.0, registry.terraform.io/acme/c 1.0.0 and 1 more)", "bazel run //:providers_lock")
	if strict := e.hub()["manifest"].(m)["policy"].(m)["strict"]; strict != true {
		t.Errorf("strict: %v", strict)
	}
}

// A refused package fails before a byte is fetched.
func TestRefusedPackageIsNotFetched(t *testing.T) {
	t.Parallel()
	e := (&evaluation{t: t, modules: rootTag(widgetTag(widgetSource, m{"provider_locks_strict": true})), helper: registry{digit: "a"}.answer}).run()
	for _, repo := range e.interpreter.Declared {
		if repo.Name == "tf_toolchains" {
			continue
		}
		ctx := fakebazel.NewRepositoryContext(repo, linux, nil)
		err := callImplementation(e.interpreter, repo.Rule.Implementation, ctx)
		if err == nil {
			t.Fatal("no error")
		}
		contains(t, err.Error(), "is refused: it is not verified")
		if len(ctx.Downloads)+len(ctx.Executed)+len(ctx.Fetched) != 0 {
			t.Errorf("downloads %v, executed %v, touched %v", ctx.Downloads, ctx.Executed, ctx.Fetched)
		}
	}
}

// D11, D14: a version bump keeps the signers, drops the verified fact of the version that is gone, and asks for the new one to be verified.
func TestVersionBump(t *testing.T) {
	t.Parallel()
	tag := m{"platforms": twoPlatforms, "mirror": []string{widgetSource + ":1.5.0"}}
	e := (&evaluation{t: t, modules: rootTag(tag), facts: widgetFacts(), helper: registry{digit: "a"}.answer}).run()
	facts := e.newFacts()
	if diff := cmp.Diff(widgetFacts()[widgetSigner], facts[widgetSigner]); diff != "" {
		t.Errorf("the signer:\n%s", diff)
	}
	if _, ok := facts[widgetVerified]; ok || len(facts) != 3 {
		t.Errorf("facts: %v", slices.Sorted(maps.Keys(facts)))
	}
	contains(t, e.warnings(), "1 of 1 provider versions are not verified ("+widgetSource+" 1.5.0)")

	// The next version's fact by another key: the recorded signer speaks.
	facts["verified/"+widgetSource+"/1.5.0"] = m{"zh": m{"linux_amd64": sha("a"), "windows_amd64": sha("a")}, "signer": otherKey, "tier": "community"}
	e = (&evaluation{t: t, modules: rootTag(tag), facts: facts}).run()
	contains(t, e.refusals()["linux_amd64"], "has signer "+otherKey+"; allowed are "+acmeKey)
}

// Without facts there is nothing that a lock target could record but a file.
func TestUnverifiedWithoutFacts(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		e := (&evaluation{
			t: t, modules: rootTag(widgetTag(widgetSource, m{"provider_locks_strict": strict})), noFacts: true, helper: registry{digit: "a"}.answer,
		}).run()
		contains(t, e.warnings(), "This Bazel records no facts", "lock_file", "provider_locks")
		if got := len(e.refusals()); got != map[bool]int{false: 0, true: 2}[strict] {
			t.Errorf("strict %v: %d refused", strict, got)
		}
	}
}
