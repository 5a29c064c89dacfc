// Package problem names what can go wrong with a manifest entry.
//
// A Kind is part of the response of `tfmirror resolve` (docs/reference.md): the Bazel extension and other callers branch on it, so a
// value, once published, keeps its meaning. The message is for people and may change.
package problem

import (
	"context"
	"errors"
	"fmt"
)

// Kind is the machine-readable class of an error.
type Kind string

// The kinds of errors that a manifest entry, or one platform of it, can have.
const (
	// Address: the source address does not follow the rules of the tools (R-ADDR).
	Address Kind = "address"
	// Constraint: the version constraint cannot be read (R-CON).
	Constraint Kind = "constraint"
	// Config: the CLI configuration has a defect in a block that concerns us (R-CLI).
	Config Kind = "config"
	// Credentials: the credentials of a host could not be had (R-CRED).
	Credentials Kind = "credentials"
	// Discovery: the host offers no provider registry, or an unusable description of one (R-DISC).
	Discovery Kind = "discovery"
	// Unauthorized: the registry answered 401 or 403.
	Unauthorized Kind = "unauthorized"
	// NotFound: the registry does not know the provider, or not this version of it.
	NotFound Kind = "not_found"
	// NoMatchingVersion: no listed version is admitted by the constraint (R-SEL).
	NoMatchingVersion Kind = "no_matching_version"
	// Platform: the version exists, but for none of the platforms that were asked for.
	Platform Kind = "platform"
	// Protocol: the provider does not speak a plugin protocol that the tool knows (R-REG-11, R-REG-12).
	Protocol Kind = "protocol"
	// Response: an answer, or a recorded fact, that cannot be used as it is.
	Response Kind = "response"
	// ContentChanged: the registry now names other content than what is recorded.
	ContentChanged Kind = "content_changed"
	// Network: the connection failed, or the server kept answering 429 or 5xx.
	Network Kind = "network"
	// Canceled: the run was stopped from outside.
	Canceled Kind = "canceled"
)

// Error is an error that belongs to one manifest entry or to one platform of it.
type Error struct {
	Kind    Kind
	Message string // for people; names the entry, what was found and what was wanted; no secrets
	Err     error  // the cause, or nil
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns an error of the given kind without a cause.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns an error of the given kind that unwraps to err. The text of err is not added to the message.
func Wrap(kind Kind, err error, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Err: err}
}

// KindOf returns the kind of the outermost Error in err's chain. An error of another type is Canceled if it stems from a
// cancelled context, else Network: what is not classified was not said by a registry.
func KindOf(err error) Kind {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Kind
	case errors.Is(err, context.Canceled):
		return Canceled
	default:
		return Network
	}
}
