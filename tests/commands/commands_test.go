// Package commands runs tfmirror as users do, by scripts against the fixture registry (`testdata/script/*.txtar`) and together with the
// real terraform.
//
// Each script has a registry of its own, with acme/widget 1.4.0 and 1.5.0 on registry.acme.dev for linux_amd64 and darwin_arm64, and these
// commands beside testscript's:
//
//	request FILE PLATFORMS SOURCE[:VERSION]...   writes a request; platforms are separated by commas
//	requests ENDPOINT N                          checks the number of requests to an endpoint, and forgets all
//	fault HOST ENDPOINT STATUS                   makes a host answer so; status 0 ends it
//	wrongzip VERSION PLATFORM                    serves other bytes than hashed
//	exits CODE COMMAND...                        runs a command that must end with this exit code
package commands

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"rules_tf_mirror/tests/registry"
)

// binaries is the folder of the tfmirror under test.
var binaries string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "commands-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binaries = dir
	build := exec.Command("go", "build", "-o", dir, "rules_tf_mirror/tools/tfmirror")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

const (
	host   = "registry.acme.dev"
	widget = host + "/acme/widget"
)

type registryKey struct{}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			// Not in WorkDir: testscript lists and compares what is there.
			dir, err := os.MkdirTemp("", "registry-")
			if err != nil {
				return err
			}
			reg, err := registry.New(registry.Options{Dir: dir})
			if err != nil {
				return errors.Join(err, os.RemoveAll(dir))
			}
			env.Defer(func() { reg.Close(); _ = os.RemoveAll(dir) })
			for _, version := range []string{"1.4.0", "1.5.0"} {
				reg.Host(host).Provider("acme/widget").Version(version, registry.Platforms("linux_amd64", "darwin_arm64"))
			}
			env.Values[registryKey{}] = reg
			env.Vars = append(env.Vars, reg.Env()...)
			env.Setenv("PATH", binaries+string(os.PathListSeparator)+env.Getenv("PATH"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"request": request, "requests": requests, "fault": fault, "wrongzip": wrongZip, "exits": exits,
		},
	})
}

func registryOf(ts *testscript.TestScript) *registry.Registry {
	return ts.Value(registryKey{}).(*registry.Registry)
}

func request(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: request FILE PLATFORMS SOURCE[:VERSION]...")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), requestJSON(strings.Split(args[1], ","), args[2:]...), 0o644))
}

// requestJSON returns a request for entries written source or source:version.
func requestJSON(platforms []string, entries ...string) []byte {
	providers := []map[string]string{}
	for _, entry := range entries {
		provider := map[string]string{"source": entry}
		if i := strings.LastIndex(entry, ":"); i > strings.LastIndex(entry, "/") {
			provider = map[string]string{"source": entry[:i], "version": entry[i+1:]}
		}
		providers = append(providers, provider)
	}
	data, err := json.Marshal(map[string]any{"schema": 1, "tool": "terraform", "platforms": platforms, "providers": providers})
	if err != nil {
		panic(err) // maps of strings always encode
	}
	return data
}

func requests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: requests ENDPOINT N")
	}
	reg := registryOf(ts)
	if got := reg.Count(registry.Filter{Endpoint: args[0]}); strconv.Itoa(got) != args[1] {
		ts.Fatalf("%d requests to %s, want %s", got, args[0], args[1])
	}
	reg.Reset()
}

func fault(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fault HOST ENDPOINT STATUS")
	}
	status, err := strconv.Atoi(args[2])
	ts.Check(err)
	if status == 0 {
		registryOf(ts).Host(args[0]).Recover()
		return
	}
	registryOf(ts).Host(args[0]).Fail(args[1], registry.Fault{Status: status})
}

func wrongZip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: wrongzip VERSION PLATFORM")
	}
	registryOf(ts).Host(host).Provider("acme/widget").Version(args[0], nil).LieAbout(args[1], registry.Lie{WrongZip: true})
}

// exits leaves the output for the script's stdout and stderr commands.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}
