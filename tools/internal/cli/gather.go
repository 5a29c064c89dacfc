package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/filelock"
	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/inputfile"
	"rules_tf_mirror/tools/internal/requirements"
	"rules_tf_mirror/tools/internal/wholefile"
)

var _ = register(newGatherCommand)

// gatherFlags are the flags of `tfmirror gather`.
type gatherFlags struct {
	out, tool, repair  string
	check, json, quiet bool
}

// newGatherCommand returns `tfmirror gather`.
func newGatherCommand(env Env) *cobra.Command {
	var flags gatherFlags
	cmd := &cobra.Command{
		Use:   "gather --out providers.json [--check] [--json] PATH…",
		Short: "Gather the provider requirements of Terraform configurations into a mirror_json file",
		Long: "gather reads root modules (directories, or single .tf and .tf.json files) and the modules that they call, and writes which providers\n" +
			"they require into a mirror_json file for MODULE.bazel: required_providers, versions in provider blocks, and what resources imply. Nothing\n" +
			"is downloaded and nothing evaluated. Modules from registries and repositories are read where `terraform get` has put them (TF_DATA_DIR\n" +
			"counts); a warning names those that are not installed. Test files are not read.\n\n" +
			"The constraints of all modules on a provider become one entry; root modules that contradict each other get an entry each. Entries\n" +
			"that are plain strings in an existing file are yours and stay.\n\n" +
			"Exit codes: 0 done, 1 --check found a difference, 2 wrong usage, or a configuration that terraform would refuse too.",
		Example: "  tfmirror gather --out providers.json envs/prod envs/dev\n" +
			"  tfmirror gather --out providers.json --check envs/prod envs/dev    compare only, for CI\n" +
			"  tfmirror gather --json envs/prod                                   print who wants what",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			flags.quiet, _ = cmd.Flags().GetBool("quiet")
			return runGather(cmd.Context(), env, flags, paths)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.out, "out", "", "the mirror_json file, such as providers.json; names of files in it are relative to its folder; `-` prints it")
	f.StringVar(&flags.tool, "tool", string(addrs.Terraform), "terraform or tofu: whose rules and default registry count")
	f.BoolVar(&flags.check, "check", false, "compare instead of writing, exit code 1 and a diff if the file is stale")
	f.BoolVar(&flags.json, "json", false, "print one JSON object with who wants what, file and line")
	f.StringVar(&flags.repair, "repair", "", "command that --check tells people to run, as in --repair='bazel run //:providers_lock'; this one without --check if empty")
	return cmd
}

func runGather(ctx context.Context, env Env, flags gatherFlags, paths []string) error {
	switch {
	case flags.out == "" && !flags.json:
		return Usage("gather needs --out, the file to write, or --json; --out=- prints what would be written")
	case flags.check && (flags.out == "" || flags.out == "-"):
		return Usage("gather --check needs --out, the file to compare with")
	case flags.json && flags.out == "-":
		return Usage("gather can print only one of --json and --out=-")
	}
	tool, err := addrs.ParseTool(flags.tool)
	if err != nil {
		return Usage("--tool: %w", err)
	}
	base := "."
	if flags.out != "" && flags.out != "-" {
		base = filepath.Dir(flags.out)
	}
	result, err := requirements.Gather(paths, requirements.Options{Tool: tool, Base: base, DataDir: env.Getenv("TF_DATA_DIR")})
	if err != nil {
		return Usage("the requirements cannot be gathered:\n%s", cleanLines(err.Error(), ""))
	}
	if !flags.quiet {
		for _, warning := range result.Warnings {
			fmt.Fprintf(env.Stderr, "tfmirror: warning: %s\n", foreign.Message(warning.Error()))
		}
	}
	if flags.json {
		if err := printRequirements(env, tool, result); err != nil {
			return err
		}
	}
	switch flags.out {
	case "":
		return nil
	case "-":
		return writeWhole(ctx, env, "-", new(requirements.File).Update(result).Format())
	}
	if flags.check {
		return checkGathered(env, flags, paths, result)
	}
	return writeGathered(ctx, flags.out, result)
}

