package sums_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tools/internal/sums"
)

var (
	hashA = strings.Repeat("a1", 32)
	hashB = strings.Repeat("b2", 32)
	hashC = strings.Repeat("c3", 32)
)

const linux, darwin = "terraform-provider-widget_1.4.0_linux_amd64.zip", "terraform-provider-widget_1.4.0_darwin_arm64.zip"

func TestRelease(t *testing.T) {
	t.Parallel()
	both := map[string]string{"linux_amd64": hashA, "darwin_arm64": hashB}
	for _, test := range []struct {
		name, document string
		zh             map[string]string
		other          []string
	}{
		{"plain", hashA + "  " + linux + "\n" + hashB + "  " + darwin + "\n", both, nil},
		{"no newline at the end", hashA + "  " + linux + "\n" + hashB + "  " + darwin, both, nil},
		{"CRLF (R-AUTH-5)", hashA + "  " + linux + "\r\n" + hashB + "  " + darwin + "\r\n", both, nil},
		{"tabs and many spaces (R-AUTH-5)", "\t" + hashA + "\t" + linux + "  \n  " + hashB + "      " + darwin + "\n", both, nil},
		{"blank lines (C22, R-AUTH-27)", "\n" + hashA + "  " + linux + "\n\n \r\n" + hashB + "  " + darwin + "\n\n", both, nil},
		{"upper-case digits (R-AUTH-6)", strings.ToUpper(hashA) + "  " + linux + "\n", map[string]string{"linux_amd64": hashA}, nil},
		{"v before the version", hashA + "  terraform-provider-widget_v1.4.0_linux_amd64.zip\n", map[string]string{"linux_amd64": hashA}, nil},
		{"field after the name (R-AUTH-5)", hashA + "  " + linux + "  note\n", map[string]string{"linux_amd64": hashA}, nil},
		{"same line twice", hashA + "  " + linux + "\n" + hashA + "  " + linux + "\n", map[string]string{"linux_amd64": hashA}, nil},
		{"same hash with and without v", hashA + "  " + linux + "\n" + hashA + "  terraform-provider-widget_v1.4.0_linux_amd64.zip\n",
			map[string]string{"linux_amd64": hashA}, nil},
		{"manifest and another version are other (C23)",
			hashA + "  " + linux + "\n" + hashC + "  terraform-provider-widget_1.4.0_manifest.json\n" + hashB + "  terraform-provider-widget_1.3.0_linux_amd64.zip\n",
			map[string]string{"linux_amd64": hashA}, []string{hashB, hashC}},
		{"odd lines elsewhere are passed over", "hello\nxyz  README\n" + hashA + "  " + linux + "\n", map[string]string{"linux_amd64": hashA}, nil},
		{"longer type is another provider", hashA + "  " + linux + "\n" + hashB + "  terraform-provider-widget_extra_1.4.0_linux_amd64.zip\n",
			map[string]string{"linux_amd64": hashA}, []string{hashB}},
		{"sbom beside the package is other", hashA + "  " + linux + "\n" + hashC + "  " + linux + ".sbom.json\n",
			map[string]string{"linux_amd64": hashA}, []string{hashC}},
		{"line of 200 KB (R-AUTH-27)", hashA + strings.Repeat(" ", 200_000) + linux + "\n" + hashB + "  " + darwin + "\n", both, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := sums.Parse([]byte(test.document)).Release("widget", "1.4.0")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&sums.Release{ZH: test.zh, Other: test.other}, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestReleaseDefects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, document string
		kind           sums.Kind
		line           int
		text           []string
	}{
		{"two hashes for one file (R-AUTH-5)", hashA + "  " + linux + "\n" + hashB + "  " + linux + "\n", sums.Conflict, 2, []string{hashA, hashB, "line 1", "line 2"}},
		{"two hashes, with and without v", hashA + "  " + linux + "\n\n" + hashB + "  terraform-provider-widget_v1.4.0_linux_amd64.zip\n", sums.Conflict, 3, []string{hashB}},
		{"rollback: list of an older version", hashA + "  terraform-provider-widget_1.3.9_linux_amd64.zip\n", sums.OtherRelease, 0,
			[]string{"widget 1.3.9", "terraform-provider-widget_1.4.0_*.zip", "another release"}},
		{"replay: list of another provider", hashA + "  terraform-provider-gadget_1.4.0_linux_amd64.zip\n", sums.OtherRelease, 0, []string{"gadget 1.4.0"}},
		{"prerelease is another version", hashA + "  terraform-provider-widget_1.4.0-rc1_linux_amd64.zip\n", sums.OtherRelease, 0, []string{"1.4.0-rc1"}},
		{"empty document", "", sums.OtherRelease, 0, []string{"no provider package"}},
		{"HTML page", "<!DOCTYPE html>\n<html><body>Sign in</body></html>\n", sums.OtherRelease, 0, []string{"no provider package"}},
		{"short hash (R-AUTH-6)", hashA[:62] + "  " + linux + "\n", sums.BadHash, 1, []string{"62 characters"}},
		{"66 digits, where the tools crash (R-AUTH-6)", hashA + "00  " + linux + "\n", sums.BadHash, 1, []string{"66 characters"}},
		{"not hex (R-AUTH-6)", strings.Repeat("zz", 32) + "  " + linux + "\n", sums.BadHash, 1, []string{"64 hex digits"}},
		{"good and bad line for one file", hashA + "  " + linux + "\n123  " + linux + "\n", sums.BadHash, 2, nil},
		{"star (R-AUTH-5)", hashA + " *" + linux + "\n", sums.OddName, 1, []string{"*" + linux, "byte for byte"}},
		{"dot slash (R-AUTH-5)", hashA + "  ./" + linux + "\n", sums.OddName, 1, []string{"./" + linux}},
		{"folder", hashA + "  dist/" + linux + "\n", sums.OddName, 1, []string{"dist/" + linux}},
		{"byte order mark", "\ufeff" + hashA + "  " + linux + "\n", sums.BadHash, 1, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := sums.Parse([]byte(test.document)).Release("widget", "1.4.0")
			var defect *sums.Error
			if !errors.As(err, &defect) || defect.Kind != test.kind || defect.Line != test.line {
				t.Fatalf("got %#v, want kind %s in line %d", err, test.kind, test.line)
			}
			for _, want := range test.text {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q lacks %q", err, want)
				}
			}
		})
	}
}

