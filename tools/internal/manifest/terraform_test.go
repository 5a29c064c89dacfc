package manifest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/versions"
)

// These tests ask the real terraform what it makes of sources and constraints. They need no network: what is in required_providers is
// read before anything is asked for, and versions come from a filesystem mirror.

// terraformIn runs terraform in dir, apart from the user's configuration, and returns what it prints to stdout and to stderr, whatever
// its exit code.
func terraformIn(t *testing.T, dir string, args ...string) (string, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testtools.Terraform(t), args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
		"TF_CLI_CONFIG_FILE=" + filepath.Join(dir, "terraform.rc"),
	}
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited || t.Context().Err() == context.Canceled {
		t.Fatalf("terraform %s: %v", strings.Join(args, " "), err)
	}
	return stdout.String(), stderr.String()
}

// write makes a configuration with one line of required_providers for each entry that is not left out; entry i stands in line i+3.
func write(t *testing.T, dir, rc string, entries [][2]string, leftOut map[int]bool) {
	t.Helper()
	var b strings.Builder
	b.WriteString("terraform {\n  required_providers {\n")
	for i, entry := range entries {
		if leftOut[i] {
			b.WriteString("    # refused\n")
			continue
		}
		fmt.Fprintf(&b, "    e%d = { source = %s", i, quote(entry[0]))
		if entry[1] != "-" {
			fmt.Fprintf(&b, ", version = %s", quote(entry[1]))
		}
		b.WriteString(" }\n")
	}
	b.WriteString("  }\n}\n")
	for name, text := range map[string]string{"main.tf": b.String(), "terraform.rc": rc} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// quote writes an HCL string; the texts here have no template sequences.
func quote(text string) string { return strconv.QuoteToGraphic(text) }

// refusedByTerraform returns the entries in whose lines terraform finds an error. It reports the errors of one stage at a time, so that
// the refused lines are taken out until there is none.
func refusedByTerraform(t *testing.T, dir string, entries [][2]string) map[int]bool {
	t.Helper()
	refused := map[int]bool{}
	for range 6 {
		write(t, dir, "", entries, refused)
		var result struct {
			Diagnostics []struct {
				Summary, Detail string
				Range           *struct{ Start struct{ Line int } }
			}
		}
		stdout, stderr := terraformIn(t, dir, "validate", "-json")
		if err := json.Unmarshal([]byte(stdout), &result); err != nil {
			t.Fatalf("%v\n%s", err, stderr)
		}
		before := len(refused)
		for _, d := range result.Diagnostics {
			if d.Range != nil {
				refused[d.Range.Start.Line-3] = true
			}
		}
		if len(refused) == before {
			return refused
		}
	}
	t.Fatal("terraform goes on finding errors")
	return nil
}

// sources, in which no two name the same provider, with the rule of a deliberate difference from terraform 1.11.
var sources = []struct{ source, differs string }{
	{"one", ""}, {"a/two", ""}, {"acme.dev/a/three", ""}, {"a/b/c/d", ""}, {"a//b", ""}, {"https://acme.dev/a/b", ""}, {"/a", ""}, {"", ""},
	{"terraform", ""}, {"Foo/BAR", ""}, {"ｆｕｌｌ/x4", ""}, {"a/İx5", ""}, {"straße/x6", ""}, {"123/456", ""}, {"a/b.c", ""}, {"a.b/c", ""},
	{"a/b--c", ""}, {"a/xn--b", ""}, {"a/-b", ""}, {"a/b-", ""}, {"a/b c", ""}, {" a/b", ""}, {"a/my_type", ""}, {"a/*", ""}, {"?/b", ""}, {"a/-", ""},
	{"localhost:8443/a/x7", ""}, {"acme.dev:0443/a/x8", ""}, {"acme.dev:080/a/x9", ""}, {"acme.dev:+8443/a/x10", ""}, {"acme.dev:0/a/x11", ""},
	{"acme.dev:/a/b", ""}, {"acme.dev:x/a/b", ""}, {"acme.dev:65536/a/b", ""}, {"xn--bcher-kva.example/a/b", ""}, {"XN--BCHER-KVA.example/a/x12", ""},
	{"BÜCHER.example:8443/a/x13", ""}, {"a..b/a/b", ""}, {".a/a/b", ""}, {"acme.dev./a/x14", ""}, {"a_b.dev/a/b", ""}, {"127.0.0.1:80/a/x15", ""},
	{"[::1]/a/b", ""}, {"a/terraform-provider-x16", ""}, {"a/terraform-x17", ""}, {"a/provider-x18", ""}, {"a/opentofu-x19", ""}, {"acme.dev/-/x20", ""},
	{"builtin/x21", ""},
	{"my_team/x22", "R-ADDR-7"},                     // from 1.16 on
	{"a/x。y", "R-ADDR-8"},                           // a type with a dot
	{"terraform-provider-x23", "R-ADDR-16"},         // overlooked by terraform in one part
	{"-/x24", "R-ADDR-18"},                          // refused by init
	{"terraform.io/builtin/x25", "R-ADDR-19"},       // an error later on
	{"terraform.io/builtin/terraform", "R-ADDR-19"}, // nothing to install
}

func TestSourcesAgainstTerraform(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var entries [][2]string
	for _, s := range sources {
		entries = append(entries, [2]string{s.source, "-"})
	}
	refused := refusedByTerraform(t, dir, entries)
	shown, _ := terraformIn(t, dir, "providers", "-no-color")
	for i, s := range sources {
		p, err := addrs.Parse(s.source, addrs.Terraform)
		if same := refused[i] == (err != nil); same != (s.differs == "") {
			t.Errorf("%q: terraform refuses it: %t; we: %v; deliberate difference: %q", s.source, refused[i], err, s.differs)
		}
		if err == nil && !refused[i] && !strings.Contains(shown, "provider["+p.String()+"]") {
			t.Errorf("%q is %s, which terraform does not show:\n%s", s.source, p, shown)
		}
	}
}

// constraintTexts are the spellings of R-CON-2..6, §2.5 and R-CANON-3. There is no deliberate difference.
var constraintTexts = []string{
	"1", "1.2", "= 1.2", "=1.2.3", " 1.2.3 ", "\t>=1.0 ,\n< 2 ", "~> 1", "~> 1.0", "~>1.2.3", "~> 1-beta", "~> 1.2-beta", "~> 1.2.3-beta+m",
	"1.2.3-", "= 1.2.3-", "1.2.3+", "1.", "1.2.3-x.", "1.2.3-beta..1", "1.2.3-01", "01.02", ">= 2.0, >= 2.0.0", "~> 1.0, ~> 1.0.0", "< 2, > 1",
	"1.0.0+b, 1.0.0+a, 1.0.0", ">= 1.10, >= 1.9", "!= 1.4.0, >= 1.7.1, <= 1.8.0", "!= 1, < 1, <= 1, ~> 1, ~> 1.0.0, = 1, >= 1, > 1",
	"9223372036854775807", "9223372036854775808", "18446744073709551616", "99999999999999999999.0.0", ">= 1.0, < 99999999999999999999",
	"", " ", ">= 1,", ", 1", "1,,2", "==1", "=> 1", "=< 1", "^1", "~1", "! 1", ">=  1.2", ">\t1", ">\n1", "1.2.3.4", "v1.2.3", "~> v1.2", "1.*", "*", "1.x",
	"1.2.3beta1", "1.2.3~x", "1.2.3-~x", "latest", ">= 1 < 2", "1 || 2", "1.0 - 2.0", "1.0-2.0", "1.0.0-a_b", "1.0.0+a+b", "= = 1", "0.0.0", "0",
	"1.0.0-rc.1.0, 1.0.0-rc.2, 1.0.0-rc", "> 1.0.0+b, > 1.0.0+a, > 1",
}

func TestConstraintsAgainstTerraform(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var entries [][2]string
	for i, text := range constraintTexts {
		entries = append(entries, [2]string{fmt.Sprintf("acme/c%d", i), text})
	}
	refused := refusedByTerraform(t, dir, entries)
	shown, _ := terraformIn(t, dir, "providers", "-no-color")
	for i, text := range constraintTexts {
		c, err := versions.ParseConstraint(text)
		if refused[i] != (err != nil) {
			t.Errorf("%q: terraform refuses it: %t; we: %v", text, refused[i], err)
			continue
		}
		line := fmt.Sprintf("provider[registry.terraform.io/%s] %s\n", entries[i][0], c.Canonical())
		if err == nil && !strings.Contains(shown, line) {
			t.Errorf("%q: terraform does not show %q:\n%s", text, line, shown)
		}
	}
}

// stock is what the mirror of the selection test has of every provider. No two versions differ in metadata alone, since the choice among
// those is up to chance in terraform (R-VER-11).
var stock = strings.Fields("0.0.0 0.9.0 1.0.0-beta 1.0.0-alpha.1 1.2.0-rc1 1.2.3-beta 1.2.3-beta.2 1.2.3 1.2.9 1.3.0 1.10.0 2.0.0-beta1 2.0.0-rc1 2.0.0 2.1.0-beta1 5.0.0-rc1")

var selecting = []string{
	"-", "~> 1", "~> 1.2", "~> 1.2.3", "~> 0", "1.3", "= 1.3.0", "1.2", "0.0.0", ">= 0.0.0", "<= 0.0.0", "< 1", "< 1.0.0", "> 2", "> 5", ">= 2.1.0-beta1",
	"~> 2.1.0-beta1", ">= 2.0.0, 2.1.0-beta1", "2.1.0-beta1", "< 2.0.0, 2.1.0-beta1", "!= 2.0.0", "!= 2.0.0, != 1.10.0", ">= 1.2.3-beta, < 1.2.9",
	"~> 1.2.3-beta", "~> 1.2-beta", "< 2.0.0-rc1", "1.2.3-beta, >= 1.0", "~> 5", "5.0.0-rc1", "1.0.0-alpha.1", "1.0.0-alpha.1, < 1.0.0-beta",
	"1.0.0-beta, < 1.0.0-alpha.1", "1.2.3+m", "!= 1.4.0, >= 1.2.1, <= 1.8.0", "~> 1.2, != 1.10.0", "~> 1.10", "~> 9.0",
}

func TestSelectionAgainstTerraform(t *testing.T) {
	t.Parallel()
	// One mirror for both runs. A package needs no more than a file with a provider's name (R-TEST-1).
	mirror := t.TempDir()
	chosen, none := map[int]bool{}, map[int]bool{} // what to leave out of the run of the others
	var entries [][2]string
	var want []versions.Selection
	for i, text := range selecting {
		entries = append(entries, [2]string{fmt.Sprintf("acme/s%d", i), text})
		c := versions.Any
		if text != "-" {
			var err error
			if c, err = versions.ParseConstraint(text); err != nil {
				t.Fatal(err)
			}
		}
		s := versions.Select(stock, c)
		want = append(want, s)
		if s.OK {
			chosen[i] = true
		} else {
			none[i] = true
		}
		for _, version := range stock {
			dir := filepath.Join(mirror, "registry.terraform.io", entries[i][0], version, runtime.GOOS+"_"+runtime.GOARCH)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("terraform-provider-s%d", i)), nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	rc := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %s\n  }\n}\n", quote(mirror))
	installing := regexp.MustCompile(`(?m)^- Installing acme/s(\d+) v(\S+?)\.\.\.$`)

	// What we select must be what terraform installs.
	dir := t.TempDir()
	write(t, dir, rc, entries, none)
	out, _ := terraformIn(t, dir, "init", "-no-color")
	got := map[int]string{}
	for _, match := range installing.FindAllStringSubmatch(out, -1) {
		i, _ := strconv.Atoi(match[1])
		got[i] = match[2]
	}
	for i := range chosen {
		if got[i] != want[i].Version.String() {
			t.Errorf("%q: terraform installs %q, we select %s\n", selecting[i], got[i], want[i].Version)
		}
	}

	// Where we select nothing, terraform must find nothing for each of them.
	dir = t.TempDir()
	write(t, dir, rc, entries, chosen)
	_, text := terraformIn(t, dir, "init", "-no-color")
	joined := strings.Join(strings.Fields(text), " ") // terraform breaks its lines at the width of a terminal
	for i := range none {
		if !strings.Contains(joined, fmt.Sprintf("no available releases match the given constraints %s", canonical(t, selecting[i]))) {
			t.Errorf("%q: we select nothing; terraform says:\n%s", selecting[i], text)
		}
	}
	if n := strings.Count(joined, "Failed to query available provider packages"); n != len(none) {
		t.Errorf("terraform finds nothing for %d, we for %d:\n%s", n, len(none), text)
	}
}

func canonical(t *testing.T, text string) string {
	t.Helper()
	c, err := versions.ParseConstraint(text)
	if err != nil {
		t.Fatal(err)
	}
	return c.Canonical()
}
