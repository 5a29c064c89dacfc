// Command quickstart does the main job of this module on an embedded registry, and prints what happened: constraints become facts in
// MODULE.bazel.lock, packages come through Bazel's downloader, and with the registry gone everything builds again from the cache.
//
// Where no Bazel can be had it says so and does the same job with the helper alone.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tests/workspace"
)

// The example's manifest: two constraints, one exact version, and a host of its own.
var entries = []string{
	"hashicorp/random:~> 3.1.0",
	"hashicorp/null:3.2.1",
	"registry.acme.dev/acme/widget:>= 1.0",
}

const packageSize = 4 << 20 // bytes

func main() {
	log.SetFlags(0)
	log.SetPrefix("quickstart: ")
	verbose := flag.Bool("v", false, "show what Bazel prints")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *verbose); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, verbose bool) (err error) {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "rules_tf_mirror-quickstart-")
	if err != nil {
		return err
	}
	defer func() {
		if removeErr := workspace.RemoveAll(dir); err == nil {
			err = removeErr
		}
	}()
	if err := os.Mkdir(filepath.Join(dir, "registry"), 0o755); err != nil {
		return err
	}
	reg, err := registry.New(registry.Options{Dir: filepath.Join(dir, "registry")})
	if err != nil {
		return err
	}
	defer reg.Close()
	stock(reg)

	demo := &demo{root: root, dir: dir, reg: reg, out: os.Stdout, log: io.Discard}
	if verbose {
		demo.log = os.Stderr
	}
	demo.say("An embedded registry plays registry.terraform.io and registry.acme.dev: TLS, discovery, signatures, packages of %s.", bytesText(packageSize))
	bazel, err := testtools.Bazel(ctx)
	if err != nil {
		demo.say("%v.", err)
		demo.say("So this is the same job by the helper alone; with Bazel, every step is part of the build.")
		err = demo.helperJob(ctx)
	} else {
		err = demo.bazelJob(ctx, bazel)
	}
	if err != nil {
		return err
	}
	demo.summary()
	return nil
}

// stock fills the registry with the example's providers.
func stock(reg *registry.Registry) {
	platforms := registry.Platforms("darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64")
	for _, p := range []struct {
		host, name string
		versions   []string
	}{
		{"registry.terraform.io", "hashicorp/random", []string{"3.1.0", "3.1.3", "3.3.2"}},
		{"registry.terraform.io", "hashicorp/null", []string{"3.2.1"}},
		{"registry.acme.dev", "acme/widget", []string{"1.4.0", "2.0.0-rc1"}},
	} {
		for _, version := range p.versions {
			reg.Host(p.host).Provider(p.name).Version(version, platforms).EachZip(func(z *registry.Zip) { z.Size(packageSize) })
		}
	}
}

func hostPlatform() string { return runtime.GOOS + "_" + runtime.GOARCH }

func bytesText(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}
