package starlark_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

var (
	acmeKey  = strings.Repeat("A1", 20)
	otherKey = strings.Repeat("B2", 20)
)

const (
	hashicorpKey = "C874011F0AB405110D02105534365D9472D7468F"
	opentofuKey  = "E3E6E43D84CB852EADB0051D0C0AF313E5FD9F80"
	retiredKey   = "91A6E7F85D05C65630BEF18951852D87348FFC4C"
)

// policyTag has two providers to say something about.
func policyTag(change m) m {
	tag := m{"platforms": []string{"linux_amd64"}, "mirror": []string{"acme/widget:1.4.0", "registry.acme.dev/acme/gadget:2.0.0"}}
	for name, value := range change {
		tag[name] = value
	}
	return tag
}

// The manifest has the policy in full and in normal form, and nothing of what is not set.
func TestPolicyInManifest(t *testing.T) {
	t.Parallel()
	policy := func(tag m) any {
		e := (&evaluation{t: t, modules: rootTag(policyTag(tag)), helper: registry{digit: "a"}.answer}).run()
		return e.hub()["manifest"].(m)["policy"]
	}
	if got := policy(nil); got != nil {
		t.Errorf("without attributes: %v", got)
	}
	spaced := "0x" + strings.ToLower(acmeKey[:20]) + " " + acmeKey[20:]
	got := policy(m{
		"signers":        m{"acme/widget": []string{spaced, otherKey, acmeKey}, "registry.acme.dev/acme": []string{strings.Repeat("0f", 32)}, "localhost:8443/later": []string{otherKey}},
		"allow_unsigned": []string{"registry.acme.dev/acme/gadget", "acme/widget"}, "allow_sha1": []string{"acme/widget"}, "allow_checksum": []string{"acme/widget", "registry.terraform.io/acme/widget"},
		"allow_changed": []string{"acme/widget:1.4.0"}, "expired_keys": "signed-before", "provider_locks_strict": true,
	})
	want := m{
		"signers": m{
			"registry.terraform.io/acme/widget": l{acmeKey, otherKey}, "registry.acme.dev/acme": l{strings.Repeat("0F", 32)}, "localhost:8443/later": l{otherKey},
		},
		"allow_unsigned": l{"registry.acme.dev/acme/gadget", "registry.terraform.io/acme/widget"},
		"allow_sha1":     l{"registry.terraform.io/acme/widget"}, "allow_checksum": l{"registry.terraform.io/acme/widget"},
		"allow_changed": l{"registry.terraform.io/acme/widget:1.4.0"}, "expired_keys": "signed-before", "strict": true,
	}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("policy -want +got:\n%s", diff)
	}
}

func TestPolicyErrors(t *testing.T) {
	t.Parallel()
	signers := func(source string, fingerprints ...string) m { return m{"signers": m{source: fingerprints}} }
	for name, tc := range map[string]struct {
		tag  m
		want []string
	}{
		"expiry":                 {m{"expired_keys": "ignore"}, []string{`expired_keys = "ignore"`, `"accept", "signed-before", "refuse"`}},
		"not normal":             {m{"allow_unsigned": []string{"Acme/widget"}}, []string{`allow_unsigned`, `"Acme/widget"`, `Write "acme/widget"`}},
		"no source":              {m{"allow_sha1": []string{"widget"}}, []string{"allow_sha1", "a source has a namespace"}},
		"unsigned nothing":       {m{"allow_unsigned": []string{"acme/widgets"}}, []string{`"acme/widgets"`, "does nothing", "registry.acme.dev/acme/gadget, registry.terraform.io/acme/widget"}},
		"sha1 nothing":           {m{"allow_sha1": []string{"acme/gadget"}}, []string{"allow_sha1", "does nothing"}},
		"checksum nothing":       {m{"allow_checksum": []string{"acme/gadget"}}, []string{"allow_checksum", "does nothing"}},
		"namespace, not source":  {m{"allow_unsigned": []string{"registry.acme.dev/acme"}}, []string{"allow_unsigned", `"registry.acme.dev" is no namespace`}},
		"changed nothing":        {m{"allow_changed": []string{"acme/gadget:1.0.0"}}, []string{"allow_changed", "does nothing"}},
		"changed constraint":     {m{"allow_changed": []string{"acme/widget:~> 1.4"}}, []string{`"acme/widget:~> 1.4"`, "one exact version"}},
		"changed short":          {m{"allow_changed": []string{"acme/widget:1.4"}}, []string{`Write it like "hashicorp/random:1.4.0"`}},
		"changed without":        {m{"allow_changed": []string{"acme/widget"}}, []string{"one exact version"}},
		"signers nothing":        {signers("acme/gadget", acmeKey), []string{"signers", "does nothing"}},
		"signers empty":          {signers("acme/widget"), []string{"there is no fingerprint", "allow_unsigned"}},
		"key id":                 {signers("acme/widget", "34365D9472D7468F"), []string{`"34365D9472D7468F" is no full fingerprint`, "gpg --show-keys"}},
		"no hex":                 {signers("acme/widget", strings.Repeat("G", 40)), []string{"is no full fingerprint"}},
		"retired":                {signers("acme/widget", retiredKey), []string{retiredKey, "revoked", "No setting allows it"}},
		"twice":                  {m{"signers": m{"acme/widget": []string{acmeKey}, "registry.terraform.io/acme/widget": []string{acmeKey}}}, []string{"another key of it names the same source"}},
		"namespace not normal":   {signers("registry.acme.dev:443/acme", acmeKey), []string{`Write "registry.acme.dev/acme"`}},
		"namespace without name": {signers("registry.acme.dev/", acmeKey), []string{"no host with a namespace"}},
		"namespace odd":          {signers("..x/acme", acmeKey), []string{"no host with a namespace"}},
		"host only":              {signers("registry.acme.dev", acmeKey), []string{"signers", "found 1 parts"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := (&evaluation{t: t, modules: rootTag(policyTag(tc.tag))}).try()
			if err == nil {
				t.Fatal("no error")
			}
			contains(t, err.Error(), append(tc.want, "tf.download(")...)
		})
	}
}

