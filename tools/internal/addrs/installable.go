package addrs

import (
	"strings"

	otaddr "github.com/opentofu/registry-address/v2"

	"rules_tf_mirror/tools/internal/problem"
)

// checkInstallable refuses addresses that are well formed but name nothing that can be installed: legacy ones (R-ADDR-18), types with
// a tool's prefix (R-ADDR-16, R-ADDR-17) and providers inside the tool (R-ADDR-19).
func checkInstallable(source string, p Provider, tool Tool) error {
	if p.Namespace == otaddr.LegacyProviderNamespace {
		return problem.New(problem.Address,
			`source %q is a legacy address: the namespace "-" cannot be installed; write the publisher's namespace, for example %q`,
			source, defaultNamespace+"/"+p.Type)
	}
	if err := checkPrefix(source, p, tool); err != nil {
		return err
	}
	if p.Namespace != otaddr.BuiltInProviderNamespace {
		return nil
	}
	if p.Host == "terraform.io" || tool == OpenTofu && p.Host == "opentofu.org" {
		return problem.New(problem.Address,
			"source %q is built into %s: there is no package to install; remove the entry", source, tool)
	}
	return nil
}

// checkPrefix refuses types that repeat the tool's name. If what follows "terraform-provider-" is a type of its own, the error
// suggests it: the prefix belongs to repositories and files, not to addresses.
func checkPrefix(source string, p Provider, tool Tool) error {
	names := []string{"terraform"}
	if tool == OpenTofu {
		names = append(names, "opentofu")
	}
	for _, name := range names {
		if !strings.HasPrefix(p.Type, name+"-") {
			continue
		}
		if rest, ok := strings.CutPrefix(p.Type, name+"-provider-"); ok {
			if _, err := otaddr.ParseProviderPart(rest); err == nil {
				suggestion := p
				suggestion.Type = rest
				return problem.New(problem.Address, "source %q: the type must not begin with %q; did you mean %q?",
					source, name+"-provider-", suggestion.short(tool))
			}
		}
		return problem.New(problem.Address, "source %q: the type must not begin with %q; no provider can have such a name", source, name+"-")
	}
	return nil
}

// short returns the address as people write it: without the tool's default host.
func (p Provider) short(tool Tool) string {
	if p.Host == tool.DefaultHost() {
		return p.Namespace + "/" + p.Type
	}
	return p.String()
}
