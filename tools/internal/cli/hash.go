package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"rules_tf_mirror/tools/internal/hashes"
)

var _ = register(newHashCommand)

// hashRow is the outcome for one path.
type hashRow struct {
	Path string `json:"path"` // as given
	Kind string `json:"kind"` // "zip" or "directory"
	H1   string `json:"h1"`
	ZH   string `json:"zh,omitempty"` // of a zip
}

// newHashCommand returns `tfmirror hash`.
func newHashCommand(env Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "hash [--json] PATH…",
		Short: "Print the h1: and zh: hashes of package zips, and the h1: of unpacked directories",
		Long: "hash prints package hashes as dependency locks (.terraform.lock.hcl) hold them: h1: and zh: of a zip, h1: of a directory.\n" +
			"The h1: of a zip that has directory entries differs from that of its unpacked directory, in terraform too; what\n" +
			"`terraform init` records is that of the directory.\n\n" +
			"Each line is a hash, two spaces and the path; --json prints one object. A path that cannot be hashed ends the command with\n" +
			"exit code 2, and nothing is printed.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			rows := []hashRow{}
			for _, path := range paths {
				row, err := hashPath(cmd.Context(), path)
				if err != nil {
					return Fail(CodeUsage, err)
				}
				rows = append(rows, row)
			}
			return printHashes(env, rows, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func hashPath(ctx context.Context, path string) (hashRow, error) {
	if ctx.Err() != nil {
		return hashRow{}, context.Cause(ctx)
	}
	info, err := os.Stat(path)
	if err != nil {
		return hashRow{}, err
	}
	if info.IsDir() {
		h1, err := hashes.Dir(path)
		return hashRow{Path: path, Kind: "directory", H1: h1.String()}, err
	}
	h1, err := hashes.Zip(path)
	if err != nil {
		return hashRow{}, err
	}
	zh, err := hashes.ZipFile(path)
	return hashRow{Path: path, Kind: "zip", H1: h1.String(), ZH: zh.String()}, err
}

func printHashes(env Env, rows []hashRow, asJSON bool) error {
	var err error
	if asJSON {
		encoder := json.NewEncoder(env.Stdout)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(struct {
			Schema int       `json:"schema"`
			Hashes []hashRow `json:"hashes"`
		}{1, rows})
	} else {
		for _, row := range rows {
			for _, hash := range []string{row.H1, row.ZH} {
				if hash == "" || err != nil {
					continue
				}
				_, err = fmt.Fprintf(env.Stdout, "%s  %s\n", hash, row.Path)
			}
		}
	}
	if err != nil {
		return Usage("standard output cannot be written: %w", err)
	}
	return nil
}
