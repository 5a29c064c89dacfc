package deplock

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
)

// R-LOCK-6, the rows with errors.
func TestRejected(t *testing.T) {
	t.Parallel()
	for _, row := range rejected {
		f, err := Parse("dir/.terraform.lock.hcl", []byte(row.text), addrs.Terraform)
		var defect *Error
		if !errors.As(err, &defect) || !isDefect(err) {
			t.Errorf("%s: Parse = %v, %v; want an *Error", row.name, f, err)
			continue
		}
		place := fmt.Sprintf("dir/.terraform.lock.hcl:%d: ", row.line)
		found := false
		for _, p := range defect.Problems {
			found = found || strings.Contains(p.Error(), row.want) && strings.HasPrefix(p.Error(), place)
		}
		if !found {
			t.Errorf("%s: got\n%v\nwant %q at %s", row.name, err, row.want, place)
		}
	}
}

// R-LOCK-6, the rows that are fine.
func TestAccepted(t *testing.T) {
	t.Parallel()
	for _, row := range accepted {
		f, err := Parse(FileName, []byte(row.text), addrs.Terraform)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		got := ""
		for _, e := range f.Entries {
			got += fmt.Sprintf("%s | %s | %s", e.Version, e.Constraints, words(e.Hashes))
		}
		if got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

// All defects come at once, in the order of the file.
func TestAllProblems(t *testing.T) {
	t.Parallel()
	_, err := Parse(FileName, []byte(block(`version = "1"`, `constraints = "<2"`, `hashes = ["x", "y"]`)+"unknown {\n}\n"), addrs.Terraform)
	var defect *Error
	if !errors.As(err, &defect) {
		t.Fatal(err)
	}
	var lines []int
	for _, p := range defect.Problems {
		lines = append(lines, p.Line)
	}
	if got := fmt.Sprint(lines); got != "[2 3 4 4 6]" {
		t.Errorf("problems in lines %s:\n%v", got, err)
	}
	if strings.Count(err.Error(), "\n") != 4 {
		t.Errorf("not one line for each problem:\n%v", err)
	}
}

func TestEntries(t *testing.T) {
	t.Parallel()
	f := mustParse(t, `
provider "registry.terraform.io/hashicorp/random" {
  version = "3.1.3"
  hashes  = ["zh:b", "h1:x", "zh:a", "other:z"]
}

provider "bücher.example/a/b" {
  version = "1.0.0"
  hashes  = ["other:z"]
}

provider "registry.acme.dev/acme/widget" {
  version = "2.0.0"
}
`)
	var order []string
	for _, e := range f.Entries {
		order = append(order, fmt.Sprintf("%s %s binds=%v", e.Place(), e.Provider, e.Binds()))
	}
	// R-ADDR-14: by the punycode form of the host, so the one with the umlaut comes last.
	want := ".terraform.lock.hcl:12 registry.acme.dev/acme/widget binds=false\n" +
		".terraform.lock.hcl:2 registry.terraform.io/hashicorp/random binds=true\n" +
		".terraform.lock.hcl:7 bücher.example/a/b binds=false"
	if got := strings.Join(order, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	e, ok := f.Find(provider(t, "hashicorp/random"))
	if !ok || words(e.ZipHashes()) != "zh:a zh:b" || words(e.DirHashes()) != "h1:x" {
		t.Errorf("Find = %+v, %v", e, ok)
	}
	if _, ok := f.Find(provider(t, "hashicorp/null")); ok {
		t.Error("found what is not there")
	}
}

func TestModuleWarning(t *testing.T) {
	t.Parallel()
	f := mustParse(t, block(v100)+"module \"a\" {\n}\nmodule \"b\" {\n}\n")
	if len(f.Warnings) != 1 || !strings.HasPrefix(f.Warnings[0], FileName+":4: module blocks are reserved") {
		t.Errorf("warnings: %q", f.Warnings)
	}
}

// Two rules depend on the tool: what is built in, and which prefixes a type may have.
func TestToolRules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		label            string
		terraform, tofus bool
	}{
		{"opentofu.org/builtin/terraform", true, false},
		{"registry.acme.dev/acme/opentofu-x", true, false},
		{"registry.opentofu.org/hashicorp/random", true, true},
		{"registry.terraform.io/hashicorp/random", true, true},
	} {
		text := []byte("provider \"" + test.label + "\" {\n  version = \"1.0.0\"\n}\n")
		_, err := Parse(FileName, text, addrs.Terraform)
		_, tofuErr := Parse(FileName, text, addrs.OpenTofu)
		if (err == nil) != test.terraform || (tofuErr == nil) != test.tofus {
			t.Errorf("%s: terraform %v, tofu %v", test.label, err, tofuErr)
		}
	}
}

// What would exhaust the stack of the HCL library is refused before; the numbers of a large but ordinary file are fine.
func TestLimits(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"parentheses":       "x = " + strings.Repeat("(", 300_000),
		"brackets":          "x = " + strings.Repeat("[", 300_000),
		"blocks":            strings.Repeat("x {\n", 150_000),
		"unary operators":   "x = " + strings.Repeat("-", 300_000) + "1",
		"binary operators":  "x = 1" + strings.Repeat("+1", 300_000),
		"conditionals":      "x = " + strings.Repeat("true ? 1 : ", 100_000) + "1",
		"templates":         "x = " + strings.Repeat(`"${`, 150_000),
		"template controls": "x = \"" + strings.Repeat("%{if true}", 100_000),
		"indexes":           "x = a" + strings.Repeat(`[0]`, 150_000),
		"text indexes":      "x = a" + strings.Repeat(`[""]`, 150_000),
		"attributes":        "x = a" + strings.Repeat(`.b`, 150_000),
		"too long":          strings.Repeat("# comment\n", maxSize/10+1),
	} {
		_, err := Parse(FileName, []byte(text), addrs.Terraform)
		if err == nil || !strings.Contains(err.Error(), "for a lock file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var large []Entry
	for i := range 1000 {
		e := Entry{Provider: provider(t, fmt.Sprintf("acme/p%d", i)), Version: version(t, "1.0.0")}
		for j := range 30 {
			e.Hashes = append(e.Hashes, hashList(t, fmt.Sprintf("zh:%064d", j))...)
		}
		large = append(large, e)
	}
	if f := mustParse(t, string(Format(large, addrs.Terraform))); len(f.Entries) != 1000 {
		t.Errorf("%d entries of 1000", len(f.Entries))
	}
}
