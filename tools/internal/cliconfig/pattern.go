package cliconfig

import (
	"errors"
	"fmt"
	"strings"

	svchost "github.com/hashicorp/terraform-svchost"

	"rules_tf_mirror/tools/internal/addrs"
)

// wildcard stands for a whole part of a pattern.
const wildcard = "*"

// Pattern is an entry of include or exclude (R-CLI-14, R-CLI-15): a source address whose last parts may be wildcards. It is comparable.
type Pattern struct{ host, namespace, typ string }

// ParsePattern reads a pattern of two or three parts. Two parts mean the tool's default host.
func ParsePattern(text string, tool addrs.Tool) (Pattern, error) {
	parts := strings.Split(text, "/")
	p := Pattern{host: tool.DefaultHost()}
	switch len(parts) {
	case 2:
	case 3:
		if p.host = parts[0]; p.host != wildcard {
			host, err := svchost.ForComparison(parts[0])
			if err != nil {
				return Pattern{}, fmt.Errorf("the host %q is not valid", parts[0])
			}
			p.host = string(host)
		}
		parts = parts[1:]
	default:
		return Pattern{}, errors.New("it must have two or three parts: namespace/type or host/namespace/type")
	}
	// Each part is read in an address of its own, so that the rules for names are those of package addrs.
	if p.namespace = parts[0]; p.namespace != wildcard {
		address, err := addrs.Parse("example.com/"+p.namespace+"/x", tool)
		if err != nil {
			return Pattern{}, fmt.Errorf("the namespace %q is neither * nor a valid namespace", parts[0])
		}
		p.namespace = address.Namespace
	}
	if p.typ = parts[1]; p.typ != wildcard {
		address, err := addrs.Parse("example.com/x/"+p.typ, tool)
		if err != nil {
			return Pattern{}, fmt.Errorf("the type %q is neither * nor a valid type", parts[1])
		}
		p.typ = address.Type
	}
	if p.host == wildcard && p.namespace != wildcard || p.namespace == wildcard && p.typ != wildcard {
		return Pattern{}, errors.New("what follows a * must be * too")
	}
	return p, nil
}

// Only is the pattern that matches one provider.
func Only(p addrs.Provider) Pattern { return Pattern{p.Host, p.Namespace, p.Type} }

// Matches tells whether the pattern means the provider.
func (p Pattern) Matches(provider addrs.Provider) bool {
	match := func(pattern, part string) bool { return pattern == wildcard || pattern == part }
	return match(p.host, provider.Host) && match(p.namespace, provider.Namespace) && match(p.typ, provider.Type)
}

// String returns all three parts, the host in comparison form.
func (p Pattern) String() string { return p.host + "/" + p.namespace + "/" + p.typ }

// Pins returns the parts that the pattern names; a wildcard is the empty string.
func (p Pattern) Pins() (host, namespace, typ string) {
	part := func(text string) string {
		if text == wildcard {
			return ""
		}
		return text
	}
	return part(p.host), part(p.namespace), part(p.typ)
}
