package deplock

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
)

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := Read(filepath.Join(dir, FileName), addrs.Terraform)
	if err != nil || !f.Missing || len(f.Entries) != 0 {
		t.Errorf("missing file: %+v, %v", f, err)
	}
	if _, err := Read(dir, addrs.Terraform); err == nil || isDefect(err) {
		t.Errorf("a directory: %v", err)
	}
	path := writeFile(t, dir, "bad.hcl", "\nx = 1\n")
	if _, err := Read(path, addrs.Terraform); !isDefect(err) || !strings.HasPrefix(err.Error(), path+":2: ") {
		t.Errorf("bad file: %v", err)
	}
	path = writeFile(t, dir, FileName, block(v100))
	if f, err := Read(path, addrs.Terraform); err != nil || f.Missing || string(f.Text) != block(v100) || f.Path != path {
		t.Errorf("good file: %+v, %v", f, err)
	}
}

// Several files may lock several versions of one provider; each is found under its own version.
func TestSet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one := writeFile(t, dir, "one/"+FileName, block(v100, `hashes = ["zh:1"]`))
	two := writeFile(t, dir, "two/"+FileName, "# two\n"+block(`version = "2.0.0"`, `hashes = ["zh:2"]`))
	also := writeFile(t, dir, "also/"+FileName, block(v100, `hashes = ["zh:other"]`)+"module \"m\" {\n}\n")
	set, err := ReadAll([]string{one, two, also}, addrs.Terraform)
	mustDo(t, err)
	p := provider(t, widget)
	places := func(entries []Entry) string {
		var texts []string
		for _, e := range entries {
			texts = append(texts, strings.TrimPrefix(e.Place(), dir+string(filepath.Separator))+" "+words(e.Hashes))
		}
		return filepath.ToSlash(strings.Join(texts, ", "))
	}
	for v, want := range map[string][2]string{
		"1.0.0": {"one/.terraform.lock.hcl:1 zh:1, also/.terraform.lock.hcl:1 zh:other", "two/.terraform.lock.hcl:2 zh:2"},
		"2.0.0": {"two/.terraform.lock.hcl:2 zh:2", "one/.terraform.lock.hcl:1 zh:1, also/.terraform.lock.hcl:1 zh:other"},
		"3.0.0": {"", "one/.terraform.lock.hcl:1 zh:1, two/.terraform.lock.hcl:2 zh:2, also/.terraform.lock.hcl:1 zh:other"},
	} {
		if found, others := places(set.Find(p, version(t, v))), places(set.Others(p, version(t, v))); found != want[0] || others != want[1] {
			t.Errorf("%s: found %q, others %q", v, found, others)
		}
	}
	if found := set.Find(provider(t, "acme/widget"), version(t, "1.0.0")); found != nil {
		t.Errorf("found %v for the provider of another host", found)
	}
	if warnings := set.Warnings(addrs.Terraform); len(warnings) != 1 || !strings.Contains(warnings[0], "module blocks") {
		t.Errorf("warnings: %q", warnings)
	}
}

// A missing file is an error. One that cannot be read keeps no other from being used.
func TestSetErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := writeFile(t, dir, "good", block(v100))
	bad := writeFile(t, dir, "bad", block("version = 1"))
	missing := filepath.Join(dir, "missing")
	set, err := ReadAll([]string{good, bad, missing}, addrs.Terraform)
	if err == nil || err.Error() != missing+": there is no such dependency lock file" || len(set.All()) != 1 || len(set.Broken) != 1 {
		t.Errorf("ReadAll = %v, %v", set, err)
	}
	set, err = ReadAll([]string{bad, good, dir}, addrs.Terraform)
	if err != nil || len(set.All()) != 1 || len(set.Broken) != 2 {
		t.Fatalf("ReadAll = %+v, %v", set, err)
	}
	if first, second := set.Broken[0], set.Broken[1]; first.Path != bad || !strings.Contains(first.Err.Error(), bad+":2: ") || second.Path != dir || !strings.Contains(second.Err.Error(), "a directory") {
		t.Errorf("broken: %+v", set.Broken)
	}
}

