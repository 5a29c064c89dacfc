package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	"rules_tf_mirror/tests/workspace"
)

const (
	mirror = "@tf_toolchains//:mirror"
	tree   = "@tf_toolchains//:mirror_tree"
)

// bazelJob builds the mirror cold, then with the facts on a new output base, then with the registry gone.
func (d *demo) bazelJob(ctx context.Context, bazel string) error {
	ws := &workspace.Workspace{
		Bazel:           bazel,
		Dir:             filepath.Join(d.dir, "example"),
		RepositoryCache: filepath.Join(d.dir, "repository_cache"),
		Env:             os.Environ(),
		Log:             d.log,
	}
	if err := ws.Connect(d.reg); err != nil {
		return err
	}
	// The helper's own modules come from where Go is told to look for them, past the embedded registry.
	ws.Env = append(ws.Env, "NO_PROXY="+workspace.PublicHosts(), "no_proxy="+workspace.PublicHosts(), "SSL_CERT_FILE="+d.reg.CABundleFile())
	module := workspace.Module{Source: d.root, Mirror: entries, Register: true}.String()
	if err := errors.Join(ws.Write("MODULE.bazel", module), ws.Write("BUILD.bazel", "")); err != nil {
		return err
	}
	d.say("\nMODULE.bazel of the example:\n\n%s", indent(module))

	build := func(outputBase string, args ...string) func() error {
		return func() error {
			ws.OutputBase = filepath.Join(d.dir, outputBase)
			return d.bazel(ctx, ws, "build", args...)
		}
	}
	defer func() { _ = ws.Shutdown(context.WithoutCancel(ctx)) }()

	if err := d.measure("bazel build "+mirror+" (cold; builds the helper once)", build("cold", mirror)); err != nil {
		return err
	}
	if err := d.showFacts(ws.Path("MODULE.bazel.lock")); err != nil {
		return err
	}
	if err := ws.Shutdown(ctx); err != nil {
		return err
	}
	if err := d.measure("the same on a new output base: the facts answer, the repository cache serves", build("second", mirror)); err != nil {
		return err
	}
	if err := ws.Shutdown(ctx); err != nil {
		return err
	}
	d.reg.Close()
	if err := d.measure("the registry is stopped: a third output base, --lockfile_mode=error", build("offline", "--lockfile_mode=error", mirror, tree)); err != nil {
		return err
	}
	result, err := ws.Run(ctx, "cquery", "--output=files", tree)
	if err != nil || result.ExitCode != 0 {
		return fmt.Errorf("%w %s", err, result)
	}
	return d.initStep(ctx, filepath.Join(ws.Dir, strings.TrimSpace(result.Stdout)))
}

func (d *demo) bazel(ctx context.Context, ws *workspace.Workspace, command string, args ...string) error {
	result, err := ws.Run(ctx, command, args...)
	if err == nil && result.ExitCode != 0 {
		err = errors.New(result.String())
	}
	if err == nil {
		d.say("   bazel %s: done in %.1f s", strings.Join(result.Args, " "), result.Elapsed.Seconds())
	}
	return err
}

// showFacts prints the facts of the extension, shortened.
func (d *demo) showFacts(lockfile string) error {
	data, err := os.ReadFile(lockfile)
	if err != nil {
		return err
	}
	var lock struct {
		Facts map[string]map[string]json.RawMessage `json:"facts"`
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return err
	}
	for id, facts := range lock.Facts {
		if !strings.HasSuffix(id, "//tf:extensions.bzl%tf_repositories") {
			continue
		}
		var lines []string
		for key, value := range facts {
			if strings.HasPrefix(key, "resolve/") || strings.HasSuffix(key, hostPlatform()) {
				var compact bytes.Buffer
				if err := json.Compact(&compact, value); err != nil {
					return err
				}
				lines = append(lines, fmt.Sprintf("     %s\n         %s", key, compact.String()))
			}
		}
		sort.Strings(lines)
		d.say("   %d facts were written to MODULE.bazel.lock, among them:\n\n%s", len(facts), strings.Join(lines, "\n"))
		return nil
	}
	return fmt.Errorf("%s has no facts of this extension: is this Bazel older than 8.5?", lockfile)
}

// initStep runs the real terraform, if there is one, on a configuration that needs the example's providers.
func (d *demo) initStep(ctx context.Context, mirrorDir string) error {
	terraform, err := lookUpTerraform()
	if err != nil {
		d.say("\n%v: a `terraform init -plugin-dir=%s` would follow.", err, mirrorDir)
		return nil
	}
	return d.measure("terraform init -plugin-dir=<mirror>, the registry still stopped", func() error {
		dir := filepath.Join(d.dir, "root_module")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		const text = `terraform {
  required_providers {
    random = { source = "hashicorp/random", version = "~> 3.1.0" }
    null   = { source = "hashicorp/null", version = "3.2.1" }
    widget = { source = "registry.acme.dev/acme/widget", version = ">= 1.0" }
  }
}
`
		if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(text), 0o644); err != nil {
			return err
		}
		config := filepath.Join(d.dir, "empty.tfrc")
		if err := os.WriteFile(config, nil, 0o644); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, terraform, "init", "-no-color", "-plugin-dir="+mirrorDir)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+config, "TF_PLUGIN_CACHE_DIR=", "CHECKPOINT_DISABLE=1", "HTTPS_PROXY="+d.reg.ProxyURL())
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		for _, line := range strings.Split(string(out), "\n") {
			if strings.HasPrefix(line, "- Installed ") {
				d.say("   %s", line)
			}
		}
		return nil
	})
}

func lookUpTerraform() (string, error) {
	if path := os.Getenv("TERRAFORM"); path != "" {
		return path, nil
	}
	path, err := exec.LookPath("terraform")
	if err != nil {
		return "", errors.New("no terraform on PATH and no TERRAFORM")
	}
	return path, nil
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ")
}
