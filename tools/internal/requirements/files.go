package requirements

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/inputfile"
)

// suffixes of configuration files, those that are part of others last.
var suffixes = map[addrs.Tool][]string{
	addrs.Terraform: {".tf.json", ".tf"},
	addrs.OpenTofu:  {".tf.json", ".tf", ".tofu.json", ".tofu"},
}

// splitName splits the name of a configuration file into its base and its suffix. ok is false for any other file; editors' temporary
// files and hidden ones are such.
func splitName(name string, tool addrs.Tool) (base, suffix string, ok bool) {
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") {
		return "", "", false
	}
	for _, suffix := range suffixes[tool] {
		if base, ok := strings.CutSuffix(name, suffix); ok {
			return base, suffix, true
		}
	}
	return "", "", false
}

// isOverride reports whether a file of that name is merged over the others of its module.
func isOverride(name string, tool addrs.Tool) bool {
	base, _, _ := splitName(name, tool)
	return base == "override" || strings.HasSuffix(base, "_override")
}

// configurationFiles chooses the names of configuration files among those of a directory, sorted. For tofu x.tofu hides x.tf, and
// x.tofu.json hides x.tf.json.
func configurationFiles(names []string, tool addrs.Tool) []string {
	var found []string
	for _, name := range names {
		base, suffix, ok := splitName(name, tool)
		if !ok {
			continue
		}
		if tool == addrs.OpenTofu && strings.HasPrefix(suffix, ".tf") &&
			slices.Contains(names, base+strings.Replace(suffix, ".tf", ".tofu", 1)) {
			continue
		}
		found = append(found, name)
	}
	slices.Sort(found)
	return found
}

// source is one configuration file.
type source struct {
	name string // without directory
	path string // to show
	text []byte
}

// errTooLarge is for files above maxSize.
var errTooLarge = errors.New("too large")

// readFile reads a file of at most maxSize bytes.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSize {
		return nil, errTooLarge
	}
	return inputfile.Read(path, maxSize)
}

// listFiles returns the names of the configuration files of a directory. Whether a name is a directory is looked at, whether it is
// readable is not.
func listFiles(dir string, tool addrs.Tool) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		if entry.Type()&fs.ModeSymlink != 0 { // in Bazel's runfiles every file is a link
			if info, err := os.Stat(filepath.Join(dir, entry.Name())); err == nil && info.IsDir() {
				continue
			}
		}
		names = append(names, entry.Name())
	}
	return configurationFiles(names, tool), nil
}
