package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// helperJob does the same without Bazel: resolve, fetch into a mirror, terraform.
func (d *demo) helperJob(ctx context.Context) error {
	helper := filepath.Join(d.dir, "tfmirror")
	build := exec.CommandContext(ctx, "go", "build", "-o", helper, "./tools/tfmirror")
	build.Dir = d.root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./tools/tfmirror: %w\n%s", err, out)
	}
	request := filepath.Join(d.dir, "request.json")
	response := filepath.Join(d.dir, "response.json")
	if err := d.writeRequest(request, nil); err != nil {
		return err
	}
	run := func(args ...string) func() error {
		return func() error {
			cmd := exec.CommandContext(ctx, helper, args...)
			cmd.Dir, cmd.Env = d.dir, append(os.Environ(), d.reg.Env()...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("%w\n%s", err, stderr.Bytes())
			}
			if len(out) > 0 {
				d.say("%s", indent(string(out)))
			}
			return nil
		}
	}
	if err := d.measure("tfmirror resolve (cold)", run("resolve", "--request", request, "--response", response)); err != nil {
		return err
	}
	facts, err := d.responseFacts(response)
	if err != nil {
		return err
	}
	if err := d.writeRequest(request, facts); err != nil {
		return err
	}
	if err := d.measure("tfmirror resolve again, with the facts", run("resolve", "--request", request, "--response", response)); err != nil {
		return err
	}
	mirrorDir := filepath.Join(d.dir, "mirror")
	if err := d.measure("tfmirror fetch --mirror", run("fetch", "--request", request, "--mirror", mirrorDir)); err != nil {
		return err
	}
	d.reg.Close()
	if err := d.measure("the registry is stopped: tfmirror fetch --mirror again", run("fetch", "--request", request, "--mirror", mirrorDir)); err != nil {
		return err
	}
	return d.initStep(ctx, mirrorDir)
}

// writeRequest writes the example's manifest for this platform, with the facts that are known.
func (d *demo) writeRequest(path string, facts json.RawMessage) error {
	type provider struct {
		Source  string `json:"source"`
		Version string `json:"version"`
	}
	request := struct {
		Schema    int             `json:"schema"`
		Tool      string          `json:"tool"`
		Platforms []string        `json:"platforms"`
		Providers []provider      `json:"providers"`
		Facts     json.RawMessage `json:"facts,omitempty"`
	}{Schema: 1, Tool: "terraform", Platforms: []string{hostPlatform()}, Facts: facts}
	for _, entry := range entries {
		slash := strings.LastIndex(entry, "/")
		name, version, _ := strings.Cut(entry[slash:], ":")
		request.Providers = append(request.Providers, provider{entry[:slash] + name, version})
	}
	data, err := json.MarshalIndent(request, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// responseFacts returns the facts of a response and prints them.
func (d *demo) responseFacts(path string) (json.RawMessage, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var response struct {
		Facts json.RawMessage `json:"facts"`
	}
	if err := json.Unmarshal(data, &response); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, response.Facts, "    ", "  "); err != nil {
		return nil, err
	}
	d.say("   the facts, which Bazel would record in MODULE.bazel.lock:\n\n    %s", text.String())
	return response.Facts, nil
}
