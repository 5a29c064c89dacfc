package ocimirror_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	ociregistry "github.com/google/go-containerregistry/pkg/registry"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/ocimirror"
	"rules_tf_mirror/tools/internal/transport"
)

const (
	indexArtifact   = "application/vnd.opentofu.provider"
	packageArtifact = "application/vnd.opentofu.provider-target"
)

var policy = transport.Policy{Timeout: 10 * time.Second, Retries: 1, MinBackoff: time.Millisecond, MaxBackoff: time.Millisecond}

// store is an OCI registry in memory, on TLS, that counts requests.
type store struct {
	t      testing.TB
	server *httptest.Server
	auth   string // wanted Authorization header; empty: none

	mu    sync.Mutex
	asked []string // method and path
}

func newStore(t testing.TB) *store {
	s := &store{t: t}
	inner := ociregistry.New(ociregistry.Logger(log.New(io.Discard, "", 0)))
	s.server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		if s.auth != "" && r.Header.Get("Authorization") != s.auth {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(s.server.Close)
	return s
}

func (s *store) host() string { return strings.TrimPrefix(s.server.URL, "https://") }

// requests returns what was asked since the last call.
func (s *store) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// put stores something and returns its descriptor.
func (s *store) put(path, mediaType string, content []byte) ocispec.Descriptor {
	s.t.Helper()
	d := ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(content), Size: int64(len(content))}
	target := s.server.URL + path
	method := http.MethodPut
	if strings.HasSuffix(path, "/blobs/uploads/") {
		method, target = http.MethodPost, target+"?digest="+d.Digest.String()
	}
	if strings.HasSuffix(path, "/manifests/") {
		target += d.Digest.String()
	}
	r, err := http.NewRequest(method, target, bytes.NewReader(content))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", mediaType)
	r.Header.Set("Authorization", s.auth)
	response, err := s.server.Client().Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		text, _ := io.ReadAll(response.Body)
		s.t.Fatalf("%s %s: %s %s", method, path, response.Status, text)
	}
	return d
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// image stores the package of a platform; change may spoil its manifest.
func (s *store) image(repository, os, arch, content string, change func(*ocispec.Manifest)) ocispec.Descriptor {
	s.t.Helper()
	layer := s.put("/v2/"+repository+"/blobs/uploads/", "archive/zip", []byte(content))
	config := s.put("/v2/"+repository+"/blobs/uploads/", ocispec.MediaTypeEmptyJSON, []byte("{}"))
	manifest := ocispec.Manifest{MediaType: ocispec.MediaTypeImageManifest, ArtifactType: packageArtifact, Config: config, Layers: []ocispec.Descriptor{layer}}
	manifest.SchemaVersion = 2
	if change != nil {
		change(&manifest)
	}
	d := s.put("/v2/"+repository+"/manifests/", ocispec.MediaTypeImageManifest, encode(s.t, manifest))
	d.ArtifactType, d.Platform = packageArtifact, &ocispec.Platform{OS: os, Architecture: arch}
	return d
}

// tag stores the index of a version; change may spoil it.
func (s *store) tag(repository, tag string, images []ocispec.Descriptor, change func(*ocispec.Index)) {
	s.t.Helper()
	index := ocispec.Index{MediaType: ocispec.MediaTypeImageIndex, ArtifactType: indexArtifact, Manifests: images}
	index.SchemaVersion = 2
	if change != nil {
		change(&index)
	}
	s.put("/v2/"+repository+"/manifests/"+tag, index.MediaType, encode(s.t, index))
	s.requests()
}

// mirror is a new client, as a process of its own would have.
func (s *store) mirror(environ map[string]string) *ocimirror.Mirror {
	s.t.Helper()
	m, err := ocimirror.New(ocimirror.Options{
		Template:  s.host() + "/tf/${hostname}/${namespace}/${type}",
		Transport: transport.New(transport.Options{RoundTripper: s.server.Client().Transport}),
		Policy:    policy,
		Getenv:    func(name string) string { return environ[name] },
		UserAgent: "OpenTofu/1.12.6",
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

const repository = "tf/registry.acme.dev/acme/widget"

func widget(t testing.TB) addrs.Provider {
	t.Helper()
	p, err := addrs.Parse("registry.acme.dev/acme/widget", addrs.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var ctx = context.Background()
