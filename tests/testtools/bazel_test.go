package testtools

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestCheckVersion(t *testing.T) {
	for _, test := range []struct{ output, wantErr string }{
		{"bazel 9.1.0\n", ""},
		{"2026/01/01 00:00:00 Downloading …\nbazel 8.6.0\n", ""},
		{"Build label: 8.10.1\n", ""},
		{"bazel 9.0.0-pre.20250101.1\n", ""},
		{"bazel 8.5.1\n", "Bazel 8.5.1 is older than 8.6.0"},
		{"bazel 7.7.1\n", "Bazel 7.7.1 is older than 8.6.0"},
		{"bazel no_version\n", "printed no version"},
		{"", "printed no version"},
	} {
		err := checkVersion(test.output)
		switch {
		case test.wantErr == "" && err != nil:
			t.Errorf("checkVersion(%q) = %v, want no error", test.output, err)
		case test.wantErr != "" && (err == nil || !strings.Contains(err.Error(), test.wantErr)):
			t.Errorf("checkVersion(%q) = %v, want an error with %q", test.output, err, test.wantErr)
		}
	}
}

// The order of the README: $BAZEL as it is, then PATH if new enough.
func TestBazelOrder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are shell scripts")
	}
	dir := t.TempDir()
	script := func(name, version string) string {
		path := filepath.Join(dir, name)
		WriteScript(t, path, "#!/bin/sh\necho bazel "+version+"\n")
		return path
	}
	script("bazel", "7.4.0")
	newer := script("bazelisk", "9.1.0")
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("BAZEL", "")
	if got, err := Bazel(t.Context()); err != nil || got != newer {
		t.Errorf("Bazel() = %q, %v; want %q, as the bazel on PATH is too old", got, err, newer)
	}
	t.Setenv("BAZEL", "/opt/own/bazel")
	if got, err := Bazel(t.Context()); err != nil || got != "/opt/own/bazel" {
		t.Errorf("Bazel() = %q, %v; want $BAZEL", got, err)
	}
}

func TestLastLine(t *testing.T) {
	for _, test := range []struct{ out, want string }{
		{"one\ntwo\n", "two"},
		{"", ""},
		{strings.Repeat("é", 100), "…" + strings.Repeat("é", 60)},
	} {
		if got := lastLine([]byte(test.out)); got != test.want {
			t.Errorf("lastLine(%q) = %q, want %q", test.out, got, test.want)
		}
	}
}
