package registry_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rules_tf_mirror/tests/registry"
)

// fetch is the package of a platform.
func fetch(t *testing.T, reg *registry.Registry, v *registry.Version, platform string) []byte {
	t.Helper()
	return wantStatus(t, reg.HTTPClient(), v.URL(platform), 200)
}

// open reads a package into entries by name.
func open(t *testing.T, data []byte) map[string]*zip.File {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*zip.File{}
	for _, f := range r.File {
		out[f.Name] = f
	}
	return out
}

func content(t *testing.T, f *zip.File) string {
	t.Helper()
	if f == nil {
		t.Fatal("found no such entry")
	}
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r) // checks the CRC too
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The bytes depend on nothing but the names: pinned, so that recorded hashes of examples stay good. A change here is a change of them all.
func TestZipIsDeterministic(t *testing.T) {
	t.Parallel()
	const pinned = "3ed74cfbd6a82620261e2d5692d7dda64a20c7c29ef2c3c9301695421a695c99"
	for range 2 {
		_, _, v := widget(t)
		if got := v.SHA256("linux_amd64"); got != pinned {
			t.Errorf("found %s, wanted %s", got, pinned)
		}
	}
	seen := map[string]string{}
	reg := registry.Start(t)
	for _, host := range []string{acme, "other.dev", reg.LocalHost()} {
		for _, number := range []string{"1.0.0", "1.0.1"} {
			v := reg.Host(host).Provider("acme/widget").Version(number, registry.Platforms("linux_amd64", "linux_arm64"))
			for _, platform := range []string{"linux_amd64", "linux_arm64"} {
				hash := v.SHA256(platform)
				if other := seen[hash]; other != "" {
					t.Errorf("%s %s %s has the bytes of %s", host, number, platform, other)
				}
				seen[hash] = host + number + platform
			}
		}
	}
	// A host with a port that changes from run to run has the same packages all the same.
	again := registry.Start(t)
	v := again.Host(again.LocalHost()).Provider("acme/widget").Version("1.0.0", registry.Platforms("linux_amd64"))
	if seen[v.SHA256("linux_amd64")] == "" {
		t.Error("the port of localhost counts for the bytes")
	}
}

func TestDefaultZip(t *testing.T) {
	t.Parallel()
	reg, _, v := widget(t)
	files := open(t, fetch(t, reg, v, "linux_amd64"))
	exe := files[v.ExecutableName()]
	if v.ExecutableName() != "terraform-provider-widget_v1.4.0_x5" || len(files) != 2 {
		t.Fatalf("found %v", files)
	}
	if text := content(t, exe); !strings.HasPrefix(text, "#!/bin/sh\n") || len(text) != 4096 || exe.Mode() != 0o755 {
		t.Errorf("found %d bytes, mode %v, beginning %q", len(text), exe.Mode(), text[:20])
	}
	if text := content(t, files["LICENSE.txt"]); text != "Fixture licence of acme/widget.\n" || files["LICENSE.txt"].Mode() != 0o644 {
		t.Errorf("found %q, mode %v", text, files["LICENSE.txt"].Mode())
	}
	if got := exe.Modified.Format("2006-01-02"); got != "2020-01-01" {
		t.Errorf("found date %s", got)
	}
}

func TestZipContent(t *testing.T) {
	t.Parallel()
	reg, _, v := widget(t)
	before := v.SHA256("linux_amd64")
	z := v.Zip("linux_amd64").Size(10_000).Salt("2").Add(
		registry.File{Name: "docs/", Mode: 0o700},
		registry.File{Name: "docs/a file.md", Content: []byte("x"), Deflate: true},
		registry.File{Name: "BUILD.bazel", Content: []byte("fail()\n")},
		registry.File{Name: "link", Mode: fs.ModeSymlink | 0o777, Content: []byte("LICENSE.txt")},
		registry.File{Name: "../escape", Content: []byte("y")},
		registry.File{Name: "ünicode", Size: 3},
		registry.File{Name: "nomode", NoMode: true},
	).Modes(map[string]fs.FileMode{v.ExecutableName(): 0o644})
	data := fetch(t, reg, v, "linux_amd64")
	files := open(t, data)
	for name, want := range map[string]struct {
		mode fs.FileMode
		size uint64
	}{
		v.ExecutableName(): {0o644, 10_000}, "docs/": {fs.ModeDir | 0o700, 0}, "docs/a file.md": {0o644, 1},
		"link": {fs.ModeSymlink | 0o777, 11}, "../escape": {0o644, 1}, "ünicode": {0o644, 3}, "BUILD.bazel": {0o644, 7},
	} {
		f := files[name]
		if f == nil || f.Mode() != want.mode || f.UncompressedSize64 != want.size || f.NonUTF8 {
			t.Errorf("%s: found %+v, wanted mode %v and %d bytes", name, f, want.mode, want.size)
			continue
		}
		if text := content(t, f); uint64(len(text)) != want.size {
			t.Errorf("%s: found %d bytes", name, len(text))
		}
	}
	if files["nomode"].ExternalAttrs != 0 {
		t.Errorf("nomode: found attributes %x", files["nomode"].ExternalAttrs)
	}
	if v.SHA256("linux_amd64") == before {
		t.Error("other content has the old hash")
	}
	// Stored entries have no data descriptor: sizes stand in front, for readers that stream.
	if flags := data[6]; flags&8 != 0 {
		t.Errorf("found flags %x", flags)
	}
	z.Files(registry.File{Name: "only"})
	if files := open(t, fetch(t, reg, v, "linux_amd64")); len(files) != 1 || files["only"] == nil {
		t.Errorf("found %v, wanted one file", files)
	}
}

func TestRawZip(t *testing.T) {
	t.Parallel()
	reg, _, v := widget(t)
	v.EachZip(func(z *registry.Zip) { z.Raw([]byte("no zip")) })
	if got := fetch(t, reg, v, "linux_amd64"); string(got) != "no zip" {
		t.Errorf("found %q", got)
	}
	path := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(path, []byte("from disk"), 0o600); err != nil {
		t.Fatal(err)
	}
	v.Zip("linux_amd64").RawFile(path)
	if got := fetch(t, reg, v, "linux_amd64"); string(got) != "from disk" {
		t.Errorf("found %q", got)
	}
	sum := sha256.Sum256([]byte("from disk"))
	if got := v.SHA256("linux_amd64"); got != hex.EncodeToString(sum[:]) {
		t.Errorf("found %s, wanted %x", got, sum)
	}
}

// A large package comes from disk, does not compress, and its bytes are counted exactly.
func TestLargeZip(t *testing.T) {
	t.Parallel()
	reg, _, v := widget(t)
	const size = 8 << 20
	v.Zip("linux_amd64").Size(size)
	if err := reg.Prepare(); err != nil {
		t.Fatal(err)
	}
	data := fetch(t, reg, v, "linux_amd64")
	sum := sha256.Sum256(data)
	if hex.EncodeToString(sum[:]) != v.SHA256("linux_amd64") || len(data) < size || len(data) > size+1000 {
		t.Errorf("found %d bytes with hash %x", len(data), sum)
	}
	if r := reg.Select(registry.Filter{Endpoint: registry.EndpointZip}); len(r) != 1 || r[0].Bytes != int64(len(data)) {
		t.Errorf("log: found %+v, wanted %d bytes", r, len(data))
	}
}
