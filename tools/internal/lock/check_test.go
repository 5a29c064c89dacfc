package lock_test

import (
	"path/filepath"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/bazellock"
	"rules_tf_mirror/tools/internal/lock"
)

// A check shows what is not as verification gives it, field by field, writes nothing and fetches no package.
func TestCheckShowsDifferences(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":~> 1.0")
	v := b.version(widget, "1.4.0").Manifest()
	b.run(nil)
	key := "verified/" + widget + "/1.4.0"
	for name, c := range map[string]struct {
		edit map[string]string
		want []string
	}{
		"nothing verified": {map[string]string{key: "", "signer/" + widget: ""},
			[]string{"  " + key + "\n    + {\"other\":[\"", "  signer/" + widget + "\n    + {\"fingerprints\":[\"" + b.reg.DefaultKey().Fingerprint()}},
		"a platform is missing in the fact": {map[string]string{key: strings.Replace(b.facts()[key], `"linux_amd64":"`+v.SHA256("linux_amd64")+`",`, "", 1)},
			[]string{"  " + key + "\n    + zh.linux_amd64: \"" + v.SHA256("linux_amd64") + "\"\n"}},
		"another tier": {map[string]string{key: strings.Replace(b.facts()[key], "community", "partner", 1)},
			[]string{"    - tier: \"partner\"\n    + tier: \"community\"\n"}},
		"a package is missing": {map[string]string{"package/" + widget + "/1.4.0/linux_amd64": ""},
			[]string{"  package/" + widget + "/1.4.0/linux_amd64\n    + {\"download_url\":"}},
		"the version is missing": {map[string]string{"resolve/" + widget + "/~> 1.0": ""},
			[]string{"  resolve/" + widget + "/~> 1.0\n    + {\"version\":\"1.4.0\"}\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			good := b.read(b.lockfile())
			defer func() { writeFile(t, b.lockfile(), good) }()
			b.edit(c.edit)
			text := b.read(b.lockfile())
			b.reg.Reset()
			report := b.run(checkOnly)
			outcome(t, report, lock.Different)
			contains(t, differences(report), append(c.want, "MODULE.bazel.lock differs:\n", "repair: bazel run //:providers_lock")...)
			if b.read(b.lockfile()) != text || b.reg.Count(fixture.Filter{Endpoint: fixture.EndpointZip}) > 0 {
				t.Error("a check wrote or fetched a package")
			}
			b.run(nil)
			if b.read(b.lockfile()) != good {
				t.Errorf("the repair gives\n%s", b.read(b.lockfile()))
			}
			report = b.run(checkOnly)
			outcome(t, report, lock.Done)
			if differences(report) != "" || len(report.Warnings) > 0 {
				t.Errorf("a check that finds nothing says %q %q", differences(report), report.Warnings)
			}
		})
	}
}

