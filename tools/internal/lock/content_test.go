package lock_test

import (
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/lock"
	"rules_tf_mirror/tools/internal/manifest"
)

func pkgKey(number, platform string) string {
	return "package/" + widget + "/" + number + "/" + platform
}

// With a mirror there is no signature: each platform's package is compared with what the mirror says, and a warning says what was not checked.
func TestCheckWithMirror(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	v := b.version(widget, "1.4.0")
	b.run(nil)
	mirror := b.fromMirror(b.provider(widget))
	b.reg.Host(host).SetDown(true)
	report := b.run(all(mirror, checkOnly))
	outcome(t, report, lock.Done)
	contains(t, strings.Join(report.Warnings, "\n"), "widget 1.4.0: signature not checked: taken from a mirror", b.reg.DefaultKey().Fingerprint())
	var table strings.Builder
	check(t, report.WriteTable(&table))
	contains(t, table.String(), "verified (signature not checked)")
	good := b.facts()
	evil := strings.Repeat("e", 64)
	for _, platform := range b.list {
		// Somebody edits a platform consistently, signer and all.
		changes := map[string]string{"signer/" + widget: signerFact(strings.Repeat("AB", 20))}
		for _, key := range []string{pkgKey("1.4.0", platform), "verified/" + widget + "/1.4.0"} {
			changes[key] = strings.NewReplacer(v.SHA256(platform), evil, b.reg.DefaultKey().Fingerprint(), strings.Repeat("AB", 20)).Replace(good[key])
		}
		b.edit(changes)
		report := b.run(all(mirror, checkOnly))
		outcome(t, report, lock.Refused)
		b.row(report, 0, "refused", "content_changed", platform+": recorded sha256 "+evil+", the registry now says "+v.SHA256(platform))
		b.edit(good)
	}
}

// The platform whose answer is needed anyway is compared as a whole: an address or a file name that somebody edited is a difference.
func TestEditedAddress(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	b.version(widget, "1.4.0")
	b.run(nil)
	good := b.facts()
	key := pkgKey("1.4.0", b.list[0])
	b.edit(map[string]string{key: strings.Replace(good[key], "://", "://evil.example/", 1)})
	b.reg.Reset()
	report := b.run(checkOnly)
	outcome(t, report, lock.Different)
	contains(t, differences(report), "  "+key+"\n    - download_url: \"https://evil.example/", "    + download_url: \"https://", `repair: delete the fact "`+key+`" from MODULE.bazel.lock, then run bazel mod deps`)
	if n := b.reg.Count(fixture.Filter{Endpoint: fixture.EndpointDownload}); n != 1 {
		t.Errorf("%d download answers were asked for", n)
	}
	b.edit(map[string]string{key: ""}) // the repair: the extension, or the lock target, asks again
	outcome(t, b.run(nil), lock.Done)
	if got := b.facts()[key]; got != good[key] {
		t.Errorf("recorded %s", got)
	}
	outcome(t, b.run(checkOnly), lock.Done)
}

// A platform that is recorded as unavailable although the verified list has its package is a difference, offline too; locking asks again.
func TestEditedUnavailable(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	v := b.version(widget, "1.4.0")
	b.run(nil)
	key, good := pkgKey("1.4.0", "linux_arm64"), b.read(b.lockfile())
	b.edit(map[string]string{key: `{"unavailable": true}`})
	for _, change := range []func(*lock.Options){checkOnly, checkOffline} {
		report := b.run(change)
		outcome(t, report, lock.Different)
		contains(t, differences(report), "  "+key+"\n    - {\"unavailable\":true}\n", v.SHA256("linux_arm64"))
	}
	outcome(t, b.run(nil), lock.Done)
	if b.read(b.lockfile()) != good {
		t.Error("not repaired")
	}
	// One that the list does not have is no difference.
	b.list = append(fixture.Platforms("plan9_386"), four...)
	outcome(t, b.run(nil), lock.Done)
	outcome(t, b.run(checkOnly), lock.Done)
	outcome(t, b.run(checkOffline), lock.Done)
}

// Changed content tells platforms with one text together and names the attribute that accepts it; that lasts as long as it stays, which is said.
func TestChangedContentIsToldOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0")
	v := b.version(widget, "1.4.0")
	b.run(nil)
	v.EachZip(func(z *fixture.Zip) { z.Salt("recut") })
	v.Lie(fixture.Lie{})
	allow := `allow_changed = ["` + widget + `:1.4.0"]`
	for _, change := range []func(*lock.Options){nil, checkOnly, upgrade} {
		report := b.run(change)
		outcome(t, report, lock.Refused)
		row := b.row(report, 0, "refused", "content_changed", widget+" 1.4.0: ALARM: it has other content than recorded", allow)
		if n := strings.Count(row.Error.Message, "A published version never changes"); n != 1 {
			t.Errorf("%d times in %s", n, row.Error.Message)
		}
	}
	b.policy = &manifest.Policy{AllowChanged: []string{widget + ":1.4.0"}}
	report := b.run(nil)
	outcome(t, report, lock.Done)
	remove := `Remove "` + widget + `:1.4.0" there`
	contains(t, strings.Join(report.Warnings, "\n"), "accepted by allow_changed", remove)
	report = b.run(nil)
	outcome(t, report, lock.Done)
	contains(t, strings.Join(report.Warnings, "\n"), "allow_changed still names it", remove)
	b.policy = nil
	if report = b.run(nil); len(report.Warnings) > 0 {
		t.Errorf("warnings %q", report.Warnings)
	}
}
