package lock

import (
	"errors"

	"rules_tf_mirror/tools/internal/fetch"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/trust"
)

// Outcome classes a run as a whole. Of several the greater wins (design §3.3: 4 over 3 over 1).
type Outcome int

// The outcomes, with their exit codes.
const (
	Done        Outcome = iota // 0
	BadInput                   // 2: an entry or a recorded fact that cannot be read
	Different                  // 1: a check found a difference
	Unreachable                // 3: the network or a registry failed
	Refused                    // 4: verification refused
)

// recordError says that a recorded fact cannot be used. In a check that is a difference, else wrong input.
type recordError struct{ error }

// Unwrap returns the cause.
func (e recordError) Unwrap() error { return e.error }

func badRecord(err error) error { return recordError{err} }

// refusal is an error that is a refusal although package trust did not decide it.
type refusal struct{ problem *problem.Error }

// Error returns the problem's text.
func (e refusal) Error() string { return e.problem.Error() }

// Unwrap returns the problem, so that its kind is found.
func (e refusal) Unwrap() error { return e.problem }

func refuse(kind problem.Kind, format string, args ...any) error {
	return refusal{problem.New(kind, format, args...)}
}

// classify says what an error of an entry or a release means for the run.
func (r *run) classify(err error) Outcome {
	var (
		refused  refusal
		verdict  *trust.Error
		recorded recordError
	)
	switch kind := problem.KindOf(err); {
	case err == nil:
		return Done
	case errors.As(err, &refused), errors.As(err, &verdict), kind == problem.ContentChanged, kind == fetch.Checksum:
		return Refused
	case errors.As(err, &recorded) && r.Check != Write:
		return Different
	case errors.As(err, &recorded), kind == problem.Address, kind == problem.Constraint, kind == problem.Config, kind == problem.Credentials, kind == fetch.Local:
		return BadInput
	default:
		return Unreachable
	}
}
