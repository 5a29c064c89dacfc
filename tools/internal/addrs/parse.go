package addrs

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	tfaddr "github.com/hashicorp/terraform-registry-address"
	otaddr "github.com/opentofu/registry-address/v2"
	"github.com/opentofu/svchost"

	"rules_tf_mirror/tools/internal/problem"
)

// Parse reads a source address of one to three parts, [host/][namespace/]type, by the rules of the tool (R-ADDR-1..19). The checks run
// in the tools' order (R-ADDR-4): shape, type, namespace, host, legacy, prefix, and last what cannot be installed. Every error is a
// *problem.Error of kind address that quotes the source.
func Parse(source string, tool Tool) (Provider, error) {
	parts := strings.Split(source, "/")
	if err := checkShape(source, parts); err != nil {
		return Provider{}, err
	}
	p := Provider{Host: tool.DefaultHost(), Namespace: defaultNamespace}
	var err error
	if p.Type, err = parsePart(parts[len(parts)-1], otaddr.ParseProviderPart); err != nil {
		return Provider{}, invalid(source, "type", parts[len(parts)-1], err)
	}
	if len(parts) >= 2 {
		given := parts[len(parts)-2]
		if p.Namespace, err = parseNamespace(given, tool); err != nil {
			return Provider{}, invalid(source, "namespace", given, err)
		}
	}
	if len(parts) == 3 {
		if p.Host, err = parseHost(parts[0]); err != nil {
			return Provider{}, invalid(source, "host", parts[0], err)
		}
	}
	if err := checkInstallable(source, p, tool); err != nil {
		return Provider{}, err
	}
	return p, nil
}

// invalid makes the error for one part, with a hint where the text looks like something else that belongs elsewhere.
func invalid(source, what, part string, err error) error {
	var hint string
	switch _, rest, colon := strings.Cut(part, ":"); {
	case what == "type" && colon:
		hint = "; a version constraint is no part of the source: write it as the version, here " + strconv.Quote(strings.TrimSpace(rest))
	case what == "namespace" && strings.ContainsAny(part, ".:"):
		hint = "; if that is a host, the namespace is missing: write host/namespace/type"
	}
	return problem.Wrap(problem.Address, err, "source %q: the %s %q is not valid: %s%s", source, what, part, err, hint)
}

// checkShape refuses what does not have one to three parts, or has an empty one (R-ADDR-1).
func checkShape(source string, parts []string) error {
	const wanted = "a source is [host/][namespace/]type, for example hashicorp/random"
	switch {
	case source == "":
		return problem.New(problem.Address, "the source is empty; %s", wanted)
	case !utf8.ValidString(source):
		return problem.New(problem.Address, "source %q is not UTF-8", source)
	case strings.Contains(source, "://"):
		_, rest, _ := strings.Cut(source, "://")
		return problem.New(problem.Address, "source %q is a URL; %s; write %q if that is the host", source, wanted, rest)
	case len(parts) > 3:
		return problem.New(problem.Address, "source %q has %d parts; %s", source, len(parts), wanted)
	}
	for _, part := range parts {
		if part == "" {
			return problem.New(problem.Address, "source %q has an empty part; %s", source, wanted)
		}
	}
	return nil
}

// parsePart normalises a type or a namespace with one of the libraries' functions (R-ADDR-5, R-ADDR-6).
func parsePart(given string, normalise func(string) (string, error)) (string, error) {
	part, err := normalise(given)
	if err != nil {
		return "", err
	}
	// The libraries look for dots, "--" and emptiness before they normalise, and normalising can produce all of them: U+3002 becomes a
	// dot (R-ADDR-8), U+00AD vanishes. What they would not read again is refused, since fact keys and lock files are read again.
	if again, err := normalise(part); err != nil || again != part {
		return "", fmt.Errorf("it becomes %q, which is not allowed", part)
	}
	return part, nil
}

// parseNamespace normalises a namespace. Only terraform, from 1.16 on, allows underscores in it (R-ADDR-7). The legacy marker is
// passed through for checkInstallable, which is where the tools' order puts it.
func parseNamespace(given string, tool Tool) (string, error) {
	switch {
	case given == tfaddr.LegacyProviderNamespace:
		return given, nil
	case tool == OpenTofu:
		return parsePart(given, otaddr.ParseProviderPart)
	default:
		return parsePart(given, tfaddr.ParseProviderNamespace)
	}
}

// parseHost returns the comparison form of a host with an optional port (R-ADDR-10..13).
func parseHost(given string) (string, error) {
	host, err := svchost.ForComparison(given)
	if err != nil {
		return "", err
	}
	// Some odd spellings (of punycode, of dots) pass the library but leave a host that it would not read again: an empty one, or one
	// with an empty label. Fact keys and lock files are read again, and no registry has such a name.
	if again, err := svchost.ForComparison(svchost.ForDisplay(string(host))); err != nil || again != host {
		return "", fmt.Errorf("it becomes %q, which is no host name", host)
	}
	return string(host), nil
}
