package credentials_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/credentials"
)

// TestVariableNames is the table of R-CRED-2 and B37.
func TestVariableNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, host string }{
		{"app_terraform_io", "app.terraform.io"},
		{"app.terraform.io", "app.terraform.io"},
		{"APP_Terraform_IO", "app.terraform.io"},
		{"my__host_example_com", "my-host.example.com"},
		{"my__registry_example_com", "my-registry.example.com"},
		{"xn____bcher__kva_example", "xn--bcher-kva.example"},
		{"xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"bücher_example", "xn--bcher-kva.example"},
		{"BÜCHER_example", "xn--bcher-kva.example"},
		{"localhost:8443", "localhost:8443"},
		{"LOCALHOST:08443", "localhost:8443"},
		{"example_com_443", "example.com.443"},
		{"a___b", ""},
		{"_x", ""},
		{"", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := credentials.FromEnviron([]string{"TF_TOKEN_" + test.name + "=s3cret", "PATH=/bin", "tf_token_other_example=x"})
			if test.host == "" {
				for _, host := range []string{"a-.b", "a.-b", ".x", "x", ""} {
					if _, ok, _ := e.ForHost(context.Background(), host); ok {
						t.Errorf("the name counts for host %q, want it to be ignored", host)
					}
				}
				return
			}
			token, ok, err := e.ForHost(context.Background(), test.host)
			if err != nil || !ok || token.Reveal() != "s3cret" || token.Origin() != "TF_TOKEN_"+test.name {
				t.Errorf("ForHost(%q) = %q of %q, %t, %v", test.host, token.Reveal(), token.Origin(), ok, err)
			}
			if _, ok, _ := e.ForHost(context.Background(), "other.example"); ok {
				t.Error("a lower-case prefix counts")
			}
		})
	}
}

// TestLaterVariableWins is R-CRED-4.
func TestLaterVariableWins(t *testing.T) {
	t.Parallel()
	e := credentials.FromEnviron([]string{"TF_TOKEN_a_example=first", "TF_TOKEN_a.example=second"})
	if token, _, _ := e.ForHost(context.Background(), "a.example"); token.Reveal() != "second" {
		t.Errorf("token %q, want the later", token.Reveal())
	}
}

// TestVariableNameRoundTrip: the name that messages show is read as that host.
func TestVariableNameRoundTrip(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"app.terraform.io":        "TF_TOKEN_app_terraform_io",
		"my-registry.example.com": "TF_TOKEN_my__registry_example_com",
		"xn--bcher-kva.example":   "TF_TOKEN_xn____bcher__kva_example",
		"localhost:8443":          "TF_TOKEN_localhost:8443",
	} {
		name := credentials.VariableName(host)
		if name != want {
			t.Errorf("VariableName(%q) = %q, want %q", host, name, want)
		}
		if _, ok, _ := credentials.FromEnviron([]string{name + "=x"}).ForHost(context.Background(), host); !ok {
			t.Errorf("%s is not read as the variable of %s", name, host)
		}
	}
}

// failing is a source that cannot be asked.
type failing struct{}

var errHelper = errors.New("helper failed")

func (failing) ForHost(context.Context, string) (credentials.Token, bool, error) {
	return credentials.Token{}, false, errHelper
}

// TestChain is R-CRED-1: the first entry wins, an empty one too; an error ends the search.
func TestChain(t *testing.T) {
	t.Parallel()
	env := func(value string) credentials.Source {
		return credentials.FromEnviron([]string{"TF_TOKEN_a_example=" + value})
	}
	for _, test := range []struct {
		name  string
		chain credentials.Chain
		token string
		ok    bool
		err   error
	}{
		{"nothing", credentials.Chain{credentials.None{}}, "", false, nil},
		{"first", credentials.Chain{env("one"), env("two")}, "one", true, nil},
		{"second", credentials.Chain{credentials.None{}, env("two")}, "two", true, nil},
		{"empty entry ends the search", credentials.Chain{env(""), env("two"), failing{}}, "", true, nil},
		{"error", credentials.Chain{credentials.None{}, failing{}, env("two")}, "", false, errHelper},
		{"entry before error", credentials.Chain{env("one"), failing{}}, "one", true, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			token, ok, err := test.chain.ForHost(context.Background(), "a.example")
			if token.Reveal() != test.token || ok != test.ok || !errors.Is(err, test.err) {
				t.Errorf("ForHost = %q, %t, %v; want %q, %t, %v", token.Reveal(), ok, err, test.token, test.ok, test.err)
			}
		})
	}
}

// TestTokenHidesItself: no verb prints the secret.
func TestTokenHidesItself(t *testing.T) {
	t.Parallel()
	token := credentials.NewToken("s3cret", "TF_TOKEN_x")
	for _, verb := range []string{"%s", "%v", "%+v", "%#v", "%q", "%x", "%d"} {
		if text := fmt.Sprintf(verb, token) + fmt.Sprintf(verb, &token) + fmt.Sprintf(verb, struct{ T credentials.Token }{token}); strings.Contains(text, "s3cret") || strings.Contains(text, "733363726574") {
			t.Errorf("%s prints %s", verb, text)
		}
	}
}

// TestExplain: after a refusal the text says whether a token was sent, and the variable.
func TestExplain(t *testing.T) {
	t.Parallel()
	set, empty := credentials.NewToken("s3cret", "TF_TOKEN_a_example"), credentials.NewToken("", "TF_TOKEN_a_example")
	for _, test := range []struct {
		token credentials.Token
		sent  bool
		want  string
	}{
		{set, true, "the token of TF_TOKEN_a_example was sent and refused"},
		{set, false, "the token of TF_TOKEN_a_example was not sent"},
		{empty, false, "no token was sent, because TF_TOKEN_a_example is empty"},
		{credentials.NewToken(" s3cret", "TF_TOKEN_a_example"), true, "the token of TF_TOKEN_a_example was sent and refused: it begins or ends with white space"},
		{credentials.NewToken("s3cret\t", "TF_TOKEN_a_example"), true, "the token of TF_TOKEN_a_example was sent and refused: it begins or ends with white space"},
		{credentials.Token{}, false, "no token was sent: set the environment variable TF_TOKEN_a_example to a token"},
	} {
		if got := credentials.Explain("a.example", test.token, test.sent); !strings.HasPrefix(got, test.want) || strings.Contains(got, "s3cret") {
			t.Errorf("Explain = %q, want %q", got, test.want)
		}
	}
}

// A host with a port has a variable that no shell can set by an assignment; the text must be one that can be followed (R-CRED-2).
func TestHowToSet(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"my-registry.example": "TF_TOKEN_my__registry_example",
		"localhost:18443":     "TF_TOKEN_localhost:18443 (in a shell: env 'TF_TOKEN_localhost:18443=…' and then the command, because of the colon)",
	} {
		if got := credentials.HowToSet(host); got != want {
			t.Errorf("%s: got %s, want %s", host, got, want)
		}
		if got := credentials.Explain(host, credentials.Token{}, false); !strings.Contains(got, want) {
			t.Errorf("%s: %s", host, got)
		}
	}
}
