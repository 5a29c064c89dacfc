package deplock

import (
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
)

const widget = "registry.acme.dev/acme/widget"

func TestMergeOneProvider(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		old             string // constraints | hashes, "" for no entry; always version 1.0.0
		version         string
		constraints     string
		zip, dir        string
		wantConstraints string
		wantHashes      string // "" for: no change
		gone, unproven  string
	}{
		"new": {
			version: "1.0.0", constraints: ">=1, <2", zip: "zh:a zh:b", dir: "h1:x",
			wantConstraints: ">= 1.0.0, < 2.0.0", wantHashes: "h1:x zh:a zh:b",
		},
		"nothing new": {
			old: ">= 1.0.0 | h1:x zh:a zh:b", version: "1.0.0", constraints: ">=1", zip: "zh:b zh:a", dir: "h1:x",
		},
		"nothing new but the manifest's constraint": {
			old: "~> 1.0 | h1:x zh:a zh:b", version: "1.0.0", constraints: ">= 1.0", zip: "zh:b zh:a", dir: "h1:x",
			wantConstraints: ">= 1.0.0", wantHashes: "h1:x zh:a zh:b",
		},
		"nothing new without computing any h1:": {
			old: "~> 1.0 | h1:x h1:y zh:a", version: "1.0.0", constraints: "~> 1.0", zip: "zh:a",
		},
		"h1: of other platforms stay while the zh: set stands (C15)": {
			old: "| h1:1 h1:2 h1:3 h1:4 zh:a zh:b", version: "1.0.0", zip: "zh:a zh:b", dir: "h1:5",
			wantHashes: "h1:1 h1:2 h1:3 h1:4 h1:5 zh:a zh:b",
		},
		"the zh: set stands when platforms are added to it": {
			old: "| h1:1 zh:a", version: "1.0.0", zip: "zh:a zh:b", wantHashes: "h1:1 zh:a zh:b",
		},
		"unknown schemes stay with their version": {
			old: "| h1:1 other:z zh:a", version: "1.0.0", zip: "zh:a zh:b", wantHashes: "h1:1 other:z zh:a zh:b",
		},
		"unknown schemes stay though the zh: set does not stand": {
			old: "| h1:1 other:z zh:a", version: "1.0.0", zip: "zh:b", wantHashes: "other:z zh:b", gone: "zh:a", unproven: "h1:1",
		},
		"another version: nothing of the old one stays (C13)": {
			old: "~> 1.0 | h1:1 other:z zh:a", version: "1.1.0", constraints: "~> 1.1", zip: "zh:c", dir: "h1:9",
			wantConstraints: "~> 1.1", wantHashes: "h1:9 zh:c",
		},
		"another version, no constraint": {
			old: "1.0.0 | h1:1 zh:a", version: "1.1.0", zip: "zh:c", wantHashes: "zh:c",
		},
		"same version, no constraint: the file's own goes": {
			old: "~> 1.0 | zh:a", version: "1.0.0", zip: "zh:a zh:b", wantHashes: "zh:a zh:b",
		},
		"only h1: recorded (C03): adding is possible, and what is computed again stays": {
			old: "| h1:1 h1:evil", version: "1.0.0", zip: "zh:a zh:b", dir: "h1:1 h1:2", wantHashes: "h1:1 h1:2 zh:a zh:b", unproven: "h1:1 h1:evil",
		},
		"no hashes recorded": {
			old: "|", version: "1.0.0", zip: "zh:a", wantHashes: "zh:a",
		},
		"zh: of another registry (C04)": {
			old: "| h1:1 zh:x zh:a", version: "1.0.0", zip: "zh:a zh:b", dir: "h1:2", wantHashes: "h1:2 zh:a zh:b", gone: "zh:x", unproven: "h1:1",
		},
		"upper-case zh: is another hash (R-HASH-2)": {
			old: "| zh:A", version: "1.0.0", zip: "zh:a", wantHashes: "zh:a", gone: "zh:A",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := &File{Path: FileName}
			if test.old != "" {
				constraints, hashes, _ := strings.Cut(test.old, "|")
				file.Entries = []Entry{{
					Provider: provider(t, widget), Version: version(t, "1.0.0"), Constraints: strings.TrimSpace(constraints),
					Hashes: hashList(t, strings.Fields(hashes)...),
				}}
			}
			before := string(Format(file.Entries, addrs.Terraform))
			m := Merge(file, []Update{{
				Provider: provider(t, widget), Version: version(t, test.version), Constraints: constraint(t, test.constraints),
				Zip: hashList(t, strings.Fields(test.zip)...), Dir: hashList(t, strings.Fields(test.dir)...),
			}})
			if string(Format(file.Entries, addrs.Terraform)) != before {
				t.Error("Merge changed its argument")
			}
			if test.wantHashes == "" {
				if len(m.Changes) != 0 || string(Format(m.Entries, addrs.Terraform)) != before {
					t.Errorf("changes: %+v", m.Changes)
				}
				return
			}
			if len(m.Changes) != 1 || len(m.Entries) != 1 {
				t.Fatalf("%d changes, %d entries", len(m.Changes), len(m.Entries))
			}
			c := m.Changes[0]
			if got := words(c.New.Hashes); got != test.wantHashes || c.New.Constraints != test.wantConstraints || c.New.Version.String() != test.version {
				t.Errorf("got %s | %s | %s", c.New.Version, c.New.Constraints, got)
			}
			if words(m.Entries[0].Hashes) != words(c.New.Hashes) {
				t.Errorf("entry %v, change %v", m.Entries[0], c.New)
			}
			if words(c.Kept.Gone) != test.gone || words(c.Kept.Unproven) != test.unproven {
				t.Errorf("gone %q, unproven %q", words(c.Kept.Gone), words(c.Kept.Unproven))
			}
			if len(c.Kept.Gone) > 0 && c.Kept.Stands {
				t.Error("a set stands that lost a hash")
			}
			if got := words(normalize(append(without(c.New.Hashes, c.Added), without(c.Old.Hashes, c.Removed)...))); got != words(without(c.New.Hashes, c.Added)) {
				t.Errorf("added %v and removed %v do not lead from old to new", words(c.Added), words(c.Removed))
			}
		})
	}
}