// Offline a check asks nobody, and finds every disagreement of manifest, facts and policy.
func TestOfflineCheck(t *testing.T) {
	t.Parallel()
	pkg := "package/" + widget + "/1.4.0/linux_amd64"
	for name, c := range map[string]struct {
		edit    map[string]string
		want    []string
		outcome lock.Outcome
	}{
		"nothing verified":         {map[string]string{"verified/" + widget + "/1.4.0": ""}, []string{"verified/" + widget + "/1.4.0", "not verified yet"}, lock.Different},
		"a package is missing":     {map[string]string{pkg: ""}, []string{pkg, "nothing is recorded; run bazel mod deps"}, lock.Different},
		"a package is malformed":   {map[string]string{pkg: `{"sha256": 1}`}, []string{"malformed", pkg}, lock.Different},
		"the version is missing":   {map[string]string{"resolve/" + widget + "/~> 1.0": ""}, []string{"no version is recorded"}, lock.Different},
		"the version is another":   {map[string]string{"resolve/" + widget + "/~> 1.0": `{"version": "1.5.0"}`}, []string{"verified/" + widget + "/1.5.0", "not verified yet"}, lock.Different},
		"the version is malformed": {map[string]string{"resolve/" + widget + "/~> 1.0": `{"version": "2.0.0"}`}, []string{"the constraint of its key does not admit"}, lock.Different},
		"no signer":                {map[string]string{"signer/" + widget: ""}, []string{"no signer fact"}, lock.Refused},
		"another signer":           {map[string]string{"signer/" + widget: `{"fingerprints": ["` + strings.Repeat("A", 40) + `"], "tier": "community"}`}, []string{"allowed are AAAA"}, lock.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, widget+":~> 1.0")
			b.version(widget, "1.4.0")
			b.run(nil)
			b.edit(c.edit)
			b.reg.Reset()
			report := b.run(checkOffline)
			outcome(t, report, c.outcome)
			contains(t, differences(report)+strings.Join(report.Errors(), "\n"), c.want...)
			if n := len(b.reg.Requests()); n > 0 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// F18: the address of one package beside the file name of another does not pass a check, although a cache has the recorded hash.
func TestAddressOfAnotherPackage(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	b.run(nil)
	key := "package/" + widget + "/1.4.0/linux_amd64"
	b.edit(map[string]string{key: strings.Replace(b.facts()[key], "/terraform-provider-widget_1.4.0_", "/terraform-provider-widget_1.5.0_", 1)})
	for _, change := range []func(*lock.Options){checkOnly, checkOffline} {
		report := b.run(change)
		outcome(t, report, lock.Different)
		contains(t, differences(report), key, "the address is of terraform-provider-widget_1.5.0_linux_amd64.zip, the file name is terraform-provider-widget_1.4.0_linux_amd64.zip")
	}
}

// C13: a pin that was bumped by text alone fails the check, which names the command.
func TestTextBump(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":4.40.0@4.40.0")
	b.version(widget, "4.40.0")
	b.version(widget, "4.41.0")
	b.run(nil)
	b.want(widget + ":4.41.0@4.41.0")
	for _, change := range []func(*lock.Options){checkOnly, checkOffline} {
		report := b.run(change)
		outcome(t, report, lock.Different)
		contains(t, differences(report), "verified/"+widget+"/4.41.0", "bazel run //:providers_lock")
	}
	b.row(b.run(nil), 0, "changed", "")
	outcome(t, b.run(checkOnly), lock.Done)
}

// What the manifest selects is verified; a lockfile that records another version is said, and not changed (design §3.3 `selected`).
func TestSelectedDisagrees(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":~> 1.0")
	b.version(widget, "1.4.0")
	b.run(nil)
	b.version(widget, "1.5.0")
	b.want(widget + ":~> 1.0@1.5.0")
	for _, change := range []func(*lock.Options){checkOnly, checkOffline} {
		report := b.run(change)
		outcome(t, report, lock.Different)
		contains(t, differences(report), "the manifest selects 1.5.0, the lockfile records 1.4.0", "bazel build @tf_toolchains//:manifest.json")
	}
	report := b.run(nil)
	row := b.row(report, 0, "changed", "")
	if row.Version != "1.5.0" || b.facts()["resolve/"+widget+"/~> 1.0"] != `{"version":"1.4.0"}` || len(b.keys("verified/")) != 2 {
		t.Errorf("row %+v, recorded %q", row, b.facts())
	}
	contains(t, strings.Join(report.Warnings, "\n"), "the manifest selects 1.5.0, the lockfile records 1.4.0")

	// With nothing recorded what is selected is recorded, without a version list.
	b.edit(map[string]string{"resolve/" + widget + "/~> 1.0": ""})
	b.reg.Reset()
	b.run(nil)
	b.counts("discovery=1 download=1 sums=1 signature=1")
	if got := b.facts()["resolve/"+widget+"/~> 1.0"]; got != `{"version":"1.5.0"}` {
		t.Errorf("recorded %s", got)
	}
}

