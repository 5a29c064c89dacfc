package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"rules_tf_mirror/tests/registry"
)

// demo is one run: where it works, where it prints, and what it measured.
type demo struct {
	root, dir string
	reg       *registry.Registry
	out, log  io.Writer
	steps     []step
}

// step is a row of the summary.
type step struct {
	name     string
	requests int   // that reached the registry
	bytes    int64 // of answers
	elapsed  time.Duration
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.out, format+"\n", args...) }

// measure runs a step and counts what reached the registry meanwhile.
func (d *demo) measure(name string, run func() error) error {
	d.say("\n── %s", name)
	d.reg.Reset()
	start := time.Now()
	if err := run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s := step{name: name, elapsed: time.Since(start)}
	for _, request := range d.reg.Requests() {
		if request.Endpoint != registry.EndpointConnect {
			s.requests++
			s.bytes += request.Bytes
		}
	}
	d.steps = append(d.steps, s)
	return nil
}

// summary prints the table of steps and what to do next.
func (d *demo) summary() {
	d.say("\n── Summary\n")
	table := tabwriter.NewWriter(d.out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "requests\tbytes\tseconds\t\t")
	for _, s := range d.steps {
		fmt.Fprintf(table, "%d\t%s\t%.1f\t\t%s\n", s.requests, bytesText(s.bytes), s.elapsed.Seconds(), s.name)
	}
	table.Flush()
	d.say(`
Next:
  * In your repository, add the lines of README.md ("Use it") to MODULE.bazel and run
        bazel build @tf_toolchains//:mirror
  * Commit MODULE.bazel.lock: its facts are why the steps after the first asked nobody.
  * ./tools/test runs every test of this module.`)
}