// Providers that the manifest does not name are not touched, and new ones are put in their place.
func TestMergeKeepsOthers(t *testing.T) {
	t.Parallel()
	file := mustParse(t, block(v100, `constraints = "1.0.0"`, `hashes = ["zh:q", "other:z"]`)+`
provider "registry.opentofu.org/hashicorp/random" {
  version = "3.0.0"
  hashes = ["h1:only"]
}
`)
	m := Merge(file, []Update{
		{Provider: provider(t, "hashicorp/random"), Version: version(t, "3.1.3"), Zip: hashList(t, "zh:r")},
		{Provider: provider(t, "acme.example/z/z"), Version: version(t, "1.0.0"), Zip: hashList(t, "zh:z")},
	})
	var got []string
	for _, e := range m.Entries {
		got = append(got, e.Provider.String()+" "+e.Version.String()+" "+e.Constraints+" "+words(e.Hashes))
	}
	want := `acme.example/z/z 1.0.0  zh:z
registry.acme.dev/acme/widget 1.0.0 1.0.0 other:z zh:q
registry.opentofu.org/hashicorp/random 3.0.0  h1:only
registry.terraform.io/hashicorp/random 3.1.3  zh:r`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if len(m.Changes) != 2 || m.Changes[0].Provider.Type != "z" {
		t.Errorf("changes: %+v", m.Changes)
	}
}

// The order of updates and of hashes does not show in the file (F12), and merging again changes nothing.
func TestMergeIsDeterministic(t *testing.T) {
	t.Parallel()
	a := Update{Provider: provider(t, "a/a"), Version: version(t, "1.0.0"), Zip: hashList(t, "zh:1", "zh:2"), Dir: hashList(t, "h1:1", "h1:2")}
	b := Update{Provider: provider(t, "b/b"), Version: version(t, "1.0.0"), Zip: hashList(t, "zh:2", "zh:1"), Dir: hashList(t, "h1:2", "h1:1")}
	first := Merge(&File{}, []Update{a, b})
	second := Merge(&File{}, []Update{
		{b.Provider, b.Version, b.Constraints, a.Zip, a.Dir},
		{a.Provider, a.Version, a.Constraints, b.Zip, b.Dir},
	})
	text := string(Format(first.Entries, addrs.Terraform))
	if other := string(Format(second.Entries, addrs.Terraform)); other != text {
		t.Errorf("got\n%s\nand\n%s", text, other)
	}
	if again := Merge(mustParse(t, text), []Update{b, a}); len(again.Changes) != 0 {
		t.Errorf("merged again: %+v", again.Changes)
	}
}

// An absent entry is not one of version 0.0.0, which is the zero value.
func TestMergeZeroVersion(t *testing.T) {
	t.Parallel()
	m := Merge(&File{}, []Update{{Provider: provider(t, widget), Version: version(t, "0.0.0")}})
	if len(m.Changes) != 1 || m.Changes[0].Kept.Stands {
		t.Errorf("changes: %+v", m.Changes)
	}
}