// Entries that cannot be read or answered stay with themselves (F26).
func TestBadEntries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		entry, source, kind string
		outcome             lock.Outcome
		parts               []string
	}{
		{"a/b/c/d", "a/b/c/d", "address", lock.BadInput, nil},
		{widget + ":~> x", widget, "constraint", lock.BadInput, nil},
		{widget + ":", widget, "constraint", lock.BadInput, nil},
		{widget + ":1.4.0@1.5.0", widget, "constraint", lock.BadInput, []string{"selects 1.5.0"}},
		{widget + ":~> 1.0@2.0.0", widget, "constraint", lock.BadInput, []string{"selects 2.0.0"}},
		{widget + ":~> 1.0@x", widget, "constraint", lock.BadInput, []string{`selects "x"`}},
		{widget + ":~> 7.0", widget, "no_matching_version", lock.Unreachable, nil},
		{widget + ":7.0.0", widget, "platform", lock.Unreachable, nil},
		{"dead.acme.dev/acme/widget:1.0.0", "dead.acme.dev/acme/widget", "network", lock.Unreachable, nil},
	} {
		t.Run(c.entry, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, c.entry, gadget+":2.0.0")
			b.reg.Host("dead.acme.dev").SetDown(true)
			b.version(widget, "1.4.0")
			b.version(gadget, "2.0.0")
			report := b.run(nil)
			row := b.row(report, 0, "unavailable", c.kind, c.parts...)
			if row.Source != c.source {
				t.Errorf("source %s", row.Source)
			}
			b.row(report, 1, "changed", "")
			outcome(t, report, c.outcome)
			if got := b.keys("verified/"); len(got) != 1 {
				t.Errorf("recorded %q", got)
			}
		})
	}
}

// 4 wins over 3, 3 over 1 (design §3.3).
func TestOutcomesByWeight(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0", gadget+":2.0.0", "dead.acme.dev/acme/widget:1.0.0")
	b.version(gadget, "2.0.0")
	v := b.version(widget, "1.4.0").SignWith(fixture.NewKey(fixture.KeyOptions{}))
	b.reg.Host("dead.acme.dev").SetDown(true)
	report := b.run(checkOnly)
	outcome(t, report, lock.Refused)
	if len(report.Differences) == 0 || len(report.Errors()) != 2 {
		t.Errorf("errors %q\n%s", report.Errors(), differences(report))
	}
	v.SignWith()
	v.Key(b.reg.DefaultKey())
	outcome(t, b.run(checkOnly), lock.Unreachable)
	b.want(widget+":1.4.0", gadget+":2.0.0")
	outcome(t, b.run(checkOnly), lock.Different)
}

// `lock` asks again for what is unavailable, `--check` does not (design §3.3).
func TestUnavailablePlatforms(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.list = four[:3]
	b.version(widget, "1.4.0")
	b.list = four
	b.run(nil)
	key := "package/" + widget + "/1.4.0/windows_amd64"
	if got := b.facts()[key]; got != `{"unavailable":true}` {
		t.Errorf("recorded %s", got)
	}
	text := b.read(b.lockfile())
	b.reg.Reset()
	outcome(t, b.run(checkOnly), lock.Done)
	b.counts("discovery=1 download=1 sums=1 signature=1")
	b.reg.Reset()
	b.run(nil)
	b.counts("discovery=1 download=2 sums=1 signature=1")
	if b.read(b.lockfile()) != text {
		t.Error("the lockfile changed")
	}
	outcome(t, b.run(checkOffline), lock.Done)

	b.version(widget, "1.4.0") // with windows
	outcome(t, b.run(checkOnly), lock.Different)
	b.reg.Reset()
	b.row(b.run(nil), 0, "changed", "")
	b.counts("discovery=1 download=1 sums=1 signature=1")
	contains(t, b.facts()[key], "windows_amd64.zip")
}

