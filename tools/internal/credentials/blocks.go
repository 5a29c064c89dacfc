package credentials

import (
	"context"
	"maps"
)

// Blocks are the `credentials` blocks of the CLI configuration by host.
type Blocks struct{ tokens map[string]Token }

// NewBlocks returns a Source of tokens by host in comparison form. A block without a token is an entry with an empty token: it ends the
// search, so that no helper is asked (R-CRED-5).
func NewBlocks(tokens map[string]Token) Blocks { return Blocks{maps.Clone(tokens)} }

// ForHost returns the token of a block.
func (b Blocks) ForHost(_ context.Context, host string) (Token, bool, error) {
	token, ok := b.tokens[host]
	return token, ok, nil
}
