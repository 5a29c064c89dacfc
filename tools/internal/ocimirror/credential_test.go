package ocimirror

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestCredentialFiles: which files of container tools are read, in which order, by system.
func TestCredentialFiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, goos string
		environ    map[string]string
		want       []string
	}{
		{"Unix", "linux", map[string]string{"HOME": "h"}, []string{"h/.config/containers/auth.json", "h/.docker/config.json"}},
		{"macOS", "darwin", map[string]string{"HOME": "h"}, []string{"h/.config/containers/auth.json", "h/.docker/config.json"}},
		{"Windows", "windows", map[string]string{"HOME": "h", "USERPROFILE": "u"}, []string{"u/.config/containers/auth.json", "u/.docker/config.json"}},
		{"variables", "linux", map[string]string{"HOME": "h", "XDG_RUNTIME_DIR": "r", "XDG_CONFIG_HOME": "x", "DOCKER_CONFIG": "d"},
			[]string{"r/containers/auth.json", "x/containers/auth.json", "d/config.json"}},
		{"no home", "linux", nil, nil},
	} {
		var want []string
		for _, path := range test.want {
			want = append(want, filepath.FromSlash(path))
		}
		if got := files(test.goos, func(name string) string { return test.environ[name] }); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", test.name, got, want)
		}
	}
}