// What it says about trust is the root module's alone; two of its tags must not contradict each other.
func TestPolicyIsTheRootModules(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{
		"signers": m{"acme/widget": []string{acmeKey}}, "allow_unsigned": []string{"acme/widget"}, "allow_sha1": []string{"acme/widget"},
		"allow_checksum": []string{"acme/widget"}, "allow_changed": []string{"acme/widget:1.4.0"}, "expired_keys": "accept",
		"provider_locks_strict": true, "provider_locks": l{fakebazel.Label("@@dep//:a.hcl")},
	} {
		err := (&evaluation{t: t, modules: []fakebazel.Module{
			{Name: "ws", Root: true, Tags: download(policyTag(nil))}, {Name: "dep", Tags: download(m{name: value})},
		}}).try()
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		contains(t, err.Error(), `module "dep" sets `+name, "Only the root module")
	}
	for name, values := range map[string][2]any{
		"signers":        {m{"acme/widget": []string{acmeKey}}, m{"acme/widget": []string{otherKey}}},
		"provider_locks": {l{fakebazel.Label("@@//:a.hcl")}, l{fakebazel.Label("@@//:b.hcl")}},
		"expired_keys":   {"accept", "refuse"},
	} {
		err := (&evaluation{t: t, modules: []fakebazel.Module{
			{Name: "ws", Root: true, Tags: download(policyTag(m{name: values[0]}), m{name: values[1]})},
		}}).try()
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		contains(t, err.Error(), "differ in "+name)
	}
}

// A permission for a release that nothing chooses is a warning: versions change without an edit of MODULE.bazel.
func TestStalePermission(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, entry, changed string
		errors               map[string]string
		warns                bool
	}{
		{"chosen", "acme/widget:1.4.0", "acme/widget:1.4.0", nil, false},
		{"another", "acme/widget:1.4.0", "acme/widget:1.3.0", nil, true},
		{"not known", "acme/widget", "acme/widget:1.3.0", map[string]string{"registry.terraform.io/acme/widget": "no route"}, false},
	} {
		e := (&evaluation{
			t: t, modules: rootTag(m{"mirror": []string{tc.entry}, "allow_changed": []string{tc.changed}}), helper: registry{digit: "a", errors: tc.errors}.answer,
		}).run()
		printed := strings.Join(e.interpreter.Printed, "\n")
		if got := strings.Contains(printed, `tf.download(allow_changed = …): "registry.terraform.io/`+tc.changed+`": no entry chooses this version. Remove it`); got != tc.warns {
			t.Errorf("%s: warned %v: %s", tc.name, got, printed)
		}
	}
}

// Fixed here and in tools/internal/trust: who signs for these namespaces is no setting.
func TestBuiltInSigners(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]any{
		"registry.terraform.io/hashicorp/random": l{hashicorpKey}, "registry.opentofu.org/hashicorp/random": l{opentofuKey}, "registry.opentofu.org/opentofu/x": l{opentofuKey},
		"registry.terraform.io/opentofu/x": l{}, "registry.acme.dev/hashicorp/random": l{}, "registry.terraform.io/hashicorpx/random": l{}, "registry.terraform.io:8443/hashicorp/x": l{},
	} {
		if diff := cmp.Diff(want, call(t, "signers.bzl", "built_in_signers", source)); diff != "" {
			t.Errorf("%s:\n%s", source, diff)
		}
	}
	if got := call(t, "signers.bzl", "why_retired", retiredKey); !strings.Contains(got.(string), "revoked") {
		t.Errorf("the retired key: %v", got)
	}
	if got := call(t, "signers.bzl", "why_retired", hashicorpKey); got != nil {
		t.Errorf("HashiCorp's key: %v", got)
	}
}

// Who may sign: built-in signers and what the tag adds; else the tag's, source before namespace; else the recorded; else nobody is known.
func TestAllowedSigners(t *testing.T) {
	t.Parallel()
	const acme, hashicorp = "registry.acme.dev/acme/widget", "registry.terraform.io/hashicorp/random"
	for name, tc := range map[string]struct {
		source   string
		named    m
		recorded any
		want     any
	}{
		"built in":           {hashicorp, m{}, l{otherKey}, l{hashicorpKey}},
		"built in, and more": {hashicorp, m{"registry.terraform.io/hashicorp": l{acmeKey}}, nil, l{hashicorpKey, acmeKey}},
		"source":             {acme, m{acme: l{acmeKey}, "registry.acme.dev/acme": l{otherKey}}, l{otherKey}, l{acmeKey}},
		"namespace":          {acme, m{"registry.acme.dev/acme": l{acmeKey}}, l{otherKey}, l{acmeKey}},
		"another namespace":  {acme, m{"registry.acme.dev/acm": l{acmeKey}}, l{otherKey}, l{otherKey}},
		"recorded":           {acme, m{}, l{acmeKey, otherKey}, l{acmeKey, otherKey}},
		"recorded unsigned":  {acme, m{}, l{}, nil},
		"first use":          {acme, m{}, nil, nil},
	} {
		if diff := cmp.Diff(tc.want, call(t, "signers.bzl", "allowed_signers", tc.source, tc.named, tc.recorded)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
