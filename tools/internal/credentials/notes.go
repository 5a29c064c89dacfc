package credentials

import (
	"context"
	"fmt"
	"strings"
)

// Hinted is a source whose missing tokens remember the variables that somebody may have set in their place, for Explain (B37).
func Hinted(source Source, environ []string) Source { return hinted{source, environ} }

type hinted struct {
	source  Source
	environ []string
}

// ForHost returns the wrapped source's answer.
func (h hinted) ForHost(ctx context.Context, host string) (Token, bool, error) {
	token, ok, err := h.source.ForHost(ctx, host)
	if err != nil || ok {
		return token, ok, err
	}
	if names := NearMisses(h.environ, host); len(names) > 0 {
		hint := fmt.Sprintf("%s is set, which is not the name of this host's variable: set %s", strings.Join(names, ", "), HowToSet(host))
		if token.note != "" {
			hint += "; " + token.note
		}
		token.note = hint
	}
	return token, false, nil
}

// Absent stands for a source that is configured and not there: it has no entry for any host, and Explain gives the reason, after "no token was
// sent: ".
func Absent(reason string) Source { return absent(reason) }

type absent string

// ForHost returns no entry.
func (a absent) ForHost(context.Context, string) (Token, bool, error) {
	return Token{note: string(a)}, false, nil
}

// Remember is a source that tells a function every token that it hands out, so that what comes back can be searched for it.
func Remember(source Source, note func(token string)) Source { return remembered{source, note} }

type remembered struct {
	source Source
	note   func(string)
}

// ForHost returns the wrapped source's answer.
func (r remembered) ForHost(ctx context.Context, host string) (Token, bool, error) {
	token, ok, err := r.source.ForHost(ctx, host)
	r.note(token.Reveal())
	return token, ok, err
}

// Withhold is a source without tokens for some hosts in comparison form; the text says why, after "no token was sent: ".
func Withhold(source Source, reasons map[string]string) Source { return withheld{source, reasons} }

type withheld struct {
	source  Source
	reasons map[string]string
}

// ForHost returns an entry without a token for a host whose token is kept back.
func (w withheld) ForHost(ctx context.Context, host string) (Token, bool, error) {
	if reason, ok := w.reasons[host]; ok {
		return Token{note: reason}, true, nil
	}
	return w.source.ForHost(ctx, host)
}
