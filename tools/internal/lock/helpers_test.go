package lock_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/bazellock"
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/lock"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/resolve"
	"rules_tf_mirror/tools/internal/transport"
)

const (
	host      = "registry.acme.dev"
	widget    = host + "/acme/widget"
	gadget    = host + "/acme/gadget"
	extension = "@@rules_tf_mirror+//tf:extensions.bzl%tf_repositories"
)

var four = fixture.Platforms("linux_amd64", "linux_arm64", "darwin_arm64", "windows_amd64")

// bench is a registry, a workspace with a lockfile, and what the extension would have made of them.
type bench struct {
	t       *testing.T
	reg     *fixture.Registry
	dir     string
	ahead   time.Duration // of the clock
	tool    addrs.Tool
	policy  *manifest.Policy
	entries []manifest.Entry
	list    []string // platforms
}

// newBench has a lockfile without facts but a mark of the extension, as after an evaluation that could not reach anybody.
func newBench(t *testing.T, entries ...string) *bench {
	t.Helper()
	b := &bench{t: t, reg: fixture.Start(t), dir: t.TempDir(), tool: addrs.Terraform, list: four}
	b.want(entries...)
	b.writeFacts(map[string]string{"retry/" + widget + "/none": `{"turn": 0}`})
	return b
}

// want sets the manifest from entries written source:constraint, or source:constraint@selected.
func (b *bench) want(entries ...string) {
	b.entries = nil
	for _, text := range entries {
		text, selected, _ := strings.Cut(text, "@")
		slash := strings.LastIndexByte(text, '/') + 1
		name, constraint, ok := strings.Cut(text[slash:], ":")
		e := manifest.Entry{Source: text[:slash] + name, Selected: selected}
		if ok {
			e.Version = &constraint
		}
		b.entries = append(b.entries, e)
	}
}

func (b *bench) provider(source string) *fixture.Provider {
	slash := strings.IndexByte(source, '/')
	return b.reg.Host(source[:slash]).Provider(source[slash+1:])
}

// version makes a version for the bench's platforms.
func (b *bench) version(source, number string) *fixture.Version {
	return b.provider(source).Version(number, b.list)
}

func (b *bench) lockfile() string { return filepath.Join(b.dir, "MODULE.bazel.lock") }

func (b *bench) product() string { return filepath.Join(b.dir, ".terraform.lock.hcl") }

// options are those of a run on the bench; change alters them.
func (b *bench) options(change func(*lock.Options)) lock.Options {
	id, err := bazellock.ParseID(extension)
	check(b.t, err)
	request := &manifest.Request{Schema: 1, Tool: b.tool, Platforms: b.list, Providers: b.entries, Policy: b.policy}
	var client http.RoundTripper // without a registry of its own the one that the environment says
	if b.reg != nil {
		client = b.reg.HTTPClient().Transport
	}
	o := lock.Options{
		Request: request, Lockfile: b.lockfile(), Extension: id, Now: func() time.Time { return time.Now().Add(b.ahead) }, LockDir: filepath.Join(b.dir, "locks"),
		Registry: func() lock.Registry {
			return registry.New(registry.Options{
				Transport:   transport.New(transport.Options{RoundTripper: client, Sleep: noSleep}),
				Credentials: credentials.None{}, Tool: b.tool, Getenv: func(string) string { return "" },
			})
		},
		Download: download.New(download.Options{RoundTripper: client, Getenv: func(string) string { return "" }, Sleep: noSleep}),
	}
	if change != nil {
		change(&o)
	}
	return o
}

func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// run locks, or does what change says, and fails the test on an error of the run as a whole.
func (b *bench) run(change func(*lock.Options)) *lock.Report {
	b.t.Helper()
	report, err := lock.Run(b.t.Context(), b.options(change))
	if err != nil {
		b.t.Fatal(err)
	}
	return report
}

func checkOnly(o *lock.Options) { o.Check = lock.CheckOnly }

func checkOffline(o *lock.Options) { o.Check, o.Offline = lock.CheckOnly, true }

func upgrade(o *lock.Options) { o.UpgradeAll = true }

func (b *bench) withProduct(o *lock.Options) { o.DependencyLock = b.product() }

// all joins changes of options.
func all(changes ...func(*lock.Options)) func(*lock.Options) {
	return func(o *lock.Options) {
		for _, change := range changes {
			change(o)
		}
	}
}

// resolved records what the extension would have: the resolve/ and package/ facts of the manifest.
func (b *bench) resolved() {
	b.t.Helper()
	request := b.options(nil).Request
	response, err := resolve.Run(b.t.Context(), b.options(nil).Registry(), request)
	check(b.t, err)
	recorded := map[string]string{}
	for key, raw := range response.Facts {
		recorded[key] = string(raw)
	}
	b.writeFacts(recorded)
	b.reg.Reset()
}

