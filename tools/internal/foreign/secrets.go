package foreign

import (
	"encoding/base64"
	"encoding/hex"
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

// pattern matches a secret as it is and with any of its characters percent-encoded, perhaps several times; in base64, also as a part of what was
// encoded, as the password of basic authentication is; and in hexadecimal. Case does not count: a host, a scheme or a content type comes back in
// lower case, and who knows a token but for its case is close to it.
func pattern(secret string) *regexp.Regexp {
	forms := []string{percented(secret), percented(hex.EncodeToString([]byte(secret)))}
	for before := range 3 {
		forms = append(forms, percented(inBase64(base64.RawStdEncoding, secret, before)), percented(inBase64(base64.RawURLEncoding, secret, before)))
	}
	return regexp.MustCompile(`(?i:` + strings.Join(forms, "|") + `)`)
}

// inBase64 returns the characters that a secret has in base64 whatever surrounds it, with a number of bytes before it modulo 3.
func inBase64(encoding *base64.Encoding, secret string, before int) string {
	all := append(make([]byte, before), secret...)
	text := encoding.EncodeToString(all)
	if len(all)%3 != 0 {
		text = text[:len(text)-1] // its low bits are those of the next byte
	}
	return text[(before*8+5)/6:] // without what holds a bit of the bytes before
}

// percented matches a text with any of its characters percent-encoded.
func percented(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		var encoded strings.Builder
		for _, c := range []byte(text[:size]) {
			fmt.Fprintf(&encoded, `%%(?:25)*%02x`, c)
		}
		fmt.Fprintf(&b, `(?:%s|%s)`, regexp.QuoteMeta(string(r)), encoded.String())
		text = text[size:]
	}
	return b.String()
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
