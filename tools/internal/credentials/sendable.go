package credentials

import (
	"context"

	"golang.org/x/net/http/httpguts"

	"rules_tf_mirror/tools/internal/problem"
)

// Sendable is a source whose tokens fit into a header. Another token, typically one with the line break of the file that it was read
// from, is a *problem.Error of kind credentials for its host. Without this the request itself would fail, with a text that names no cause.
func Sendable(source Source) Source { return sendable{source} }

type sendable struct{ source Source }

// ForHost returns the wrapped source's token.
func (s sendable) ForHost(ctx context.Context, host string) (Token, bool, error) {
	token, ok, err := s.source.ForHost(ctx, host)
	if err == nil && !httpguts.ValidHeaderFieldValue(token.Reveal()) {
		return Token{}, false, problem.New(problem.Credentials,
			"the token of %s for host %s holds a line break or another control character, which no request can carry: set it without", token.Origin(), host)
	}
	return token, ok, err
}
