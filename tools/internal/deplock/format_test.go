package deplock

import (
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/hashes"
)

// R-LOCK-2..5, byte for byte.
func TestFormat(t *testing.T) {
	t.Parallel()
	const rest = `# Manual edits may be lost in future updates.
`
	full := Entry{Provider: provider(t, "registry.example.com/ns/type"), Version: version(t, "1.2.3"), Constraints: "~> 1.2", Hashes: hashList(t, "zh:b", "h1:x", "zh:a", "h1:x")}
	for name, test := range map[string]struct {
		tool    addrs.Tool
		entries []Entry
		want    string
	}{
		"none (R-LOCK-5)": {addrs.Terraform, nil, "# This file is maintained automatically by \"terraform init\".\n" + rest},
		"none, tofu":      {addrs.OpenTofu, nil, "# This file is maintained automatically by \"tofu init\".\n" + rest},
		"full": {addrs.Terraform, []Entry{full}, `# This file is maintained automatically by "terraform init".
` + rest + `
provider "registry.example.com/ns/type" {
  version     = "1.2.3"
  constraints = "~> 1.2"
  hashes = [
    "h1:x",
    "zh:a",
    "zh:b",
  ]
}
`},
		"bare, sorted by host, namespace and type (R-ADDR-14)": {addrs.OpenTofu, []Entry{
			{Provider: provider(t, "bücher.example/a/a"), Version: version(t, "1.0.0")},
			{Provider: provider(t, "b.example/b/a"), Version: version(t, "1.0.0-rc.1+m")},
			{Provider: provider(t, "b.example/a/b"), Version: version(t, "2.0.0"), Hashes: []hashes.Hash{}},
		}, `# This file is maintained automatically by "tofu init".
` + rest + `
provider "b.example/a/b" {
  version = "2.0.0"
}

provider "b.example/b/a" {
  version = "1.0.0-rc.1+m"
}

provider "bücher.example/a/a" {
  version = "1.0.0"
}
`},
		"hashes of unknown schemes are quoted": {addrs.Terraform, []Entry{
			{Provider: full.Provider, Version: full.Version, Hashes: hashList(t, `x:"\${a}%{b}`, "y:\t\n", "z:é\u00a0")},
		}, `# This file is maintained automatically by "terraform init".
` + rest + `
provider "registry.example.com/ns/type" {
  version = "1.2.3"
  hashes = [
    "x:\"\\$${a}%%{b}",
    "y:\t\n",
    "z:é\u00a0",
  ]
}
`},
	} {
		got := string(Format(test.entries, test.tool))
		if got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, test.want)
		}
		if f := mustParse(t, got); string(Format(f.Entries, test.tool)) != got {
			t.Errorf("%s: read and written again it differs", name)
		}
	}
	if full.Hashes[0].String() != "zh:b" {
		t.Error("Format sorted its argument's hashes")
	}
}
