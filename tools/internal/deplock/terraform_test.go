package deplock

import (
	"archive/zip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/hashes"
)

// TestTableAgainstTerraform asks the real terraform about every row of R-LOCK-6: it must refuse what is refused here, and no other.
func TestTableAgainstTerraform(t *testing.T) {
	t.Parallel()
	terraform := testtools.Terraform(t)
	for _, row := range rejected {
		if refused, output := refuses(t, terraform, row.text); !refused {
			t.Errorf("%s: terraform accepts it\n%s", row.name, output)
		}
	}
	for _, row := range accepted {
		if refused, output := refuses(t, terraform, row.text); refused {
			t.Errorf("%s: terraform refuses it\n%s", row.name, output)
		}
	}
}

// refuses reports whether terraform cannot read the lock file. The configuration requires no provider, so that nothing else can fail.
func refuses(t *testing.T, terraform, text string) (bool, string) {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, dir, "main.tf", "terraform {}\n")
	writeFile(t, dir, FileName, text)
	output, err := run(terraform, dir, "init")
	if err != nil && !strings.Contains(output, "dependency lock file") && !strings.Contains(output, FileName) {
		t.Fatalf("terraform fails for another reason:\n%s", output)
	}
	return strings.Contains(output, "failed to read dependency lock file") || strings.Contains(output, "Error: ") && strings.Contains(output, FileName+" line"), output
}

// TestWrittenFile: a file that we write is read by `terraform init -lockfile=readonly` from a mirror and left byte-identical (C02, C10), and
// `terraform providers lock`, which formats the whole file itself, gives the same bytes.
func TestWrittenFile(t *testing.T) {
	t.Parallel()
	terraform := testtools.Terraform(t)
	mirror := t.TempDir()
	sources := []string{"registry.acme.dev/acme/widget", "registry.acme.dev/acme/gadget", "bücher.example/plain/thing", "registry.acme.dev:8443/acme/widget"}
	constraints := []string{">= 1.0.0, < 2.0.0", "", "~> 1.0", "1.0.0"}
	var updates []Update
	var config strings.Builder
	config.WriteString("terraform {\n  required_providers {\n")
	for i, source := range sources {
		p := provider(t, source)
		path := packed(t, mirror, p)
		zipHash, err := hashes.ZipFile(path)
		mustDo(t, err)
		dirHash, err := hashes.Zip(path)
		mustDo(t, err)
		updates = append(updates, Update{
			Provider: p, Version: version(t, "1.0.0"), Constraints: constraint(t, constraints[i]),
			Zip: append(hashList(t, "zh:"+strings.Repeat("0", 64)), zipHash), Dir: append(hashList(t, "h1:of+another+platform="), dirHash),
		})
		fmt.Fprintf(&config, "    p%d = { source = %q", i, source)
		if constraints[i] != "" {
			fmt.Fprintf(&config, ", version = %q", constraints[i])
		}
		config.WriteString(" }\n")
	}
	config.WriteString("  }\n}\n")

	dir := t.TempDir()
	writeFile(t, dir, "main.tf", config.String())
	path := filepath.Join(dir, FileName)
	file, err := Read(path, addrs.Terraform)
	mustDo(t, err)
	changed, err := Merge(file, updates).Save(file, addrs.Terraform)
	if err != nil || !changed {
		t.Fatalf("Save = %v, %v", changed, err)
	}
	written := readFile(t, path)
	for _, args := range [][]string{
		{"init", "-lockfile=readonly", "-plugin-dir=" + mirror},
		{"init", "-plugin-dir=" + mirror},
		{"providers", "lock", "-fs-mirror=" + mirror, "-platform=" + platform()},
	} {
		output, err := run(terraform, dir, args...)
		if err != nil {
			t.Fatalf("terraform %v: %v\n%s", args, err, output)
		}
		if after := readFile(t, path); after != written {
			t.Errorf("terraform %v made of\n%s\nthis:\n%s", args, written, after)
		}
		if args[0] == "providers" && !strings.Contains(output, "Terraform has validated the lock file and found no need for changes") {
			t.Errorf("terraform %v says\n%s", args, output)
		}
	}

	// From nothing, terraform writes the same but for the hashes that a mirror cannot tell it.
	mustDo(t, os.Remove(path))
	if output, err := run(terraform, dir, "init", "-plugin-dir="+mirror); err != nil {
		t.Fatalf("terraform init: %v\n%s", err, output)
	}
	for i := range updates {
		updates[i].Zip, updates[i].Dir = nil, updates[i].Dir[1:]
	}
	ours := string(Format(Merge(&File{}, updates).Entries, addrs.Terraform))
	if theirs := readFile(t, path); theirs != ours {
		t.Errorf("terraform writes\n%s\nwe write\n%s", theirs, ours)
	}
}

// packed puts a package of the provider's version 1.0.0 for this platform into a packed mirror.
func packed(t *testing.T, mirror string, p addrs.Provider) string {
	t.Helper()
	// Paths have the port's colon as it is; terraform reads it back as part of the host.
	dir := filepath.Join(mirror, p.DisplayHost(), p.Namespace, p.Type)
	mustDo(t, os.MkdirAll(dir, 0o755))
	path := filepath.Join(dir, "terraform-provider-"+p.Type+"_1.0.0_"+platform()+".zip")
	f, err := os.Create(path)
	mustDo(t, err)
	w := zip.NewWriter(f)
	entry, err := w.CreateHeader(&zip.FileHeader{Name: "terraform-provider-" + p.Type + "_v1.0.0"})
	mustDo(t, err)
	_, err = entry.Write([]byte("#!/bin/sh\n# " + p.String() + "\n"))
	mustDo(t, err)
	mustDo(t, w.Close())
	mustDo(t, f.Close())
	return path
}

func platform() string { return runtime.GOOS + "_" + runtime.GOARCH }

// run runs terraform without anything of the user's configuration.
func run(terraform, dir string, args ...string) (string, error) {
	if args[0] == "init" {
		args = append(args, "-input=false", "-no-color")
	}
	cmd := exec.Command(terraform, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE="+os.DevNull, "TF_IN_AUTOMATION=1")
	output, err := cmd.CombinedOutput()
	return string(output), err
}
