package download

import (
	"path/filepath"
	"testing"
)

// TestNetrcFile: where the file is, by system (R-CRED-18).
func TestNetrcFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, goos  string
		environ     map[string]string
		dir, wanted string // joined with this system's separator; both empty: none
	}{
		{"Unix", "linux", map[string]string{"HOME": "h", "USERPROFILE": "u"}, "h", ".netrc"},
		{"macOS", "darwin", map[string]string{"HOME": "h"}, "h", ".netrc"},
		{"Windows", "windows", map[string]string{"HOME": "h", "USERPROFILE": "u"}, "u", "_netrc"},
		{"Windows, only HOME", "windows", map[string]string{"HOME": "h"}, "", ""},
		{"no home", "linux", nil, "", ""},
		{"NETRC", "linux", map[string]string{"HOME": "h", "NETRC": "n"}, "", "n"},
		{"NETRC on Windows", "windows", map[string]string{"USERPROFILE": "u", "NETRC": "n"}, "", "n"},
	} {
		want := filepath.Join(test.dir, test.wanted)
		if got := netrcFile(test.goos, func(name string) string { return test.environ[name] }); got != want {
			t.Errorf("%s: %q, want %q", test.name, got, want)
		}
	}
}
