package requirements

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/hashicorp/go-version"
)

// manifest is where the tools record the installed modules of a root module. They run in its directory, where a relative TF_DATA_DIR begins.
func (o Options) manifest(root string) string {
	data := o.DataDir
	if data == "" {
		data = ".terraform"
	}
	if !filepath.IsAbs(data) {
		data = filepath.Join(root, data)
	}
	return filepath.Join(data, "modules", "modules.json")
}

// record is what the tools know about one installed module.
type record struct {
	Key     string // names of the calls from the root, joined by dots
	Source  string
	Version string
	Dir     string // relative to the root module
}

// readInstalled returns the records of a root module's installed modules by key; a missing file has none.
func readInstalled(manifest string) (map[string]record, error) {
	text, err := readFile(manifest)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseInstalled(text)
}

func parseInstalled(text []byte) (map[string]record, error) {
	var manifest struct{ Modules []record }
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, err
	}
	records := map[string]record{}
	for _, r := range manifest.Modules {
		r.Dir = filepath.FromSlash(r.Dir)
		records[r.Key] = r
	}
	return records, nil
}

// stale says why a record is no longer what a call wants, as far as that can be seen without asking anybody; empty if it is good.
func (r record) stale(c call) string {
	if isRegistrySource(c.source) && r.Source != c.source && !strings.HasSuffix(r.Source, "/"+c.source) {
		return "installed is " + shownSource(r.Source)
	}
	if c.version == "" || r.Version == "" {
		return ""
	}
	// Module versions follow go-version alone (R-CON-14).
	want, err := version.NewConstraint(c.version)
	have, err2 := version.NewVersion(r.Version)
	if err != nil || err2 != nil || want.Check(have) {
		return ""
	}
	return "installed is version " + r.Version
}

// isLocal reports whether a module's source is a path relative to the calling module.
func isLocal(source string) bool {
	for _, prefix := range []string{"./", "../", `.\`, `..\`} {
		if strings.HasPrefix(source, prefix) {
			return true
		}
	}
	return false
}

// isRegistrySource reports whether a source looks like namespace/name/system with an optional host: what other sources are
// recorded as depends on many rules.
func isRegistrySource(source string) bool {
	if strings.Contains(source, ":") || strings.HasPrefix(source, "github.com/") || strings.HasPrefix(source, "bitbucket.org/") {
		return false
	}
	address, _, _ := strings.Cut(source, "//")
	parts := strings.Split(address, "/")
	return !isLocal(source) && (len(parts) == 3 || len(parts) == 4) && parts[0] != ""
}
