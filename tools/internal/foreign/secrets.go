package foreign

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// leastSecret is the length in bytes from which a text is taken for a secret. Something shorter can be guessed, and to take every "a" out of
// messages would only make them unreadable.
const leastSecret = 6

// Secrets are texts that must not leave the process, such as tokens. Who was sent one may repeat it anywhere in an answer. The zero value is
// empty; it is safe for concurrent use.
type Secrets struct {
	mu       sync.RWMutex
	patterns map[string]*regexp.Regexp // by secret
}

// Add notes a secret.
func (s *Secrets) Add(secret string) {
	secret = strings.TrimSpace(secret)
	if len(secret) < leastSecret {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.patterns == nil {
		s.patterns = map[string]*regexp.Regexp{}
	}
	if s.patterns[secret] == nil {
		s.patterns[secret] = pattern(secret)
	}
}

// pattern matches a secret as it is, and with any of its characters percent-encoded, perhaps several times.
func pattern(secret string) *regexp.Regexp {
	var b strings.Builder
	for len(secret) > 0 {
		r, size := utf8.DecodeRuneInString(secret)
		var encoded strings.Builder
		for _, c := range []byte(secret[:size]) {
			fmt.Fprintf(&encoded, `%%(?:25)*(?i:%02x)`, c)
		}
		fmt.Fprintf(&b, `(?:%s|%s)`, regexp.QuoteMeta(string(r)), encoded.String())
		secret = secret[size:]
	}
	return regexp.MustCompile(b.String())
}

// In tells whether text holds a secret.
func (s *Secrets) In(text string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, p := range s.patterns {
		if p.MatchString(text) {
			return true
		}
	}
	return false
}

// Remove returns text with "(token)" in the place of every secret.
func (s *Secrets) Remove(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, p := range s.patterns {
		text = p.ReplaceAllLiteralString(text, "(token)")
	}
	return text
}
