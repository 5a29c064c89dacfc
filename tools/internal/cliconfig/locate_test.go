package cliconfig_test

import (
	"slices"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/cliconfig"
)

// TestFiles: which files count, in which order, by tool and system (R-CLI-1..5).
func TestFiles(t *testing.T) {
	t.Parallel()
	const win = `C:\Users\u\AppData\Roaming`
	for _, test := range []struct {
		name    string
		tool    addrs.Tool
		goos    string
		environ []string
		home    string
		there   []string
		want    []string
		warns   int
	}{
		{name: "nothing", tool: addrs.Terraform, goos: "linux", environ: []string{"HOME=/h"}},
		{name: "R-CLI-1 R-CLI-3 main file and directory in byte order", tool: addrs.Terraform, goos: "linux", environ: []string{"HOME=/h"},
			there: []string{"/h/.terraformrc", "/h/.tofurc", "/h/.terraform.d/b.tfrc", "/h/.terraform.d/a.tfrc.json", "/h/.terraform.d/credentials.tfrc.json",
				"/h/.terraform.d/Z.tfrc", "/h/.terraform.d/x.json", "/h/.terraform.d/x.tfrc~", "/h/.terraform.d/sub/c.tfrc"},
			want: []string{"/h/.terraformrc", "/h/.terraform.d/Z.tfrc", "/h/.terraform.d/a.tfrc.json", "/h/.terraform.d/b.tfrc", "/h/.terraform.d/credentials.tfrc.json"}},
		{name: "macOS is Unix", tool: addrs.Terraform, goos: "darwin", environ: []string{"HOME=/Users/u"},
			there: []string{"/Users/u/.terraformrc", "/Users/u/.terraform.d/a.tfrc"}, want: []string{"/Users/u/.terraformrc", "/Users/u/.terraform.d/a.tfrc"}},
		{name: "without HOME the account counts", tool: addrs.Terraform, goos: "linux", home: "/root",
			there: []string{"/root/.terraformrc"}, want: []string{"/root/.terraformrc"}},
		{name: "HOME beats the account", tool: addrs.Terraform, goos: "linux", environ: []string{"HOME=/h"}, home: "/root", there: []string{"/root/.terraformrc"}},
		{name: "no home at all", tool: addrs.Terraform, goos: "linux", there: []string{"/.terraformrc", "/.terraform.d/a.tfrc"}},
		{name: "Windows", tool: addrs.Terraform, goos: "windows", environ: []string{"AppData=" + win},
			there: []string{win + `\terraform.rc`, win + `\terraform.d\a.tfrc`, win + `\.terraformrc`}, want: []string{win + `\terraform.rc`, win + `\terraform.d\a.tfrc`}},
		{name: "Windows without APPDATA", tool: addrs.Terraform, goos: "windows", environ: []string{`USERPROFILE=C:\Users\u`},
			there: []string{win + `\terraform.rc`}, want: []string{win + `\terraform.rc`}},
		{name: "Windows, tofu", tool: addrs.OpenTofu, goos: "windows", environ: []string{"APPDATA=" + win, `XDG_CONFIG_HOME=C:\x`},
			there: []string{win + `\tofu.rc`, win + `\terraform.rc`, `C:\x\opentofu\a.tfrc`}, want: []string{win + `\tofu.rc`}},
		{name: "Windows, tofu, second choice", tool: addrs.OpenTofu, goos: "windows", environ: []string{"APPDATA=" + win},
			there: []string{win + `\terraform.rc`, win + `\terraform.d\a.tfrc`}, want: []string{win + `\terraform.rc`, win + `\terraform.d\a.tfrc`}},
		{name: "R-CLI-2 .tofurc first", tool: addrs.OpenTofu, goos: "linux", environ: []string{"HOME=/h", "XDG_CONFIG_HOME=/x"},
			there: []string{"/h/.tofurc", "/h/.terraformrc", "/x/opentofu/tofurc"}, want: []string{"/h/.tofurc"}},
		{name: "R-CLI-2 .terraformrc second", tool: addrs.OpenTofu, goos: "linux", environ: []string{"HOME=/h", "XDG_CONFIG_HOME=/x"},
			there: []string{"/h/.terraformrc", "/x/opentofu/tofurc"}, want: []string{"/h/.terraformrc"}},
		{name: "R-CLI-2 R-CLI-4 XDG last", tool: addrs.OpenTofu, goos: "linux", environ: []string{"HOME=/h", "XDG_CONFIG_HOME=/x"},
			there: []string{"/x/opentofu/tofurc", "/x/opentofu/a.tfrc"}, want: []string{"/x/opentofu/tofurc", "/x/opentofu/a.tfrc"}},
		{name: "R-CLI-4 ~/.terraform.d hides XDG", tool: addrs.OpenTofu, goos: "linux", environ: []string{"HOME=/h", "XDG_CONFIG_HOME=/x"},
			there: []string{"/h/.terraform.d/b.tfrc", "/x/opentofu/a.tfrc"}, want: []string{"/h/.terraform.d/b.tfrc"}},
		{name: "terraform knows no XDG", tool: addrs.Terraform, goos: "linux", environ: []string{"HOME=/h", "XDG_CONFIG_HOME=/x"},
			there: []string{"/x/opentofu/tofurc", "/x/opentofu/a.tfrc"}},
		{name: "R-CLI-5 the variable replaces all", tool: addrs.Terraform, goos: "linux", environ: []string{"HOME=/h", "TF_CLI_CONFIG_FILE=/c", "TERRAFORM_CONFIG=/old"},
			there: []string{"/c", "/old", "/h/.terraformrc", "/h/.terraform.d/credentials.tfrc.json"}, want: []string{"/c"}},
		{name: "R-CLI-5 the old variable", tool: addrs.Terraform, goos: "linux", environ: []string{"HOME=/h", "TF_CLI_CONFIG_FILE=", "TERRAFORM_CONFIG=/old"},
			there: []string{"/old", "/h/.terraformrc"}, want: []string{"/old"}},
		{name: "R-CLI-5 empty is unset", tool: addrs.Terraform, goos: "linux", environ: []string{"HOME=/h", "TF_CLI_CONFIG_FILE="},
			there: []string{"/h/.terraformrc"}, want: []string{"/h/.terraformrc"}},
		{name: "R-CLI-5 missing", tool: addrs.Terraform, goos: "linux", environ: []string{"HOME=/h", "TF_CLI_CONFIG_FILE=/none"},
			there: []string{"/h/.terraformrc", "/h/.terraform.d/a.tfrc"}, warns: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := files{}
			for _, path := range test.there {
				f[path] = ""
			}
			c := cliconfig.Load(test.tool, cliconfig.System{GOOS: test.goos, GOARCH: "amd64", Environ: test.environ, Home: test.home, Files: f})
			if !slices.Equal(c.Files, test.want) || len(c.Errors) != 0 || len(c.Warnings) != test.warns {
				t.Errorf("files %q, errors %q, warnings %q; want %q, none, %d", c.Files, texts(c.Errors), texts(c.Warnings), test.want, test.warns)
			}
		})
	}
}

