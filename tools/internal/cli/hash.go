package cli

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"rules_tf_mirror/tools/internal/foreign"
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
			"Each line is a hash, two spaces and the path; --json prints one object. A path that cannot be hashed is an error, exit\n" +
			"code 2, and the others are printed all the same.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			rows := []hashRow{}
			var failed []error
			for _, path := range paths {
				row, err := hashPath(cmd.Context(), path)
				if err != nil {
					failed = append(failed, err)
					continue
				}
				rows = append(rows, row)
			}
			if cmd.Context().Err() != nil {
				return Fail(CodeUsage, context.Cause(cmd.Context()))
			}
			if err := printHashes(env, rows, asJSON); err != nil {
				return err
			}
			if len(failed) > 0 {
				return Fail(CodeUsage, errors.Join(failed...))
			}
			return nil
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
		return hashRow{}, unhashable(path, err)
	}
	if info.IsDir() {
		h1, err := hashes.Dir(path)
		if err != nil {
			return hashRow{}, unhashable(path, err)
		}
		return hashRow{Path: path, Kind: "directory", H1: h1.String()}, nil
	}
	h1, err := hashes.Zip(path)
	if err != nil {
		return hashRow{}, unhashable(path, err)
	}
	zh, err := hashes.ZipFile(path)
	if err != nil {
		return hashRow{}, unhashable(path, err)
	}
	return hashRow{Path: path, Kind: "zip", H1: h1.String(), ZH: zh.String()}, nil
}

// unhashable says what is wrong with a path and what to name instead.
func unhashable(path string, err error) error {
	reason, advice := err, "name the zip of a package, or the directory that it was unpacked into"
	var at *fs.PathError
	if errors.As(err, &at) {
		reason = at.Err
		if at.Path != path { // of a file in the directory
			reason = fmt.Errorf("%s: %w", at.Path, at.Err)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && (at == nil || at.Path == path):
		advice = "check the spelling of the path"
	case errors.Is(err, fs.ErrPermission):
		advice = "make it readable"
	case errors.Is(err, fs.ErrInvalid) && at != nil && at.Path != path:
		advice = "a package holds regular files only: remove it, or unpack the package anew"
	case errors.Is(err, zip.ErrFormat):
		reason, advice = zip.ErrFormat, "this is no zip file, or a part of one: download the package again"
	}
	return fmt.Errorf("%s cannot be hashed: %w; %s", foreign.Line(path), reason, advice)
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
				_, err = fmt.Fprintf(env.Stdout, "%s  %s\n", hash, foreign.Line(row.Path))
			}
		}
	}
	if err != nil {
		return Usage("standard output cannot be written: %w", err)
	}
	return nil
}
