package commands

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
)

// TestParallelInits is B44: 64 working directories initialise at once from one mirror, without a network and without a server of ours.
func TestParallelInits(t *testing.T) {
	t.Parallel()
	terraform := testtools.Terraform(t)
	reg := registry.Start(t)
	here := runtime.GOOS + "_" + runtime.GOARCH
	for _, version := range []string{"1.4.0", "1.5.0"} {
		reg.Host("registry.terraform.io").Provider("hashicorp/random").Version(version, registry.Platforms(here))
	}
	mirror := t.TempDir()
	// Two runs, as two manifests would make them: the second leaves what the first brought (B39).
	for _, entry := range []string{"hashicorp/random:1.4.0", "hashicorp/random:1.5.0"} {
		if stdout, stderr, code := tfmirror(t, reg, requestJSON([]string{here}, entry), "fetch", "--request", "-", "--mirror", mirror); code != 0 {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
	}
	reg.Reset()
	home := t.TempDir()
	var group sync.WaitGroup
	for i := range 64 {
		work, version := t.TempDir(), []string{"1.4.0", "~> 1.4"}[i%2]
		config := "terraform {\n  required_providers {\n    random = { source = \"hashicorp/random\", version = \"" + version + "\" }\n  }\n}\n"
		if err := os.WriteFile(filepath.Join(work, "main.tf"), []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			init := offline(t, terraform, "init", "-input=false", "-no-color", "-plugin-dir="+mirror)
			init.Dir = work
			init.Env = append(os.Environ(), append(reg.Env(), "HOME="+home, "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1", "TF_LOG=")...)
			if out, err := init.CombinedOutput(); err != nil {
				t.Errorf("terraform init: %v\n%s", err, out)
			}
			want := map[string]string{"1.4.0": "1.4.0", "~> 1.4": "1.5.0"}[version]
			if _, err := os.Stat(filepath.Join(work, ".terraform", "providers", "registry.terraform.io", "hashicorp", "random", want, here)); err != nil {
				t.Errorf("version %s is not installed: %v", want, err)
			}
		})
	}
	group.Wait()
	if n := len(reg.Requests()); n != 0 {
		t.Errorf("%d requests, want none", n)
	}
}
