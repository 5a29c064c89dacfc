package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/bazellock"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/filelock"
	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/lock"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/resolve"
	"rules_tf_mirror/tools/internal/terminal"
	"rules_tf_mirror/tools/internal/versions"
)

var _ = register(newLockCommand)

// lockFlags are the flags of `tfmirror lock`.
type lockFlags struct {
	manifest, lockfile, extension string
	check, expiredKeys            string
	upgrade                       []string
	offline, json, quiet          bool
	providerLocks                 []string
	dependencyLock                string
	choices                       []string
}

// upgradeAll is what --upgrade without a value means.
const upgradeAll = "all"

// newLockCommand returns `tfmirror lock`, which `bazel run //:providers_lock` calls.
func newLockCommand(env Env) *cobra.Command {
	var flags lockFlags
	cmd := &cobra.Command{
		Use:   "lock --manifest FILE --lockfile MODULE.bazel.lock --extension ID",
		Short: "Verify the publishers' signatures and record what was verified",
		Long: "lock reads a manifest (JSON, as a request of resolve; the hub offers it as @tf_toolchains//:manifest.json) and the facts that\n" +
			"Bazel recorded in MODULE.bazel.lock, verifies every provider version against its publisher's signature over SHA256SUMS, and records\n" +
			"the verified hashes and the signers as facts in that file. Every other byte of it stays. No package is downloaded, unless\n" +
			"--dependency-lock needs an h1: hash that is not known yet.\n\n" +
			"A provider that is refused, or that could not be asked about, leaves nothing behind; the others are recorded.\n\n" +
			"Exit codes: 0 done, 1 --check found a difference, 2 wrong usage or input, 3 the network or a registry failed, 4 verification\n" +
			"refused; 4 wins over 3, and 3 over 1.",
		Example: "  tfmirror lock --manifest manifest.json --lockfile MODULE.bazel.lock --extension @@rules_tf_mirror+//tf:extensions.bzl%tf_repositories\n" +
			"  tfmirror lock … --check                                             compare only, for CI\n" +
			"  tfmirror lock … --check --offline                                   compare without any request\n" +
			"  tfmirror lock … --upgrade                                           select all versions anew\n" +
			"  tfmirror lock … --upgrade=hashicorp/random                          select those of one source anew\n" +
			"  tfmirror lock … --expired-keys=refuse                               refuse signatures by expired keys\n" +
			"  tfmirror lock … --provider-lock envs/prod/.terraform.lock.hcl       hashes for versions without a verified fact\n" +
			"  tfmirror lock … --dependency-lock .terraform.lock.hcl               bring a dependency lock for terraform up to date\n" +
			"  tfmirror lock … --dependency-lock .terraform.lock.hcl --check=full  recompute its h1: hashes too\n" +
			"  tfmirror lock … --dependency-lock .terraform.lock.hcl --dependency-lock-provider hashicorp/random:3.1.3",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags.quiet, _ = cmd.Flags().GetBool("quiet")
			return runLock(cmd.Context(), env, flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.manifest, "manifest", "", "file to read the manifest from; `-` is standard input")
	f.StringVar(&flags.lockfile, "lockfile", "", "path of MODULE.bazel.lock, such as ./MODULE.bazel.lock")
	f.StringVar(&flags.extension, "extension", "", "id of the extension, such as @@rules_tf_mirror+//tf:extensions.bzl%tf_repositories")
	f.StringVar(&flags.check, "check", "", "compare instead of writing, exit code 1 if something differs; --check=full recomputes h1: hashes too")
	f.Lookup("check").NoOptDefVal = "facts"
	f.StringArrayVar(&flags.upgrade, "upgrade", nil, "select versions anew, of all sources or as in --upgrade=hashicorp/random; repeatable")
	f.Lookup("upgrade").NoOptDefVal = upgradeAll
	f.BoolVar(&flags.offline, "offline", false, "with --check: no request; shows that manifest, facts and built-in signers agree, not that anybody signed")
	f.StringVar(&flags.expiredKeys, "expired-keys", "", "accept, signed-before or refuse signatures by expired keys, as in --expired-keys=refuse; wins over the manifest")
	f.StringArrayVar(&flags.providerLocks, "provider-lock", nil, "dependency lock with hashes for versions without a verified fact, such as env/.terraform.lock.hcl; repeatable")
	f.StringVar(&flags.dependencyLock, "dependency-lock", "", "dependency lock to bring up to date for all platforms, such as ./.terraform.lock.hcl")
	f.StringArrayVar(&flags.choices, "dependency-lock-provider", nil, "which version --dependency-lock gets of a source with several, as hashicorp/random:3.1.3; repeatable; lock_file_versions of the rule")
	f.BoolVar(&flags.json, "json", false, "print one JSON object, and no progress")
	return cmd
}

func runLock(ctx context.Context, env Env, flags lockFlags) error {
	options, err := lockOptions(ctx, env, flags)
	if err != nil {
		return err
	}
	report, err := lock.Run(ctx, options)
	var wrong *lock.InputError
	switch {
	case errors.As(err, &wrong):
		return Fail(CodeUsage, wrong.Err)
	case err != nil:
		return Fail(CodeNetwork, err)
	}
	if err := printLock(env, flags, report); err != nil {
		return Usage("standard output cannot be written: %w", err)
	}
	return lockFailure(flags, report)
}

func lockOptions(ctx context.Context, env Env, flags lockFlags) (lock.Options, error) {
	o := lock.Options{Lockfile: flags.lockfile, Offline: flags.offline, ProviderLocks: flags.providerLocks, DependencyLock: flags.dependencyLock}
	for name, value := range map[string]string{"--manifest": flags.manifest, "--lockfile": flags.lockfile, "--extension": flags.extension} {
		if value == "" {
			return o, Usage("lock needs --manifest, --lockfile and --extension; %s is missing", name)
		}
	}
	switch flags.check {
	case "":
	case "facts":
		o.Check = lock.CheckOnly
	case "full":
		o.Check = lock.CheckFull
	default:
		return o, Usage("--check=%s: write --check or --check=full", flags.check)
	}
	var err error
	if o.Extension, err = bazellock.ParseID(flags.extension); err != nil {
		return o, Fail(CodeUsage, err)
	}
	request, err := readRequest(ctx, env, flags.manifest)
	if err != nil {
		return o, err
	}
	if err := resolve.Check(request); err != nil {
		return o, Fail(CodeUsage, err)
	}
	if flags.expiredKeys != "" {
		policy := manifest.Policy{}
		if request.Policy != nil {
			policy = *request.Policy
		}
		policy.ExpiredKeys = flags.expiredKeys
		request.Policy = &policy
	}
	for _, text := range flags.upgrade {
		if text == upgradeAll {
			o.UpgradeAll = true
			continue
		}
		p, err := addrs.Parse(text, request.Tool)
		if err != nil {
			return o, Usage("--upgrade=%s: %w", text, err)
		}
		o.Upgrade = append(o.Upgrade, p)
	}
	for _, text := range flags.choices {
		choice, err := parseChoice(text, request.Tool)
		if err != nil {
			return o, Usage("--dependency-lock-provider %s: %w; write SOURCE:VERSION, such as hashicorp/random:3.1.3", text, err)
		}
		o.Choices = append(o.Choices, choice)
	}
	placeMirrors(request, flags.lockfile)
	o.Request = request
	o.ProviderLocks = append(manifestLocks(request, flags.lockfile), o.ProviderLocks...)
	o.Registry = func() lock.Registry { return env.Registry(request) }
	o.Download = download.New(download.Options{RoundTripper: env.RoundTripper, Getenv: env.Getenv, UserAgent: "tfmirror/" + Version})
	o.Now = time.Now
	o.LockDir = filelock.DefaultDir()
	o.Notify = func(text string) { fmt.Fprintf(env.Stderr, "tfmirror: %s\n", foreign.Line(text)) }
	bar := terminal.Is(env.Stderr, env.Getenv)
	if !flags.json && !flags.quiet && (bar || flags.check == "") { // a check that finds nothing is silent
		o.Progress = func(items int) *terminal.Progress { return terminal.NewProgress(env.Stderr, items, bar) }
	}
	return o, nil
}

func parseChoice(text string, tool addrs.Tool) (lock.Choice, error) {
	slash := strings.LastIndexByte(text, '/') + 1
	name, number, ok := strings.Cut(text[slash:], ":")
	if !ok {
		return lock.Choice{}, errors.New("there is no version")
	}
	p, err := addrs.Parse(text[:slash]+name, tool)
	if err != nil {
		return lock.Choice{}, err
	}
	v, err := versions.Parse(number)
	return lock.Choice{Provider: p, Version: v}, err
}

// printLock writes what was found: JSON and nothing else on standard output, or for people differences, upgrades and the table.
func printLock(env Env, flags lockFlags, report *lock.Report) error {
	people := env.Stdout
	if flags.json {
		if err := report.Encode(env.Stdout); err != nil {
			return err
		}
		people = env.Stderr
	} else {
		for _, text := range report.Warnings {
			fmt.Fprintf(env.Stderr, "tfmirror: warning: %s\n", foreign.Message(text))
		}
	}
	if err := report.WriteDifferences(people); err != nil {
		return err
	}
	if flags.quiet {
		return nil
	}
	for _, u := range report.Upgrades {
		line := fmt.Sprintf("%s: %s → %s", u.Entry, u.Old, u.New)
		switch u.Old {
		case "":
			line = fmt.Sprintf("%s: %s (new)", u.Entry, u.New)
		case u.New:
			line = fmt.Sprintf("%s: %s (already the newest)", u.Entry, u.New)
		}
		if _, err := fmt.Fprintln(people, foreign.Line(line)); err != nil {
			return err
		}
	}
	if flags.json || flags.check != "" && report.Outcome() == lock.Done {
		return nil
	}
	return report.WriteTable(env.Stdout)
}

// lockFailure returns the command's error: every message, and the exit code of the worst.
func lockFailure(flags lockFlags, report *lock.Report) error {
	code := map[lock.Outcome]int{lock.BadInput: CodeUsage, lock.Different: CodeDifference, lock.Unreachable: CodeNetwork, lock.Refused: CodeRefused}[report.Outcome()]
	var texts []string
	if messages := report.Errors(); len(messages) > 0 {
		text := "not every provider could be verified; nothing of these was recorded:"
		if flags.check != "" {
			text = "not every provider could be verified, or is as recorded:"
		}
		texts = append(texts, text+"\n  "+strings.Join(messages, "\n  "))
	}
	texts = append(texts, report.Problems...)
	switch {
	case code == 0:
		return nil
	case len(texts) == 0:
		return &Failure{Code: code}
	default:
		return Fail(code, errors.New(strings.Join(texts, "\n")))
	}
}
