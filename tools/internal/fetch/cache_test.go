package fetch

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/hashes"
)

// All packages of all platforms arrive under their sha256; the second run asks for coordinates only, and none with facts.
func TestRepositoryCache(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	v := b.widget("1.4.0", "linux_amd64", "darwin_arm64")
	r := request("linux_amd64 darwin_arm64", widget+":~> 1.0")
	dir := t.TempDir()
	report := b.run(r, b.cache(dir))
	wantStatus(t, report, "linux_amd64 fetched", "darwin_arm64 fetched")
	b.wantCounts(1, 2, 2)
	for _, row := range report.Rows {
		want := filepath.Join(dir, "content_addressable", "sha256", v.SHA256(row.Platform), "file")
		sum, err := hashes.FileSHA256(want)
		if err != nil || sum != row.SHA256 || row.Path != want || row.Source != widget || row.Version != "1.4.0" {
			t.Errorf("row %+v, file %s, %v", row, sum, err)
		}
		if info, err := os.Stat(want); err != nil || info.Size() != row.Bytes {
			t.Errorf("size of %+v: %v, %v", row, info, err)
		}
	}
	wantStatus(t, b.run(r, b.cache(dir)), "linux_amd64 cached", "darwin_arm64 cached")
	b.wantCounts(1, 2, 0)
	if report.Outcome() != Complete {
		t.Errorf("outcome %v", report.Outcome())
	}
	if n := strings.Count(files(t, dir), "\n") + 1; n != 2 {
		t.Errorf("%d files in the cache, want 2", n)
	}
}

// What facts answer asks no registry, and a warm cache asks nobody.
func TestFactsAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	v := b.widget("1.4.0", "linux_amd64")
	r := request("linux_amd64", widget+":1.4.0")
	b.fact(r, "package/"+widget+"/1.4.0/linux_amd64", `{"download_url": "`+v.URL("linux_amd64")+
		`", "filename": "terraform-provider-widget_1.4.0_linux_amd64.zip", "sha256": "`+v.SHA256("linux_amd64")+`"}`)
	dir := t.TempDir()
	wantStatus(t, b.run(r, b.cache(dir)), "linux_amd64 fetched")
	b.wantCounts(0, 0, 1)
	wantStatus(t, b.run(r, b.cache(dir)), "linux_amd64 cached")
	if n := len(b.reg.Requests()); n != 0 {
		t.Errorf("%d requests with a warm cache, want none", n)
	}
}

// An entry whose bytes are not those of its name is replaced: Bazel would believe it (C06).
func TestCorruptCacheEntry(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	v := b.widget("1.4.0", "linux_amd64")
	dir := t.TempDir()
	entry := filepath.Join(dir, "content_addressable", "sha256", v.SHA256("linux_amd64"), "file")
	writeFile(t, entry, "half a pack")
	wantStatus(t, b.run(request("linux_amd64", widget), b.cache(dir)), "linux_amd64 fetched")
	if sum, err := hashes.FileSHA256(entry); err != nil || sum != v.SHA256("linux_amd64") {
		t.Errorf("got %s, %v", sum, err)
	}
}

// F29: two runs fill one cache at the same time.
func TestTwoRunsOneCache(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.widget("1.4.0", "linux_amd64", "darwin_arm64").EachZip(func(z *fixture.Zip) { z.Size(200_000) })
	dir := t.TempDir()
	var group sync.WaitGroup
	for range 3 {
		sink := b.cache(dir)
		group.Go(func() {
			if report := b.run(request("linux_amd64 darwin_arm64", widget), sink); report.Outcome() != Complete {
				t.Errorf("failed: %v", report.Errors())
			}
		})
	}
	group.Wait()
	if n := strings.Count(files(t, dir), "\n") + 1; n != 2 {
		t.Errorf("files in the cache:\n%s", files(t, dir))
	}
}

// The same package wanted by two entries, and by several constraints, is one row and one download (C26).
func TestSamePackageOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.widget("1.4.0", "linux_amd64")
	b.widget("1.5.0", "linux_amd64")
	report := b.run(request("linux_amd64", widget+":1.4.0", widget+":< 1.5.0", widget, widget), b.cache(t.TempDir()))
	wantStatus(t, report, "linux_amd64 fetched", "linux_amd64 fetched")
	b.wantCounts(1, 2, 2)
}
