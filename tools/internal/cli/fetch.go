package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/fetch"
	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/resolve"
	"rules_tf_mirror/tools/internal/terminal"
)

var _ = register(newFetchCommand)

// fetchFlags are the flags of `tfmirror fetch`.
type fetchFlags struct {
	request, cache, mirror string
	jobs                   int
	json, quiet            bool
}

// newFetchCommand returns `tfmirror fetch`.
func newFetchCommand(env Env) *cobra.Command {
	var flags fetchFlags
	cmd := &cobra.Command{
		Use:   "fetch --request FILE (--repository_cache DIR | --mirror DIR)",
		Short: "Fill a Bazel repository cache or a filesystem mirror with packages",
		Long: "fetch reads a request (JSON, as for resolve), asks the registries for what its facts do not answer, and downloads the packages of\n" +
			"all its platforms. Each package is checked against its recorded sha256; what is there and whole is not downloaded again.\n\n" +
			"--repository_cache fills a directory for Bazel's --repository_cache. --mirror unpacks into a directory for\n" +
			"`terraform init -plugin-dir` or a filesystem_mirror block.\n\n" +
			"A package that fails does not keep others from being fetched. Exit codes: 0 all are there, 2 wrong input or a target that cannot be\n" +
			"written, 3 the network or a registry failed, 4 a package has other content than recorded; 4 wins over 3, and 3 over 2.",
		Example: "  tfmirror fetch --request request.json --mirror ./providers\n  terraform init -plugin-dir=./providers",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags.quiet, _ = cmd.Flags().GetBool("quiet")
			switch {
			case flags.request == "":
				return Usage("fetch needs --request; `-` is standard input")
			case (flags.cache == "") == (flags.mirror == ""):
				return Usage("fetch needs exactly one of --repository_cache and --mirror")
			case flags.jobs < 1:
				return Usage("--jobs is %d; at least 1 is wanted", flags.jobs)
			}
			return runFetch(cmd.Context(), env, flags)
		},
	}
	cmd.Flags().StringVar(&flags.request, "request", "", "file to read the request from; `-` is standard input")
	cmd.Flags().StringVar(&flags.cache, "repository_cache", "", "directory of a Bazel repository cache")
	cmd.Flags().StringVar(&flags.mirror, "mirror", "", "directory of a filesystem mirror")
	cmd.Flags().IntVar(&flags.jobs, "jobs", fetch.DefaultJobs, "packages under way at once")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print one JSON object, and no progress")
	return cmd
}

func runFetch(ctx context.Context, env Env, flags fetchFlags) error {
	request, err := readRequest(ctx, env, flags.request)
	if err != nil {
		return err
	}
	if err := resolve.Check(request); err != nil {
		return Fail(CodeUsage, err)
	}
	sink, err := openSink(ctx, env, flags)
	if err != nil {
		return Fail(CodeUsage, err)
	}
	options := fetch.Options{
		Request:  request,
		Registry: func() resolve.Registry { return env.Registry(request) },
		Download: download.New(download.Options{RoundTripper: env.RoundTripper, Getenv: env.Getenv, UserAgent: "tfmirror/" + Version}),
		Sink:     sink,
		Jobs:     flags.jobs,
	}
	if !flags.json && !flags.quiet {
		options.Progress = func(items int) *terminal.Progress {
			return terminal.NewProgress(env.Stderr, items, terminal.Is(env.Stderr, env.Getenv))
		}
	}
	report, err := fetch.Run(ctx, options)
	if closeErr := sink.Close(); err == nil && closeErr != nil {
		return Fail(CodeUsage, closeErr)
	}
	if err != nil {
		return Fail(CodeNetwork, err)
	}
	if err := printReport(env, flags, report); err != nil {
		return Usage("standard output cannot be written: %w", err)
	}
	return fetchFailure(report)
}

func openSink(ctx context.Context, env Env, flags fetchFlags) (fetch.Sink, error) {
	if flags.cache != "" {
		return fetch.OpenRepositoryCache(flags.cache)
	}
	return fetch.OpenMirror(ctx, flags.mirror, func(text string) { fmt.Fprintf(env.Stderr, "tfmirror: %s\n", foreign.Line(text)) })
}

func printReport(env Env, flags fetchFlags, report *fetch.Report) error {
	if flags.json {
		return report.Encode(env.Stdout)
	}
	for _, text := range report.Warnings {
		fmt.Fprintf(env.Stderr, "tfmirror: warning: %s\n", foreign.Message(text))
	}
	if flags.quiet {
		return nil
	}
	return printTable(env.Stdout, report)
}

func printTable(w io.Writer, report *fetch.Report) error {
	table := terminal.NewTable("provider", "version", "platform", ">size", "status")
	var total int64
	for _, row := range report.Rows {
		size := ""
		if row.Status != fetch.Failed {
			size = terminal.Size(row.Bytes)
		}
		total += row.Bytes
		table.Add(row.Source, row.Version, row.Platform, size, row.Status)
	}
	if table.Len() > 1 {
		table.Add("total", "", "", terminal.Size(total), "")
	}
	return table.Write(w)
}

// fetchFailure returns the command's error: every message, and the exit code of the worst.
func fetchFailure(report *fetch.Report) error {
	code := 0
	switch report.Outcome() {
	case fetch.Complete:
		return nil
	case fetch.BadInput:
		code = CodeUsage
	case fetch.Unreachable:
		code = CodeNetwork
	case fetch.Refused:
		code = CodeRefused
	}
	return Fail(code, errors.New("not everything could be fetched:\n  "+strings.Join(report.Errors(), "\n  ")))
}
