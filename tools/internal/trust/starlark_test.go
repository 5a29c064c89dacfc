package trust_test

import (
	"encoding/json"
	"strings"
	"testing"

	"rules_tf_mirror/tests/starlark/fakebazel"
	"rules_tf_mirror/tools/internal/strictjson"
	"rules_tf_mirror/tools/internal/trust"
)

// Facts that Go and Starlark both read and must agree about: what one takes and the other refuses would pass a check and fail the build, or worse.
func TestStarlarkReadsTheSameFacts(t *testing.T) {
	t.Parallel()
	interpreter := fakebazel.NewInterpreter("../../..")
	a, b := strings.Repeat("A", 40), strings.Repeat("B", 40)
	hash := strings.Repeat("0", 64)
	verified := func(zh, other, signer, tier string) string {
		return `{"zh":` + zh + `,"other":` + other + `,"signer":"` + signer + `","tier":"` + tier + `"}`
	}
	linux := `{"linux_amd64":"` + hash + `"}`
	for _, c := range []struct {
		kind, value string
		ok          bool
	}{
		{"signer", `{"fingerprints":["` + a + `"],"tier":"community"}`, true},
		{"signer", `{"fingerprints":["` + a + `","` + b + `"],"tier":"partner"}`, true},
		{"signer", `{"fingerprints":["` + a + `"],"tier":"official"}`, true},
		{"signer", `{"fingerprints":[],"tier":"unsigned"}`, true},
		{"signer", `{"fingerprints":["` + a + `"],"tier":"bogus"}`, false},
		{"signer", `{"fingerprints":["` + a + `"],"tier":"Community"}`, false},
		{"signer", `{"fingerprints":["` + a + `"],"tier":""}`, false},
		{"signer", `{"fingerprints":["` + a + `"]}`, false},
		{"signer", `{"fingerprints":["` + strings.ToLower(a) + `"],"tier":"community"}`, false},
		{"signer", `{"fingerprints":["` + a[:16] + `"],"tier":"community"}`, false},
		{"signer", `{"fingerprints":"` + a + `","tier":"community"}`, false},
		{"signer", `{"fingerprints":[1],"tier":"community"}`, false},
		{"signer", `[]`, false},
		{"verified", verified(linux, `[]`, a, "community"), true},
		{"verified", verified(linux, `["`+hash+`"]`, a, "partner"), true},
		{"verified", verified(linux, `[]`, a, "official"), true},
		{"verified", verified(linux, `[]`, "", "unsigned"), true},
		{"verified", verified(linux, `[]`, "", "checksum"), true},
		{"verified", verified(linux, `[]`, a, "bogus"), false},
		{"verified", verified(linux, `[]`, a, "COMMUNITY"), false},
		{"verified", verified(linux, `[]`, a, ""), false},
		{"verified", verified(linux, `[]`, "", "bogus"), false},
		{"verified", verified(linux, `[]`, a, "unsigned"), false},
		{"verified", verified(linux, `[]`, a, "checksum"), false},
		{"verified", verified(linux, `[]`, "", "community"), false},
		{"verified", verified(linux, `[]`, strings.ToLower(a), "community"), false},
		{"verified", verified(linux, `["x"]`, a, "community"), false},
		{"verified", verified(`{"linux_amd64":"x"}`, `[]`, a, "community"), false},
		{"verified", verified(`{}`, `[]`, a, "community"), false},
		{"verified", `[]`, false},
	} {
		var inStarlark any
		if err := json.Unmarshal([]byte(c.value), &inStarlark); err != nil {
			t.Fatal(err)
		}
		answer, err := interpreter.Call("//tf/private:trust_facts.bzl", "read_"+c.kind, c.kind+"/x", inStarlark)
		if err != nil {
			t.Fatal(err)
		}
		if problem := fakebazel.ToGo(answer).([]any)[1]; (problem == nil) != c.ok {
			t.Errorf("Starlark, %s %s: %v, want ok %v", c.kind, c.value, problem, c.ok)
		}
		problem := ""
		if c.kind == "signer" {
			var fact trust.Signer
			if err := strictjson.Unmarshal([]byte(c.value), &fact); err != nil {
				problem = err.Error()
			} else {
				problem = fact.Defect()
			}
		} else {
			var fact trust.Verified
			if err := strictjson.Unmarshal([]byte(c.value), &fact); err != nil {
				problem = err.Error()
			} else {
				problem = fact.Defect()
			}
		}
		if (problem == "") != c.ok {
			t.Errorf("Go, %s %s: %q, want ok %v", c.kind, c.value, problem, c.ok)
		}
	}
}
