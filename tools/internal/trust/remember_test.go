package trust

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is remembered is who signed the versions that the manifest has; nobody is forgotten as long as one of them is missing.
func TestRemember(t *testing.T) {
	t.Parallel()
	fact := func(tier Tier, fingerprints ...string) *Signer {
		return &Signer{Fingerprints: fingerprints, Tier: tier}
	}
	none := &Signer{Fingerprints: []string{}, Tier: Unsigned}
	for name, c := range map[string]struct {
		recorded *Signer
		now      []*Signer
		complete bool
		want     *Signer
	}{
		"first use":                         {nil, []*Signer{fact(Partner, "A")}, true, fact(Partner, "A")},
		"first use, two signers":            {nil, []*Signer{fact(Partner, "B"), fact(Community, "A")}, true, fact(Community, "A", "B")},
		"first use, one failed":             {nil, []*Signer{fact(Partner, "A")}, false, fact(Partner, "A")},
		"the same":                          {fact(Community, "A"), []*Signer{fact(Community, "A")}, true, fact(Community, "A")},
		"one was added to the fact":         {fact(Community, "A", "X"), []*Signer{fact(Community, "A")}, true, fact(Community, "A")},
		"one was added, and another failed": {fact(Community, "A", "X"), []*Signer{fact(Community, "A")}, false, fact(Community, "A", "X")},
		"the tier was edited":               {fact(Partner, "A"), []*Signer{fact(Community, "A")}, true, fact(Community, "A")},
		"a rotation":                        {fact(Community, "A"), []*Signer{fact(Community, "B")}, true, fact(Community, "B")},
		"a rotation, half of it failed":     {fact(Community, "A"), []*Signer{fact(Community, "B")}, false, fact(Community, "A", "B")},
		"all failed":                        {fact(Community, "A"), nil, false, nil},
		"says nothing":                      {fact(Community, "A"), []*Signer{nil}, true, nil},
		"unsigned":                          {nil, []*Signer{none}, true, none},
		"unsigned beside signed":            {nil, []*Signer{none, fact(Community, "A")}, true, fact(Community, "A")},
		"unsigned, signed before":           {fact(Community, "A"), []*Signer{none}, true, fact(Community, "A")},
		"unsigned before, signed now":       {none, []*Signer{fact(Community, "A")}, true, fact(Community, "A")},
		"unsigned before, half signed now":  {none, []*Signer{fact(Community, "A")}, false, fact(Community, "A")},
	} {
		var verdicts []Verdict
		for _, record := range c.now {
			verdicts = append(verdicts, Verdict{Record: record})
		}
		if diff := cmp.Diff(c.want, Remember(c.recorded, verdicts, c.complete)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}
