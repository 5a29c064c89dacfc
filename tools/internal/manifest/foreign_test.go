package manifest_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/problem"
)

// Causes and warnings hold what others wrote: they leave as one line of limited length, and the advice at the end stays.
func TestForeignMessages(t *testing.T) {
	t.Parallel()
	cause := errors.New("certificate for \x1b[2J\u009b\u202e\nFAKE: line" + strings.Repeat("x", 60_000))
	got := manifest.ErrorOf(problem.Wrap(problem.Network, cause, "a/b: %v; run `this`", cause))
	warnings := manifest.Warnings([]string{cause.Error(), "plain"})
	if got.Kind != problem.Network || !strings.HasSuffix(got.Message, "; run `this`") || len(warnings) != 2 || warnings[1] != "plain" {
		t.Errorf("%s %.200s …, %d warnings", got.Kind, got.Message, len(warnings))
	}
	for _, text := range []string{got.Message, warnings[0]} {
		if n := utf8.RuneCountInString(text); n > 2010 {
			t.Errorf("%d characters", n)
		}
		for _, r := range text {
			if !unicode.IsPrint(r) {
				t.Errorf("%U in a message", r)
			}
		}
	}
	if manifest.ErrorOf(nil) != nil || manifest.Warnings(nil) == nil {
		t.Error("no error must be null, no warnings an empty list")
	}
}
