package ocimirror_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
)

var linux = platforms.Platform{OS: "linux", Arch: "amd64"}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

func wantProblem(t *testing.T, err error, kind problem.Kind, parts ...string) {
	t.Helper()
	if err == nil || problem.KindOf(err) != kind {
		t.Errorf("error %v of kind %s, want %s", err, problem.KindOf(err), kind)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("message %q lacks %q", err, part)
		}
	}
}

// TestMirror is R-NET-18: versions are tags, a package is the layer of its platform, its digest is the hash, and it is ephemeral (design §3.7). The
// registry is asked with GET only (B03), once for each thing.
func TestMirror(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	images := []ocispec.Descriptor{s.image(repository, "linux", "amd64", "linux zip", nil), s.image(repository, "darwin", "arm64", "darwin zip", nil)}
	special := s.image(repository, "windows", "amd64", "x", nil)
	special.Platform.OSVersion = "10"
	images = append(images, special)
	for _, tag := range []string{"1.0.0", "1.1.0_b1", "latest", "v2.0.0"} {
		s.tag(repository, tag, images, nil)
	}
	m := s.mirror(nil)
	for range 2 {
		list, err := m.Versions(ctx, widget(t))
		if err != nil {
			t.Fatal(err)
		}
		got := list.Texts()
		slices.Sort(got)
		if want := []string{"1.0.0", "1.1.0+b1"}; !slices.Equal(got, want) {
			t.Errorf("versions %q, want %q", got, want)
		}
	}
	if got, want := s.requests(), []string{"GET /v2/" + repository + "/tags/list"}; !slices.Equal(got, want) {
		t.Errorf("requests %q, want %q", got, want)
	}
	pkg, err := m.Download(ctx, widget(t), "1.1.0+b1", linux)
	if err != nil {
		t.Fatal(err)
	}
	want := facts.Package{
		DownloadURL: "https://" + s.host() + "/v2/" + repository + "/blobs/sha256:" + sum("linux zip"),
		Filename:    "terraform-provider-widget_1.1.0+b1_linux_amd64.zip", SHA256: sum("linux zip"), Ephemeral: true,
	}
	if pkg.Fact != want {
		t.Errorf("fact %+v, want %+v", pkg.Fact, want)
	}
	key := facts.PackageKey(widget(t), "1.1.0+b1", linux)
	if _, err := facts.ParsePackage(key, pkg.Fact.JSON()); err != nil {
		t.Errorf("the fact is not read again: %v", err)
	}
	if got := s.requests(); len(got) != 2 || !strings.HasPrefix(got[0], "GET ") || !strings.HasSuffix(got[0], "/manifests/1.1.0_b1") || !strings.HasPrefix(got[1], "GET ") {
		t.Errorf("requests %q, want the index and one image", got)
	}
	content, err := pkg.Content(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	if data, err := io.ReadAll(content); err != nil || string(data) != "linux zip" {
		t.Errorf("content %q, %v", data, err)
	}
	if _, err := m.Download(ctx, widget(t), "1.1.0+b1", platforms.Platform{OS: "darwin", Arch: "arm64"}); err != nil {
		t.Error(err)
	}
	_, err = m.Download(ctx, widget(t), "1.0.0", platforms.Platform{OS: "windows", Arch: "amd64"})
	wantProblem(t, err, problem.Platform, "1.0.0 for windows_amd64")
	_, err = m.Download(ctx, widget(t), "3.0.0", linux)
	wantProblem(t, err, problem.NoMatchingVersion, "no tag 3.0.0")
	other := widget(t)
	other.Type = "none"
	_, err = m.Versions(ctx, other)
	wantProblem(t, err, problem.NotFound, "no repository")
}

// TestDefects: what a tag or an image may be instead.
func TestDefects(t *testing.T) {
	t.Parallel()
	index := func(change func(*ocispec.Index)) func(s *store) {
		return func(s *store) {
			s.tag(repository, "1.0.0", []ocispec.Descriptor{s.image(repository, "linux", "amd64", "zip", nil)}, change)
		}
	}
	image := func(change func(*ocispec.Manifest)) func(s *store) {
		return func(s *store) {
			s.tag(repository, "1.0.0", []ocispec.Descriptor{s.image(repository, "linux", "amd64", "zip", change)}, nil)
		}
	}
	for _, test := range []struct {
		name string
		make func(s *store)
		want string
	}{
		{"container image", index(func(i *ocispec.Index) { i.ArtifactType = "" }), "container image"},
		{"module", index(func(i *ocispec.Index) { i.ArtifactType = "application/vnd.opentofu.modulepkg" }), "a module of OpenTofu"},
		{"other artifact", index(func(i *ocispec.Index) { i.ArtifactType = "application/x" }), `"application/x"`},
		{"no packages", index(func(i *ocispec.Index) { i.Manifests[0].ArtifactType = "" }), "lists nothing of type"},
		{"no platform", index(func(i *ocispec.Index) { i.Manifests[0].Platform = nil }), "without a platform"},
		{"two of one platform", index(func(i *ocispec.Index) { i.Manifests = append(i.Manifests, i.Manifests[0]) }), "lists 2 packages"},
		{"package is an index", index(func(i *ocispec.Index) { i.Manifests[0].MediaType = ocispec.MediaTypeImageIndex }), "an image manifest is wanted"},
		{"manifest too large", index(func(i *ocispec.Index) { i.Manifests[0].Size = 5 << 20 }), "up to 4194304"},
		{"no zip", image(func(m *ocispec.Manifest) { m.Layers[0].MediaType = "application/x-tar" }), "0 layers of type archive/zip"},
		{"two zips", image(func(m *ocispec.Manifest) { m.Layers = append(m.Layers, m.Layers[0]) }), "2 layers"},
		{"other artifact type", image(func(m *ocispec.Manifest) { m.ArtifactType = "application/x" }), "application/x"},
		{"sha512", image(func(m *ocispec.Manifest) { m.Layers[0].Digest = "sha512:" + "00" }), "no sha256"},
		{"image in place of the index", func(s *store) {
			manifest := ocispec.Manifest{MediaType: ocispec.MediaTypeImageManifest, ArtifactType: packageArtifact}
			manifest.SchemaVersion = 2
			s.put("/v2/"+repository+"/manifests/1.0.0", ocispec.MediaTypeImageManifest, encode(s.t, manifest))
		}, "names one image"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			test.make(s)
			_, err := s.mirror(nil).Download(ctx, widget(t), "1.0.0", linux)
			wantProblem(t, err, problem.Response, test.want)
		})
	}
}

