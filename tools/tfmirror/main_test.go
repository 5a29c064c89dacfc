package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"rules_tf_mirror/tests/registry"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tfmirror": main})
}

// TestScripts runs the command as a process of its own against the fixture registry. Besides testscript's own commands there are:
//
//	code N tfmirror ARG…    runs and wants exit code N; standard input is the file `stdin` if it is there
//	signal NAME N ARG…      runs tfmirror, sends the signal when the first request is at the registry, and wants exit code N
//	connections N HOST      wants N connections to the host (through the proxy) so far
//	requests N              wants N requests at the registry so far, connections not counted
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			r, err := registry.New(registry.Options{Dir: env.WorkDir})
			if err != nil {
				return err
			}
			env.Defer(r.Close)
			r.Host("registry.terraform.io").Provider("hashicorp/random").Version("3.1.3", registry.Platforms("linux_amd64", "darwin_arm64"))
			private := r.Host("private.acme.dev").RequireToken("s3cret-token-value")
			private.Provider("acme/widget").Version("1.4.0", registry.Platforms("linux_amd64"))
			hanging := r.Host("hanging.acme.dev")
			hanging.Provider("acme/widget").Version("1.4.0", registry.Platforms("linux_amd64"))
			hanging.Fail("", registry.Fault{Hang: true})
			r.Host("broken.acme.dev").Provider("acme/widget").Fail(registry.EndpointVersions, registry.Fault{Status: 503, RetryAfter: "0"})
			env.Vars = append(env.Vars, r.Env()...)
			env.Values["registry"] = r
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code": codeCommand, "signal": signalCommand, "requests": requestsCommand, "connections": connectionsCommand,
		},
		RequireExplicitExec: true,
	})
}

func fixture(ts *testscript.TestScript) *registry.Registry {
	return ts.Value("registry").(*registry.Registry)
}

// process prepares a tfmirror process in the script's folder and environment.
func process(ts *testscript.TestScript, args []string) *exec.Cmd {
	var path string
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		for _, name := range []string{"tfmirror", "tfmirror.exe"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil && path == "" {
				path = filepath.Join(dir, name)
			}
		}
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append([]string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.MkAbs(".")}, fixture(ts).Env()...)
	for _, name := range []string{"TF_TOKEN_private_acme_dev", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "NO_PROXY", "no_proxy",
		"TF_REGISTRY_CLIENT_TIMEOUT", "TF_REGISTRY_DISCOVERY_RETRY"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	if input, err := os.Open(ts.MkAbs("stdin")); err == nil {
		ts.Defer(func() { input.Close() })
		cmd.Stdin = input
	}
	return cmd
}

func codeCommand(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	cmd := process(ts, args[2:])
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	ts.Check(os.WriteFile(ts.MkAbs("out"), []byte(stdout.String()), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("err"), []byte(stderr.String()), 0o644))
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit code %d, want %d\nstderr: %s", got, want, stderr.String())
	}
}

func signalCommand(ts *testscript.TestScript, _ bool, args []string) {
	number := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT}[args[0]]
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	cmd := process(ts, args[2:])
	before := fixture(ts).Count(registry.Filter{NotEndpoint: registry.EndpointConnect})
	ts.Check(cmd.Start())
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ts.Check(fixture(ts).WaitCount(ctx, registry.Filter{NotEndpoint: registry.EndpointConnect}, before+1))
	ts.Check(cmd.Process.Signal(number))
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func requestsCommand(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := fixture(ts).Count(registry.Filter{NotEndpoint: registry.EndpointConnect}); got != want {
		ts.Fatalf("%d requests, want %d", got, want)
	}
}

func connectionsCommand(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := fixture(ts).Count(registry.Filter{Endpoint: registry.EndpointConnect, Path: args[1] + ":443"}); got != want {
		ts.Fatalf("%d connections to %s, want %d", got, args[1], want)
	}
}
