package credentials_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/problem"
)

// TestPrecedence is R-CRED-1 with all three sources: the first entry wins, an empty one too, and then the helper does not even run.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	options, calls := newHelper(t, `{"token": "helper"}`)
	blocks := map[string]credentials.Token{
		"b.example": credentials.NewToken("block", "b"), "c.example": credentials.NewToken("", "c"), "d.example": credentials.NewToken("block", "d"),
	}
	source := credentials.Sendable(credentials.Chain{
		credentials.FromEnviron([]string{"TF_TOKEN_a_example=env", "TF_TOKEN_d_example="}), credentials.NewBlocks(blocks), credentials.NewHelper(options),
	})
	delete(blocks, "b.example") // the source keeps its own copy
	for host, want := range map[string]string{"a.example": "env", "b.example": "block", "c.example": "", "d.example": "", "e.example": "helper"} {
		token, ok, err := source.ForHost(context.Background(), host)
		if err != nil || !ok || token.Reveal() != want {
			t.Errorf("%s: %q, %t, %v; want %q", host, token.Reveal(), ok, err, want)
		}
	}
	if got := calls(); !slices.Equal(got, []string{"get e.example"}) {
		t.Errorf("helper calls %q, want one", got)
	}
}

// TestSendable: a token that no header can carry is named by its origin, never shown; all others pass verbatim (R-CRED-7).
func TestSendable(t *testing.T) {
	t.Parallel()
	for value, good := range map[string]bool{
		"plain": true, "": true, "with space ": true, "ünicode": true, "tab\t": true,
		"s3cret\n": false, "s3\r\ncret: x": false, "s3cret\x00": false, "s3cret\x7f": false,
	} {
		source := credentials.Sendable(credentials.NewBlocks(map[string]credentials.Token{"a.example": credentials.NewToken(value, "origin:1")}))
		token, ok, err := source.ForHost(context.Background(), "a.example")
		switch {
		case good && (err != nil || !ok || token.Reveal() != value):
			t.Errorf("%q: %q, %t, %v", value, token.Reveal(), ok, err)
		case !good && (ok || token.Reveal() != "" || problem.KindOf(err) != problem.Credentials || !strings.Contains(err.Error(), "origin:1") || strings.Contains(err.Error(), "s3")):
			t.Errorf("%q: %t, %v; want an error of kind credentials without the token", value, ok, err)
		}
	}
	if _, ok, err := credentials.Sendable(failing{}).ForHost(context.Background(), "a.example"); ok || err != errHelper {
		t.Errorf("an error does not pass: %t, %v", ok, err)
	}
	if _, ok, err := credentials.Sendable(credentials.None{}).ForHost(context.Background(), "a.example"); ok || err != nil {
		t.Errorf("nothing becomes something: %t, %v", ok, err)
	}
}

// TestNearMisses: names somebody may have meant, never values, never the right name (B37).
func TestNearMisses(t *testing.T) {
	t.Parallel()
	environ := []string{
		"TF_TOKEN_my__registry_example_com=right", "TF_TOKEN_my_registry_example_com=s3cret", "tf_token_my__registry_example_com=s3cret",
		"TFE_TOKEN_my_registry_example_com=s3cret", "TF_TOKEN_https___my_registry_example_com=s3cret", "TFE_TOKEN=s3cret", "TERRAFORM_TOKEN_my-registry.example.com=s3cret",
		"TF_TOKEN_other_example_com=s3cret", "TF_TOKEN_example_com=s3cret", "MY_REGISTRY_EXAMPLE_COM=s3cret", "TF_TOKEN_=x", "PATH=/bin", "TFE_TOKEN=again", "",
	}
	want := []string{"TERRAFORM_TOKEN_my-registry.example.com", "TFE_TOKEN", "TFE_TOKEN_my_registry_example_com",
		"TF_TOKEN_https___my_registry_example_com", "TF_TOKEN_my_registry_example_com", "tf_token_my__registry_example_com"}
	if got := credentials.NearMisses(environ, "my-registry.example.com"); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if got := credentials.NearMisses([]string{"TF_TOKEN_localhost_8443=x", "TF_TOKEN_localhost:8443=x", "TF_TOKEN_localhost=x"}, "localhost:8443"); !slices.Equal(got, []string{"TF_TOKEN_localhost_8443"}) {
		t.Errorf("port: found %q", got)
	}
	if got := credentials.NearMisses([]string{"TF_TOKEN_https_example=x"}, "https.example"); got != nil {
		t.Errorf("a host named like a scheme: found %q", got)
	}
}
