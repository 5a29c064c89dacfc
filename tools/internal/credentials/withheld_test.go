package credentials

import (
	"strings"
	"testing"
)

// TestWithheld: a token that is kept back leaves the reason; without a token the advice stays how to set one.
func TestWithheld(t *testing.T) {
	t.Parallel()
	kept := NewToken("s3cret", "TF_TOKEN_a").Withheld("because")
	if text := Explain("a.example", kept, false); kept.Reveal() != "" || text != "no token was sent: because" {
		t.Errorf("token %q, explanation %q", kept.Reveal(), text)
	}
	if text := Explain("a.example", Token{}.Withheld("because"), false); !strings.Contains(text, "set the environment variable TF_TOKEN_a_example") {
		t.Errorf("explanation %q, want the variable", text)
	}
}
