package trust

import (
	"strings"
	"testing"

	"rules_tf_mirror/tests/trustfixtures"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/problem"
)

// source is where the fixtures are offered unless a test says otherwise.
var source = addrs.Provider{Host: "registry.acme.dev", Namespace: "acme", Type: trustfixtures.Type}

// input is what a registry that serves the fixture answers.
func input(fixture trustfixtures.Fixture) Input {
	in := Input{Source: source, Tool: addrs.Terraform, Version: trustfixtures.Version, Packages: map[string]string{}, Now: trustfixtures.Now}
	for _, key := range fixture.Keys {
		in.Keys = append(in.Keys, KeyEntry{ASCIIArmor: key.ASCIIArmor, TrustSignature: key.TrustSignature})
	}
	_, in.Packages["linux_amd64"] = fixture.Answer("linux_amd64")
	_, in.Packages["darwin_arm64"] = fixture.Answer("darwin_arm64")
	if fixture.Sums == nil {
		in.Sums.Missing = true
	} else {
		in.Sums.Bytes = []byte(*fixture.Sums)
	}
	if fixture.Signature == nil {
		in.Signature.Missing = true
	} else {
		in.Signature.Bytes = fixture.Signature
	}
	return in
}

// Every fixture has the outcome, the reason and the warning that its maker says; a refusal records nothing and names source and version.
func TestFixtures(t *testing.T) {
	t.Parallel()
	for _, fixture := range trustfixtures.All() {
		t.Run(fixture.Name, func(t *testing.T) {
			t.Parallel()
			verdict := Decide(input(fixture))
			if got := verdict.Outcome.String(); got != fixture.Ours {
				t.Fatalf("outcome %s, want %s (%v)", got, fixture.Ours, verdict.Err)
			}
			if verdict.Outcome == Accepted {
				checkAccepted(t, fixture, verdict)
				return
			}
			if string(verdict.Err.Reason) != fixture.Kind {
				t.Errorf("reason %s, want %s: %v", verdict.Err.Reason, fixture.Kind, verdict.Err)
			}
			if verdict.Fact != nil || verdict.Record != nil || verdict.Status != StatusRefused {
				t.Errorf("a refused version is recorded: %+v", verdict)
			}
			if !strings.HasPrefix(verdict.Err.Error(), "registry.acme.dev/acme/widget 1.4.0: ") {
				t.Errorf("the text does not begin with source and version: %v", verdict.Err)
			}
			if kind := problem.KindOf(verdict.Err); kind == problem.Network || kind == "" {
				t.Errorf("kind %q", kind)
			}
		})
	}
}

// Nothing about the fixtures changes with the years (two ahead, and just before the dates of 2100).
func TestFixturesInTheFuture(t *testing.T) {
	t.Parallel()
	for _, fixture := range trustfixtures.All() {
		for _, years := range []int{2, 70} {
			in := input(fixture)
			in.Now = in.Now.AddDate(years, 0, 0)
			if verdict := Decide(in); verdict.Outcome.String() != fixture.Ours {
				t.Errorf("%s in %d years: %s, want %s (%v)", fixture.Name, years, verdict.Outcome, fixture.Ours, verdict.Err)
			}
		}
	}
}

// FuzzDecide: whatever a registry answers, only the recorded signer's genuine list is accepted, and only with the list's own hashes.
func FuzzDecide(f *testing.F) {
	genuine := trustfixtures.Get("good")
	first := Decide(input(genuine))
	for _, fixture := range trustfixtures.All() {
		in := input(fixture)
		if len(in.Keys) > 0 {
			f.Add(in.Keys[0].ASCIIArmor, in.Keys[0].TrustSignature, in.Sums.Bytes, in.Signature.Bytes, in.Packages["linux_amd64"])
		}
	}
	f.Fuzz(func(t *testing.T, key, trust string, list, signature []byte, hash string) {
		in := input(genuine)
		in.Keys = append(in.Keys, KeyEntry{ASCIIArmor: key, TrustSignature: trust})
		in.Sums.Bytes, in.Signature.Bytes, in.Recorded = list, signature, first.Record
		in.Packages = map[string]string{"linux_amd64": hash}
		verdict := Decide(in)
		switch verdict.Outcome {
		case Accepted:
			if string(list) != *genuine.Sums || verdict.Fact.Signer != first.Fact.Signer || !strings.EqualFold(hash, first.Fact.ZH["linux_amd64"]) {
				t.Errorf("accepted: %+v", verdict.Fact)
			}
		case Refused:
			if verdict.Err == nil || verdict.Fact != nil || verdict.Record != nil {
				t.Errorf("refused with %+v", verdict)
			}
		default:
			t.Errorf("outcome %s", verdict.Outcome)
		}
	})
}

func checkAccepted(t *testing.T, fixture trustfixtures.Fixture, verdict Verdict) {
	t.Helper()
	if verdict.Err != nil || verdict.Fact == nil || verdict.Fact.Tier != Community || verdict.Status != StatusChanged {
		t.Fatalf("verdict %+v", verdict)
	}
	if defect := verdict.Fact.defect(); defect != "" {
		t.Errorf("the fact is malformed: %s", defect)
	}
	for platform, hash := range verdict.Fact.ZH {
		if want := trustfixtures.Hash(trustfixtures.File(trustfixtures.PackageName(trustfixtures.Type, trustfixtures.Version, platform))); hash != want {
			t.Errorf("%s = %s, want %s", platform, hash, want)
		}
	}
	if len(verdict.Fact.ZH) != len(trustfixtures.Platforms) || len(verdict.Fact.Other) != 1 {
		t.Errorf("fact %+v", verdict.Fact)
	}
	if verdict.Record == nil || len(verdict.Record.Fingerprints) != 1 || verdict.Record.Fingerprints[0] != verdict.Fact.Signer {
		t.Errorf("record %+v for signer %s", verdict.Record, verdict.Fact.Signer)
	}
	warnings := strings.Join(verdict.Warnings, "\n")
	if fixture.Warns != "" && !strings.Contains(warnings, fixture.Warns) || fixture.Warns == "" && fixture.Terraform != trustfixtures.Crash && fixture.Why == "" && warnings != "" {
		t.Errorf("warnings %q, want %q", warnings, fixture.Warns)
	}
}
