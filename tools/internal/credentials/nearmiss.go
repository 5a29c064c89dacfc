package credentials

import (
	"slices"
	"strings"
)

// tokenPrefixes begin names of variables that people take for tokens of the tools; the first is the right one.
var tokenPrefixes = []string{variablePrefix, "TFE_TOKEN_", "TERRAFORM_TOKEN_", "TOFU_TOKEN_", "OPENTOFU_TOKEN_"}

// plainNames are variables of other tools that hold one token for all hosts.
var plainNames = []string{"TFE_TOKEN", "TF_TOKEN", "TERRAFORM_TOKEN", "ATLAS_TOKEN", "TF_API_TOKEN"}

// NearMisses returns the names of variables that somebody may have set in the belief that they hold the token of a host (comparison form):
// with another prefix or case, or with another spelling of the host, such as one underscore for a hyphen (B37). Sorted; never values.
func NearMisses(environ []string, host string) []string {
	var names []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if encoded, ok := strings.CutPrefix(name, variablePrefix); ok {
			if decoded, ok := decodeHost(encoded); ok && decoded == host {
				continue
			}
		}
		if nearMiss(name, host) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func nearMiss(name, host string) bool {
	upper := strings.ToUpper(name)
	if slices.Contains(plainNames, upper) {
		return true
	}
	for _, prefix := range tokenPrefixes {
		if rest, ok := strings.CutPrefix(upper, prefix); ok && squash(rest) == squash(host) {
			return true
		}
	}
	return false
}

// squash leaves only what all spellings of a host have in common: its letters and digits, without a scheme.
func squash(text string) string {
	text = strings.ToLower(text)
	for _, scheme := range []string{"https", "http"} {
		if rest, ok := strings.CutPrefix(text, scheme); ok && len(rest) > 0 && strings.ContainsRune(":_", rune(rest[0])) {
			text = rest
		}
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-.:/", r) {
			return -1
		}
		return r
	}, text)
}
