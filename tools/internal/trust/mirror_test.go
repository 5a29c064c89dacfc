package trust_test

import (
	"strings"
	"testing"
	"time"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/trust"
)

// A mirror has no signed list: its word is tier checksum, which never satisfies strictness unless the source is named (design §3.7). What was
// verified against a signature binds it.
func TestMirrorsWord(t *testing.T) {
	t.Parallel()
	const fingerprint = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	hash := func(c string) string { return strings.Repeat(c, 64) }
	acme := addrs.Provider{Host: "registry.acme.dev", Namespace: "acme", Type: "widget"}
	signed := &trust.Verified{ZH: map[string]string{"linux_amd64": hash("a")}, Other: []string{}, Signer: fingerprint, Tier: trust.Community}
	word := &trust.Verified{ZH: map[string]string{"linux_amd64": hash("a")}, Other: []string{}, Tier: trust.Checksum}
	signer := &trust.Signer{Fingerprints: []string{fingerprint}, Tier: trust.Community}
	named := trust.PolicyText{Strict: true, AllowChecksum: []string{acme.String()}}
	for name, c := range map[string]struct {
		source   addrs.Provider
		policy   trust.PolicyText
		fact     *trust.Verified
		recorded *trust.Signer
		found    string // sha256 of linux_amd64, as one digit
		outcome  trust.Outcome
		status   trust.Status
		kind     problem.Kind
		reason   trust.Reason
	}{
		"first use":                     {acme, trust.PolicyText{}, nil, nil, "a", trust.Accepted, trust.StatusChanged, "", ""},
		"as recorded":                   {acme, trust.PolicyText{}, word, nil, "a", trust.Accepted, trust.StatusVerified, "", ""},
		"other content":                 {acme, trust.PolicyText{}, word, nil, "b", trust.Refused, trust.StatusRefused, problem.ContentChanged, trust.ContentChanged},
		"strict":                        {acme, trust.PolicyText{Strict: true}, nil, nil, "a", trust.Refused, trust.StatusRefused, trust.KindUnsigned, trust.NotVerified},
		"strict, recorded":              {acme, trust.PolicyText{Strict: true}, word, nil, "a", trust.Refused, trust.StatusRefused, trust.KindUnsigned, trust.NotVerified},
		"strict, named":                 {acme, named, nil, nil, "a", trust.Accepted, trust.StatusChanged, "", ""},
		"signed before":                 {acme, trust.PolicyText{}, nil, signer, "a", trust.Refused, trust.StatusRefused, trust.KindUnsigned, trust.BecameUnsigned},
		"signed before, named":          {acme, named, nil, signer, "a", trust.Accepted, trust.StatusChanged, "", ""},
		"this version verified":         {acme, trust.PolicyText{Strict: true}, signed, signer, "a", trust.Accepted, trust.StatusVerified, "", ""},
		"this version verified, not so": {acme, trust.PolicyText{}, signed, signer, "b", trust.Refused, trust.StatusRefused, trust.KindChecksum, trust.Mismatch},
		"verified, signer unknown":      {acme, trust.PolicyText{}, signed, nil, "a", trust.Refused, trust.StatusRefused, trust.KindSigner, trust.BadRecord},
		"verified, malformed": {acme, trust.PolicyText{}, &trust.Verified{ZH: map[string]string{"linux_amd64": "a"}, Signer: fingerprint, Tier: trust.Community}, signer, "a",
			trust.Refused, trust.StatusRefused, trust.KindSigner, trust.BadRecord},
		"official": {addrs.Provider{Host: "registry.terraform.io", Namespace: "hashicorp", Type: "random"}, trust.PolicyText{AllowChecksum: []string{"hashicorp/random"}}, nil, nil, "a",
			trust.Refused, trust.StatusRefused, trust.KindUnsigned, trust.NeverUnsigned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy, err := trust.ParsePolicy(c.policy, addrs.Terraform)
			if err != nil {
				t.Fatal(err)
			}
			v := trust.Decide(trust.Input{
				Source: c.source, Tool: addrs.Terraform, Version: "1.4.0", Packages: map[string]string{"linux_amd64": hash(c.found)}, Mirror: "network mirror https://m.example/",
				Recorded: c.recorded, Fact: c.fact, Policy: policy, Now: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
				Sums: trust.Document{Bytes: []byte(hash("c") + "  terraform-provider-widget_1.4.0_linux_amd64.zip\n")},
			})
			if v.Outcome != c.outcome || v.Status != c.status {
				t.Errorf("%v, %v, want %v, %v; %v", v.Outcome, v.Status, c.outcome, c.status, v.Err)
			}
			if v.Err != nil && (v.Err.Problem.Kind != c.kind || v.Err.Reason != c.reason) {
				t.Errorf("refused as %s, %s: %v", v.Err.Problem.Kind, v.Err.Reason, v.Err)
			}
			if fromFact := c.fact == signed && c.outcome == trust.Accepted; (v.Record != nil) != fromFact || fromFact && v.Record.Fingerprints[0] != fingerprint {
				t.Errorf("records %v: a mirror's word is no signer", v.Record)
			}
			if c.outcome != trust.Accepted {
				return
			}
			tier := trust.Checksum
			if c.fact == signed {
				tier = trust.Community
			}
			if v.Fact.Tier != tier || v.Fact.ZH["linux_amd64"] != hash("a") || len(v.Warnings) != 1 || strings.Contains(v.Warnings[0], "signature not checked: taken from a mirror") != (c.fact == signed) {
				t.Errorf("fact %+v, warnings %q", v.Fact, v.Warnings)
			}
		})
	}
}
