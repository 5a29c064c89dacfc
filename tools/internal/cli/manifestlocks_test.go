package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tools/internal/manifest"
)

// Paths are below the folder of the lockfile, wherever the command is started; a file that is still to be written is passed over.
func TestManifestLocks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "env"), 0o777); err != nil {
		t.Fatal(err)
	}
	inside, outside := filepath.Join(dir, "env", "a.hcl"), filepath.Join(t.TempDir(), "b.hcl")
	for _, path := range []string{inside, outside} {
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	request := &manifest.Request{ProviderLocks: []string{"env/a.hcl", "env/missing.hcl", filepath.ToSlash(outside)}}
	if diff := cmp.Diff([]string{inside, outside}, manifestLocks(request, filepath.Join(dir, "MODULE.bazel.lock"))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := manifestLocks(&manifest.Request{}, "MODULE.bazel.lock"); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

// The same for filesystem mirrors: a lock run from a folder below the workspace finds them.
func TestPlaceMirrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	request := &manifest.Request{Sources: []manifest.Source{
		{Kind: "filesystem_mirror", Path: "third_party/providers"}, {Kind: "direct"}, {Kind: "filesystem_mirror", Path: filepath.ToSlash(dir)},
	}}
	placeMirrors(request, filepath.Join(dir, "MODULE.bazel.lock"))
	var got []string
	for _, source := range request.Sources {
		got = append(got, source.Path)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "third_party", "providers"), "", dir}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
