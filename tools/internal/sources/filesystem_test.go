package sources_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/manifest"
)

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

func filesystem(path string) manifest.Source {
	return manifest.Source{Kind: "filesystem_mirror", Path: path}
}

const zip11 = "registry.acme.dev/acme/widget/terraform-provider-widget_1.1.0_linux_amd64.zip"

// TestFilesystem: a packed package is recorded as its path below the mirror's root and its sha256 (design §3.7), and nobody is asked, over no
// network.
func TestFilesystem(t *testing.T) {
	t.Parallel()
	w := newWorld(t).file("mirror/"+zip11, "eleven")
	for _, constraint := range []string{":~> 1.0", ":1.1.0", ""} {
		response := w.resolve(from([]manifest.Source{filesystem(filepath.Join(w.home, "mirror"))}, source+constraint))
		pkg := wantAnswer(t, only(t, response), "1.1.0", sum("eleven"))
		if pkg.Mirror != zip11 || pkg.DownloadURL != "" || pkg.Filename != "" {
			t.Errorf("package %+v, want the path %s", pkg, zip11)
		}
		key := "package/" + source + "/1.1.0/linux_amd64"
		if got, want := string(response.Facts[key]), fmt.Sprintf(`{"sha256":%q,"mirror":%q}`, sum("eleven"), zip11); got != want {
			t.Errorf("fact %s, want %s", got, want)
		}
		if _, err := facts.ParsePackage(key, response.Facts[key]); err != nil {
			t.Errorf("the fact is not read again: %v", err)
		}
	}
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests, want none", n)
	}
}

// TestFilesystemRefused: what cannot be recorded is refused with the reason, and no other source takes its place, because the tools would use it.
func TestFilesystemRefused(t *testing.T) {
	t.Parallel()
	t.Run("unpacked", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t).file("mirror/registry.acme.dev/acme/widget/1.2.0/linux_amd64/terraform-provider-widget", "x")
		row := only(t, w.resolve(from([]manifest.Source{filesystem(filepath.Join(w.home, "mirror")), {Kind: "direct"}}, source+":1.2.0")))
		wantError(t, row, "config", "only unpacked", "registry.acme.dev/acme/widget/1.2.0/linux_amd64", "terraform-provider-widget_1.2.0_linux_amd64.zip")
		w.wantCounts(map[string]int{})
	})
	t.Run("packed beside unpacked", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t).file("mirror/registry.acme.dev/acme/widget/1.1.0/linux_amd64/terraform-provider-widget", "x").file("mirror/"+zip11, "eleven")
		wantAnswer(t, only(t, w.resolve(from([]manifest.Source{filesystem(filepath.Join(w.home, "mirror"))}, source))), "1.1.0", sum("eleven"))
	})
	t.Run("R-FS-6 no root", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		row := only(t, w.resolve(from([]manifest.Source{filesystem(filepath.Join(w.home, "none")), {Kind: "direct"}}, source)))
		wantError(t, row, "config", "cannot be read", "none")
	})
	for _, test := range []struct{ name, config string }{
		{"private", "provider_installation {\n filesystem_mirror {\n path = \"{HOME}/mirror\"\n}\n}"},
		{"implied", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).file("mirror/"+zip11, "x").file(".terraform.d/plugins/"+zip11, "x").terraformrc(test.config)
			row := only(t, w.resolve(followed(source+":~> 1.0")))
			wantError(t, row, "config", "of this machine alone", `"filesystem_mirror"`)
			if row.Version != "1.1.0" { // R-CLI-20: the implied mirror hides the registry's 1.2.0
				t.Errorf("version %q, want 1.1.0", row.Version)
			}
			w.wantNoConnection(acme)
		})
	}
}

// TestFilesystemThenRegistry is R-CLI-21, R-CLI-23 and R-REG-15: the union of versions, and the first source that has the platform.
func TestFilesystemThenRegistry(t *testing.T) {
	t.Parallel()
	w := newWorld(t).file("mirror/"+zip11, "eleven")
	list := []manifest.Source{filesystem(filepath.Join(w.home, "mirror")), {Kind: "direct"}}
	r := from(list, source+":1.1.0", source+":~> 1.0")
	r.Platforms = fixture.Platforms(linux, "darwin_arm64")
	response := w.resolve(r)
	wantAnswer(t, response.Providers[0], "1.1.0", sum("eleven"))
	if got, want := response.Providers[0].Packages["darwin_arm64"].SHA256, w.v1.SHA256("darwin_arm64"); got != want {
		t.Errorf("darwin_arm64 has %s, want the registry's %s", got, want)
	}
	wantAnswer(t, response.Providers[1], "1.2.0", w.v2.SHA256(linux))
}

// TestChangedFile: a zip that no longer has the recorded hash does not change what is recorded.
func TestChangedFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t).file("mirror/"+zip11, "eleven")
	r := from([]manifest.Source{filesystem(filepath.Join(w.home, "mirror"))}, source+":1.1.0")
	first := w.resolve(r)
	if err := os.WriteFile(filepath.Join(w.home, "mirror", zip11), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Facts = first.Facts
	second := w.resolve(r)
	wantAnswer(t, only(t, second), "1.1.0", sum("eleven"))
	if !slices.Equal(factKeys(first), factKeys(second)) {
		t.Errorf("facts %q, then %q", factKeys(first), factKeys(second))
	}
}

// TestFilesystemLacks: what to do where a mirror alone serves a provider and lacks it, or lacks one package of it.
func TestFilesystemLacks(t *testing.T) {
	t.Parallel()
	const command = "add it with `terraform providers mirror -platform=OS_ARCH {ROOT}`"
	const other = `such as direct, with "exclude": ["registry.acme.dev/acme/none"]`
	for _, test := range []struct{ entry, kind, found, repair string }{
		{"registry.acme.dev/acme/none:~> 1.0", "not_found", "/mirror has no registry.acme.dev/acme/none; ", command},
		{"registry.acme.dev/acme/none", "not_found", "/mirror has no registry.acme.dev/acme/none; ", other},
		{"registry.acme.dev/acme/none:1.0.0", "platform", "/mirror has no package of version 1.0.0 for linux_amd64", command},
		{"registry.acme.dev/acme/none:1.0.0", "platform", "/mirror has no package of version 1.0.0 for linux_amd64", other},
		{source + ":1.2.0", "platform", "/mirror has no package of version 1.2.0 for linux_amd64", "; if the mirror lacks it, " + command},
	} {
		t.Run(test.entry+" "+test.kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).file("mirror/"+zip11, "eleven")
			root := filepath.Join(w.home, "mirror")
			row := only(t, w.resolve(from([]manifest.Source{filesystem(root)}, test.entry)))
			wantError(t, row, test.kind, test.found, strings.ReplaceAll(test.repair, "{ROOT}", root))
		})
	}
}
