package fetch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
}

// Below a mirror's directory no link is followed, wherever it leads: neither to write, nor to look, nor to clean up. Outside nothing changes.
func TestMirrorLinks(t *testing.T) {
	t.Parallel()
	version := filepath.FromSlash(widget) + "/1.4.0"
	for name, c := range map[string]struct {
		link   string // in the mirror; leads to the other directory, or to leads
		leads  string
		opened bool // the mirror can be opened, and the package fails
	}{
		"own directory":          {link: privateDir},
		"own directory, inside":  {link: privateDir, leads: "inside"},
		"work directory":         {link: privateDir + "/tmp"},
		"lock":                   {link: privateDir + "/lock", leads: "OUTSIDE/new"},
		"receipts":               {link: privateDir + "/packages", opened: true},
		"a receipt's directory":  {link: privateDir + "/packages/" + version, opened: true},
		"host":                   {link: host, opened: true},
		"host, inside":           {link: host, leads: "inside", opened: true},
		"namespace":              {link: host + "/acme", opened: true},
		"type":                   {link: widget, opened: true},
		"version":                {link: version, opened: true},
		"version, without a way": {link: version, leads: "nowhere", opened: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.widget("1.4.0", "linux_amd64")
			outside, dir := t.TempDir(), t.TempDir()
			for _, precious := range []string{"precious", "tmp/precious", "package-1.zip", "tmp/package-1.zip", "acme/widget/1.4.0/linux_amd64/precious"} {
				writeFile(t, filepath.Join(outside, filepath.FromSlash(precious)), "x")
				writeFile(t, filepath.Join(dir, "inside", filepath.FromSlash(precious)), "x")
			}
			before, beforeInside := files(t, outside), files(t, filepath.Join(dir, "inside"))
			leads := outside
			switch {
			case strings.HasPrefix(c.leads, "OUTSIDE"):
				leads = strings.Replace(c.leads, "OUTSIDE", outside, 1)
			case c.leads != "":
				leads = filepath.Join(dir, c.leads)
			}
			path := filepath.Join(dir, filepath.FromSlash(c.link))
			link(t, leads, path)
			sink, err := OpenMirror(t.Context(), dir, func(string) {})
			if (err == nil) != c.opened {
				t.Errorf("opening the mirror: %v", err)
			}
			text := ""
			if err != nil {
				text = err.Error()
			} else {
				report := b.run(request("linux_amd64", widget), sink)
				wantStatus(t, report, "linux_amd64 failed local")
				text = strings.Join(report.Errors(), "\n")
			}
			if !strings.Contains(text, path) || strings.Contains(text, "escapes") {
				t.Errorf("the error must name %s and what to do: %s", path, text)
			}
			if got := files(t, outside); got != before {
				t.Errorf("outside there is now\n%s\nwant\n%s", got, before)
			}
			if got := files(t, filepath.Join(dir, "inside")); got != beforeInside {
				t.Errorf("inside there is now\n%s\nwant\n%s", got, beforeInside)
			}
			if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("the link is %v, %v", info, err)
			}
		})
	}
}

// The directory itself may be a link. A receipt that is one is replaced, and what it leads to stays.
func TestMirrorLinksAllowed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.widget("1.4.0", "linux_amd64")
	real, dir := t.TempDir(), filepath.Join(t.TempDir(), "mirror")
	link(t, real, dir)
	precious := filepath.Join(t.TempDir(), "precious")
	writeFile(t, precious, "x")
	link(t, precious, filepath.Join(real, privateDir, "packages", filepath.FromSlash(widget), "1.4.0", "linux_amd64.json"))
	wantStatus(t, b.run(request("linux_amd64", widget), b.mirror(dir)), "linux_amd64 fetched")
	wantStatus(t, b.run(request("linux_amd64", widget), b.mirror(dir)), "linux_amd64 cached")
	if text, err := os.ReadFile(precious); err != nil || string(text) != "x" {
		t.Errorf("the linked file is now %q, %v", text, err)
	}
}

// Of the work directory only what this program made is removed.
func TestMirrorKeepsForeignFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.widget("1.4.0", "linux_amd64")
	dir := t.TempDir()
	mine := filepath.Join(dir, privateDir, "tmp", "mine.txt")
	writeFile(t, mine, "x")
	writeFile(t, filepath.Join(dir, privateDir, "tmp", "package-1.zip"), "x")
	wantStatus(t, b.run(request("linux_amd64", widget), b.mirror(dir)), "linux_amd64 fetched")
	if text, err := os.ReadFile(mine); err != nil || string(text) != "x" {
		t.Errorf("%s is now %q, %v", mine, text, err)
	}
	if left := files(t, filepath.Join(dir, privateDir, "tmp")); left != "mine.txt" {
		t.Errorf("left behind:\n%s", left)
	}
}
