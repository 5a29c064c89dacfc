package e2e

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/workspace"
)

// crafted is a package that a publisher, or whoever holds their key, made to do harm or to confuse.
type crafted struct {
	name  string // type of the provider
	files []registry.File
	raw   func([]byte) []byte // changes the bytes of the zip
	// want are parts of the error; empty: the package is unpacked, and content is what a file then holds.
	want    []string
	content map[string]string
}

// craftedPackages: names that lead out of the repository, under which escaped* files would be found, and what Bazel reads otherwise than
// the tools do.
func craftedPackages(scratch string) []crafted {
	evil := func(name string) []registry.File { return []registry.File{{Name: name, Content: []byte("evil")}} }
	up := strings.Repeat("../", 9)
	link := func(name, target string) registry.File {
		return registry.File{Name: name, Content: []byte(target), Mode: fs.ModeSymlink | 0o777}
	}
	long := strings.Repeat("x", 600)
	return []crafted{
		{name: "parent", files: evil("../escaped"), want: []string{`"../escaped"`, `".."`}},
		{name: "parents", files: evil(up + "escaped"), want: []string{`".."`}},
		{name: "inside", files: evil("a/../../../../../../../../escaped"), want: []string{`".."`}},
		{name: "folder", files: []registry.File{{Name: "../escaped/"}}, want: []string{`".."`}},
		{name: "backslash", files: evil(`..\..\escaped`), want: []string{`".."`}},
		{name: "absolute", files: evil(scratch + "/escaped"), want: []string{"absolute"}},
		{name: "drive", files: evil("C:/escaped"), want: []string{"drive letter"}},
		{name: "newline", files: evil("a\nb"), want: []string{`"a\012b"`, "control character"}},
		{name: "terminal", files: evil("a\x1b[31mred"), want: []string{`"a\033[31mred"`, "control character"}},
		{name: "twice", files: append(evil("a"), evil("./a")...), want: []string{"two entries"}},
		{name: "conflict", files: append(evil("a"), evil("a/b")...), want: []string{"file and a directory"}},
		{name: "through", files: []registry.File{link("a", scratch), {Name: "a/escaped"}}, want: []string{"file and a directory"}},
		{name: "fifo", files: []registry.File{{Name: "pipe", Mode: fs.ModeNamedPipe | 0o644}}, want: []string{`"pipe"`, "neither file"}},
		{name: "device", files: []registry.File{{Name: "disk", Mode: fs.ModeDevice | 0o644}}, want: []string{"neither file"}},
		{name: "trailing", raw: func(b []byte) []byte { return append(b, "more"...) }, want: []string{"behind the end"}},
		{name: "prefixed", raw: func(b []byte) []byte { return append([]byte("#!/bin/sh\n"), b...) }, want: []string{"not where"}},
		{name: "tarball", raw: func([]byte) []byte { return []byte("\x1f\x8b\x08\x00rest") }, want: []string{"gzip"}}, // B40
		{name: "page", raw: func([]byte) []byte { return []byte("<!DOCTYPE html>") }, want: []string{"web page"}},
		{name: "empty", raw: func([]byte) []byte { return []byte{} }, want: []string{"is empty"}},
		{name: "cut", raw: func(b []byte) []byte { return b[:len(b)/2] }, want: []string{"cut off"}},

		// Unpacked as the tools do. What Bazel would refuse, or make a link of, is a file with the target (R-HASH-7).
		{name: "links", files: []registry.File{link("out", "/etc/passwd"), link("up", up+"escaped"), link("long", long), link("sub/gone", "nowhere")},
			content: map[string]string{"out": "/etc/passwd", "up": up + "escaped", "long": long, "sub/gone": "nowhere"}},
		{name: "modes", files: []registry.File{{Name: "locked/", Mode: fs.ModeDir | 0o111}, {Name: "locked/f", Mode: 0o111, Content: []byte("1")}, {Name: "bare", NoMode: true, Content: []byte("2")}},
			content: map[string]string{"locked/f": "1", "bare": "2"}},
		{name: "names", files: []registry.File{{Name: "./dot", Content: []byte("3")}, {Name: "b//c", Content: []byte("4")}, {Name: "-rf", Content: []byte("5")}, {Name: "$x `y` 'z'", Content: []byte("6")},
			{Name: `back\slash`, Content: []byte("7")}, {Name: "bücher/ä", Content: []byte("8")}},
			content: map[string]string{"dot": "3", "b/c": "4", "-rf": "5", "$x `y` 'z'": "6", `back\slash`: "7", "bücher/ä": "8"}},
		// The table of contents counts, not what stands before each entry.
		{name: "local", files: []registry.File{{Name: "inside", Content: []byte("9")}}, raw: func(b []byte) []byte { return bytes.Replace(b, []byte("inside"), []byte("../esc"), 1) },
			content: map[string]string{"inside": "9"}},
	}
}