// --upgrade selects anew, verifies, replaces the facts of the version that is left, and tells old and new (design §3.3).
func TestUpgrade(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":~> 1.0", gadget, gadget+":2.0.0")
	b.version(widget, "1.4.0")
	b.version(gadget, "2.0.0")
	b.run(nil)
	b.version(widget, "1.5.0")
	b.version(gadget, "2.1.0")
	outcome(t, b.run(checkOnly), lock.Done) // new releases alone are no difference
	b.want(widget+":~> 1.0@1.4.0", gadget+"@2.0.0", gadget+":2.0.0@2.0.0")
	b.reg.Reset()
	report := b.run(func(o *lock.Options) { o.Upgrade = []addrs.Provider{{Host: host, Namespace: "acme", Type: "widget"}} })
	outcome(t, report, lock.Done)
	b.counts("discovery=1 versions=1 download=5 sums=2 signature=2")
	want := lock.Upgraded{Entry: widget + ":~> 1.0", Old: "1.4.0", New: "1.5.0"}
	if len(report.Upgrades) != 1 || report.Upgrades[0] != want {
		t.Errorf("upgrades %+v", report.Upgrades)
	}
	if got := b.keys("verified/"); len(got) != 2 || got[1] != "verified/"+widget+"/1.5.0" || len(b.keys("package/"+widget)) != 4 {
		t.Errorf("recorded %q", b.keys(""))
	}
	b.want(widget+":~> 1.0", gadget, gadget+":2.0.0")
	outcome(t, b.run(checkOnly), lock.Done)

	// All of them: 2.0.0 stays recorded, since an entry still has it.
	report = b.run(upgrade)
	if len(report.Upgrades) != 2 || report.Upgrades[0].New != "1.5.0" || report.Upgrades[1] != (lock.Upgraded{Entry: gadget, Old: "2.0.0", New: "2.1.0"}) {
		t.Errorf("upgrades %+v", report.Upgrades)
	}
	if got := b.keys("verified/"); len(got) != 3 {
		t.Errorf("recorded %q", got)
	}
	outcome(t, b.run(checkOffline), lock.Done)
}

// An upgrade to a version by another key is refused, and the old version stays.
func TestUpgradeRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":~> 1.0")
	b.version(widget, "1.4.0")
	b.run(nil)
	text := b.read(b.lockfile())
	b.version(widget, "1.5.0").Key(fixture.NewKey(fixture.KeyOptions{}))
	report := b.run(upgrade)
	row := b.row(report, 0, "refused", "signer")
	if row.Version != "1.5.0" || len(report.Upgrades) != 0 || b.read(b.lockfile()) != text {
		t.Errorf("row %+v, upgrades %v", row, report.Upgrades)
	}
}

