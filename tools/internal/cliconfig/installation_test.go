package cliconfig_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/cliconfig"
	"rules_tf_mirror/tools/internal/problem"
)

// describe prints methods on one line.
func describe(methods []cliconfig.Method) string {
	var out []string
	for _, m := range methods {
		text := string(m.Kind) + " " + m.Path + m.RepositoryTemplate
		if m.URL != nil {
			text += m.URL.String()
		}
		if m.DownloadRetryCount != nil {
			text += fmt.Sprintf(" retry=%d", *m.DownloadRetryCount)
		}
		if m.TrustAllHashes {
			text += " trust"
		}
		for _, p := range m.Include {
			text += " +" + p.String()
		}
		for _, p := range m.Exclude {
			text += " -" + p.String()
		}
		out = append(out, strings.TrimSpace(strings.ReplaceAll(text, "  ", " ")))
	}
	return strings.TrimSpace(strings.Join(out, "; "))
}

// TestInstallation is R-CLI-11..13, 17 and 18: what is used, what is reported, and where.
func TestInstallation(t *testing.T) {
	t.Parallel()
	const none = "(no block)"
	block := func(body string) string { return "provider_installation {\n" + body + "\n}" }
	for _, test := range []struct {
		name, text string
		tofu       bool
		want       string
		errors     []string // after file:
		warnings   []string
	}{
		{name: "no block", want: none},
		{name: "R-CLI-18 empty block", text: block("")},
		{name: "all, in order", text: block("filesystem_mirror { path = \"~/m\" }\nnetwork_mirror {\n url = \"https://m.example/x\"\n include = [\"acme/*\"]\n}\ndirect { exclude = [\"h.example/acme/*\", \"*/*/*\"] }"),
			want: "filesystem_mirror ~/m; network_mirror https://m.example/x +registry.terraform.io/acme/*; direct -h.example/acme/* -*/*/*"},
		{name: "twice the same method", text: block("direct {}\ndirect {}"), want: "direct; direct"},
		{name: "R-CLI-14 tofu's own host", tofu: true, text: block("direct { include = [\"*/*\"] }"), want: "direct +registry.opentofu.org/*/*"},
		{name: "R-CLI-11 equals sign", text: "provider_installation = {\n direct {}\n}", want: none, errors: []string{"1: provider_installation is a block"}},
		{name: "R-CLI-11 label", text: "provider_installation \"x\" {\n direct {}\n}", want: "direct", errors: []string{"1: provider_installation must have no label: remove \"x\""}},
		{name: "R-CLI-11 labelled method is used", text: block("direct \"x\" {}"), want: "direct", errors: []string{"2: direct: a method must have no label"}},
		{name: "R-CLI-11 assigned method", text: block("direct = {}\nfilesystem_mirror { path = \"/m\" }"), want: "filesystem_mirror /m", errors: []string{"2: direct: a method is a block"}},
		{name: "R-CLI-11 unknown method", text: block("direct {}\nmirror {}"), want: "direct", errors: []string{"3: mirror: terraform has no such installation method"}},
		{name: "unknown method %s", text: block("\"%d\" {}"), errors: []string{"2: %d: terraform has no such"}},
		{name: "R-CLI-17 no path", text: block("filesystem_mirror {}\ndirect {}"), want: "direct", errors: []string{"2: filesystem_mirror: it needs the directory"}},
		{name: "R-CLI-17 no url", text: block("network_mirror {}\ndirect {}"), want: "direct", errors: []string{"2: network_mirror: it needs an https address"}},
		{name: "R-CLI-17 http", text: block("network_mirror { url = \"http://u:s3cret@m.example/\" }"), errors: []string{"2: network_mirror: it needs an https address"}},
		{name: "R-CLI-17 no host", text: block("network_mirror { url = \"https:///x\" }"), errors: []string{"2: network_mirror: it needs an https address"}},
		{name: "R-CLI-17 no URL", text: block("network_mirror { url = \"https://[::1\" }"), errors: []string{"2: network_mirror: it needs an https address"}},
		{name: "R-CLI-17 bad pattern", text: block("direct { include = [\"aws\", \"acme/aws*\"] }\nfilesystem_mirror { path = \"/m\" }"), want: "filesystem_mirror /m",
			errors: []string{"2: direct: include pattern \"aws\": it must have two or three parts", "2: direct: include pattern \"acme/aws*\": the type \"aws*\""}},
		{name: "bad type", text: block("direct { include = \"acme/*\" }"), errors: []string{"2: direct: a setting has a value of the wrong type"}},
		{name: "misspelled setting", text: block("direct {\n  exlude = [\"acme/*\"]\n}"), want: "direct", warnings: []string{"3: direct: terraform ignores the setting \"exlude\""}},
		{name: "misspelled block", text: "Provider_Installation {}", want: none, warnings: []string{"1: Provider_Installation is ignored"}},
		{name: "R-CLI-7 two blocks", text: block("direct {}") + "\n" + block("filesystem_mirror { path = \"/m\" }"), want: "direct", errors: []string{"4: only one provider_installation block may be there"}},
		{name: "OpenTofu's settings", tofu: true, text: block("direct { download_retry_count = 4 }\nnetwork_mirror {\n url = \"https://m/\"\n trust_all_hashes = true\n}\noci_mirror { repository_template = \"r/${type}\" }"),
			want: "direct retry=4; network_mirror https://m/ trust; oci_mirror r/${type}"},
		{name: "OpenTofu's settings for terraform", text: block("direct { download_retry_count = 4 }\noci_mirror { repository_template = \"r\" }"), want: "direct",
			warnings: []string{"2: direct: terraform ignores the setting"}, errors: []string{"3: oci_mirror: terraform has no such installation method"}},
		{name: "OCI mirror without template", tofu: true, text: block("oci_mirror {}"), errors: []string{"2: oci_mirror: it needs the repositories"}},

		{name: "R-CLI-12 JSON", text: "{\"provider_installation\": {\n\"filesystem_mirror\": [{\"path\": \"/m\", \"exclude\": [\"acme/*\"]}],\n\"direct\": [{}]}}",
			want: "filesystem_mirror /m -registry.terraform.io/acme/*; direct"},
		{name: "R-CLI-12 JSON array order", text: `{"provider_installation": {"filesystem_mirror": [{"path": "/1"}, {"path": "/2"}], "direct": [{}]}}`, want: "filesystem_mirror /1; filesystem_mirror /2; direct"},
		{name: "R-CLI-12 JSON line", text: "{\"provider_installation\": {\n\"filesystem_mirror\": [{\"path\": \"/m\"},\n{\"path\": \"\"}],\n\"direct\": [{\"include\": [\"x\"]}]}}",
			want: "filesystem_mirror /m", errors: []string{"2: filesystem_mirror: it needs the directory", "4: direct: include pattern"}},
		{name: "R-CLI-12 JSON objects leave nothing", text: "{\n\"provider_installation\": {\"direct\": {}}}", errors: []string{"2: the methods of provider_installation are read as nothing"}},
		{name: "R-CLI-12 JSON objects with settings", text: "{\n\"provider_installation\": {\"filesystem_mirror\": {\"path\": \"/m\"}, \"direct\": {}}}",
			errors: []string{"2: the methods of provider_installation are read as nothing", "2: the methods of provider_installation are read as nothing"}},
		{name: "R-CLI-12 JSON empty array", text: `{"provider_installation": {"direct": []}}`, errors: []string{"1: direct: write each method as an array of objects"}},
		{name: "R-CLI-12 JSON string", text: `{"provider_installation": "direct"}`, want: none, errors: []string{"1: provider_installation must be an object"}},
		{name: "R-CLI-12 JSON mixed", text: `{"provider_installation": {"direct": {}, "filesystem_mirror": [{"path": "/m"}]}}`, want: "direct; filesystem_mirror /m"},
		{name: "JSON, nothing in it", text: `{"provider_installation": {}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			at, read := rc, load
			if test.tofu {
				at, read = "/home/u/.tofurc", loadTofu
			}
			c := read(test.text)
			got := none
			if c.Installation != nil {
				got = describe(c.Installation.Methods)
			}
			if got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
			prefix := func(texts []string) []string {
				var out []string
				for _, text := range texts {
					out = append(out, at+":"+text)
				}
				return out
			}
			wantProblems(t, "errors", c.Errors, prefix(test.errors)...)
			wantProblems(t, "warnings", c.Warnings, prefix(test.warnings)...)
			if strings.Contains(fmt.Sprint(texts(c.Errors)), "s3cret") {
				t.Errorf("an error shows a password: %q", texts(c.Errors))
			}
			// A block that is not followed must not stop anybody (design 3.3: installation "direct").
			if err := c.Err("h.example", false); err != nil {
				t.Errorf("the error counts without the block: %v", err)
			}
			if err := c.Err("h.example", true); (err != nil) != (test.errors != nil) || err != nil && problem.KindOf(err) != problem.Config {
				t.Errorf("Err = %v, want an error: %t", err, test.errors != nil)
			}
		})
	}
}

// TestDevOverrides: reported, not used; so defects are warnings (R-CLI-13, R-DEV-2).
func TestDevOverrides(t *testing.T) {
	t.Parallel()
	const text = "provider_installation {\n dev_overrides {\n  \"acme/widget\" = \"$BASE/w/\"\n  \"h.example/a/b\" = \"/b\"\n  bad-one = \"$NONE\"\n  \"a/b/c/d\" = \"/x\"\n }\n direct {}\n}"
	f := files{rc: text, "/home/u/.tofurc": text}
	c := cliconfig.Load(addrs.Terraform, linux(f, "BASE=/base"))
	wantProblems(t, "errors", c.Errors)
	wantProblems(t, "warnings", c.Warnings, rc+":2: dev_overrides: the directory of bad-one names the variable NONE, which is not set", rc+`:2: dev_overrides: source "a/b/c/d"`)
	overrides := c.Installation.DevOverrides
	if overrides[mustProvider(t, "acme/widget", addrs.Terraform)] != "/base/w" || overrides[mustProvider(t, "h.example/a/b", addrs.Terraform)] != "/b" || len(overrides) != 3 {
		t.Errorf("dev_overrides %v", overrides)
	}
	if got := describe(c.Installation.Methods); got != "direct" {
		t.Errorf("methods %q", got)
	}
	c = cliconfig.Load(addrs.OpenTofu, linux(f, "BASE=/base")) // OpenTofu expands nothing
	if got := c.Installation.DevOverrides[mustProvider(t, "acme/widget", addrs.OpenTofu)]; got != "$BASE/w" {
		t.Errorf("tofu: %q", got)
	}
	c = load(`{"provider_installation": {"dev_overrides": [{"acme/widget": "/w"}], "direct": [{}]}}`)
	if got := c.Installation.DevOverrides[mustProvider(t, "acme/widget", addrs.Terraform)]; got != "/w" || len(c.Errors)+len(c.Warnings) != 0 {
		t.Errorf("JSON: %q, %q, %q", got, texts(c.Errors), texts(c.Warnings))
	}
	wantProblems(t, "not first", load("provider_installation {\n direct {}\n dev_overrides {}\n}").Warnings, rc+":3: dev_overrides: it does not count behind other methods")
	wantProblems(t, "bad value", load("provider_installation {\n dev_overrides {\n \"a/b\" = [1]\n}\n}").Warnings, rc+":2: dev_overrides: an entry must have the form")
}

// TestPattern is R-CLI-14, R-CLI-15 and R-CLI-16.
func TestPattern(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern          string
		tool             addrs.Tool
		want             string // empty: refused
		matches, differs []string
	}{
		{pattern: "acme/widget", want: "registry.terraform.io/acme/widget", matches: []string{"acme/widget"}, differs: []string{"acme/other", "h.example/acme/widget"}},
		{pattern: "*/*", want: "registry.terraform.io/*/*", matches: []string{"acme/widget", "aws"}, differs: []string{"h.example/acme/widget"}},
		{pattern: "*/*", tool: addrs.OpenTofu, want: "registry.opentofu.org/*/*", matches: []string{"acme/widget"}, differs: []string{"registry.terraform.io/acme/widget"}},
		{pattern: "Acme/*", want: "registry.terraform.io/acme/*", matches: []string{"acme/widget"}, differs: []string{"acme2/widget"}},
		{pattern: "H.Example:0443/*/*", want: "h.example/*/*", matches: []string{"h.example/a/b"}, differs: []string{"h.example:8443/a/b", "a/b"}},
		{pattern: "bücher.example/a/*", want: "xn--bcher-kva.example/a/*", matches: []string{"bücher.example/a/b"}, differs: []string{"bücher.example/b/b"}},
		{pattern: "*/*/*", want: "*/*/*", matches: []string{"a/b", "h.example/a/b"}},
		{pattern: "h.example/a/b", want: "h.example/a/b", matches: []string{"h.example/a/b"}, differs: []string{"h.example/a/c", "h.example/b/b"}},
		{pattern: "terraform.io/builtin/*", want: "terraform.io/builtin/*"},
		{pattern: "aws"}, {pattern: "*"}, {pattern: ""}, {pattern: "a/b/c/d"}, {pattern: "a//b"}, {pattern: "/b"}, {pattern: "a/"},
		{pattern: "aws*/x"}, {pattern: "a/aws*"}, {pattern: "*.example/a/b"}, {pattern: "*/a"}, {pattern: "*/a/*"}, {pattern: "*/*/b"}, {pattern: "*/a/b"},
		{pattern: "h.example/*/b"}, {pattern: "a_b/c_d"}, {pattern: "xn--bcher-kva.example/a/b"}, {pattern: "h:x/a/b"}, {pattern: "a/b?"},
	} {
		tool := test.tool
		if tool == "" {
			tool = addrs.Terraform
		}
		p, err := cliconfig.ParsePattern(test.pattern, tool)
		if (err == nil) != (test.want != "") || err == nil && p.String() != test.want {
			t.Errorf("ParsePattern(%q, %s) = %q, %v; want %q", test.pattern, tool, p, err, test.want)
		}
		for _, source := range test.matches {
			if !p.Matches(mustProvider(t, source, tool)) {
				t.Errorf("%q does not match %s", test.pattern, source)
			}
		}
		for _, source := range test.differs {
			if p.Matches(mustProvider(t, source, tool)) {
				t.Errorf("%q matches %s", test.pattern, source)
			}
		}
	}
}

// TestAdmits is R-CLI-16 and the order of R-CLI-23; B17: with a mirror alone, nothing else is a source.
func TestAdmits(t *testing.T) {
	t.Parallel()
	c := load("provider_installation {\n filesystem_mirror {\n path = \"/m\"\n include = [\"h.example/*/*\"]\n }\n" +
		" network_mirror {\n url = \"https://m/\"\n include = []\n exclude = [\"acme/*\"]\n }\n direct {\n include = [\"acme/*\"]\n exclude = [\"acme/secret\"]\n }\n}")
	for source, want := range map[string]string{
		"h.example/a/b": "filesystem_mirror,network_mirror", "acme/widget": "direct", "acme/secret": "", "aws": "network_mirror",
	} {
		var got []string
		for _, m := range c.Installation.For(mustProvider(t, source, addrs.Terraform)) {
			got = append(got, string(m.Kind))
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s: found %q, want %q", source, got, want)
		}
	}
}

// TestImplied is R-CLI-19 and R-CLI-20: one stray package hides the registry for its provider.
func TestImplied(t *testing.T) {
	t.Parallel()
	c := cliconfig.Load(addrs.Terraform, linux(files{"terraform.d/plugins/x": "", "/home/u/.terraform.d/plugins/x": ""}))
	held, other := mustProvider(t, "acme/widget", addrs.Terraform), mustProvider(t, "acme/other", addrs.Terraform)
	methods := c.Implied([]addrs.Provider{held})
	if got, want := describe(methods), "filesystem_mirror terraform.d/plugins; filesystem_mirror /home/u/.terraform.d/plugins; direct -registry.terraform.io/acme/widget"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	direct := methods[len(methods)-1]
	if direct.Admits(held) || !direct.Admits(other) || !methods[0].Admits(held) || !methods[0].Admits(other) {
		t.Error("the wrong methods admit")
	}
	if got := describe(load("").Implied(nil)); got != "direct" {
		t.Errorf("without mirrors: %q", got)
	}
	if !slices.Equal(c.ImpliedMirrors, []string{"terraform.d/plugins", "/home/u/.terraform.d/plugins"}) {
		t.Errorf("mirrors %q", c.ImpliedMirrors)
	}
}