// TestUnreadable: what may hold credentials and cannot be read is an error (design 3.3), beside the missing file of R-CLI-5.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	c := cliconfig.Load(addrs.Terraform, linux(files{"/home/u/.terraformrc": unreadable, "/home/u/.terraform.d/a.tfrc": unreadable, "/home/u/.terraform.d/d.tfrc/x": ""}))
	wantProblems(t, "errors", c.Errors, "/home/u/.terraformrc: the file cannot be read (permission denied)",
		"/home/u/.terraform.d/a.tfrc: the file cannot be read", "/home/u/.terraform.d/d.tfrc: the file cannot be read")
	c = cliconfig.Load(addrs.Terraform, linux(files{"/home/u/.terraform.d/" + unreadable: ""}))
	wantProblems(t, "errors", c.Errors, "/home/u/.terraform.d: the directory cannot be read (permission denied)")
	c = cliconfig.Load(addrs.Terraform, linux(files{"/f/x": ""}, "TF_CLI_CONFIG_FILE=/f"))
	wantProblems(t, "errors", c.Errors, "/f: the file cannot be read")
	c = load("# " + string(make([]byte, 1<<20)))
	wantProblems(t, "errors", c.Errors, "/home/u/.terraformrc: the file has more than 1048576 bytes")
	c = cliconfig.Load(addrs.Terraform, linux(files{"/home/u/.terraform.d": "a file, no directory"}))
	wantProblems(t, "errors", c.Errors)
}

