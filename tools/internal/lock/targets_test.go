package lock_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/lock"
)

// Both files are looked at before anybody is asked: where one cannot be written, neither is.
func TestTargetsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(b *bench)
		want    string
	}{
		"read-only dependency lock": {func(b *bench) { writeFile(b.t, b.product(), ""); check(b.t, os.Chmod(b.product(), 0o444)) }, ".terraform.lock.hcl is read-only"},
		"read-only lockfile":        {func(b *bench) { check(b.t, os.Chmod(b.lockfile(), 0o444)) }, "MODULE.bazel.lock is read-only"},
		"a folder":                  {func(b *bench) { check(b.t, os.Mkdir(b.product(), 0o755)) }, "is not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, widget+":1.4.0")
			b.version(widget, "1.4.0")
			c.prepare(b)
			before := b.read(b.lockfile())
			_, err := lock.Run(t.Context(), b.options(b.withProduct))
			wantInput(t, err, c.want)
			if n := len(b.reg.Requests()); n > 0 || b.read(b.lockfile()) != before {
				t.Errorf("%d requests, or a file was written", n)
			}
		})
	}
}

// --json has what a check found, in an optional field; whoever reads only the others sees the object as it was.
func TestDifferencesAsJSON(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	b.run(nil)
	encode := func(report *lock.Report) map[string]any {
		var text strings.Builder
		check(t, report.Encode(&text))
		var object map[string]any
		check(t, json.Unmarshal([]byte(text.String()), &object))
		return object
	}
	if object := encode(b.run(checkOnly)); len(object) != 3 {
		t.Errorf("without differences %v", object)
	}
	good := b.facts()
	key := pkgKey("1.4.0", b.list[0])
	b.edit(map[string]string{"signer/" + widget: "", key: strings.Replace(good[key], "://", "://evil.example/", 1)})
	list, _ := encode(b.run(checkOnly))["differences"].([]any)
	if len(list) != 2 {
		t.Fatalf("differences %v", list)
	}
	first, second := list[0].(map[string]any), list[1].(map[string]any)
	if first["name"] != key || first["file"] != b.lockfile() || len(first["lines"].([]any)) != 2 || !strings.Contains(first["repair"].(string), "bazel mod deps") {
		t.Errorf("first %v", first)
	}
	if second["name"] != "signer/"+widget || second["repair"] != nil || !strings.HasPrefix(second["lines"].([]any)[0].(string), "+ {") {
		t.Errorf("second %v", second)
	}
}
