package hashes

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"rules_tf_mirror/tests/testtools"
)

// TestAgainstTerraform lets the real terraform install packages from a packed filesystem mirror and compares what it locks: the h1: of
// the unpacked directory (R-HASH-6), also for a zip with directory entries (C17) and with a link entry (R-HASH-7).
func TestAgainstTerraform(t *testing.T) {
	t.Parallel()
	terraform := testtools.Terraform(t)
	executable := entry{name: "terraform-provider-thing_v1.0.0", content: "#!/bin/sh\n", mode: 0o755}
	for name, entries := range map[string][]entry{
		"plain":             {executable, {name: "LICENSE", content: "x"}},
		"directory entries": {executable, {name: "docs/"}, {name: "docs/a.md", content: "x"}, {name: "empty/"}},
		"link entry":        {executable, {name: "link", content: executable.name, mode: os.ModeSymlink | 0o777}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zipPath := writeZip(t, entries...)
			mirror, work := t.TempDir(), t.TempDir()
			packed := filepath.Join(mirror, "registry.acme.dev", "acme", "thing")
			mustDo(t, os.MkdirAll(packed, 0o755))
			mustDo(t, os.Rename(zipPath, filepath.Join(packed, "terraform-provider-thing_1.0.0_"+runtime.GOOS+"_"+runtime.GOARCH+".zip")))
			mustDo(t, os.WriteFile(filepath.Join(work, "main.tf"), []byte(`terraform {
  required_providers {
    thing = { source = "registry.acme.dev/acme/thing" }
  }
}
`), 0o644))
			cmd := exec.Command(terraform, "init", "-input=false", "-no-color", "-plugin-dir="+mirror)
			cmd.Dir = work
			cmd.Env = append(os.Environ(), "HOME="+work, "CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE="+os.DevNull)
			if output, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("terraform init: %v\n%s", err, output)
			}
			lock, err := os.ReadFile(filepath.Join(work, ".terraform.lock.hcl"))
			mustDo(t, err)
			locked := regexp.MustCompile(`"(h1:[^"]+)"`).FindStringSubmatch(string(lock))
			if locked == nil {
				t.Fatalf("no h1: in\n%s", lock)
			}
			installed := filepath.Join(work, ".terraform", "providers", "registry.acme.dev", "acme", "thing", "1.0.0", runtime.GOOS+"_"+runtime.GOARCH)
			got, err := Dir(installed)
			mustDo(t, err)
			if got.String() != locked[1] {
				t.Errorf("Dir gives %s, terraform locked %s", got, locked[1])
			}
			if strings.Contains(name, "directory") {
				return // R-HASH-5: here archive and directory differ
			}
			fromZip, err := Zip(filepath.Join(packed, "terraform-provider-thing_1.0.0_"+runtime.GOOS+"_"+runtime.GOARCH+".zip"))
			mustDo(t, err)
			if fromZip != got {
				t.Errorf("Zip gives %s, terraform locked %s", fromZip, got)
			}
		})
	}
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
