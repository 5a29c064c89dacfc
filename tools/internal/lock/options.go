package lock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/bazellock"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/resolve"
	"rules_tf_mirror/tools/internal/terminal"
	"rules_tf_mirror/tools/internal/versions"
)

// Registry is what locking needs of a registry client; *registry.Client is one.
type Registry interface {
	resolve.Registry
	Document(ctx context.Context, pkg *registry.Package, reference string) (registry.Document, error)
}

// Check says whether to compare instead of writing.
type Check int

// The values of Check.
const (
	Write     Check = iota // record
	CheckOnly              // compare, fetch no package
	CheckFull              // compare, and compute every h1: of the dependency lock anew
)

// Choice names the version of a source that the dependency lock is to have, where the manifest has several.
type Choice struct {
	Provider addrs.Provider
	Version  versions.Version
}

// Options say what to lock and with what.
type Options struct {
	Request        *manifest.Request // one that resolve.Check accepts, without facts
	Lockfile       string            // path of MODULE.bazel.lock
	Extension      bazellock.ID
	Check          Check
	Offline        bool             // no request at all; only with CheckOnly
	UpgradeAll     bool             // select all versions anew
	Upgrade        []addrs.Provider // select the versions of these sources anew
	ProviderLocks  []string         // paths of dependency locks that cover versions without a verified fact
	DependencyLock string           // path of the dependency lock to write; empty: none
	Choices        []Choice

	Registry func() Registry // a new client, which asks each question once
	Download *download.Client
	Now      func() time.Time                   // is asked at each decision, so that what was signed during the run is not of the future
	LockDir  string                             // where package filelock keeps its files
	Progress func(items int) *terminal.Progress // nil: none
	Notify   func(text string)                  // is told that another run is waited for; nil: nobody
}

// InputError says that the run as a whole cannot be done as asked: exit code 2.
type InputError struct{ Err error }

// Error returns the cause's text.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

func input(format string, args ...any) error { return &InputError{fmt.Errorf(format, args...)} }

// validate refuses combinations that have no meaning.
func (o Options) validate() error {
	switch {
	case o.Offline && o.Check == Write:
		return input("--offline verifies nothing, so nothing can be written; add --check to compare what is recorded")
	case o.Offline && o.Check == CheckFull:
		return input("--check=full downloads packages, which --offline forbids; write --check")
	case (o.UpgradeAll || len(o.Upgrade) > 0) && o.Check != Write:
		return input("--upgrade changes the lockfile and --check never does; leave one of them out")
	case len(o.Choices) > 0 && o.DependencyLock == "":
		return input("--dependency-lock-provider chooses for a dependency lock; name the file with --dependency-lock")
	case len(o.Request.Facts) > 0:
		return input(`the manifest has "facts"; lock takes those of the lockfile, so remove the field`)
	}
	if o.DependencyLock != "" {
		// The folder is a root module of terraform; making one would hide a misspelt path.
		if dir := filepath.Dir(o.DependencyLock); !isDir(dir) {
			return input("the folder of the dependency lock %s does not exist: make it, or correct lock_file of the lock target (--dependency-lock)", o.DependencyLock)
		}
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// notify tells that another run holds a lock.
func (o Options) notify(path string) func() {
	return func() {
		if o.Notify != nil {
			o.Notify("waiting for another run that locks " + path)
		}
	}
}

// asInput makes an InputError of every error but the end of the context.
func asInput(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var known *InputError
	if errors.As(err, &known) {
		return err
	}
	return &InputError{err}
}