// A20: entries of the other tool's default registry are reported, unless the own registry's are there too.
func TestForeign(t *testing.T) {
	t.Parallel()
	entry := func(source string) string { return "provider \"" + source + "\" {\n  version = \"1.0.0\"\n}\n" }
	const terraforms, tofus = "registry.terraform.io/hashicorp/random", "registry.opentofu.org/hashicorp/random"
	for _, test := range []struct {
		text string
		tool addrs.Tool
		want string // part of the only warning
	}{
		{entry(terraforms), addrs.OpenTofu, FileName + ":1: registry.terraform.io/hashicorp/random is locked for another registry: the default of tofu is registry.opentofu.org"},
		{entry(tofus), addrs.Terraform, "lock registry.terraform.io/hashicorp/random as well"},
		{entry(terraforms), addrs.Terraform, ""},
		{entry(tofus), addrs.OpenTofu, ""},
		{entry(widget), addrs.OpenTofu, ""},
		{entry(terraforms) + entry(tofus), addrs.OpenTofu, ""},
		{entry(terraforms) + entry(tofus), addrs.Terraform, ""},
	} {
		f, err := Parse(FileName, []byte(test.text), test.tool)
		mustDo(t, err)
		got := f.Foreign(test.tool)
		if (len(got) == 1) != (test.want != "") || len(got) == 1 && !strings.Contains(got[0], test.want) {
			t.Errorf("%s of\n%s: %q, want %q", test.tool, test.text, got, test.want)
		}
	}
}

func TestSave(t *testing.T) {
	t.Parallel()
	update := []Update{{Provider: provider(t, widget), Version: version(t, "1.0.0"), Zip: hashList(t, "zh:a")}}
	want := string(Format(Merge(&File{}, update).Entries, addrs.Terraform))
	save := func(path string, updates []Update, between func()) (bool, error) {
		f, err := Read(path, addrs.Terraform)
		mustDo(t, err)
		between()
		return Merge(f, updates).Save(f, addrs.Terraform)
	}
	nothing := func() {}
	path := filepath.Join(t.TempDir(), FileName)

	// R-LOCK-1: nothing to lock and no file: no file.
	if changed, err := save(path, nil, nothing); changed || err != nil {
		t.Errorf("nothing: %v, %v", changed, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
	// Somebody makes the file meanwhile.
	_, err := save(path, update, func() { writeFile(t, filepath.Dir(path), FileName, "") })
	if !errors.Is(err, ErrChanged) || readFile(t, path) != "" {
		t.Errorf("made meanwhile: %v", err)
	}
	mustDo(t, os.Remove(path))
	if changed, err := save(path, update, nothing); !changed || err != nil || readFile(t, path) != want {
		t.Errorf("new file: %v, %v", changed, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("C21: %v, %v", info.Mode(), err)
	}
	// What says the same already is left as it is, comments, CRLF and all.
	odd := "# mine\r\n" + strings.ReplaceAll(block(v100, `hashes = ["zh:a"]`), "\n", "\r\n")
	writeFile(t, filepath.Dir(path), FileName, odd)
	if changed, err := save(path, update, nothing); changed || err != nil || readFile(t, path) != odd {
		t.Errorf("nothing new: %v, %v", changed, err)
	}
	// Somebody changes or deletes it meanwhile.
	more := []Update{{Provider: provider(t, widget), Version: version(t, "1.0.0"), Zip: hashList(t, "zh:a", "zh:b")}}
	for name, disturb := range map[string]func(){
		"changed": func() { writeFile(t, filepath.Dir(path), FileName, "# other\n") },
		"deleted": func() { mustDo(t, os.Remove(path)) },
	} {
		writeFile(t, filepath.Dir(path), FileName, odd)
		if changed, err := save(path, more, disturb); changed || !errors.Is(err, ErrChanged) {
			t.Errorf("%s meanwhile: %v, %v", name, changed, err)
		}
	}
}
