package fsmirror_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/fsmirror"
)

// found writes a scan as "host/ns/type version platform packed|unpacked path" lines.
func found(t *testing.T, list map[addrs.Provider][]fsmirror.Found, err error) []string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for p, packages := range list {
		for _, f := range packages {
			kind := "unpacked"
			if f.Packed {
				kind = "packed"
			}
			platform := f.Platform.String()
			if platform == "_" {
				platform = "other"
			}
			lines = append(lines, fmt.Sprintf("%s %s %s %s", p, f.Version, platform, kind))
		}
	}
	slices.Sort(lines)
	return lines
}

// TestScan is R-FS-1..4, R-FS-11: one file each, and what it is found as; empty: it is passed over in silence.
func TestScan(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, file, want string }{
		{"R-FS-1 packed", "h.example/ns/t/terraform-provider-t_1.0.0_linux_amd64.zip", "h.example/ns/t 1.0.0 linux_amd64 packed"},
		{"R-FS-1 unpacked", "h.example/ns/t/1.0.0/linux_amd64/x", "h.example/ns/t 1.0.0 linux_amd64 unpacked"},
		{"R-FS-1 one level too few", "h.example/t/terraform-provider-t_1.0.0_linux_amd64.zip", ""},
		{"R-FS-1 one level too many", "x/h.example/ns/t/terraform-provider-t_1.0.0_linux_amd64.zip", ""},
		{"R-FS-1 unpacked is a file", "h.example/ns/t/1.0.0/linux_amd64", ""},
		{"R-FS-1 packed is a directory", "h.example/ns/t/terraform-provider-t_1.0.0_linux_amd64.zip/x", ""},
		{"R-FS-1 others", "h.example/ns/t/index.json", ""},
		{"R-FS-1 sums", "h.example/ns/t/terraform-provider-t_1.0.0_SHA256SUMS", ""},
		{"R-FS-2 names are normalised", "H.Example/Ns/T/terraform-provider-t_1.0.0_linux_amd64.zip", "h.example/ns/t 1.0.0 linux_amd64 packed"},
		{"R-FS-2 versions too", "h.example/ns/t/1.0/linux_amd64/x", "h.example/ns/t 1.0.0 linux_amd64 unpacked"},
		{"R-FS-2 Unicode host", "bücher.example/ns/t/1.0.0/linux_amd64/x", "bücher.example/ns/t 1.0.0 linux_amd64 unpacked"},
		{"R-FS-2 punycode host", "xn--bcher-kva.example/ns/t/1.0.0/linux_amd64/x", ""},
		{"R-FS-2 port", "localhost:8443/ns/t/1.0.0/linux_amd64/x", "localhost:8443/ns/t 1.0.0 linux_amd64 unpacked"},
		{"R-FS-2 bad namespace", "h.example/n@s/t/1.0.0/linux_amd64/x", ""},
		{"R-FS-2 not a version", "h.example/ns/t/latest/linux_amd64/x", ""},
		{"R-FS-2 space around a name", "h.example/ ns/t/1.0.0/linux_amd64/x", ""},
		{"R-FS-3 case of the name", "h.example/ns/t/Terraform-Provider-T_1.0.0-RC1_Linux_AMD64.ZIP", "h.example/ns/t 1.0.0-rc1 linux_amd64 packed"},
		{"R-FS-3 further fields", "h.example/ns/t/terraform-provider-t_1.0.0_linux_amd64_x_y.zip", "h.example/ns/t 1.0.0 linux_amd64 packed"},
		{"R-FS-3 too few fields", "h.example/ns/t/terraform-provider-t_1.0.0_linux.zip", ""},
		{"R-FS-3 v", "h.example/ns/t/terraform-provider-t_v1.0.0_linux_amd64.zip", ""},
		{"R-FS-3 other type", "h.example/ns/t/terraform-provider-u_1.0.0_linux_amd64.zip", ""},
		{"R-FS-3 metadata", "h.example/ns/t/terraform-provider-t_1.0.0+b1_linux_amd64.zip", "h.example/ns/t 1.0.0+b1 linux_amd64 packed"},
		{"R-FS-4 three parts", "h.example/ns/t/1.0.0/linux_amd64_x/x", ""},
		{"R-FS-4 white space", "h.example/ns/t/1.0.0/linux_am d64/x", ""},
		{"R-FS-4 free parts", "h.example/ns/t/1.0.0/_/x", "h.example/ns/t 1.0.0 other unpacked"},
		{"R-FS-4 a platform that no registry has", "h.example/ns/t/terraform-provider-t_1.0.0_my-os_amd64.zip", "h.example/ns/t 1.0.0 other packed"},
		{"R-FS-11 legacy namespace", "h.example/-/t/1.0.0/linux_amd64/x", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			list, err := fsmirror.Scan(fstest.MapFS{test.file: {Data: []byte("x")}}, addrs.Terraform)
			if got := strings.Join(found(t, list, err), "; "); got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

// TestScanOrder is R-FS-8: what is there several times comes in the order of names, in which the tools take the first.
func TestScanOrder(t *testing.T) {
	t.Parallel()
	root := fstest.MapFS{}
	for _, file := range []string{"terraform-provider-t_1.0.0_linux_amd64.zip", "terraform-provider-t_1.0_linux_amd64.zip", "1.0.0/linux_amd64/x", "1.0/linux_amd64/x"} {
		root["h.example/ns/t/"+file] = &fstest.MapFile{Data: []byte("x")}
	}
	list, err := fsmirror.Scan(root, addrs.Terraform)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, packages := range list {
		for _, f := range packages {
			if f.Version.String() != "1.0.0" {
				t.Errorf("version %s", f.Version)
			}
			paths = append(paths, strings.TrimPrefix(f.Path, "h.example/ns/t/"))
		}
	}
	want := []string{"1.0/linux_amd64", "1.0.0/linux_amd64", "terraform-provider-t_1.0.0_linux_amd64.zip", "terraform-provider-t_1.0_linux_amd64.zip"}
	if !slices.Equal(paths, want) {
		t.Errorf("found %q, want %q", paths, want)
	}
}

// TestLinks is R-FS-5: the root may be a link, the last level may be links, and nothing between; a broken link is passed over.
func TestLinks(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	for _, dir := range []string{"dir/linux_amd64", "dir/1.0.0/linux_amd64", "dir/t/1.0.0/linux_amd64", "dir/ns/t/1.0.0/linux_amd64"} {
		if err := os.MkdirAll(filepath.Join(elsewhere, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(elsewhere, "zip"), []byte("zip"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, link, to, want string }{
		{"platform directory", "h.example/ns/t/1.0.0/linux_amd64", "dir", "h.example/ns/t 1.0.0 linux_amd64 unpacked"},
		{"zip", "h.example/ns/t/terraform-provider-t_1.0.0_linux_amd64.zip", "zip", "h.example/ns/t 1.0.0 linux_amd64 packed"},
		{"broken", "h.example/ns/t/terraform-provider-t_1.0.0_linux_amd64.zip", "none", ""},
		{"zip that is a directory", "h.example/ns/t/terraform-provider-t_1.0.0_linux_amd64.zip", "dir", ""},
		{"platform that is a file", "h.example/ns/t/1.0.0/linux_amd64", "zip", ""},
		{"version", "h.example/ns/t/1.0.0", "dir", ""},
		{"type", "h.example/ns/t", "dir", ""},
		{"namespace", "h.example/ns", "dir", ""},
		{"host", "h.example", "dir", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			link := filepath.Join(root, filepath.FromSlash(test.link))
			if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(elsewhere, test.to), link); err != nil {
				t.Fatal(err)
			}
			through := filepath.Join(t.TempDir(), "root") // the root is a link, too
			if err := os.Symlink(root, through); err != nil {
				t.Fatal(err)
			}
			list, err := fsmirror.Scan(os.DirFS(through), addrs.Terraform)
			if got := strings.Join(found(t, list, err), "; "); got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

// TestNoRoot is R-FS-6.
func TestNoRoot(t *testing.T) {
	t.Parallel()
	if _, err := fsmirror.Scan(os.DirFS(filepath.Join(t.TempDir(), "none")), addrs.Terraform); err == nil {
		t.Error("no error for a root that is not there")
	}
}
