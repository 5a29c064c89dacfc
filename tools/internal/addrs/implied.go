package addrs

import (
	"strings"

	"rules_tf_mirror/tools/internal/problem"
)

// Implied returns the address that a local name without a source means, or a resource type's prefix, the text before its first "_"
// (R-ADDR-20). builtin is true if that is the provider inside the tool, which has no package; the address is then zero.
func Implied(name string, tool Tool) (p Provider, builtin bool, err error) {
	switch {
	case name == "terraform":
		return Provider{}, true, nil
	case strings.Contains(name, "/"):
		return Provider{}, false, problem.New(problem.Address, "%q is no local name: it has a slash; write it as the source", name)
	}
	p, err = Parse(name, tool)
	return p, false, err
}
