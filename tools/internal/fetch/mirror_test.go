package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/hashes"
)

// The layout is R-FS-1's, the provider is executable whatever the zip says (R-CACHE-6, C18), and a package that is whole is left alone.
func TestMirror(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	v := b.widget("1.4.0", "linux_amd64", "darwin_arm64")
	v.EachZip(func(z *fixture.Zip) {
		z.Files(
			fixture.File{Name: v.ExecutableName(), Content: []byte("#!/bin/sh\n"), Mode: 0o444},
			fixture.File{Name: "docs/"}, fixture.File{Name: "docs/a b.md", Content: []byte("x")}, fixture.File{Name: "BUILD", Content: []byte("(")})
	})
	r := request("linux_amd64 darwin_arm64", widget)
	dir := t.TempDir()
	report := b.run(r, b.mirror(dir))
	wantStatus(t, report, "linux_amd64 fetched", "darwin_arm64 fetched")
	b.wantCounts(1, 2, 2)
	var want []string
	for _, platform := range []string{"darwin_arm64", "linux_amd64"} {
		want = append(want, ".tfmirror/packages/"+widget+"/1.4.0/"+platform+".json")
	}
	for _, platform := range []string{"darwin_arm64", "linux_amd64"} {
		for _, name := range []string{"BUILD", "docs/a b.md", v.ExecutableName()} {
			want = append(want, widget+"/1.4.0/"+platform+"/"+name)
		}
	}
	if got := files(t, dir); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	executable := filepath.Join(report.Rows[0].Path, v.ExecutableName())
	info, err := os.Stat(executable)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode() != 0o755 {
		t.Errorf("mode %v, want 0755", info.Mode())
	}
	wantStatus(t, b.run(r, b.mirror(dir)), "linux_amd64 cached", "darwin_arm64 cached")
	b.wantCounts(1, 2, 0)
	again, err := os.Stat(executable)
	if err != nil || !os.SameFile(info, again) {
		t.Errorf("the package was written again: %v", err)
	}
}

