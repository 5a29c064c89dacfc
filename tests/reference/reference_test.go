package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var generated = sync.OnceValues(func() (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	return generate(context.Background(), root)
})

// TestUpToDate: the committed page is what the sources say now (style habit 40).
func TestUpToDate(t *testing.T) {
	t.Parallel()
	want := page(t)
	got := read(t, output)
	if diff := cmp.Diff(strings.Split(got, "\n"), strings.Split(want, "\n")); diff != "" {
		t.Errorf("%s is stale (-committed +generated):\n%s\nrepair: go run ./tests/reference", output, diff)
	}
}

// TestComplete: whatever users can write in MODULE.bazel, load, call or read is on the page.
func TestComplete(t *testing.T) {
	t.Parallel()
	text := page(t)
	for _, want := range []string{
		"### tf.download", "### tf.source", "### tf.host", "`provider_locks_strict`", "`:mirror_<os>_<arch>`", "### tf_providers_lock", "### tf_requirements_test",
		"### TfPackageInfo", "### TfMirrorInfo", "### tfmirror resolve", "### tfmirror lock", "### tfmirror fetch", "### tfmirror gather", "### tfmirror hash",
		"`--dependency-lock-provider`", "| 4 | verification refused |", "### manifest.Request", "`providers.v1`", "`download_url`", "### lock.Row", "### trust.Verified",
		"| `no_matching_version` |", "| `revoked` |", "| `partner` |", "| `unavailable` |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestMeanings: nothing is listed without saying what it is, and nothing cites rules that readers do not have.
func TestMeanings(t *testing.T) {
	t.Parallel()
	text := page(t)
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "|") && strings.HasSuffix(line, "|  |") {
			t.Errorf("no meaning: %s; write a doc comment, or an entry of words in tests/reference/words.go", line)
		}
	}
	for _, cited := range regexp.MustCompile(`design §\S*|\bR-[A-Z]+-\d+|\([A-F]\d\d\)`).FindAllString(text, -1) {
		t.Errorf("the page cites %s", cited)
	}
}

// TestWordsAreUsed: a text that stands in for a comment goes when what it describes goes.
func TestWordsAreUsed(t *testing.T) {
	t.Parallel()
	page(t)
	for key := range words {
		if !used[key] {
			t.Errorf("words[%q] describes nothing; remove it", key)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#\s]*)(#[^)\s]+)?\)`)

// TestLinks: links of the pages that belong here lead to files and headings that exist.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{output, "docs/migrating.md"} {
		for _, match := range link.FindAllStringSubmatch(withoutBlocks(read(t, name)), -1) {
			target := name
			if strings.HasPrefix(match[1], "http") {
				continue
			}
			if match[1] != "" {
				target = filepath.Join(filepath.Dir(name), match[1])
			}
			headings := anchors(read(t, target))
			if match[2] != "" && !slices.Contains(headings, match[2][1:]) {
				t.Errorf("%s links to %s%s, which is no heading there", name, match[1], match[2])
			}
		}
	}
}

// TestHeadingsDiffer: GitHub numbers the anchors of equal headings, which links here do not expect.
func TestHeadingsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, heading := range anchors(page(t)) {
		if seen[heading] {
			t.Errorf("two headings have the anchor %s", heading)
		}
		seen[heading] = true
	}
}

func anchors(text string) []string {
	var list []string
	for _, line := range strings.Split(withoutBlocks(text), "\n") {
		if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
			list = append(list, anchor(strings.TrimSpace(heading)))
		}
	}
	return list
}

// withoutBlocks removes fenced code.
func withoutBlocks(text string) string {
	return regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(text, "")
}

func page(t *testing.T) string {
	t.Helper()
	text, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func read(t *testing.T, name string) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}
