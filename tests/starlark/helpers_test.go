// Package starlark_test tests the module's .bzl files without Bazel.
package starlark_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.starlark.net/starlark"
	"rules_tf_mirror/tests/starlark/fakebazel"
)

const (
	moduleRoot    = "../.."
	extensionFile = "//tf:extensions.bzl"
	extensionID   = "@@rules_tf_mirror+//tf:extensions.bzl%tf_repositories"
	helperLabel   = "@@rules_tf_mirror++tfmirror_helper+tfmirror_host//:tfmirror"
	helperFile    = "/output_base/external/tfmirror_host/tfmirror"
	lockfile      = "/ws/MODULE.bazel.lock"
)

var (
	linux   = fakebazel.Host{Name: "linux", Arch: "amd64"}
	mac     = fakebazel.Host{Name: "mac os x", Arch: "aarch64"}
	windows = fakebazel.Host{Name: "windows 11", Arch: "amd64"}
)

type (
	m = map[string]any
	l = []any
)

func sha(digit string) string { return strings.Repeat(digit, 64) }

// call calls a function of a file below //tf/private and returns its result as Go values.
func call(t *testing.T, file, function string, args ...any) any {
	t.Helper()
	value, err := fakebazel.NewInterpreter(moduleRoot).Call("//tf/private:"+file, function, args...)
	if err != nil {
		t.Fatal(err)
	}
	return fakebazel.ToGo(value)
}

// pair splits the result of a function that returns a value and an error text.
func pair(t *testing.T, result any) (value any, problem string) {
	t.Helper()
	both := result.([]any)
	if (both[0] == nil) == (both[1] == nil) {
		t.Fatalf("value and error: %v", both)
	}
	if both[1] != nil {
		return nil, both[1].(string)
	}
	return both[0], ""
}

// rootTag is the root module with one tag.
func rootTag(tag m) []fakebazel.Module {
	return []fakebazel.Module{{Name: "ws", Root: true, Tags: map[string][]map[string]any{"download": {tag}}}}
}

// evaluation is one evaluation of the extension.
type evaluation struct {
	t        *testing.T
	modules  []fakebazel.Module
	facts    map[string]any // nil: the lockfile has none of this extension
	noFacts  bool           // a Bazel without facts
	noMarker bool           // the output base does not say where its workspace is
	host     fakebazel.Host
	files    fakebazel.Files
	labels   map[string]string
	// helper answers requests; nil: the helper must not be started.
	helper func(request m) m

	interpreter *fakebazel.Interpreter
	ctx         *fakebazel.ModuleContext
	requests    []m
}

// run evaluates, and fails the test if that fails.
func (e *evaluation) run() *evaluation {
	e.t.Helper()
	if err := e.try(); err != nil {
		e.t.Fatal(err)
	}
	return e
}

// try evaluates and returns what the extension fails with.
func (e *evaluation) try() error {
	e.t.Helper()
	e.interpreter = fakebazel.NewInterpreter(moduleRoot)
	globals, err := e.interpreter.Load(extensionFile)
	if err != nil {
		return err
	}
	extension := globals["tf_repositories"].(*fakebazel.Definition)
	var facts *fakebazel.Facts
	if !e.noFacts {
		facts = fakebazel.NewFacts(e.facts)
	}
	if e.host.Name == "" {
		e.host = linux
	}
	e.ctx, err = fakebazel.NewModuleContext(extension, e.modules, facts, e.host)
	if err != nil {
		return err
	}
	if !e.noMarker {
		e.ctx.Files["/output_base/DO_NOT_BUILD_HERE"] = "/ws\n"
	}
	if e.facts != nil {
		text, err := json.Marshal(m{"facts": m{extensionID: e.facts}})
		if err != nil {
			return err
		}
		e.ctx.Files[lockfile] = string(text)
	}
	for name, content := range e.files {
		e.ctx.Files[name] = content
	}
	for label, name := range e.labels {
		e.ctx.Labels[label] = name
	}
	if e.helper != nil {
		e.ctx.Labels[helperLabel] = helperFile
		e.ctx.Exec = e.exec
	}
	_, err = starlark.Call(e.interpreter.Thread(), extension.Implementation(), starlark.Tuple{e.ctx}, nil)
	return err
}

// exec plays `tfmirror resolve`.
func (e *evaluation) exec(argv []string, _ map[string]any) fakebazel.ExecResult {
	wanted := []string{helperFile, "resolve", "--request", "request.json", "--response", "response.json"}
	if fmt.Sprint(argv) != fmt.Sprint(wanted) {
		return fakebazel.ExecResult{Code: 2, Stderr: fmt.Sprintf("got %v, want %v", argv, wanted)}
	}
	var request m
	if err := json.Unmarshal([]byte(e.ctx.Files[e.ctx.Dir+"/request.json"]), &request); err != nil {
		return fakebazel.ExecResult{Code: 2, Stderr: err.Error()}
	}
	e.requests = append(e.requests, request)
	response, err := json.Marshal(e.helper(request))
	if err != nil {
		return fakebazel.ExecResult{Code: 2, Stderr: err.Error()}
	}
	e.ctx.Files[e.ctx.Dir+"/response.json"] = string(response)
	return fakebazel.ExecResult{}
}

// newFacts are the facts that the evaluation returned.
func (e *evaluation) newFacts() map[string]any {
	facts, _ := e.ctx.Metadata["facts"].(map[string]any)
	return facts
}

// packages are the attributes of the package repositories by "<type> <version> <platform>".
func (e *evaluation) packages() map[string]map[string]any {
	found := map[string]map[string]any{}
	for _, repo := range e.interpreter.Declared {
		if _, ok := repo.Attrs["sha256"]; ok || repo.Attrs["version"] != nil {
			found[fmt.Sprintf("%s %s %s", repo.Attrs["type"], repo.Attrs["version"], repo.Attrs["platform"])] = repo.Attrs
		}
	}
	return found
}

// hub is the description that the hub was declared with.
func (e *evaluation) hub() m {
	e.t.Helper()
	for _, repo := range e.interpreter.Declared {
		if repo.Name == "tf_toolchains" {
			var description m
			if err := json.Unmarshal([]byte(repo.Attrs["description"].(string)), &description); err != nil {
				e.t.Fatal(err)
			}
			return description
		}
	}
	e.t.Fatal("the hub is not declared")
	return nil
}

func contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, part := range wanted {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

// packageFact is a well-formed fact of hashicorp/<type> on the default host.
func packageFact(providerType, version, platform, digit string) (string, map[string]any) {
	name := fmt.Sprintf("terraform-provider-%s_%s_%s.zip", providerType, version, platform)
	return fmt.Sprintf("package/registry.terraform.io/hashicorp/%s/%s/%s", providerType, version, platform), map[string]any{
		"download_url": "https://releases.example/" + name,
		"filename":     name,
		"sha256":       sha(digit),
	}
}
