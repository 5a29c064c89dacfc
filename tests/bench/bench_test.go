// Package bench measures the helper beside the real terraform, in one run, on one registry, for one manifest: 11 providers, 6 of them by constraint,
// on 4 platforms, with 50 ms of latency for each request.
//
//	go test -bench . -benchtime 1x ./tests/bench
//
// requests/op and MB/op are exact and do not depend on the machine; the seconds are for comparing rows of one run.
package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
)

const (
	providers   = 11
	constrained = 6
	latency     = 50 * time.Millisecond
	packageSize = 1 << 20 // bytes
)

var platforms = registry.Platforms("darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64")

// job is the manifest in both worlds, and the registry that serves it.
type job struct {
	reg         *registry.Registry
	dir, helper string
	request     []byte
}

func newJob(b *testing.B) *job {
	b.Helper()
	j := &job{reg: registry.Start(b), dir: b.TempDir()}
	j.helper = filepath.Join(j.dir, "tfmirror")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", j.helper, "rules_tf_mirror/tools/tfmirror").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	type provider struct {
		Source  string `json:"source"`
		Version string `json:"version"`
	}
	var list []provider
	var required strings.Builder
	required.WriteString("terraform {\n  required_providers {\n")
	host := j.reg.Host("registry.terraform.io")
	for i := range providers {
		name := fmt.Sprintf("hashicorp/p%02d", i)
		for _, version := range []string{"1.0.0", "1.1.0", "2.0.0"} {
			host.Provider(name).Version(version, platforms).EachZip(func(z *registry.Zip) { z.Size(packageSize) })
		}
		version := "1.1.0"
		if i < constrained {
			version = "~> 1.0"
		}
		list = append(list, provider{name, version})
		fmt.Fprintf(&required, "    p%02d = {\n      source  = %q\n      version = %q\n    }\n", i, name, version)
	}
	required.WriteString("  }\n}\n")
	request, err := json.Marshal(map[string]any{"schema": 1, "tool": "terraform", "platforms": platforms, "providers": list})
	if err != nil {
		b.Fatal(err)
	}
	j.request = request
	j.write(b, "main.tf", []byte(required.String()))
	j.write(b, "empty.tfrc", nil)
	if err := j.reg.Prepare(); err != nil {
		b.Fatal(err)
	}
	host.SetLatency(latency)
	j.reg.Host("releases.registry.terraform.io").SetLatency(latency)
	return j
}

func (j *job) write(b *testing.B, name string, data []byte) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(j.dir, name), data, 0o644); err != nil {
		b.Fatal(err)
	}
}

// command returns a process in an isolated environment that reaches the registry only.
func (j *job) command(b *testing.B, dir, binary string, args ...string) *exec.Cmd {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), binary, args...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"HOME=" + j.dir, "PATH=" + os.Getenv("PATH"), "TF_CLI_CONFIG_FILE=" + filepath.Join(j.dir, "empty.tfrc"), "CHECKPOINT_DISABLE=1",
	}, j.reg.Env()...)
	return cmd
}

// measure runs what prepare returns b.N times and reports what reached the registry per run.
func (j *job) measure(b *testing.B, prepare func() *exec.Cmd) {
	b.Helper()
	var requests, bytes int64
	for b.Loop() {
		b.StopTimer()
		cmd := prepare()
		j.reg.Reset()
		b.StartTimer()
		out, err := cmd.CombinedOutput()
		b.StopTimer()
		if err != nil {
			b.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
		for _, request := range j.reg.Select(registry.Filter{NotEndpoint: registry.EndpointConnect}) {
			requests++
			bytes += request.Bytes
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(requests)/float64(b.N), "requests/op")
	b.ReportMetric(float64(bytes)/float64(b.N)/1e6, "MB/op")
}

// module returns a new root module.
func (j *job) module(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	data, err := os.ReadFile(filepath.Join(j.dir, "main.tf"))
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), data, 0o644); err != nil {
		b.Fatal(err)
	}
	return dir
}

func BenchmarkMainJob(b *testing.B) {
	terraform := testtools.Terraform(b)
	j := newJob(b)
	j.write(b, "request.json", j.request)

	b.Run("tfmirror_resolve_cold", func(b *testing.B) {
		j.measure(b, func() *exec.Cmd {
			return j.command(b, j.dir, j.helper, "resolve", "--request", "request.json", "--response", "response.json")
		})
	})
	b.Run("tfmirror_resolve_with_facts", func(b *testing.B) {
		j.withFacts(b)
		j.measure(b, func() *exec.Cmd {
			return j.command(b, j.dir, j.helper, "resolve", "--request", "request_facts.json", "--response", "response_facts.json")
		})
	})
	b.Run("tfmirror_lock", func(b *testing.B) {
		j.measure(b, func() *exec.Cmd {
			j.writeLockfile(b)
			return j.command(b, j.dir, j.helper, "lock", "--manifest", "manifest.json", "--lockfile", "MODULE.bazel.lock", "--extension", extension)
		})
	})
	b.Run("terraform_init", func(b *testing.B) {
		j.measure(b, func() *exec.Cmd { return j.command(b, j.module(b), terraform, "init", "-no-color") })
	})
	b.Run("terraform_providers_lock_4_platforms", func(b *testing.B) {
		args := []string{"providers", "lock", "-no-color"}
		for _, platform := range platforms {
			args = append(args, "-platform="+platform)
		}
		j.measure(b, func() *exec.Cmd { return j.command(b, j.module(b), terraform, args...) })
	})
}

// extension is the id that the lock target passes.
const extension = "@@rules_tf_mirror+//tf:extensions.bzl%tf_repositories"

// writeLockfile writes a lockfile with the facts of the cold run, nothing verified, and the manifest that the hub would have.
func (j *job) writeLockfile(b *testing.B) {
	b.Helper()
	request := j.withFacts(b)
	lockfile, err := json.MarshalIndent(map[string]any{
		"lockFileVersion": 24, "moduleExtensions": map[string]any{}, "facts": map[string]any{extension: request["facts"]}, "factsVersions": map[string]any{},
	}, "", "  ")
	if err != nil {
		b.Fatal(err)
	}
	j.write(b, "MODULE.bazel.lock", append(lockfile, '\n'))
	delete(request, "facts")
	request["policy"] = map[string]any{"signers": map[string]any{"registry.terraform.io/hashicorp": []string{j.reg.DefaultKey().Fingerprint()}}}
	for _, p := range request["providers"].([]any) {
		p.(map[string]any)["selected"] = "1.1.0"
	}
	manifest, err := json.Marshal(request)
	if err != nil {
		b.Fatal(err)
	}
	j.write(b, "manifest.json", manifest)
}

// withFacts writes the request of the cold run with the facts that it brought, and returns it.
func (j *job) withFacts(b *testing.B) map[string]any {
	b.Helper()
	if out, err := j.command(b, j.dir, j.helper, "resolve", "--request", "request.json", "--response", "response.json").CombinedOutput(); err != nil {
		b.Fatalf("resolve: %v\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(j.dir, "response.json"))
	if err != nil {
		b.Fatal(err)
	}
	var response struct {
		Facts json.RawMessage `json:"facts"`
	}
	if err := json.Unmarshal(data, &response); err != nil {
		b.Fatal(err)
	}
	var request map[string]any
	if err := json.Unmarshal(j.request, &request); err != nil {
		b.Fatal(err)
	}
	request["facts"] = response.Facts
	if data, err = json.Marshal(request); err != nil {
		b.Fatal(err)
	}
	j.write(b, "request_facts.json", data)
	return request
}
