// Package credentials finds the bearer token of a registry host (R-CRED).
//
// Sources are asked in the order of their precedence and the first that has an entry for the host wins, even if the entry is empty
// (R-CRED-1): an empty token ends the search. Unlike the tools (R-CRED-3) no header is sent for it: `Authorization: Bearer ` with
// nothing after it is refused by some servers and helps with none.
package credentials

import (
	"context"
	"fmt"
)

// Token is a secret. It never prints itself.
type Token struct {
	value  string
	origin string
	note   string // for Explain: why there is no token, or what was set in its place
}

// NewToken returns a token; origin says where it is from, for error texts.
func NewToken(value, origin string) Token { return Token{value: value, origin: origin} }

// Reveal returns the secret for the Authorization header. An empty one means that no header is sent.
func (t Token) Reveal() string { return t.value }

// Origin says where the token is from: a variable's name, or a file and line.
func (t Token) Origin() string { return t.origin }

// String hides the secret.
func (t Token) String() string { return "(token)" }

// GoString hides the secret.
func (t Token) GoString() string { return "credentials.Token{}" }

// Format hides the secret from every verb.
func (t Token) Format(state fmt.State, _ rune) { fmt.Fprint(state, t.String()) }

// Source knows the tokens of some hosts. Implementations are safe for concurrent use.
type Source interface {
	// ForHost returns the token of a host in comparison form (punycode, with port if any). ok is false when the source has no entry;
	// an entry with an empty token is ok. An error means that the source could not be asked (R-CRED-14); it never holds a token.
	ForHost(ctx context.Context, host string) (token Token, ok bool, err error)
}

// None is a Source without any entry.
type None struct{}

// ForHost returns no entry.
func (None) ForHost(context.Context, string) (Token, bool, error) { return Token{}, false, nil }

// Chain asks its sources in order.
type Chain []Source

// ForHost returns the first entry; the first error ends the search. Where no source has one, the result keeps what the last of them that said
// anything said about it, for Explain.
func (c Chain) ForHost(ctx context.Context, host string) (Token, bool, error) {
	var none Token
	for _, source := range c {
		token, ok, err := source.ForHost(ctx, host)
		if err != nil || ok {
			return token, ok, err
		}
		if token.note != "" {
			none.note = token.note
		}
	}
	return none, false, nil
}
