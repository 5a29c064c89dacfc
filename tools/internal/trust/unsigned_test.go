package trust

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tests/trustfixtures/testkeys"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/problem"
)

var opentofu = addrs.Provider{Host: "registry.opentofu.org", Namespace: "acme", Type: "widget"}

func keyless(in *Input) { in.Keys = nil }
func noSums(in *Input)  { in.Sums = Document{Missing: true, URL: "https://files.example/SHA256SUMS"} }
func noSignature(in *Input) {
	in.Signature = Document{Missing: true, URL: "https://files.example/SHA256SUMS.sig"}
}
func byTofu(in *Input) { in.Tool = addrs.OpenTofu }

func of(source addrs.Provider) func(*Input) { return func(in *Input) { in.Source = source } }

// Who may be unsigned: only what tofu takes without keys (R-AUTH-23), and then nothing is recorded; policy may name others (B14, B27, C27);
// never a built-in namespace.
func TestUnsigned(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	base := release(source, "1.0.0", key)
	allow := mustPolicy(t, PolicyText{AllowUnsigned: []string{"registry.acme.dev/acme/widget", "registry.opentofu.org/acme/widget",
		"registry.terraform.io/hashicorp/widget", "registry.opentofu.org/opentofu/widget"}})
	strict := mustPolicy(t, PolicyText{Strict: true})
	policy := func(p Policy) func(*Input) { return func(in *Input) { in.Policy = p } }
	signedBy := func(in *Input) { in.Recorded = &Signer{Fingerprints: []string{key.Fingerprint()}, Tier: Community} }
	signedFact := func(in *Input) { in.Fact = &Verified{Signer: key.Fingerprint(), Tier: Community} }
	named := func(in *Input) {
		in.Policy = mustPolicy(t, PolicyText{Signers: map[string][]string{in.Source.String(): {key.Fingerprint()}}})
	}
	badSum := func(in *Input) { in.Packages["linux_amd64"] = strings.Repeat("0", 64) }
	for _, test := range []struct {
		name    string
		changes []func(*Input)
		outcome Outcome
		reason  Reason
		texts   []string
	}{
		{"no keys", []func(*Input){keyless}, Refused, NoKeys, []string{"no signing key", `allow_unsigned = ["registry.acme.dev/acme/widget"]`}},
		{"no sums (B27)", []func(*Input){noSums}, Refused, SumsMissing, []string{"404", "https://files.example/SHA256SUMS"}},
		{"no signature (C27)", []func(*Input){noSignature}, Refused, SignatureMissing, []string{"404", "https://files.example/SHA256SUMS.sig"}},
		{"no keys, tofu, other registry", []func(*Input){keyless, byTofu}, Refused, NoKeys, nil},
		{"no keys, tofu's registry", []func(*Input){keyless, byTofu, of(opentofu)}, DoesNotApply, "", []string{"nothing was verified", "allow_unsigned"}},
		{"no keys, tofu's registry, terraform", []func(*Input){keyless, of(opentofu)}, Refused, NoKeys, nil},
		{"no keys, tofu's registry, strict", []func(*Input){keyless, byTofu, of(opentofu), policy(strict)}, Refused, NoKeys, []string{"provider_locks_strict"}},
		{"no keys, tofu's registry, wrong sum", []func(*Input){keyless, byTofu, of(opentofu), badSum}, Refused, Mismatch, nil},
		{"no signature, tofu's registry", []func(*Input){noSignature, byTofu, of(opentofu)}, Refused, SignatureMissing, nil},
		{"no sums, no keys, tofu's registry", []func(*Input){noSums, keyless, byTofu, of(opentofu)}, Refused, SumsMissing, nil},
		{"allowed: no keys", []func(*Input){keyless, policy(allow)}, Accepted, "", []string{"accepted without signature"}},
		{"allowed: no keys, tofu's registry", []func(*Input){keyless, byTofu, of(opentofu), policy(allow)}, Accepted, "", nil},
		{"allowed: no sums", []func(*Input){noSums, policy(allow)}, Accepted, "", nil},
		{"allowed: no signature", []func(*Input){noSignature, policy(allow)}, Accepted, "", nil},
		{"allowed: wrong sum", []func(*Input){keyless, policy(allow), badSum}, Refused, Mismatch, nil},
		{"allowed does not excuse a bad signature", []func(*Input){policy(allow), func(in *Input) { in.Signature.Bytes = nil }}, Refused, "empty_signature", nil},
		{"built-in: no keys", []func(*Input){keyless, of(official), policy(allow)}, Refused, NeverUnsigned, []string{"HashiCorp", "no setting"}},
		{"built-in: OpenTofu's own", []func(*Input){keyless, byTofu, of(addrs.Provider{Host: "registry.opentofu.org", Namespace: "opentofu", Type: "widget"}), policy(allow)},
			Refused, NeverUnsigned, []string{"OpenTofu"}},
		{"signed before", []func(*Input){keyless, signedBy}, Refused, BecameUnsigned, []string{"ALARM", "signed before", key.Fingerprint()}},
		{"signed before, tofu's registry (D13)", []func(*Input){keyless, byTofu, of(opentofu), signedBy}, Refused, BecameUnsigned, nil},
		{"this version was signed before", []func(*Input){keyless, byTofu, of(opentofu), signedFact}, Refused, BecameUnsigned, []string{key.Fingerprint()}},
		{"signers are named", []func(*Input){keyless, byTofu, of(opentofu), named}, Refused, BecameUnsigned, nil},
		{"signed before, allowed", []func(*Input){keyless, signedBy, policy(allow)}, Accepted, "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := with(base, func(*Input) {})
			for _, change := range test.changes {
				change(&in)
			}
			verdict := Decide(in)
			if verdict.Outcome != test.outcome {
				t.Fatalf("%s, want %s: %v", verdict.Outcome, test.outcome, verdict.Err)
			}
			text := strings.Join(verdict.Warnings, "\n")
			switch test.outcome {
			case Refused:
				kind := KindUnsigned
				if test.reason == Mismatch {
					kind = KindChecksum
				} else if test.reason == "empty_signature" {
					kind = KindSignature
				}
				refused(t, verdict, kind, test.reason)
				text = verdict.Err.Error()
			case DoesNotApply:
				if verdict.Fact != nil || verdict.Record == nil || len(verdict.Record.Fingerprints) != 0 || verdict.Status != StatusUnsigned || text == "" {
					t.Errorf("%+v", verdict)
				}
			case Accepted:
				if verdict.Fact.Tier != Unsigned || verdict.Fact.Signer != "" || verdict.Status != StatusUnsigned || verdict.Fact.defect() != "" {
					t.Errorf("%+v", verdict.Fact)
				}
				if diff := cmp.Diff(base.Packages, verdict.Fact.ZH); diff != "" {
					t.Errorf("zh: (-want +got)\n%s", diff)
				}
			}
			for _, want := range test.texts {
				if !strings.Contains(text, want) {
					t.Errorf("%q lacks %q", text, want)
				}
			}
		})
	}
}