// TestCredentials: a registry that wants to know who asks gets what container tools have stored, of its own host; otherwise the error says how to
// log in and shows no secret.
func TestCredentials(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, variable, file string
		host                 string // empty: the registry's
		kind                 problem.Kind
	}{
		{"docker", "DOCKER_CONFIG", "config.json", "", ""},
		{"podman", "XDG_RUNTIME_DIR", "containers/auth.json", "", ""},
		{"home", "HOME", ".config/containers/auth.json", "", ""},
		{"docker in home", "HOME", ".docker/config.json", "", ""},
		{"another host", "DOCKER_CONFIG", "config.json", "other.example", problem.Unauthorized},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			pair := base64.StdEncoding.EncodeToString([]byte("user:s3cret"))
			s.auth = "Basic " + pair
			s.tag(repository, "1.0.0", []ocispec.Descriptor{s.image(repository, "linux", "amd64", "zip", nil)}, nil)
			host := s.host()
			if test.host != "" {
				host = test.host
			}
			dir := t.TempDir()
			path := filepath.Join(dir, filepath.FromSlash(test.file))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, fmt.Appendf(nil, `{"auths":{%q:{"auth":%q}}}`, host, pair), 0o600); err != nil {
				t.Fatal(err)
			}
			m := s.mirror(map[string]string{test.variable: dir})
			_, err := m.Versions(ctx, widget(t))
			if test.kind == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if problem.KindOf(err) != test.kind {
				t.Errorf("error %v, want kind %s", err, test.kind)
			}
		})
	}
	t.Run("unreadable file", func(t *testing.T) {
		t.Parallel()
		s := newStore(t)
		s.auth = "Basic x"
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"auths": s3cret`), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.mirror(map[string]string{"DOCKER_CONFIG": dir}).Versions(ctx, widget(t))
		if err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "config.json") {
			t.Errorf("error %v, want one that names the file and no secret", err)
		}
		if e := (*problem.Error)(nil); !errors.As(err, &e) {
			t.Errorf("error %T, want a problem", err)
		}
	})
}
