package credentials_test

import (
	"context"
	"testing"

	"rules_tf_mirror/tools/internal/credentials"
)

// TestHelperNotes: after a 401 the text says what the credentials helper had to do with it, since nobody looks for a token in a variable where
// one is configured; also behind the name of a variable that was mistaken for the right one.
func TestHelperNotes(t *testing.T) {
	t.Parallel()
	const host, set = "a.example", "set TF_TOKEN_a_example"
	for _, test := range []struct {
		name, mode string
		environ    []string
		ok         bool
		want       string
	}{
		{"has none", `{}`, nil, false, "no token was sent: the credentials helper test was asked and has none for a.example: store one there, or " + set},
		{"null", `{"token": null}`, nil, false, "no token was sent: the credentials helper test was asked and has none for a.example: store one there, or " + set},
		{"no string", `{"token": 5}`, nil, false, "no token was sent: the credentials helper test was asked, and the token in its answer is not a string: correct the helper, or " + set},
		{"empty", `{"token": ""}`, nil, true, "no token was sent: the credentials helper test was asked and answered with an empty token: store one for a.example there"},
		{"refused", `{"token": "s3cret"}`, nil, true, "the token of the credentials helper test was sent and refused: check that it is valid and may read this provider"},
		{"and a variable", `{}`, []string{"TFE_TOKEN=s3cret"}, false, "no token was sent: TFE_TOKEN is set, which is not the name of this host's variable: " + set +
			"; the credentials helper test was asked and has none for a.example: store one there, or " + set},
		{"not asked", `{}`, []string{"TF_TOKEN_a_example="}, true, "no token was sent, because TF_TOKEN_a_example is empty: set it to a token"},
		{"not installed", "", nil, false, "no token was sent: it is not there"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			last := credentials.Absent("it is not there")
			if test.mode != "" {
				options, _ := newHelper(t, test.mode)
				last = credentials.NewHelper(options)
			}
			source := credentials.Hinted(credentials.Sendable(credentials.Chain{credentials.FromEnviron(test.environ), last, credentials.None{}}), test.environ)
			token, ok, err := source.ForHost(context.Background(), host)
			if err != nil || ok != test.ok {
				t.Fatalf("%t, %v; want %t", ok, err, test.ok)
			}
			if got := credentials.Explain(host, token, token.Reveal() != ""); got != test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
}
