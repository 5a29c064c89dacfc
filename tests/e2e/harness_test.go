package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tests/workspace"
)

// The platforms that are resolved when a tag names none.
var defaultPlatforms = registry.Platforms("darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64")

const (
	terraformHost = "registry.terraform.io"
	acmeHost      = "registry.acme.dev"
	extensionName = "//tf:extensions.bzl%tf_repositories"
)

// project is one workspace, the registry it uses and the folder that holds both.
type project struct {
	t       *testing.T
	reg     *registry.Registry
	ws      *workspace.Workspace
	scratch string
}

// newProject makes a workspace with the module text and an empty root BUILD file. The registry has the hosts of stock.
func newProject(t *testing.T, module workspace.Module) *project {
	t.Helper()
	bazel := testtools.RequireBazel(t)
	reg := registry.Start(t)
	stock(reg)
	scratch := t.TempDir()
	p := &project{t: t, reg: reg, scratch: scratch}
	p.ws = &workspace.Workspace{
		Bazel:           bazel,
		Dir:             filepath.Join(scratch, "ws"),
		RepositoryCache: filepath.Join(scratch, "repository_cache"),
		Env:             environment(scratch),
		Startup:         []string{"--host_jvm_args=-Xmx1g"},
	}
	if err := p.ws.Connect(reg); err != nil {
		t.Fatal(err)
	}
	if module.Source == "" {
		module.Source = moduleDir
	}
	p.write("MODULE.bazel", module.String())
	p.write("BUILD.bazel", "")
	p.newOutputBase("first")
	return p
}

// stock fills the registry with what most tests use: hashicorp/random at three versions, hashicorp/null, and acme/widget on a host of its own
// that has to be discovered.
func stock(reg *registry.Registry) {
	tf := reg.Host(terraformHost)
	for _, version := range []string{"3.1.0", "3.1.3", "3.3.2"} {
		tf.Provider("hashicorp/random").Version(version, defaultPlatforms)
	}
	tf.Provider("hashicorp/null").Version("3.2.1", defaultPlatforms)
	reg.Host(acmeHost).Provider("acme/widget").Version("1.4.0", defaultPlatforms)
}