// TestDirectories: helper directories (R-CRED-10, R-CLI-4) and implied mirrors (R-CLI-19).
func TestDirectories(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name            string
		tool            addrs.Tool
		goos            string
		environ         []string
		there           []string // all implied mirrors exist if empty
		helpers, mirror []string
	}{
		{name: "linux", tool: addrs.Terraform, goos: "linux", environ: []string{"HOME=/h"},
			helpers: []string{"/h/.terraform.d/plugins", "/h/.terraform.d/plugins/linux_arm64"},
			mirror: []string{"terraform.d/plugins", "/h/.terraform.d/plugins", "/h/.local/share/terraform/plugins",
				"/usr/local/share/terraform/plugins", "/usr/share/terraform/plugins"}},
		{name: "XDG", tool: addrs.Terraform, goos: "freebsd", environ: []string{"HOME=/h", "XDG_DATA_HOME=/d/", "XDG_DATA_DIRS=/a::/b"},
			helpers: []string{"/h/.terraform.d/plugins", "/h/.terraform.d/plugins/freebsd_arm64"},
			mirror:  []string{"terraform.d/plugins", "/h/.terraform.d/plugins", "/d/terraform/plugins", "/a/terraform/plugins", "/b/terraform/plugins"}},
		{name: "XDG, tofu", tool: addrs.OpenTofu, goos: "linux", environ: []string{"HOME=/h", "XDG_DATA_HOME=/d", "XDG_DATA_DIRS=/a"},
			helpers: []string{"/h/.terraform.d/plugins", "/h/.terraform.d/plugins/linux_arm64", "/d/opentofu/plugins", "/d/opentofu/plugins/linux_arm64"},
			mirror:  []string{"terraform.d/plugins", "/h/.terraform.d/plugins", "/d/opentofu/plugins", "/d/terraform/plugins", "/a/terraform/plugins"}},
		{name: "macOS", tool: addrs.OpenTofu, goos: "darwin", environ: []string{"HOME=/U"},
			helpers: []string{"/U/.terraform.d/plugins", "/U/.terraform.d/plugins/darwin_arm64"},
			mirror: []string{"terraform.d/plugins", "/U/.terraform.d/plugins", "/U/Library/Application Support/io.terraform/plugins",
				"/Library/Application Support/io.terraform/plugins"}},
		{name: "Windows", tool: addrs.Terraform, goos: "windows", environ: []string{`APPDATA=R:`, `PROGRAMDATA=M:`},
			helpers: []string{`R:\terraform.d\plugins`, `R:\terraform.d\plugins\windows_arm64`},
			mirror:  []string{`terraform.d\plugins`, `R:\terraform.d\plugins`, `R:\HashiCorp\Terraform\plugins`, `M:\HashiCorp\Terraform\plugins`}},
		{name: "Windows without ProgramData", tool: addrs.Terraform, goos: "windows", environ: []string{`APPDATA=R:`},
			helpers: []string{`R:\terraform.d\plugins`, `R:\terraform.d\plugins\windows_arm64`}, there: []string{`C:\ProgramData\HashiCorp\Terraform\plugins\x`},
			mirror: []string{`C:\ProgramData\HashiCorp\Terraform\plugins`}},
		{name: "only what exists", tool: addrs.Terraform, goos: "linux", environ: []string{"HOME=/h"},
			helpers: []string{"/h/.terraform.d/plugins", "/h/.terraform.d/plugins/linux_arm64"},
			there:   []string{"/h/.terraform.d/plugins", "/usr/share/terraform/plugins/x"}, mirror: []string{"/usr/share/terraform/plugins"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := files{}
			for _, path := range test.there {
				f[path] = ""
			}
			if test.there == nil {
				for _, dir := range test.mirror {
					f[dir+"/x"] = ""
				}
			}
			c := cliconfig.Load(test.tool, cliconfig.System{GOOS: test.goos, GOARCH: "arm64", Environ: test.environ, Files: f})
			if !slices.Equal(c.HelperDirs, test.helpers) || !slices.Equal(c.ImpliedMirrors, test.mirror) {
				t.Errorf("helpers in %q, mirrors %q; want %q, %q", c.HelperDirs, c.ImpliedMirrors, test.helpers, test.mirror)
			}
		})
	}
}
