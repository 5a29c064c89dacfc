package explain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/explain"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/versions"
)

func version(t testing.TB, text string) versions.Version {
	t.Helper()
	v, err := versions.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func platformList(t testing.TB, text string) []platforms.Platform {
	t.Helper()
	var list []platforms.Platform
	for _, name := range strings.Fields(text) {
		p, err := platforms.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// releases reads "version platform platform" lines.
func releases(t testing.TB, lines ...string) []explain.Release {
	t.Helper()
	var list []explain.Release
	for _, line := range lines {
		number, rest, _ := strings.Cut(line, " ")
		list = append(list, explain.Release{Version: version(t, number), Platforms: platformList(t, rest)})
	}
	return list
}

// TestNoPackage: what the version list says about a package that is not there (A13 and issue: which versions have a platform).
func TestNoPackage(t *testing.T) {
	t.Parallel()
	list := []string{"1.0.0 linux_amd64 darwin_arm64", "1.2.0 linux_amd64", "1.1.0 darwin_arm64 linux_amd64", "0.9.0 darwin_arm64", "0.8.0 darwin_arm64", "2.0.0-rc1 linux_amd64"}
	for _, test := range []struct {
		name, version, wanted string
		list                  []string
		want                  string
	}{
		{"no list", "1.0.0", "linux_amd64", nil, "no version is listed"},
		{"no such version", "1.5.0", "linux_amd64", list, "there is no such version; the newest listed: 2.0.0-rc1, 1.2.0, 1.1.0"},
		{"metadata is part of a version", "1.2.0+x", "linux_amd64", list, "there is no such version; the newest listed: 2.0.0-rc1, 1.2.0, 1.1.0"},
		{"other platform", "1.2.0", "darwin_arm64", list, "it is published for linux_amd64 only; the newest listed with darwin_arm64: 1.1.0, 1.0.0, 0.9.0"},
		{"no version has it", "1.2.0", "plan9_386 darwin_arm64", list, "it is published for linux_amd64 only; no listed version has plan9_386; the newest listed with darwin_arm64: 1.1.0, 1.0.0, 0.9.0"},
		{"the list says nothing", "1.0.0", "linux_amd64", []string{"1.0.0"}, "the version is listed, but not published for these platforms"},
		{"the list contradicts", "1.2.0", "plan9_386 linux_amd64", list, "though the registry's list says that there is one for linux_amd64; tell who runs the registry"},
		{"listed twice, the last counts", "1.0.0", "linux_amd64", []string{"1.0.0 linux_amd64", "1.0.0 darwin_arm64"}, "it is published for darwin_arm64 only; no listed version has linux_amd64"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := explain.NoPackage(version(t, test.version), platformList(t, test.wanted), releases(t, test.list...)); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestNoPackageIsShort: neither many platforms nor many versions make a long message, and the caller's list stays as it is.
func TestNoPackageIsShort(t *testing.T) {
	t.Parallel()
	var names, wanted []string
	for i := range 100 {
		names, wanted = append(names, fmt.Sprintf("os%02d_amd64", i)), append(wanted, fmt.Sprintf("os%02d_arm64", i))
	}
	var lines []string
	for i := range 200 {
		lines = append(lines, fmt.Sprintf("1.%d.0 %s", i, strings.Join(names, " ")))
	}
	list := releases(t, lines...)
	before := slices.Clone(list)
	text := explain.NoPackage(version(t, "1.7.0"), platformList(t, strings.Join(wanted, " ")), list)
	if !strings.Contains(text, "os11_amd64 and 88 more only") || len(text) > 1000 {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	for i := range list {
		if list[i].Version != before[i].Version {
			t.Fatal("the list was reordered")
		}
	}
}
