package sums_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tools/internal/sums"
)

// lookUp is R-AUTH-5 and R-AUTH-6 stated anew: the first line whose second field is the name, its hash as bytes; nil where the tools refuse.
func lookUp(document []byte, name string) []byte {
	for _, line := range bytes.Split(document, []byte("\n")) {
		fields := bytes.Fields(line)
		if len(fields) < 2 || string(fields[1]) != name {
			continue
		}
		hash, err := hex.DecodeString(string(fields[0]))
		if err != nil || len(hash) != 32 {
			return nil
		}
		return hash
	}
	return nil
}

// What we bind to a platform is what the tools find under that file name, in lists put together by chance from good and odd lines.
func TestReleaseAgreesWithTools(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(3, 14))
	hash := func() string { return strings.Repeat(fmt.Sprintf("%02x", chance.IntN(3)), 32) }
	lines := []func() string{
		func() string { return hash() + "  " + linux },
		func() string { return hash() + "  " + darwin },
		func() string { return strings.ToUpper(hash()) + "\t" + darwin + "\r" },
		func() string { return hash() + "  terraform-provider-widget_1.4.0_manifest.json" },
		func() string { return hash() + "  terraform-provider-widget_1.3.0_linux_amd64.zip" },
		func() string { return hash() + "  terraform-provider-widget_1.4.0_linux_amd64.zip.sig" },
		func() string { return hash()[:60] + "  README.md" },
		func() string { return "" },
		func() string { return "# comment" },
		func() string { return hash() },
	}
	agreed := 0
	for range 5000 {
		var document string
		for range chance.IntN(6) {
			document += lines[chance.IntN(len(lines))]() + "\n"
		}
		release, err := sums.Parse([]byte(document)).Release("widget", "1.4.0")
		if err != nil {
			continue // TestReleaseDefects
		}
		for platform, name := range map[string]string{"linux_amd64": linux, "darwin_arm64": darwin} {
			want := ""
			if found := lookUp([]byte(document), name); found != nil {
				want = hex.EncodeToString(found)
			}
			if got := release.ZH[platform]; got != want {
				t.Fatalf("%s: %q, the tools find %q in\n%s", platform, got, want, document)
			}
			agreed++
		}
	}
	if agreed < 1000 {
		t.Errorf("only %d comparisons", agreed)
	}
}

// The order of lines does not matter for what is recorded.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	lines := []string{hashA + "  " + linux, hashB + "  " + darwin, hashC + "  terraform-provider-widget_1.4.0_manifest.json", hashA + "  notes.txt", ""}
	want, err := sums.Parse([]byte(strings.Join(lines, "\n"))).Release("widget", "1.4.0")
	if err != nil {
		t.Fatal(err)
	}
	chance := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		shuffled := slices.Clone(lines)
		chance.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		got, err := sums.Parse([]byte(strings.Join(shuffled, "\n"))).Release("widget", "1.4.0")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
	}
}

func TestIsHash(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		hashA: true, strings.ToUpper(hashA): true, hashA[:63]: false, hashA + "0": false, "": false, strings.Repeat("g", 64): false,
		strings.Repeat("é", 32): false, " " + hashA[1:]: false, "zh:" + hashA[3:]: false, strings.Repeat("0", 64): true, hashA[:32] + "\x00" + hashA[33:]: false,
	} {
		if got := sums.IsHash(text); got != want {
			t.Errorf("IsHash(%q) = %v", text, got)
		}
	}
}

// Filename and Platform are each other's inverse for every real platform and odd but valid versions.
func TestFilenameRoundTrip(t *testing.T) {
	t.Parallel()
	for _, providerType := range []string{"widget", "google-beta", "a", "under_score"} {
		for _, version := range []string{"1.4.0", "0.0.1-alpha.1", "2.0.0+build.5", "10.20.30"} {
			for _, platform := range []string{"linux_amd64", "darwin_arm64", "windows_386", "freebsd_arm", "linux_s390x"} {
				name := sums.Filename(providerType, version, platform)
				if got, ok := sums.Platform(name, providerType, version); !ok || got != platform {
					t.Errorf("%s: %q, %v", name, got, ok)
				}
				if _, ok := sums.Platform(name, providerType, version+"1"); ok {
					t.Errorf("%s is taken for version %s1", name, version)
				}
				if _, ok := sums.Platform(name, providerType+"x", version); ok {
					t.Errorf("%s is taken for type %sx", name, providerType)
				}
			}
		}
	}
}

// The whole text of each error, as users see it after source and version.
func TestErrorTexts(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		hashA + "  " + linux + "\n" + hashB + "  " + linux: "SHA256SUMS gives two hashes for " + linux + ": " + hashA + " in line 1 and " + hashB + " in line 2 (terraform would take the first)",
		"abc  " + linux:        "SHA256SUMS line 1, for " + linux + `: "abc" is no SHA-256 (3 characters; 64 hex digits are wanted)`,
		hashA + "  ./" + linux: "SHA256SUMS line 1 names ./" + linux + ", not " + linux + ": terraform and tofu compare names byte for byte and do not find it either",
		hashA + "  notes.txt":  "SHA256SUMS has no line for terraform-provider-widget_1.4.0_*.zip: it lists no provider package at all. It is the list of another release",
		hashA + "  terraform-provider-widget_v1.3.0_linux_amd64.zip\n" + hashB + "  terraform-provider-widget_1.3.0_darwin_arm64.zip\n": "SHA256SUMS has no line for " +
			"terraform-provider-widget_1.4.0_*.zip: it lists widget 1.3.0. It is the list of another release",
	} {
		_, err := sums.Parse([]byte(document)).Release("widget", "1.4.0")
		var defect *sums.Error
		if !errors.As(err, &defect) {
			t.Errorf("%q: got %v", document, err)
		} else if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// Hostile input costs no more than its length: neither a huge name nor a huge hash ends up in a message.
func TestMessagesAreShort(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		strings.Repeat("f", 1<<20) + "  " + linux,
		hashA + "  " + strings.Repeat("x", 1<<20) + "/" + linux,
		hashA + "  terraform-provider-" + strings.Repeat("x", 1<<20) + "_1.4.0_linux_amd64.zip",
	} {
		_, err := sums.Parse([]byte(document)).Release("widget", "1.4.0")
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("message of %d bytes", len(fmt.Sprint(err)))
		}
	}
}
