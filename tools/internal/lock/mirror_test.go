package lock_test

import (
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/cliconfig"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/lock"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/sources"
	"rules_tf_mirror/tools/internal/transport"
)

// fromMirror answers from a network mirror of the providers instead of their own host.
func (b *bench) fromMirror(providers ...*fixture.Provider) func(*lock.Options) {
	m := b.reg.Host("mirror.acme.dev").Mirror("/providers/", providers...)
	client := b.reg.HTTPClient().Transport
	none := func(string) string { return "" }
	return func(o *lock.Options) {
		o.Request.Sources = []manifest.Source{{Kind: "network_mirror", URL: m.URL()}}
		o.Registry = func() lock.Registry {
			return sources.New(sources.Options{
				Request: o.Request, Config: func() *cliconfig.Config { return &cliconfig.Config{} },
				Transport: transport.New(transport.Options{RoundTripper: client, Sleep: noSleep}),
				Download:  download.New(download.Options{RoundTripper: client, Getenv: none, Sleep: noSleep}), Getenv: none,
			})
		}
	}
}

// A mirror's word is recorded as tier checksum, never satisfies strictness unless the source is named, and asks the origin for nothing; what
// was verified against a signature binds the mirror (design §3.7).
func TestMirror(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0", gadget+":2.0.0")
	v := b.version(widget, "1.4.0")
	b.version(gadget, "2.0.0")
	b.want(gadget + ":2.0.0")
	b.run(nil) // gadget is verified at its registry
	signed := b.facts()["verified/"+gadget+"/2.0.0"]
	b.want(widget+":1.4.0", gadget+":2.0.0")
	mirror := b.fromMirror(b.provider(widget), b.provider(gadget))
	b.reg.Host(host).SetDown(true)
	b.reg.Reset()
	report := b.run(mirror)
	row := b.row(report, 0, "changed", "")
	if row.Tier != "checksum" || row.Signer != "" || len(row.ZH) != 4 {
		t.Errorf("row %+v", row)
	}
	if row = b.row(report, 1, "verified", ""); row.Tier != "community" || b.facts()["verified/"+gadget+"/2.0.0"] != signed {
		t.Errorf("row %+v", row)
	}
	contains(t, strings.Join(report.Warnings, "\n"), "its word alone is recorded")
	contains(t, b.facts()["verified/"+widget+"/1.4.0"], `"tier":"checksum"`, `"linux_arm64":"`+v.SHA256("linux_arm64")+`"`)
	if n := b.reg.Count(fixture.Filter{Host: host}); n > 0 || len(b.keys("signer/")) != 1 {
		t.Errorf("%d requests to the origin, signers %q", n, b.keys("signer/"))
	}
	outcome(t, b.run(all(mirror, checkOnly)), lock.Done)
	outcome(t, b.run(checkOffline), lock.Done)
	b.policy = &manifest.Policy{Strict: true}
	for _, change := range []func(*lock.Options){mirror, all(mirror, checkOnly), checkOffline} {
		report = b.run(change)
		outcome(t, report, lock.Refused)
		contains(t, strings.Join(report.Errors(), "\n"), "widget 1.4.0", "allow_checksum")
		b.row(report, 1, "verified", "")
	}
	b.policy = &manifest.Policy{Strict: true, AllowChecksum: []string{widget}}
	outcome(t, b.run(all(mirror, checkOnly)), lock.Done)
	outcome(t, b.run(checkOffline), lock.Done)
}

// A dependency lock from a mirror has the hashes of its packages.
func TestMirrorDependencyLock(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	mirror := b.fromMirror(b.provider(widget))
	b.reg.Host(host).SetDown(true)
	outcome(t, b.run(all(mirror, b.withProduct)), lock.Done)
	if e := b.entry(widget); len(e.ZipHashes()) != 4 || len(e.DirHashes()) != 4 {
		t.Errorf("%d zh, %d h1", len(e.ZipHashes()), len(e.DirHashes()))
	}
	outcome(t, b.run(all(mirror, b.withProduct, checkFull)), lock.Done)
}
