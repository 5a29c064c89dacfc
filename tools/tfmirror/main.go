// Command tfmirror resolves, fetches and verifies Terraform and OpenTofu providers. See `tfmirror --help`.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"rules_tf_mirror/tools/internal/cli"
)

// grace is how long a command may clean up after a signal. One that computes, or waits in the kernel for a file that nobody writes, does not
// look at its context; ending it amid anything does no harm, because every file appears whole or not at all.
const grace = 500 * time.Millisecond

func main() { os.Exit(run()) }

// run executes the command line and returns the exit code, 128 and the signal's number soon after SIGINT or SIGTERM, whatever the command does.
func run() int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan int, 1)
	go func() { done <- cli.Run(ctx, cli.OSEnv()) }()
	select {
	case code := <-done:
		return code
	case received := <-signals:
		signal.Stop(signals) // a second signal ends the process by itself
		number, _ := received.(syscall.Signal)
		cancel(cli.Signal(number))
		select {
		case code := <-done:
			return code // that of the signal, or of a command that had all done
		case <-time.After(grace):
			return 128 + int(number)
		}
	}
}