// Nothing of a package leaves its directory, whatever the zip says, and the error names provider, version, platform and entry.
func TestHostilePackages(t *testing.T) {
	t.Parallel()
	p := newProject(t, workspace.Module{})
	cases := craftedPackages(p.scratch)
	module := workspace.Module{Source: moduleDir, Attrs: []string{`platforms = ["` + hostPlatform() + `"]`}}
	for _, c := range cases {
		module.Mirror = append(module.Mirror, "hostile/"+c.name+":1.0.0")
		version := p.reg.Host(terraformHost).Provider("hostile/"+c.name).Version("1.0.0", registry.Platforms(hostPlatform()))
		pack := version.Zip(hostPlatform())
		pack.Add(c.files...)
		if c.raw != nil {
			files := append([]registry.File{{Name: version.ExecutableName(), Content: []byte("x"), Mode: 0o755}}, c.files...)
			pack.Raw(c.raw(storedZip(t, files)))
		}
	}
	p.write("MODULE.bazel", module.String())
	for _, c := range cases {
		target := "@tf_toolchains//:registry.terraform.io/hostile/" + c.name + "/1.0.0"
		if len(c.want) > 0 {
			wanted := append([]string{"registry.terraform.io/hostile/" + c.name + " 1.0.0 for " + hostPlatform()}, c.want...)
			p.fail(wanted, "build", target)
			continue
		}
		p.pass("build", target)
		for name, content := range c.content {
			found, _ := filepath.Glob(filepath.Join(p.ws.OutputBase, "external", "*", "mirror", terraformHost, "hostile", c.name, "1.0.0", hostPlatform()))
			if len(found) != 1 {
				t.Fatalf("%s: unpacked at %v", c.name, found)
			}
			file := filepath.Join(found[0], name)
			info, err := os.Lstat(file)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			got, err := os.ReadFile(file)
			if err != nil || string(got) != content || !info.Mode().IsRegular() {
				t.Errorf("%s: %q is %s and holds %q, %v; want a file that holds %q", c.name, name, info.Mode(), got, err, content)
			}
		}
	}
	err := filepath.WalkDir(p.scratch, func(path string, _ fs.DirEntry, err error) error {
		if strings.Contains(filepath.Base(path), "escaped") {
			t.Errorf("written outside: %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	// A failed fetch leaves no repository that a later build would take for a good one (F27), and the cached archive is as it was.
	p.fail([]string{"two entries"}, "build", "@tf_toolchains//:registry.terraform.io/hostile/twice/1.0.0")
	p.setDown(true)
	p.newOutputBase("second")
	p.pass("build", "@tf_toolchains//:registry.terraform.io/hostile/links/1.0.0")
}

// storedZip has these files, not compressed.
func storedZip(t *testing.T, files []registry.File) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := zip.NewWriter(&buffer)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.Name, Method: zip.Store}
		header.SetMode(f.Mode | 0o644)
		entry, err := w.CreateHeader(header)
		if err == nil {
			_, err = entry.Write(f.Content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}
