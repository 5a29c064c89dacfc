package requirements

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
)

func TestShownSource(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ source, want string }{
		{"terraform-aws-modules/vpc/aws", "terraform-aws-modules/vpc/aws"},
		{"registry.acme.dev:8443/a/b/c//sub", "registry.acme.dev:8443/a/b/c//sub"},
		{"git::https://user:PASS@example.com/x.git//sub?ref=v1", "git::https://example.com/x.git//sub"},
		{"git::https://TOKEN@example.com:8443/x.git", "git::https://example.com:8443/x.git"},
		{"git::https://user:PA@SS@example.com/x.git", "git::https://example.com/x.git"},
		{"git::https://user:PA/SS@example.com/x.git", "git::https://example.com/x.git"},
		{"git::https://example.com:8443/x@v1.git", "git::https://example.com:8443/x@v1.git"},
		{"https://example.com/x.zip?sig=SECRET", "https://example.com/x.zip"},
		{"https://example.com/x.zip#SECRET", "https://example.com/x.zip"},
		{"git::ssh://git@example.com/x.git?sshkey=SECRET", "git::ssh://example.com/x.git"},
		{"git@github.com:acme/x.git", "git@github.com:acme/x.git"},
		{"git::user:PASS@example.com/x.git", "git::example.com/x.git"},
		{"", ""},
	} {
		if got := shownSource(test.source); got != test.want {
			t.Errorf("%s: %s, want %s", test.source, got, test.want)
		}
	}
}

// A password in a source that is not installed is not in the warning.
func TestPasswordInSource(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- prod/main.tf --\nmodule \"git\" {\n  source = \"git::https://user:PASS@example.com/x.git?ref=v1\"\n}\n")
	_, warnings := gathered(t, dir, addrs.Terraform, "prod")
	equal(t, warnings, []string{"prod/main.tf:1: module.git (git::https://example.com/x.git) is not read, and what it requires is not known: " +
		"it is not installed; run `terraform get` in prod"})
}

// TF_DATA_DIR moves the record of installed modules; a relative one begins at the root module, where the tool runs.
func TestDataDir(t *testing.T) {
	t.Parallel()
	const call = "module \"git\" {\n  source = \"git::https://example.com/x.git\"\n}\n"
	dir := write(t, "-- prod/main.tf --\n"+call+"-- prod/data/modules/git/main.tf --\n"+requires("acme/git", "1.0.0")+
		`-- prod/data/modules/modules.json --
{"Modules":[{"Key":"git","Source":"git::https://example.com/x.git","Dir":"data/modules/git"}]}
-- prod/broken/modules/modules.json --
{
`)
	for _, data := range []string{"data", filepath.Join(dir, "prod", "data"), "", "none", "broken"} {
		result, err := Gather([]string{filepath.Join(dir, "prod")}, Options{Tool: addrs.Terraform, Base: dir, DataDir: data})
		switch {
		case data == "broken":
			if err == nil || !strings.HasPrefix(err.Error(), "prod/broken/modules/modules.json: this record") {
				t.Errorf("a broken record: %v", err)
			}
		case err != nil:
			t.Error(err)
		case filepath.Base(data) == "data":
			if len(result.Requirements) != 1 || result.Requirements[0].Entry != "acme/git:1.0.0" || len(result.Missing) != 0 {
				t.Errorf("%s: %+v", data, result)
			}
		default:
			if len(result.Requirements) != 0 || len(result.Missing) != 1 || result.Missing[0] != "prod: module.git" {
				t.Errorf("%q: %+v", data, result)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "prod", ".terraform")); err == nil {
		t.Error("something was written")
	}
}
