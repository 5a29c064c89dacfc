package credentials

import (
	"context"
	"fmt"
	"strings"

	svchost "github.com/hashicorp/terraform-svchost"
)

// variablePrefix is case-sensitive (R-CRED-2).
const variablePrefix = "TF_TOKEN_"

// Environment holds the TF_TOKEN_… variables by host.
type Environment struct{ tokens map[string]Token }

// FromEnviron reads the TF_TOKEN_… variables of an environment in the form of os.Environ. Names that decode to no valid host are
// ignored (R-CRED-2); if two decode to one host, the later counts (R-CRED-4).
func FromEnviron(environ []string) *Environment {
	e := &Environment{tokens: map[string]Token{}}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		encoded, ok := strings.CutPrefix(name, variablePrefix)
		if !ok {
			continue
		}
		if host, ok := decodeHost(encoded); ok {
			e.tokens[host] = NewToken(value, name)
		}
	}
	return e
}

// ForHost returns the token of a variable.
func (e *Environment) ForHost(_ context.Context, host string) (Token, bool, error) {
	token, ok := e.tokens[host]
	return token, ok, nil
}

// decodeHost turns the rest of a variable's name into the comparison form of a host: a double underscore is a hyphen, a single one a
// dot, and Unicode and punycode spellings are equal.
func decodeHost(encoded string) (string, bool) {
	spelled := strings.ReplaceAll(encoded, "__", "-")
	spelled = strings.ReplaceAll(spelled, "_", ".")
	host, err := svchost.ForComparison(svchost.ForDisplay(spelled))
	if err != nil {
		return "", false
	}
	return string(host), true
}

// HowToSet names the variable for the token of a host in comparison form, after "set", and says how where a shell cannot: no shell knows a
// variable with the colon of a port in its name.
func HowToSet(host string) string {
	name := VariableName(host)
	if !strings.Contains(name, ":") {
		return name
	}
	return fmt.Sprintf("%s (in a shell: env '%s=…' and then the command, because of the colon)", name, name)
}

// VariableName returns the name of the variable for a host in comparison form, in the spelling that shells accept where there is one:
// `TF_TOKEN_my__registry_example_com`. A port can only be written with a colon (R-CRED-2).
func VariableName(host string) string {
	encoded := strings.ReplaceAll(host, "-", "__")
	return variablePrefix + strings.ReplaceAll(encoded, ".", "_")
}