// D13: unsigned at first, then a key appears. A wrong one is called out as a change; a right one is a first use.
func TestUnsignedThenSigned(t *testing.T) {
	t.Parallel()
	key, other := testkeys.New("Acme", made, never), testkeys.New("Other", made, never)
	allow := mustPolicy(t, PolicyText{AllowUnsigned: []string{"registry.acme.dev/acme/widget"}})
	first := accepted(t, Decide(with(release(source, "1.0.0", key), func(in *Input) { keyless(in); in.Policy = allow })))
	if diff := cmp.Diff(&Signer{Fingerprints: []string{}, Tier: Unsigned}, first.Record); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	wrong := with(release(source, "1.1.0", key), func(in *Input) {
		in.Recorded = first.Record
		in.Keys = []KeyEntry{{ASCIIArmor: other.Block()}}
	})
	refused(t, Decide(wrong), KindSignature, "unknown_issuer", "was unsigned when it was recorded", key.Fingerprint(), other.Fingerprint())
	right := accepted(t, Decide(with(release(source, "1.1.0", key), func(in *Input) { in.Recorded = first.Record })))
	if diff := cmp.Diff([]string{key.Fingerprint()}, right.Record.Fingerprints); diff != "" || len(right.Warnings) != 1 {
		t.Errorf("(-want +got)\n%s, warnings %q", diff, right.Warnings)
	}
}

// Without a list, the registry's hashes are all there is; they must be hashes, and what is recorded of other platforms stays.
func TestUnsignedWithoutList(t *testing.T) {
	t.Parallel()
	key := testkeys.New("Acme", made, never)
	in := with(release(source, "1.0.0", key), func(in *Input) {
		noSums(in)
		in.Policy = mustPolicy(t, PolicyText{AllowUnsigned: []string{in.Source.String()}})
		in.Packages = map[string]string{"linux_amd64": strings.Repeat("AB", 32)}
		in.Fact = &Verified{ZH: map[string]string{"windows_amd64": strings.Repeat("c", 64)}, Other: []string{}, Tier: Unsigned}
	})
	want := map[string]string{"linux_amd64": strings.Repeat("ab", 32), "windows_amd64": strings.Repeat("c", 64)}
	if diff := cmp.Diff(want, accepted(t, Decide(in)).Fact.ZH); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	in.Packages["linux_amd64"] = "none"
	refused(t, Decide(in), KindChecksum, Mismatch, "no SHA-256")
}

func TestInputMustBeComplete(t *testing.T) {
	t.Parallel()
	refused(t, Decide(Input{}), problem.Response, "input", "lacks")
	if got := (Verdict{}).Outcome.String(); got != "undecided" {
		t.Errorf("the zero outcome is %q", got)
	}
}
