package cliconfig_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/cliconfig"
)

// unreadable as content makes a file that nobody may read.
const unreadable = "\x00unreadable"

// files is a file system of any operating system: content by path. Directories are what paths imply.
type files map[string]string

// info describes a file or directory.
type info struct {
	name string
	dir  bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return 0 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.dir }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}

func (f files) ReadFile(path string) ([]byte, error) {
	content, ok := f[path]
	switch {
	case content == unreadable:
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	case ok:
		return []byte(content), nil
	case len(f.names(path)) > 0:
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrInvalid}
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

// names are the entries of a directory; those of directories end in a slash.
func (f files) names(dir string) []string {
	var names []string
	for path := range f {
		rest, ok := strings.CutPrefix(path, dir)
		if !ok || rest == "" || !strings.ContainsAny(rest[:1], `/\`) {
			continue
		}
		name, _, below := strings.Cut(strings.ReplaceAll(rest[1:], `\`, "/"), "/")
		if below {
			name += "/"
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (f files) ReadDir(dir string) ([]fs.DirEntry, error) {
	names := f.names(dir)
	if names == nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	var entries []fs.DirEntry
	for _, name := range names {
		if name == unreadable {
			return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrPermission}
		}
		entries = append(entries, fs.FileInfoToDirEntry(info{strings.TrimSuffix(name, "/"), strings.HasSuffix(name, "/")}))
	}
	return entries, nil
}

func (f files) Stat(path string) (fs.FileInfo, error) {
	if _, ok := f[path]; ok && !strings.HasSuffix(path, "/") {
		return info{name: path}, nil
	}
	if len(f.names(path)) > 0 || len(f.names(strings.TrimSuffix(path, "/"))) > 0 {
		return info{name: path, dir: true}, nil
	}
	return nil, &fs.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
}

// linux is a system with HOME=/home/u.
func linux(f files, environ ...string) cliconfig.System {
	return cliconfig.System{GOOS: "linux", GOARCH: "amd64", Environ: append([]string{"HOME=/home/u"}, environ...), Files: f}
}

// load reads one main file of terraform.
func load(text string) *cliconfig.Config {
	return cliconfig.Load(addrs.Terraform, linux(files{"/home/u/.terraformrc": text}))
}

// loadTofu reads one main file of tofu.
func loadTofu(text string) *cliconfig.Config {
	return cliconfig.Load(addrs.OpenTofu, linux(files{"/home/u/.tofurc": text}))
}

// texts are problems as printed.
func texts(problems []cliconfig.Problem) []string {
	out := []string{}
	for _, p := range problems {
		out = append(out, p.String())
	}
	return out
}

// wantProblems compares problems with prefixes of what they print.
func wantProblems(t *testing.T, what string, got []cliconfig.Problem, want ...string) {
	t.Helper()
	found := texts(got)
	good := len(found) == len(want)
	for i := range min(len(found), len(want)) {
		good = good && strings.HasPrefix(found[i], want[i])
	}
	if !good {
		t.Errorf("%s: found %q, want %q", what, found, want)
	}
}

func mustProvider(t *testing.T, source string, tool addrs.Tool) addrs.Provider {
	t.Helper()
	p, err := addrs.Parse(source, tool)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// below is a file system with another current directory.
type below struct {
	cliconfig.Files
	dir string
}

func (b below) Stat(path string) (fs.FileInfo, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(b.dir, path)
	}
	return b.Files.Stat(path)
}