// What is not whole is replaced as a whole: without a receipt (a killed run, another tool's directory), with changed, missing or added
// files (R-CACHE-9), with the receipt of another zip, or with a damaged receipt.
func TestMirrorRepairs(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, target, receipt string){
		"no receipt":    func(t *testing.T, _, receipt string) { remove(t, receipt) },
		"no directory":  func(t *testing.T, target, _ string) { remove(t, target) },
		"empty":         func(t *testing.T, target, _ string) { remove(t, target); writeFile(t, filepath.Join(target, "x"), "") },
		"changed file":  func(t *testing.T, target, _ string) { writeFile(t, filepath.Join(target, "LICENSE"), "changed") },
		"added file":    func(t *testing.T, target, _ string) { writeFile(t, filepath.Join(target, "sub", "added"), "") },
		"other receipt": func(t *testing.T, _, receipt string) { writeFile(t, receipt, `{"sha256": "00"}`) },
		"bad receipt":   func(t *testing.T, _, receipt string) { writeFile(t, receipt, `{`) },
		"a file":        func(t *testing.T, target, _ string) { remove(t, target); writeFile(t, target, "x") },
		"a link": func(t *testing.T, target, _ string) {
			remove(t, target)
			if err := os.Symlink(t.TempDir(), target); err != nil {
				t.Skipf("symbolic links cannot be made here: %v", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			v := b.widget("1.4.0", "linux_amd64")
			v.EachZip(func(z *fixture.Zip) { z.Add(fixture.File{Name: "LICENSE", Content: []byte("x")}) })
			dir := t.TempDir()
			target := b.run(request("linux_amd64", widget), b.mirror(dir)).Rows[0].Path
			before, err := hashes.Dir(target)
			if err != nil {
				t.Fatal(err)
			}
			damage(t, target, filepath.Join(dir, privateDir, "packages", filepath.FromSlash(widget), "1.4.0", "linux_amd64.json"))
			wantStatus(t, b.run(request("linux_amd64", widget), b.mirror(dir)), "linux_amd64 fetched")
			if info, err := os.Lstat(target); err != nil || !info.IsDir() {
				t.Errorf("the package is %v, %v", info, err)
			}
			if after, err := hashes.Dir(target); err != nil || after != before {
				t.Errorf("h1: %v, %v, want %v", after, err, before)
			}
			wantStatus(t, b.run(request("linux_amd64", widget), b.mirror(dir)), "linux_amd64 cached")
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// What a killed run left in tmp goes with the next run, and a half-unpacked package is nowhere else.
func TestMirrorRemnants(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.widget("1.4.0", "linux_amd64")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, privateDir, "tmp", ".tfmirror-unzip-1", "new", "half"), "x")
	wantStatus(t, b.run(request("linux_amd64", widget), b.mirror(dir)), "linux_amd64 fetched")
	if left := files(t, dir); strings.Contains(left, "half") {
		t.Errorf("left behind:\n%s", left)
	}
}

// Two runs take turns; the one that waits says so, and stops waiting when it is cancelled.
func TestMirrorLock(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	dir := t.TempDir()
	first := b.mirror(dir)
	reason := errors.New("stopped by signal")
	ctx, cancel := context.WithCancelCause(t.Context())
	if _, err := OpenMirror(ctx, dir, func(string) { cancel(reason) }); !errors.Is(err, reason) {
		t.Errorf("got %v, want the cause", err)
	}
	second, err := OpenMirror(t.Context(), dir, func(string) {
		if err := first.Close(); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

// A package whose hash is right and whose content is refused: hostile names, no provider inside, no zip at all (B40). Nothing of it appears.
func TestMirrorRefusesContent(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*fixture.Zip){
		"leaves the directory": func(z *fixture.Zip) { z.Add(fixture.File{Name: "../../../evil", Content: []byte("x")}) },
		"no provider":          func(z *fixture.Zip) { z.Files(fixture.File{Name: "README", Content: []byte("x")}) },
		"tar.gz (B40)":         func(z *fixture.Zip) { z.Raw([]byte("\x1f\x8b\x08\x00")) },
		"cut off":              func(z *fixture.Zip) { z.Raw([]byte("PK\x03\x04 and no more")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			change(b.widget("1.4.0", "linux_amd64").Zip("linux_amd64"))
			dir := t.TempDir()
			report := b.run(request("linux_amd64", widget), b.mirror(dir))
			wantStatus(t, report, "linux_amd64 failed checksum")
			if left := files(t, dir); left != "" || report.Outcome() != Refused {
				t.Errorf("outcome %v, left behind:\n%s", report.Outcome(), left)
			}
			if text := report.Errors()[0]; !strings.Contains(text, report.Rows[0].SHA256) || strings.Contains(text, dir) {
				t.Errorf("message %q must name the content and no temporary file", text)
			}
		})
	}
}

// A mirror or cache that cannot be written is the user's to repair: its own kind, and no network error.
func TestMirrorCannotBeWritten(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.widget("1.4.0", "linux_amd64")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, host), "a file in the way")
	report := b.run(request("linux_amd64", widget), b.mirror(dir))
	wantStatus(t, report, "linux_amd64 failed local")
	if report.Outcome() != BadInput {
		t.Errorf("outcome %v", report.Outcome())
	}
	file := filepath.Join(t.TempDir(), "file")
	writeFile(t, file, "")
	if _, err := OpenMirror(t.Context(), file, func(string) {}); err == nil {
		t.Error("a file is no mirror")
	}
}

// The JSON form has every field, and empty lists instead of null.
func TestReportJSON(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	report := &Report{Rows: []Row{{Source: widget, Version: "1.4.0", Platform: "linux_amd64", Status: Failed, Error: errorOf(Checksum)}}}
	if err := report.Encode(&out); err != nil {
		t.Fatal(err)
	}
	var compact, want any
	if err := json.Unmarshal([]byte(out.String()), &compact); err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal([]byte(`{"schema":1,"packages":[{"source":"`+widget+`","version":"1.4.0","platform":"linux_amd64","sha256":"","bytes":0,
		"status":"failed","path":"","error":{"kind":"checksum","message":"checksum"}}],"warnings":[]}`), &want)
	got, _ := json.Marshal(compact)
	wanted, _ := json.Marshal(want)
	if string(got) != string(wanted) {
		t.Errorf("got %s, want %s", got, wanted)
	}
	out.Reset()
	if err := (&Report{}).Encode(&out); err != nil || !strings.Contains(out.String(), `"packages": []`) {
		t.Errorf("got %s, %v", &out, err)
	}
}
