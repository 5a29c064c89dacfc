package addrs_test

import (
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
)

// R-ADDR-20, and its contrast R-ADDR-3: only the implied name terraform is the built-in provider.
func TestImplied(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		tool    addrs.Tool
		want    string
		builtin bool
		fails   bool
	}{
		{"aws", addrs.Terraform, "registry.terraform.io/hashicorp/aws", false, false},
		{"aws", addrs.OpenTofu, "registry.opentofu.org/hashicorp/aws", false, false},
		{"terraform", addrs.Terraform, "", true, false},
		{"terraform", addrs.OpenTofu, "", true, false},
		{"a_b", addrs.Terraform, "", false, true},
		{"a/b", addrs.Terraform, "", false, true},
	} {
		p, builtin, err := addrs.Implied(test.name, test.tool)
		if p.String() != test.want || builtin != test.builtin || (err != nil) != test.fails {
			t.Errorf("Implied(%q, %s) = %q, %t, %v; want %q, %t, error: %t", test.name, test.tool, p, builtin, err, test.want, test.builtin, test.fails)
		}
	}
}