// readGathered returns the present file and its bytes; a missing one is empty.
func readGathered(name string) (*requirements.File, []byte, error) {
	text, err := inputfile.Read(name, inputfile.Most)
	if errors.Is(err, os.ErrNotExist) {
		return &requirements.File{}, nil, nil
	}
	if err != nil {
		return nil, nil, Usage("%w", err)
	}
	file, err := requirements.ParseFile(text)
	if err != nil {
		return nil, nil, Usage("%s is no mirror_json file: %w; name another file, or remove this one", name, err)
	}
	return file, text, nil
}

func writeGathered(ctx context.Context, out string, result *requirements.Result) error {
	if info, err := os.Stat(filepath.Dir(out)); err != nil || !info.IsDir() {
		return Usage("%s cannot be written: its folder does not exist", out)
	}
	lock, err := filelock.Acquire(ctx, filelock.DefaultDir(), out, nil)
	if err != nil {
		return Usage("%s cannot be written: %w", out, err)
	}
	defer lock.Release()
	file, _, err := readGathered(out)
	if err != nil {
		return err
	}
	if lost := file.Lost(result.Missing); len(lost) > 0 {
		return Usage("%s holds requirements of modules that are not installed here, and would lose them:\n%s\ninstall the modules (see the warnings), or remove the file to do without",
			out, cleanLines(strings.Join(lost, "\n"), "  "))
	}
	if err := wholefile.RemoveLeftovers(out); err != nil {
		return Usage("%s cannot be written: %w", out, err)
	}
	if _, err := wholefile.Write(out, file.Update(result).Format()); err != nil {
		return Usage("%s cannot be written: %w", out, err)
	}
	return nil
}

func checkGathered(env Env, flags gatherFlags, paths []string, result *requirements.Result) error {
	file, text, err := readGathered(flags.out)
	if err != nil {
		return err
	}
	wanted := file.Update(result).Format()
	if bytes.Equal(text, wanted) {
		return nil
	}
	if lost := file.Lost(result.Missing); len(lost) > 0 {
		return Usage("%s cannot be checked: these requirements are of modules that are not installed here:\n%s\ninstall them first (see the warnings)",
			flags.out, cleanLines(strings.Join(lost, "\n"), "  "))
	}
	repair := flags.repair
	if repair == "" {
		repair = strings.Join(append([]string{"tfmirror gather --tool", flags.tool, "--out", quoted(flags.out)}, quotedAll(paths)...), " ")
	}
	difference := diff.Diff(flags.out, text, "required by the configuration", wanted)
	_, difference, _ = bytes.Cut(difference, []byte("\n")) // without the line "diff …"
	return Fail(CodeDifference, fmt.Errorf("%s is not what the configuration requires:\n%s\nrepair: %s", flags.out, cleanLines(strings.TrimSuffix(string(difference), "\n"), ""), repair))
}

// cleanLines removes control characters from each line, and puts indent before it: configurations may come from anybody.
func cleanLines(text, indent string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = indent + foreign.Line(line)
	}
	return strings.Join(lines, "\n")
}

// quoted returns a word as a shell reads it.
func quoted(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./:@%+=,", c))
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func quotedAll(words []string) []string {
	var all []string
	for _, word := range words {
		all = append(all, quoted(word))
	}
	return all
}

// requirementRow is one requirement in the output of --json.
type requirementRow struct {
	Source      string              `json:"source"`     // in full
	Constraint  string              `json:"constraint"` // of all together, canonical; empty for any version
	Entry       string              `json:"entry"`      // as in the file
	Constraints []requirements.Want `json:"constraints"`
}

func printRequirements(env Env, tool addrs.Tool, result *requirements.Result) error {
	rows, warnings := []requirementRow{}, []string{}
	for _, r := range result.Requirements {
		rows = append(rows, requirementRow{r.Provider.String(), r.Constraint.Canonical(), r.Entry, r.Wants})
	}
	for _, warning := range result.Warnings {
		warnings = append(warnings, warning.Error())
	}
	encoder := json.NewEncoder(env.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(struct {
		Schema    int              `json:"schema"`
		Tool      addrs.Tool       `json:"tool"`
		Providers []requirementRow `json:"providers"`
		Warnings  []string         `json:"warnings"`
	}{1, tool, rows, warnings})
	if err != nil {
		return Usage("standard output cannot be written: %w", err)
	}
	return nil
}
