package problem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"rules_tf_mirror/tools/internal/problem"
)

func TestKindOf(t *testing.T) {
	cause := errors.New("refused")
	for _, test := range []struct {
		name string
		err  error
		want problem.Kind
	}{
		{"direct", problem.New(problem.Address, "x"), problem.Address},
		{"wrapped", fmt.Errorf("entry 1: %w", problem.New(problem.Response, "x")), problem.Response},
		{"outermost wins", problem.Wrap(problem.Platform, problem.New(problem.NotFound, "x"), "y"), problem.Platform},
		{"cancelled", fmt.Errorf("get: %w", context.Canceled), problem.Canceled},
		{"unclassified", cause, problem.Network},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := problem.KindOf(test.err); got != test.want {
				t.Errorf("KindOf(%v) = %q, want %q", test.err, got, test.want)
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	cause := errors.New("connection refused")
	err := problem.Wrap(problem.Network, cause, "host %s: no answer", "registry.acme.dev")
	if got, want := err.Error(), "host registry.acme.dev: no answer"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
}
