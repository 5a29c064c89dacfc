package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"rules_tf_mirror/tools/internal/inputfile"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/resolve"
	"rules_tf_mirror/tools/internal/wholefile"
)

var _ = register(newResolveCommand)

// newResolveCommand returns `tfmirror resolve`, which the Bazel extension calls.
func newResolveCommand(env Env) *cobra.Command {
	var request, response string
	cmd := &cobra.Command{
		Use:   "resolve --request FILE --response FILE",
		Short: "Select versions and find packages for a manifest",
		Long: "resolve reads a request (JSON), asks the registries for what its facts do not answer, and writes a response (JSON).\n" +
			"`-` is standard input and standard output. Failures of single entries are in the response, and the exit code is 0.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if request == "" || response == "" {
				return Usage("resolve needs --request and --response; `-` is standard input and standard output")
			}
			return runResolve(cmd.Context(), env, request, response)
		},
	}
	cmd.Flags().StringVar(&request, "request", "", "file to read the request from")
	cmd.Flags().StringVar(&response, "response", "", "file to write the response to, as a whole or not at all")
	return cmd
}

func runResolve(ctx context.Context, env Env, requestFile, responseFile string) error {
	request, err := readRequest(ctx, env, requestFile)
	if err != nil {
		return err
	}
	if err := resolve.Check(request); err != nil {
		return Fail(CodeUsage, err)
	}
	response, err := resolve.Run(ctx, env.Registry(request), request)
	if err != nil {
		return Fail(CodeNetwork, err)
	}
	resolve.AddProviderLocks(request, response)
	var buffer bytes.Buffer
	if err := response.Encode(&buffer); err != nil {
		return Fail(CodeUsage, err)
	}
	return writeWhole(ctx, env, responseFile, buffer.Bytes())
}

// readRequest reads and decodes a request file; it gives up when ctx ends, since standard input may never come.
func readRequest(ctx context.Context, env Env, name string) (*manifest.Request, error) {
	data, err := readInput(ctx, env, name)
	if err != nil {
		return nil, Usage("the request cannot be read: %w", err)
	}
	request, err := manifest.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, Usage("%s: %w", shownName(name), err)
	}
	return request, nil
}

func shownName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// readInput reads a regular file, or for `-` standard input, of limited length.
func readInput(ctx context.Context, env Env, name string) ([]byte, error) {
	if name != "-" {
		data, err := inputfile.Read(name, inputfile.Most)
		if errors.Is(err, fs.ErrInvalid) {
			err = fmt.Errorf("%w; `-` is standard input", err)
		}
		return data, err
	}
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := inputfile.Bounded(env.Stdin, "standard input", inputfile.Most)
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// writeWhole writes a file so that it has either its old content or the whole new one, or writes to standard output.
func writeWhole(ctx context.Context, env Env, name string, data []byte) error {
	if ctx.Err() != nil {
		return Fail(CodeNetwork, context.Cause(ctx))
	}
	if name == "-" || name == "/dev/stdout" {
		if _, err := env.Stdout.Write(data); err != nil {
			return Usage("standard output cannot be written: %w", err)
		}
		return nil
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return Usage("%s is a directory; name a file", name)
	}
	if _, err := wholefile.Write(name, data); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return Usage("%s cannot be written: its folder does not exist", name)
		}
		return Usage("%s cannot be written: %w", name, err)
	}
	return nil
}