const emptyLock = "{\n  \"lockFileVersion\": 26,\n  \"registryFileHashes\": {\n    \"https://bcr.bazel.build/bazel_registry.json\": \"8a28e4af\"\n  },\n" +
	"  \"selectedYankedVersions\": {},\n  \"moduleExtensions\": {},\n  \"facts\": {\n    \"@@other+//:x.bzl%x\": {\n      \"a\": \"<&>\"\n    }\n  },\n  \"factsVersions\": {}\n}\n"

// writeFacts makes a new lockfile with these facts of ours, and others.
func (b *bench) writeFacts(recorded map[string]string) {
	b.t.Helper()
	facts := map[string]json.RawMessage{}
	for key, value := range recorded {
		facts[key] = json.RawMessage(value)
	}
	file, err := bazellock.Parse("x", []byte(emptyLock))
	check(b.t, err)
	text, _, err := file.SetFacts(b.options(nil).Extension, facts)
	check(b.t, err)
	check(b.t, os.WriteFile(b.lockfile(), text, 0o644))
}

// facts reads the recorded facts, compact.
func (b *bench) facts() map[string]string {
	b.t.Helper()
	file, err := bazellock.Open(b.lockfile())
	check(b.t, err)
	raw, _, _, err := file.Facts(b.options(nil).Extension)
	check(b.t, err)
	found := map[string]string{}
	for key, value := range raw {
		var v any
		check(b.t, json.Unmarshal(value, &v))
		text, err := json.Marshal(v)
		check(b.t, err)
		found[key] = string(text)
	}
	return found
}

// edit changes recorded facts; an empty value deletes.
func (b *bench) edit(changes map[string]string) {
	b.t.Helper()
	recorded := b.facts()
	for key, value := range changes {
		if value == "" {
			delete(recorded, key)
		} else {
			recorded[key] = value
		}
	}
	b.writeFacts(recorded)
}

func (b *bench) keys(prefix string) []string {
	b.t.Helper()
	keys := []string{}
	for key := range b.facts() {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	return keys
}

func (b *bench) read(path string) string {
	b.t.Helper()
	text, err := os.ReadFile(path)
	check(b.t, err)
	return string(text)
}

// counts wants numbers of requests by endpoint since the last Reset, written "discovery=1 sums=2"; others must be 0. Connections do not count.
func (b *bench) counts(want string) {
	b.t.Helper()
	var parts []string
	for endpoint, n := range b.reg.Counts() {
		if endpoint != fixture.EndpointConnect && n > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", endpoint, n))
		}
	}
	sort.Strings(parts)
	wanted := strings.Fields(want)
	sort.Strings(wanted)
	if got := strings.Join(parts, " "); got != strings.Join(wanted, " ") {
		b.t.Errorf("requests %s, want %s", got, strings.Join(wanted, " "))
	}
}

// row wants one row's status and the kind of its error, and returns it.
func (b *bench) row(report *lock.Report, i int, status, kind string, parts ...string) lock.Row {
	b.t.Helper()
	if i >= len(report.Rows) {
		b.t.Fatalf("%d rows, want row %d", len(report.Rows), i)
	}
	row := report.Rows[i]
	if string(row.Status) != status {
		b.t.Errorf("%s %s: status %s, want %s (%v)", row.Source, row.Version, row.Status, status, row.Error)
	}
	text := ""
	switch {
	case (row.Error == nil) != (kind == ""):
		b.t.Errorf("%s %s: error %v, want kind %q", row.Source, row.Version, row.Error, kind)
	case row.Error != nil:
		text = row.Error.Message
		if string(row.Error.Kind) != kind {
			b.t.Errorf("error kind %s, want %s: %s", row.Error.Kind, kind, text)
		}
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			b.t.Errorf("error %q lacks %q", text, part)
		}
	}
	return row
}

func outcome(t *testing.T, report *lock.Report, want lock.Outcome) {
	t.Helper()
	if got := report.Outcome(); got != want {
		t.Errorf("outcome %d, want %d\nerrors %q\n%s", got, want, report.Errors(), differences(report))
	}
}

func differences(report *lock.Report) string {
	var b strings.Builder
	_ = report.WriteDifferences(&b)
	return b.String()
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

type (
	jsonRaw = json.RawMessage
	policy  = manifest.Policy
)

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	check(t, os.WriteFile(path, []byte(text), 0o644))
}

func remove(t testing.TB, path string) {
	t.Helper()
	check(t, os.Remove(path))
}

// wantInput wants an *InputError whose text has all parts.
func wantInput(t testing.TB, err error, parts ...string) {
	t.Helper()
	var wrong *lock.InputError
	if !errors.As(err, &wrong) {
		t.Fatalf("error %v, want an InputError", err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