// environment is what Bazel and the tools get besides the registry's variables.
func environment(scratch string) []string {
	env := append([]string{"HOME=" + filepath.Join(scratch, "home"), "PATH=" + os.Getenv("PATH")}, goEnv...)
	for _, name := range []string{"BAZEL_OFFLINE_FACTS", "BAZEL_OFFLINE_JAVABASE", "JAVA_HOME", "TMPDIR", "USE_BAZEL_VERSION", "BAZELISK_HOME"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// setDown makes every host of stock dead, those that serve its packages too, or alive again.
func (p *project) setDown(down bool) {
	for _, host := range []string{terraformHost, acmeHost} {
		p.reg.Host(host).SetDown(down)
		p.reg.Host("releases." + host).SetDown(down)
	}
}

// setEnv adds a variable to the environment of the following commands.
func (p *project) setEnv(assignment string) { p.ws.Env = append(p.ws.Env, assignment) }

// newOutputBase continues with a new server and an empty output base.
func (p *project) newOutputBase(name string) {
	p.t.Helper()
	if p.ws.OutputBase != "" {
		p.shutdown()
	}
	dir := filepath.Join(p.scratch, "output_base_"+name)
	p.ws.OutputBase = dir
	p.t.Cleanup(func() {
		other := p.ws.WithOutputBase(dir)
		if _, err := os.Stat(dir); err == nil {
			_ = other.Shutdown(context.Background())
		}
		if err := workspace.RemoveAll(dir); err != nil {
			p.t.Errorf("removing the output base: %v", err)
		}
	})
}

func (p *project) shutdown() {
	p.t.Helper()
	if err := p.ws.Shutdown(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) write(name, text string) {
	p.t.Helper()
	if err := p.ws.Write(name, text); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) read(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(p.ws.Path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// replace substitutes text in a file of the workspace; not finding it fails the test.
func (p *project) replace(name, old, new string) {
	p.t.Helper()
	text := p.read(name)
	if !strings.Contains(text, old) {
		p.t.Fatalf("%s does not contain %q:\n%s", name, old, text)
	}
	p.write(name, strings.ReplaceAll(text, old, new))
}

// bazel runs a command and returns what it left.
func (p *project) bazel(command string, args ...string) workspace.Result {
	p.t.Helper()
	result, err := p.ws.Run(p.t.Context(), command, args...)
	if err != nil {
		p.t.Fatal(err)
	}
	// Bazel is told not to use colours, so an escape is foreign text that nobody has cleaned.
	if strings.Contains(result.Stdout+result.Stderr, "\x1b") {
		p.t.Errorf("a terminal escape is printed: %q", result.Stdout+result.Stderr)
	}
	return result
}

// pass runs a command that must succeed.
func (p *project) pass(command string, args ...string) workspace.Result {
	p.t.Helper()
	result := p.bazel(command, args...)
	if result.ExitCode != 0 {
		p.t.Fatalf("want exit code 0: %s", result)
	}
	return result
}

// fail runs a command that must fail and print all of the texts.
func (p *project) fail(texts []string, command string, args ...string) workspace.Result {
	p.t.Helper()
	result := p.bazel(command, args...)
	if result.ExitCode == 0 {
		p.t.Fatalf("want a failure: %s", result)
	}
	for _, text := range texts {
		if !strings.Contains(result.Stderr, text) {
			p.t.Errorf("the error does not contain %q: %s", text, result)
		}
	}
	return result
}

// lockfile returns the lockfile's bytes.
func (p *project) lockfile() string { p.t.Helper(); return p.read("MODULE.bazel.lock") }

// facts returns the facts of the extension in the workspace's lockfile.
func (p *project) facts() map[string]map[string]any {
	p.t.Helper()
	var lock struct {
		Facts map[string]map[string]map[string]any `json:"facts"`
	}
	if err := json.Unmarshal([]byte(p.lockfile()), &lock); err != nil {
		p.t.Fatal(err)
	}
	for id, facts := range lock.Facts {
		if strings.HasSuffix(id, extensionName) {
			return facts
		}
	}
	return nil
}

// wantRequests compares the number of requests, by endpoint, and starts a new count. Endpoints that are not named must have none.
func (p *project) wantRequests(want map[string]int) {
	p.t.Helper()
	got := map[string]int{}
	for _, request := range p.reg.Requests() {
		if request.Endpoint != registry.EndpointConnect {
			got[request.Endpoint]++
		}
	}
	for endpoint := range got {
		if _, ok := want[endpoint]; !ok {
			want[endpoint] = 0
		}
	}
	for endpoint, n := range want {
		if got[endpoint] != n {
			p.t.Errorf("%d requests to %s, want %d; all: %v", got[endpoint], endpoint, n, got)
		}
	}
	p.reg.Reset()
}

// wantSilence fails if anything at all reached the proxy or the registry, and starts a new count.
func (p *project) wantSilence() {
	p.t.Helper()
	for _, request := range p.reg.Requests() {
		p.t.Errorf("a request, want none: %s %s%s (%s)", request.Method, request.Host, request.Path, request.Endpoint)
	}
	p.reg.Reset()
}

// external returns the folders of fetched repositories whose canonical name contains the text.
func (p *project) external(text string) []string {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.ws.OutputBase, "external", "*"+text+"*"))
	if err != nil {
		p.t.Fatal(err)
	}
	var dirs []string
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			dirs = append(dirs, path)
		}
	}
	return dirs
}

// helperBuilt tells whether the output base has the repository of the helper.
func (p *project) helperBuilt() bool { p.t.Helper(); return len(p.external("tfmirror_host")) > 0 }
