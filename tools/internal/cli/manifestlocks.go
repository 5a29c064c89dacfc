package cli

import (
	"os"
	"path/filepath"

	"rules_tf_mirror/tools/internal/manifest"
)

// manifestLocks returns the paths of the dependency locks that a manifest names, which are relative to the folder of the lockfile. One
// that is not there covers nothing, and is no error as one named by a flag is: this run may be the one that is to write it, and until then
// the extension refuses the packages that wait for it.
func manifestLocks(request *manifest.Request, lockfile string) []string {
	var paths []string
	for _, name := range request.ProviderLocks {
		path := inWorkspace(name, lockfile)
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			paths = append(paths, path)
		}
	}
	return paths
}

// placeMirrors makes the paths of a manifest's filesystem mirrors those of this machine; the manifest names them below the folder of the
// lockfile.
func placeMirrors(request *manifest.Request, lockfile string) {
	for i, source := range request.Sources {
		if source.Path != "" {
			request.Sources[i].Path = inWorkspace(source.Path, lockfile)
		}
	}
}

// inWorkspace returns the path of a file that a manifest names, which is relative to the folder of the lockfile.
func inWorkspace(name, lockfile string) string {
	path := filepath.FromSlash(name)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(lockfile), path)
}
