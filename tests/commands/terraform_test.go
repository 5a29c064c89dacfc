package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
)

// tfmirror runs the command against a registry and returns its output and exit code.
func tfmirror(t *testing.T, reg *registry.Registry, stdin []byte, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), filepath.Join(binaries, "tfmirror"), args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &errs
	cmd.Env = append(os.Environ(), append(reg.Env(), "HOME="+t.TempDir())...)
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// The main job without Bazel: a mirror made by fetch is all that the real terraform needs, with the network cut. Hosts with a port and
// Unicode hosts are found there too (R-FS-2), our own folder in the mirror is not taken for a host, and the lock file has the h1: that
// `tfmirror hash` prints.
func TestTerraformInitFromMirror(t *testing.T) {
	t.Parallel()
	terraform := testtools.Terraform(t)
	reg := registry.Start(t)
	here := runtime.GOOS + "_" + runtime.GOARCH
	other := "freebsd_arm"
	sources := map[string]string{ // as users write them
		"random": "hashicorp/random",
		"widget": widget,
		"buch":   "bücher.example/plain/buch",
	}
	if runtime.GOOS != "windows" { // a colon cannot be in a file name there
		sources["local"] = reg.LocalHost() + "/acme/local"
	}
	hosts := map[string]string{"random": "registry.terraform.io", "widget": host, "buch": "xn--bcher-kva.example", "local": reg.LocalHost()}
	var entries []string
	var blocks strings.Builder
	for name, source := range sources {
		parts := strings.Split(source, "/")
		v := reg.Host(hosts[name]).Provider(strings.Join(parts[len(parts)-2:], "/")).Version("1.4.0", registry.Platforms(here, other))
		v.EachZip(func(z *registry.Zip) {
			z.Add(registry.File{Name: "docs/"}, registry.File{Name: "docs/BUILD", Content: []byte("x")})
		})
		v.Zip(here).Modes(map[string]fs.FileMode{v.ExecutableName(): 0o444}) // the tools want no mode, plugins do (C18)
		entries = append(entries, source+":~>1.4")
		fmt.Fprintf(&blocks, "    %s = { source = %q, version = \"~> 1.4\" }\n", name, source)
	}
	mirror, work := t.TempDir(), t.TempDir()
	stdout, stderr, code := tfmirror(t, reg, requestJSON([]string{here, other}, entries...), "fetch", "--request", "-", "--mirror", mirror, "--json")
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	var report struct {
		Packages []struct{ Source, Platform, Path string }
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || len(report.Packages) != 2*len(sources) {
		t.Fatalf("%v in\n%s", err, stdout)
	}
	config := "terraform {\n  required_providers {\n" + blocks.String() + "  }\n}\n"
	if err := os.WriteFile(filepath.Join(work, "main.tf"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	reg.Reset()
	init := offline(t, terraform, "init", "-input=false", "-no-color", "-plugin-dir="+mirror)
	init.Dir = work
	init.Env = append(os.Environ(), append(reg.Env(), "HOME="+t.TempDir(), "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1", "TF_LOG=")...)
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("terraform init: %v\n%s", err, out)
	}
	if n := len(reg.Requests()); n != 0 {
		t.Errorf("terraform sent %d requests", n)
	}
	lock, err := os.ReadFile(filepath.Join(work, ".terraform.lock.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Packages {
		if p.Platform != here {
			continue
		}
		hash, stderr, code := tfmirror(t, reg, nil, "hash", p.Path)
		h1, _, _ := strings.Cut(hash, " ")
		if code != 0 || !strings.Contains(string(lock), `"`+h1+`"`) || !strings.Contains(string(lock), `provider "`+p.Source+`"`) {
			t.Errorf("%s: hash %q %s, lock file\n%s", p.Source, hash, stderr, lock)
		}
	}
}

// offline runs a program without a network where the system lets us, else as it is: the registry's log proves the same.
func offline(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	if exec.Command("unshare", "-rn", "true").Run() == nil {
		return exec.CommandContext(t.Context(), "unshare", append([]string{"-rn", program}, args...)...)
	}
	t.Log("unshare is not permitted here: terraform keeps its network")
	return exec.CommandContext(t.Context(), program, args...)
}