// A message must not carry a registry's control characters to a terminal.
func TestErrorTextIsPrintable(t *testing.T) {
	t.Parallel()
	_, err := sums.Parse([]byte(hashA+"  dir\x1b[2J/"+linux+"\n")).Release("widget", "1.4.0")
	if err == nil || strings.ContainsRune(err.Error(), '\x1b') {
		t.Errorf("got %q", err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	list := sums.Parse([]byte(hashA + "  " + linux + "\n" + hashB + "  terraform-provider-widget_1.4.0_manifest.json\n"))
	if got := list.Names(strings.ToUpper(hashB)); !cmp.Equal(got, []string{"terraform-provider-widget_1.4.0_manifest.json"}) {
		t.Errorf("got %q", got)
	}
	if got := list.Names(hashC); got != nil {
		t.Errorf("unknown hash: got %q", got)
	}
}

func TestPlatform(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, want string }{
		{linux, "linux_amd64"},
		{sums.Filename("widget", "1.4.0", "darwin_arm64"), "darwin_arm64"},
		{"terraform-provider-widget_v1.4.0_freebsd_386.zip", "freebsd_386"},
		{"terraform-provider-widget_vv1.4.0_freebsd_386.zip", ""},
		{"terraform-provider-widget_1.4.0_linux.zip", ""},
		{"terraform-provider-widget_1.4.0_linux_amd64_v2.zip", ""},
		{"terraform-provider-widget_1.4.0_Linux_amd64.zip", ""},
		{"terraform-provider-widget_1.4.0__amd64.zip", ""},
		{"terraform-provider-widget_1.4.0_linux_amd64.zip.sig", ""},
		{"terraform-provider-widget_1.4.0_../_x.zip", ""},
		{"widget_1.4.0_linux_amd64.zip", ""},
		{"", ""},
	} {
		got, ok := sums.Platform(test.name, "widget", "1.4.0")
		if got != test.want || ok != (test.want != "") {
			t.Errorf("Platform(%q) = %q, %v; want %q", test.name, got, ok, test.want)
		}
	}
}

// R-AUTH-7 and R-AUTH-27: what the tools would record differs from what we record, and is told.
func TestTerraform(t *testing.T) {
	t.Parallel()
	manifest := hashC + "  terraform-provider-widget_1.4.0_manifest.json\n"
	long := strings.Repeat("x", 70_000)
	for _, test := range []struct {
		name, document string
		want           sums.Recorded
	}{
		{"every line counts", strings.ToUpper(hashB) + "  " + linux + "\n" + manifest + hashA + "  anything\n", sums.Recorded{Hashes: []string{hashA, hashB, hashC}}},
		{"one hash, two names", hashA + "  a\n" + hashA + "  b\n", sums.Recorded{Hashes: []string{hashA}}},
		{"one odd line voids the list", hashA + "  " + linux + "\nhello world\n", sums.Recorded{Void: 2}},
		{"hash without a name voids the list", hashA + "\n", sums.Recorded{Void: 1}},
		{"blank line in the middle crashes", hashA + "  a\n\n" + hashB + "  b\n", sums.Recorded{Crash: 2}},
		{"extra newline at the end crashes", hashA + "  a\n\n", sums.Recorded{Crash: 2}},
		{"odd line before the blank one is seen first", "hello\n\n", sums.Recorded{Void: 1}},
		{"long line ends the list", hashA + "  a\n" + hashB + "  " + long + "\n" + hashC + "  c\n", sums.Recorded{Hashes: []string{hashA}, Cut: 2}},
		{"empty", "", sums.Recorded{}},
		{"no newline at the end", hashA + "  a", sums.Recorded{Hashes: []string{hashA}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, sums.Parse([]byte(test.document)).Terraform()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// FuzzParse states what holds for every document: no panic, hashes well-formed, every hash stands in the document beside the platform's name.
func FuzzParse(f *testing.F) {
	f.Add([]byte(hashA+"  "+linux+"\n\n"+hashB+" *"+darwin+"\r\n"), "widget", "1.4.0")
	f.Add([]byte(hashA+"00  x"), "", "")
	f.Add([]byte("\x00\xff\n \n"), "a_b", "1.0.0+c")
	f.Fuzz(func(t *testing.T, document []byte, providerType, version string) {
		list := sums.Parse(document)
		_ = list.Terraform()
		release, err := list.Release(providerType, version)
		if err != nil {
			_ = err.Error()
			return
		}
		for platform, hash := range release.ZH {
			if !sums.IsHash(hash) || strings.ToLower(hash) != hash {
				t.Errorf("%s: %q", platform, hash)
			}
			found := false
			for _, line := range list.Lines {
				of, ok := sums.Platform(line.Name, providerType, version)
				found = found || ok && of == platform && line.Hash == hash
			}
			if !found {
				t.Errorf("%s = %s stands in no line of %q", platform, hash, fmt.Sprint(list.Lines))
			}
		}
	})
}
