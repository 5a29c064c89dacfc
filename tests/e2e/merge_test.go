package e2e

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// Two branches each add a provider and lock it. Merged as Bazel's jq merge driver does, no answer and no verification is lost, and nothing is asked again
// (F05, F06).
func TestMergedFacts(t *testing.T) {
	t.Parallel()
	p := newLockedProject(t, "provider_locks_strict = True")
	acme := p.reg.Host(acmeHost)
	acme.Provider("acme/gadget").Version("0.1.0", defaultPlatforms)
	acme.Provider("acme/gizmo").Version("2.0.0", defaultPlatforms)
	settle := func() {
		p.pass("build", "@tf_toolchains//:manifest.json")
		p.pass("mod", "deps")
		p.lock(0, nil)
	}
	settle()
	base, module := p.lockfile(), p.read("MODULE.bazel")
	const widgetEntry = `        "registry.acme.dev/acme/widget:1.4.0",`
	branch := func(entry string) string {
		p.write("MODULE.bazel", strings.Replace(module, widgetEntry, entry+"\n"+widgetEntry, 1))
		p.write("MODULE.bazel.lock", base)
		settle()
		return p.lockfile()
	}
	const gadget, gizmo = `        "registry.acme.dev/acme/gadget:0.1.0",`, `        "registry.acme.dev/acme/gizmo:2.0.0",`
	ours, theirs := branch(gadget), branch(gizmo)

	p.write("MODULE.bazel", strings.Replace(module, widgetEntry, gadget+"\n"+gizmo+"\n"+widgetEntry, 1))
	p.write("MODULE.bazel.lock", mergeLockfiles(t, base, ours, theirs))
	p.reg.Reset()
	p.pass("build", "--lockfile_mode=error", "@tf_toolchains//:manifest.json")
	p.pass("build", "@tf_toolchains//:manifest.json")
	p.wantSilence()
	if got, want := len(p.facts()), 3*(len(defaultPlatforms)+2); got != want { // packages, verified and signer of each source
		t.Errorf("%d facts after the merge, want %d", got, want)
	}
	p.lock(0, nil, "--check")
	p.pass("build", "@tf_toolchains//:mirror")
}

// mergeLockfiles merges lockfiles of one version as Bazel's scripts/bazel-lockfile-merge.jq does, as far as it concerns them: each map is merged by its
// top-level keys (extensions and facts by those of each extension), equal maps count once, and later ones win.
func mergeLockfiles(t *testing.T, files ...string) string {
	t.Helper()
	merged := map[string]any{}
	for _, text := range files {
		var file map[string]any
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&file); err != nil {
			t.Fatal(err)
		}
		for member, value := range file {
			values, ok := value.(map[string]any)
			if !ok {
				merged[member] = value
				continue
			}
			if merged[member] == nil {
				merged[member] = map[string]any{}
			}
			into := merged[member].(map[string]any)
			for key, one := range values {
				before, isMap := into[key].(map[string]any)
				later, laterIsMap := one.(map[string]any)
				if (member == "facts" || member == "moduleExtensions") && isMap && laterIsMap && !reflect.DeepEqual(before, later) {
					for name, v := range later {
						before[name] = v
					}
					continue
				}
				into[key] = one
			}
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(merged); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
