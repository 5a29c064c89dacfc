// Package addrs reads provider source addresses as terraform and tofu do (R-ADDR-1..20).
//
// Characters, case folding and host names are judged by the tools' own libraries; what this package adds is what an installer may not
// accept although the libraries parse it (legacy and built-in addresses), and errors that print the address to write instead.
package addrs

import "rules_tf_mirror/tools/internal/problem"

// Tool is the program that will use the providers. It decides the default host and a few rules of addresses (design §3.1).
type Tool string

// The tools.
const (
	// Terraform is HashiCorp's terraform; its rules are those of release 1.16 and later.
	Terraform Tool = "terraform"
	// OpenTofu is OpenTofu's tofu.
	OpenTofu Tool = "tofu"
)

// ParseTool returns the tool of that name. The names are those of the commands; anything else is an error of kind config.
func ParseTool(name string) (Tool, error) {
	switch tool := Tool(name); tool {
	case Terraform, OpenTofu:
		return tool, nil
	}
	return "", problem.New(problem.Config, `tool %q is not known; write "terraform" or "tofu"`, name)
}

// DefaultHost returns the registry that an address without a host means (R-ADDR-2).
func (t Tool) DefaultHost() string {
	if t == OpenTofu {
		return "registry.opentofu.org"
	}
	return "registry.terraform.io"
}
