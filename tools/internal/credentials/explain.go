package credentials

import (
	"fmt"
	"strings"
)

// Explain says after a 401 or 403 whether a token was sent and which variable would hold it. host is in comparison form.
func Explain(host string, token Token, sent bool) string {
	switch {
	case sent && strings.TrimSpace(token.Reveal()) != token.Reveal():
		return fmt.Sprintf("the token of %s was sent and refused: it begins or ends with white space, which hardly belongs to it: set it without", token.Origin())
	case sent:
		return fmt.Sprintf("the token of %s was sent and refused: check that it is valid and may read this provider", token.Origin())
	case token.Reveal() != "":
		return fmt.Sprintf("the token of %s was not sent, because the answer came over plain http or from another host after a redirect", token.Origin())
	case token.note != "":
		return "no token was sent: " + token.note
	case token.Origin() != "":
		return fmt.Sprintf("no token was sent, because %s is empty: set it to a token", token.Origin())
	default:
		return fmt.Sprintf("no token was sent: set the environment variable %s to a token for this host, or write a credentials block for it", HowToSet(host))
	}
}
