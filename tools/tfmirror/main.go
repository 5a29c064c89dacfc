// Command tfmirror resolves, fetches and verifies Terraform and OpenTofu providers. See `tfmirror --help`.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"rules_tf_mirror/tools/internal/cli"
)

func main() { os.Exit(run()) }

// run executes the command line under a context that SIGINT and SIGTERM cancel, and returns the exit code.
func run() int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		number, ok := (<-signals).(syscall.Signal)
		signal.Stop(signals) // a second signal ends the process by itself
		if ok {
			cancel(cli.Signal(number))
		}
	}()
	return cli.Run(ctx, cli.OSEnv())
}
