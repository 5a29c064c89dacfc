// Package cli is the command line of tfmirror: one thin file per command, nothing here decides anything about providers.
//
// A command file registers its constructor with one line, `var _ = register(newResolveCommand)`, and returns errors of this package
// (Usage, Fail) or plain ones; Run alone turns them into text on stderr and an exit code (design §3.3).
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"rules_tf_mirror/tools/internal/foreign"
)

// Version is the release of tfmirror; a release build sets it with -ldflags "-X rules_tf_mirror/tools/internal/cli.Version=…".
var Version = "0.1.0-dev"

// Env is everything a command may touch of the outside world, so that tests hand in their own.
type Env struct {
	Args    []string // without the program's name
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Environ []string // KEY=value, as os.Environ; of duplicates the last counts

	// RoundTripper sends HTTP requests; nil means the transport's own, which reads proxy and certificate variables of the process.
	RoundTripper http.RoundTripper
}

// OSEnv returns the environment of this process.
func OSEnv() Env {
	return Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ()}
}

// Getenv returns the value of an environment variable, empty if it is not set.
func (e Env) Getenv(key string) string {
	value := ""
	for _, pair := range e.Environ {
		if name, v, ok := strings.Cut(pair, "="); ok && name == key {
			value = v
		}
	}
	return value
}

// constructors of all commands, filled by the command files.
var constructors []func(Env) *cobra.Command

// register adds a command; the result only allows its use in a package-level declaration.
func register(construct func(Env) *cobra.Command) struct{} {
	constructors = append(constructors, construct)
	return struct{}{}
}

// NewRoot returns the tfmirror command with all registered commands.
func NewRoot(env Env) *cobra.Command {
	root := &cobra.Command{
		Use:           "tfmirror",
		Short:         "Resolve, fetch and verify Terraform and OpenTofu providers",
		Version:       Version,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return Usage("no command given; `tfmirror --help` lists them")
		},
	}
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentFlags().Bool("quiet", false, "say nothing beyond errors (commands say nothing else when all is well)")
	var commands []*cobra.Command
	for _, construct := range constructors {
		commands = append(commands, construct(env))
	}
	sort.Slice(commands, func(i, j int) bool { return commands[i].Name() < commands[j].Name() })
	root.AddCommand(commands...)
	return root
}

// Run executes one command line and returns the exit code: 0 done, 1 a check found a difference, 2 wrong usage or input, 3 the
// network or a registry failed, 4 verification refused, 128+n stopped by signal n (the cause of ctx is a Signal).
func Run(ctx context.Context, env Env) int {
	err := NewRoot(env).ExecuteContext(ctx)
	if err == nil {
		return 0 // also when a signal came after all was done
	}
	var signal Signal
	if errors.As(context.Cause(ctx), &signal) {
		return 128 + int(syscall.Signal(signal))
	}
	var failure *Failure
	if errors.As(err, &failure) {
		if text := failure.Error(); text != "" {
			fmt.Fprintf(env.Stderr, "tfmirror: %s\n", foreign.Lines(text))
		}
		return failure.Code
	}
	// Cobra's own errors (unknown command or flag, missing argument) are plain.
	fmt.Fprintf(env.Stderr, "tfmirror: %s\n", foreign.Message(strings.TrimSpace(err.Error())))
	return CodeUsage
}
