package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"rules_tf_mirror/tests/registry"
)

// TestLockScripts runs `tfmirror lock` as a process of its own. Beside the commands of TestScripts there are:
//
//	fill FILE…       puts the fingerprint of the registry's key in the place of FINGERPRINT, and of another key in that of OTHERKEY
//	release VERSION  publishes a version of acme/widget, signed by the registry's key
//	resign VERSION   publishes a version of acme/widget that is signed by the other key
//	break ENDPOINT STATUS  answers so from now on; status 0 ends that
func TestLockScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/lock",
		Setup: func(env *testscript.Env) error {
			r, err := registry.New(registry.Options{Dir: env.WorkDir})
			if err != nil {
				return err
			}
			env.Defer(r.Close)
			r.Host("registry.acme.dev").Provider("acme/widget").Version("1.4.0", widgetPlatforms).Manifest()
			env.Values["registry"], env.Values["other"] = r, registry.NewKey(registry.KeyOptions{Name: "Mallory"})
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code": codeCommand, "requests": requestsCommand, "fill": fillCommand, "break": breakCommand,
			"release": func(ts *testscript.TestScript, _ bool, args []string) { widget(ts).Version(args[0], widgetPlatforms) },
			"resign": func(ts *testscript.TestScript, _ bool, args []string) {
				widget(ts).Version(args[0], widgetPlatforms).Key(ts.Value("other").(*registry.Key))
			},
		},
		RequireExplicitExec: true,
	})
}

var widgetPlatforms = registry.Platforms("linux_amd64", "darwin_arm64")

func widget(ts *testscript.TestScript) *registry.Provider {
	return fixture(ts).Host("registry.acme.dev").Provider("acme/widget")
}

func fillCommand(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		text := strings.NewReplacer("FINGERPRINT", fixture(ts).DefaultKey().Fingerprint(), "OTHERKEY", ts.Value("other").(*registry.Key).Fingerprint()).Replace(ts.ReadFile(name))
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o644))
	}
}

func breakCommand(ts *testscript.TestScript, _ bool, args []string) {
	widget(ts).Recover()
	if status := map[string]int{"0": 0, "403": 403, "404": 404, "500": 500}[args[1]]; status != 0 {
		widget(ts).Fail(args[0], registry.Fault{Status: status})
	}
}
