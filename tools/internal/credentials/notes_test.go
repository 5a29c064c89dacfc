package credentials

import (
	"context"
	"strings"
	"testing"
)

// TestNotes: after a 401 Explain tells which variable is looked for, which near misses are set (B37), and why a token was kept back; never a value.
func TestNotes(t *testing.T) {
	t.Parallel()
	environ := []string{"TFE_TOKEN_a_example=s3cret", "TF_TOKEN_b_example=s3cret", "TF_TOKEN_c_example="}
	source := Withhold(Hinted(FromEnviron(environ), environ), map[string]string{"d.example": "because of a reason"})
	for _, test := range []struct {
		host, want string
		ok         bool
		value      string
	}{
		{"a.example", "no token was sent: TFE_TOKEN_a_example is set, which is not the name of this host's variable: set TF_TOKEN_a_example", false, ""},
		{"b.example", "TF_TOKEN_b_example", true, "s3cret"},
		{"c.example", "TF_TOKEN_c_example is empty", true, ""},
		{"d.example", "no token was sent: because of a reason", true, ""},
		{"e.example", "set the environment variable TF_TOKEN_e_example", false, ""},
	} {
		token, ok, err := source.ForHost(context.Background(), test.host)
		if err != nil || ok != test.ok || token.Reveal() != test.value {
			t.Errorf("%s: %q, %v, %v", test.host, token.Reveal(), ok, err)
		}
		text := Explain(test.host, token, token.Reveal() != "")
		if !strings.Contains(text, test.want) || strings.Contains(text, "s3cret") {
			t.Errorf("%s: %q, want %q and no token", test.host, text, test.want)
		}
	}
}