// Runs that cannot be done as asked are wrong input, exit code 2, and ask nobody.
func TestInputErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lockfile string // empty: missing
		change   func(*lock.Options)
		want     []string
	}{
		"missing":               {"", nil, []string{"no lockfile", "bazel mod deps"}},
		"unparsable":            {"{", nil, []string{"MODULE.bazel.lock:1"}},
		"conflict":              {"<<<<<<< HEAD\n" + emptyLock, nil, []string{"merge conflict"}},
		"no facts of ours":      {emptyLock, nil, []string{"has no facts of " + extension, "bazel mod deps", "bazel build @tf_toolchains//:manifest.json"}},
		"~ spelling":            {strings.Replace(emptyLock, "@@other+//:x.bzl%x", "@@rules_tf_mirror~//tf:extensions.bzl%tf_repositories", 1), nil, []string{"rules_tf_mirror~//tf", "upgrade"}},
		"a Bazel without facts": {"{\n  \"lockFileVersion\": 11,\n  \"moduleExtensions\": {}\n}\n", nil, []string{"8.5"}},
		"offline":               {emptyLock, func(o *lock.Options) { o.Offline = true }, []string{"--offline", "--check"}},
		"offline full":          {emptyLock, func(o *lock.Options) { o.Check, o.Offline = lock.CheckFull, true }, []string{"--check=full"}},
		"check upgrade":         {emptyLock, all(checkOnly, upgrade), []string{"--upgrade"}},
		"choice alone":          {emptyLock, func(o *lock.Options) { o.Choices = []lock.Choice{{}} }, []string{"--dependency-lock"}},
		"no such folder":        {emptyLock, func(o *lock.Options) { o.DependencyLock = filepath.Join(t.TempDir(), "live", ".terraform.lock.hcl") }, []string{"live", "does not exist", "lock_file"}},
		"facts in the manifest": {emptyLock, func(o *lock.Options) { o.Request.Facts = map[string]jsonRaw{"a": nil} }, []string{`"facts"`}},
		"bad policy":            {emptyLock, func(o *lock.Options) { o.Request.Policy = &policy{ExpiredKeys: "maybe"} }, []string{"expired_keys"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, widget+":1.4.0")
			if c.lockfile != "" {
				writeFile(t, b.lockfile(), c.lockfile)
			} else {
				remove(t, b.lockfile())
			}
			_, err := lock.Run(t.Context(), b.options(c.change))
			wantInput(t, err, c.want...)
			if n := len(b.reg.Requests()); n > 0 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// --upgrade of a source that the manifest lacks is wrong input; a manifest without providers is fine, facts or not.
func TestUpgradeOfUnknownSource(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	_, err := lock.Run(t.Context(), b.options(func(o *lock.Options) { o.Upgrade = []addrs.Provider{{Host: host, Namespace: "acme", Type: "gadget"}} }))
	wantInput(t, err, "--upgrade="+gadget, widget)
	b.want()
	b.writeFacts(nil)
	outcome(t, b.run(nil), lock.Done)
	outcome(t, b.run(checkOnly), lock.Done)
}

// Facts under the id without @@, as Bazel writes it for the root module, are the same; those of another spelling are said (design §3.3).
func TestSpellingsOfTheExtension(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	b.run(nil)
	text := b.read(b.lockfile())
	id, err := bazellock.ParseID("@@//tf:extensions.bzl%tf_repositories")
	check(t, err)
	writeFile(t, b.lockfile(), strings.Replace(text, extension, "//tf:extensions.bzl%tf_repositories", 1))
	outcome(t, b.run(all(checkOnly, func(o *lock.Options) { o.Extension = id })), lock.Done)
	old := strings.Replace(text, `"facts": {`, `"facts": {`+"\n    \"@@rules_tf_mirror~//tf:extensions.bzl%tf_repositories\": {\n      \"a\": \"b\"\n    },", 1)
	writeFile(t, b.lockfile(), old)
	report := b.run(nil)
	outcome(t, report, lock.Done)
	contains(t, strings.Join(report.Warnings, "\n"), "@@rules_tf_mirror~//tf:extensions.bzl%tf_repositories", "do not count")
}

// A malformed package fact is wrong input, and a difference for a check; it is not asked for again, which would lose the pin.
func TestMalformedPackageFact(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0", gadget+":2.0.0")
	b.version(widget, "1.4.0")
	b.version(gadget, "2.0.0")
	b.run(nil)
	key := "package/" + widget + "/1.4.0/linux_amd64"
	b.edit(map[string]string{key: `{"sha256": "00"}`})
	text := b.read(b.lockfile())
	report := b.run(nil)
	b.row(report, 0, "unavailable", "response", key, "malformed", "delete this fact")
	b.row(report, 1, "verified", "")
	outcome(t, report, lock.BadInput)
	for _, change := range []func(*lock.Options){checkOnly, checkOffline} {
		report = b.run(change)
		b.row(report, 0, "unavailable", "response", key)
		outcome(t, report, lock.Different)
	}
	if b.read(b.lockfile()) != text {
		t.Error("the lockfile changed")
	}
	b.edit(map[string]string{key: ""})
	outcome(t, b.run(nil), lock.Done)
}
