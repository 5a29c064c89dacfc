package starlark_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bazelbuild/buildtools/build"
	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

// targets parses a BUILD file into its rules by name.
func targets(t *testing.T, text string) map[string]*build.Rule {
	t.Helper()
	file, err := build.ParseBuild("BUILD.bazel", []byte(text))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	found := map[string]*build.Rule{}
	for _, rule := range file.Rules("") {
		if rule.Name() == "" {
			continue
		}
		if found[rule.Name()] != nil {
			t.Errorf("target %s is there twice", rule.Name())
		}
		found[rule.Name()] = rule
	}
	return found
}

func hubBuild(t *testing.T, packages l, errors l, platforms ...any) string {
	t.Helper()
	return call(t, "hub_build.bzl", "hub_build", m{"packages": packages, "errors": errors, "platforms": l(platforms)}, "@@x//:rules.bzl").(string)
}

func hubPackage(host, platform, repo string, optional bool) m {
	return m{"host": host, "namespace": "acme", "type": "widget", "version": "1.4.0", "platform": platform, "repo": repo, "optional": optional}
}

func TestHubBuild(t *testing.T) {
	t.Parallel()
	text := hubBuild(t, l{
		hubPackage("a.example", "linux_amd64", "widget_1", false), hubPackage("a.example", "solaris_amd64", "widget_2", false),
		hubPackage("localhost:8443", "linux_amd64", "widget_3", false), hubPackage("localhost:8443", "solaris_amd64", "", false),
	}, l{"error_1"}, "linux_amd64", "solaris_amd64")
	rules := targets(t, text)
	for name, want := range map[string]string{
		"mirror": "alias", "mirror_tree": "tf_mirror_tree", "mirror_linux_amd64": "tf_mirror", "mirror_solaris_amd64": "tf_mirror", "is_linux_amd64": "config_setting",
		"a.example/acme/widget/1.4.0": "alias", "a.example/acme/widget/1.4.0/linux_amd64": "alias", "a.example/acme/widget/1.4.0/solaris_amd64": "alias",
		// A port cannot be in a label.
		"localhost_8443/acme/widget/1.4.0": "alias", "localhost_8443/acme/widget/1.4.0/linux_amd64": "alias",
		"localhost_8443/acme/widget/1.4.0/solaris_amd64": "tf_mirror",
	} {
		if rules[name] == nil || rules[name].Kind() != want {
			t.Errorf("%s: got %v, want %s", name, rules[name], want)
		}
	}
	if len(rules) != 11 {
		t.Errorf("%d targets:\n%s", len(rules), text)
	}
	// No constraint value, so no branch: but a target of its own.
	if strings.Contains(build.FormatString(rules["mirror"].Call), "is_solaris") {
		t.Errorf("selected by %s", build.FormatString(rules["mirror"].Call))
	}
	contains(t, build.FormatString(rules["mirror"].Call), "no_match_error", `":is_linux_amd64": ":mirror_linux_amd64"`, "Add yours to platforms")
	if diff := cmp.Diff([]string{"@widget_1//:package", "@widget_3//:package", "@error_1//:package"}, rules["mirror_linux_amd64"].AttrStrings("packages")); diff != "" {
		t.Error(diff)
	}
	// A mirror that cannot be had fetches nothing, and says what is missing.
	missing := rules["mirror_solaris_amd64"]
	if len(missing.AttrStrings("packages")) != 0 || len(missing.AttrStrings("missing")) != 1 {
		t.Errorf("got %s", build.FormatString(missing.Call))
	}
	contains(t, missing.AttrStrings("missing")[0], "localhost:8443/acme/widget 1.4.0", "solaris_amd64", "optional_platforms")

	// A build of all targets builds what there is.
	var manual []string
	for name, rule := range rules {
		if slices.Contains(rule.AttrStrings("tags"), "manual") {
			manual = append(manual, name)
		}
	}
	slices.Sort(manual)
	want := []string{"localhost_8443/acme/widget/1.4.0", "localhost_8443/acme/widget/1.4.0/solaris_amd64", "mirror_solaris_amd64", "mirror_tree"}
	if diff := cmp.Diff(want, manual); diff != "" {
		t.Errorf("manual targets -want +got:\n%s", diff)
	}
}

func TestHubWithoutSelectablePlatform(t *testing.T) {
	t.Parallel()
	rules := targets(t, hubBuild(t, l{}, l{}, "solaris_amd64"))
	if rules["mirror"].Kind() != "tf_mirror" || len(rules["mirror"].AttrStrings("missing")) != 1 {
		t.Errorf("got %s", build.FormatString(rules["mirror"].Call))
	}
}

func TestHubRepository(t *testing.T) {
	t.Parallel()
	e := (&evaluation{t: t, modules: rootTag(manifestTag()), facts: manifestFacts()}).run()
	for _, repo := range e.interpreter.Declared {
		if repo.Name != "tf_toolchains" {
			continue
		}
		ctx := fakebazel.NewRepositoryContext(repo, linux, nil)
		if err := callImplementation(e.interpreter, repo.Rule.Implementation, ctx); err != nil {
			t.Fatal(err)
		}
		if len(ctx.Downloads)+len(ctx.Fetched)+len(ctx.Watched) != 0 {
			t.Error("the hub fetches something")
		}
		rules := targets(t, ctx.Files[ctx.Dir+"/BUILD.bazel"])
		if rules["registry.terraform.io/hashicorp/random/3.1.3"] == nil || rules["mirror"] == nil {
			t.Errorf("targets %v", rules)
		}
		contains(t, ctx.Files[ctx.Dir+"/manifest.json"], "\"selected\": \"3.1.3\"", "\n  \"platforms\"")
	}
}

// Private files are closed to other repositories, but for the two that generated repositories load.
func TestVisibility(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(moduleRoot, "tf", "private", "*.bzl"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	i := fakebazel.NewInterpreter(moduleRoot)
	for _, file := range files {
		label := "//tf/private:" + filepath.Base(file)
		if _, err := i.Load(label); err != nil {
			t.Errorf("%s: %v", label, err)
			continue
		}
		want := "//tf/..."
		if label == "//tf/private:mirror.bzl" || label == "//tf/private:providers.bzl" {
			want = "public"
		}
		if got := strings.Join(i.Visibilities[label], " "); got != want {
			t.Errorf("%s: visibility %q, want %q", label, got, want)
		}
	}
}
