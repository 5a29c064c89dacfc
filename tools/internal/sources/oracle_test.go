package sources_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/manifest"
)

// own is the platform that the tools install for.
var own = runtime.GOOS + "_" + runtime.GOARCH

// scene is what a case may change: widget has 1.1.0 and 1.2.0 on its registry, for our own platform and plan9_386.
type scene struct {
	*world
	mirror   *fixture.Mirror // of mirrored, at https://mirror.example/m/
	mirrored *fixture.Provider
}

// pack puts a packed package into the directory dir of the home directory.
func (s *scene) pack(dir, version, platform string) {
	s.t.Helper()
	v := s.Host("pack.example").Provider("acme/widget").Version(version, fixture.Platforms(platform))
	name := filepath.Join(dir, filepath.FromSlash(source), "terraform-provider-widget_"+version+"_"+platform+".zip")
	response, err := s.HTTPClient().Get(v.URL(platform))
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	s.file(name, readAll(s.t, response.Body))
}

type oracleCase struct {
	name    string
	sources []manifest.Source // {HOME} stands for the home directory
	version string            // constraint; empty: none
	setup   func(*scene)
}

var (
	netSource   = network("https://mirror.example/m/")
	diskSource  = filesystem("{HOME}/disk")
	otherDisk   = filesystem("{HOME}/other")
	originalOne = manifest.Source{Kind: "direct"}
)

func list(sources ...manifest.Source) []manifest.Source { return sources }

var oracleCases = []oracleCase{
	{name: "R-CLI-21 union, the registry is newer", sources: list(netSource, originalOne), setup: func(s *scene) { s.mirrored.Version("1.0.0", fixture.Platforms(own)) }, version: "1.0.0"},
	{name: "R-CLI-21 union, the mirror is newer", sources: list(originalOne, netSource), setup: func(s *scene) { s.mirrored.Version("1.3.0", fixture.Platforms(own)) }},
	{name: "R-CLI-21 mirror 404, then the registry", sources: list(netSource, originalOne), setup: func(s *scene) {
		s.mirror.Answer(source+"/index.json", 404, "application/json", "{}")
	}},
	{name: "R-CLI-21 mirror fails", sources: list(originalOne, netSource), setup: func(s *scene) { s.mirror.Answer(source+"/index.json", 403, "application/json", "{}") }},
	{name: "R-CLI-21 mirror's content type is wrong", sources: list(originalOne, netSource), setup: func(s *scene) {
		s.mirror.Answer(source+"/index.json", 200, "text/plain", `{"versions":{}}`)
	}},
	{name: "R-CLI-22 registry 404, mirror has it", sources: list(originalOne, netSource), setup: func(s *scene) {
		s.widget.Fail(fixture.EndpointVersions, fixture.Fault{Status: 404})
		s.mirrored.Version("1.3.0", fixture.Platforms(own))
	}},
	{name: "R-CLI-22 nobody has it", sources: list(diskSource, netSource), setup: func(s *scene) { s.file("disk/x", "") }},
	{name: "R-CLI-22 the mirror lists nothing", sources: list(netSource), setup: func(s *scene) {
		s.mirror.Answer(source+"/index.json", 200, "application/json", `{"versions":{}}`)
	}},
	{name: "R-CLI-23 first in order", sources: list(diskSource, netSource, originalOne), version: "1.2.0", setup: func(s *scene) {
		s.pack("disk", "1.2.0", own)
		s.mirrored.Version("1.2.0", fixture.Platforms(own))
	}},
	{name: "R-CLI-23 first in order, turned", sources: list(netSource, diskSource), version: "1.2.0", setup: func(s *scene) {
		s.pack("disk", "1.2.0", own)
		s.mirrored.Version("1.2.0", fixture.Platforms(own))
	}},
	{name: "R-CLI-23 two disks", sources: list(otherDisk, diskSource), setup: func(s *scene) {
		s.pack("disk", "1.1.0", own)
		s.pack("other", "1.0.0", own)
	}},
	{name: "R-CLI-23 R-NET-12 the mirror lacks the platform", sources: list(netSource, originalOne), version: "1.2.0", setup: func(s *scene) {
		s.mirrored.Version("1.2.0", fixture.Platforms("plan9_386"))
	}},
	{name: "R-CLI-23 R-FS-7 the disk lacks the platform", sources: list(diskSource, originalOne), version: "1.2.0", setup: func(s *scene) { s.pack("disk", "1.2.0", "plan9_386") }},
	{name: "R-FS-7 nobody has the platform of the newest", sources: list(diskSource, originalOne), setup: func(s *scene) { s.pack("disk", "9.0.0", "plan9_386") }},
	{name: "R-CLI-24 the mirror lacks the version", sources: list(netSource, originalOne), version: "1.2.0", setup: func(s *scene) { s.mirrored.Version("1.1.0", fixture.Platforms(own)) }},
	{name: "R-CLI-24 the disk lacks the version", sources: list(diskSource, originalOne), version: "1.2.0", setup: func(s *scene) { s.pack("disk", "1.1.0", own) }},
	{name: "R-FS-6 no root", sources: list(diskSource, originalOne)},
	{name: "R-NET-13 h1 alone", sources: list(netSource), setup: func(s *scene) {
		v := s.mirrored.Version("1.3.0", fixture.Platforms(own))
		path := filepath.Join(s.t.TempDir(), "p.zip")
		response, err := s.HTTPClient().Get(v.URL(own))
		if err != nil {
			s.t.Fatal(err)
		}
		defer response.Body.Close()
		if err := os.WriteFile(path, []byte(readAll(s.t, response.Body)), 0o600); err != nil {
			s.t.Fatal(err)
		}
		h1, err := hashes.Zip(path)
		if err != nil {
			s.t.Fatal(err)
		}
		s.mirror.Hashes(func(*fixture.Version, string) []string { return []string{"h9:x", h1.String()} })
	}},
	{name: "R-NET-13 no match", sources: list(netSource), setup: func(s *scene) {
		s.mirrored.Version("1.3.0", fixture.Platforms(own))
		s.mirror.Hashes(func(*fixture.Version, string) []string { return []string{"h1:AAAA"} })
	}},
	{name: "R-NET-13 unknown schemes", sources: list(netSource), setup: func(s *scene) {
		s.mirrored.Version("1.3.0", fixture.Platforms(own))
		s.mirror.Hashes(func(*fixture.Version, string) []string { return []string{"h9:x"} })
	}},
	{name: "R-NET-14 no hashes", sources: list(netSource), setup: func(s *scene) {
		s.mirrored.Version("1.3.0", fixture.Platforms(own))
		s.mirror.Hashes(func(*fixture.Version, string) []string { return nil })
	}},
	{name: "R-CLI-16 exclude", sources: list(manifest.Source{Kind: "network_mirror", URL: netSource.URL, Exclude: []string{acme + "/acme/*"}}, originalOne)},
	{name: "R-CLI-18 nobody may", sources: list(manifest.Source{Kind: "direct", Include: []string{"*/*"}})},
	{name: "R-CLI-15 include everything", sources: list(manifest.Source{Kind: "network_mirror", URL: netSource.URL, Include: []string{"*/*/*"}, Exclude: []string{"hashicorp/*"}}),
		setup: func(s *scene) { s.mirrored.Version("1.3.0", fixture.Platforms(own)) }},
}

// TestOracle runs the real tools with the same sources and compares what they select, whom they ask and whose package they take.
func TestOracle(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("the tools trust only the system's certificate store here: SSL_CERT_FILE does not count on macOS and Windows")
	}
	for tool, find := range map[addrs.Tool]func(testing.TB) string{addrs.Terraform: testtools.Terraform, addrs.OpenTofu: testtools.Tofu} {
		t.Run(string(tool), func(t *testing.T) {
			t.Parallel()
			program := find(t)
			for _, test := range oracleCases {
				t.Run(test.name, func(t *testing.T) {
					t.Parallel()
					compare(t, tool, program, test)
				})
			}
		})
	}
}

func compare(t *testing.T, tool addrs.Tool, program string, test oracleCase) {
	w := &world{Registry: fixture.Start(t), t: t, home: t.TempDir()}
	w.environ = []string{"HOME=" + w.home}
	w.widget = w.Host(acme).Provider("acme/widget")
	for _, number := range []string{"1.1.0", "1.2.0"} {
		w.widget.Version(number, fixture.Platforms(own, "plan9_386"))
	}
	s := &scene{world: w}
	// What the mirror has under the same address is other content, so that it shows whose package was taken.
	s.mirrored = w.Host("content.example").Provider("acme/widget")
	s.mirror = w.Host(mirrorHost).MirrorAs("/m/", acme, s.mirrored)
	if test.setup != nil {
		test.setup(s)
	}
	sources := slices.Clone(test.sources)
	for i := range sources {
		sources[i].Path = strings.ReplaceAll(sources[i].Path, "{HOME}", w.home)
	}
	w.Reset()

	entry := source
	if test.version != "" {
		entry += ":" + test.version
	}
	r := from(sources, entry)
	r.Tool, r.Platforms = tool, []string{own}
	row := only(t, w.resolve(r))
	asked := w.asked()
	pkg := row.Packages[own]
	if row.Error == nil && pkg.Error == nil && !pkg.Unavailable && pkg.SHA256 == "" {
		t.Fatalf("no answer: %+v", row)
	}
	w.Reset()

	version, zh, output := w.init(program, sources, test.version)
	t.Logf("version %q, error %+v %+v, unavailable %v", version, row.Error, pkg.Error, pkg.Unavailable)
	failed := row.Error != nil || pkg.Error != nil || pkg.Unavailable
	if failed != (version == "") {
		t.Fatalf("we say %+v %+v, %s selects %q\n%s", row.Error, pkg.Error, tool, version, output)
	}
	if !failed && (row.Version != version || pkg.SHA256 != zh) {
		t.Errorf("we select %s with %s, %s selects %s with %s", row.Version, pkg.SHA256, tool, version, zh)
	}
	// An exact version needs no list here (B38); what the tools ask beyond lists must be the same.
	theirs := w.asked()
	if test.version != "" {
		for _, m := range []map[string]bool{asked, theirs} {
			maps.DeleteFunc(m, func(what string, _ bool) bool {
				return !strings.HasSuffix(what, " archives") && !strings.HasSuffix(what, " download")
			})
		}
	}
	if failed { // a failure may end one run before a question that the other has asked already, and we explain more
		return
	}
	if !maps.Equal(asked, theirs) {
		t.Errorf("we asked %q, %s asked %q\n%s", slices.Sorted(maps.Keys(asked)), tool, slices.Sorted(maps.Keys(theirs)), output)
	}
}

// asked returns who was asked for what, without documents and packages.
func (w *world) asked() map[string]bool {
	asked := map[string]bool{}
	for _, r := range w.Requests() {
		switch r.Endpoint {
		case fixture.EndpointConnect, fixture.EndpointZip, fixture.EndpointSums, fixture.EndpointSignature:
		default:
			asked[r.Host+" "+r.Endpoint] = true
		}
	}
	return asked
}

var lockedVersion = regexp.MustCompile(`version\s+= "([^"]+)"`)

// init runs the tool and returns the version and the sha256 of the package that it selected; no version means that it failed.
func (w *world) init(program string, sources []manifest.Source, constraint string) (version, sha256, output string) {
	w.t.Helper()
	var config strings.Builder
	config.WriteString("provider_installation {\n")
	for _, s := range sources {
		fmt.Fprintf(&config, "  %s {\n", s.Kind)
		for name, value := range map[string]string{"url": s.URL, "path": s.Path} {
			if value != "" {
				fmt.Fprintf(&config, "    %s = %q\n", name, value)
			}
		}
		for name, value := range map[string][]string{"include": s.Include, "exclude": s.Exclude} {
			if value != nil {
				fmt.Fprintf(&config, "    %s = [\"%s\"]\n", name, strings.Join(value, `", "`))
			}
		}
		config.WriteString("  }\n")
	}
	config.WriteString("}\n")
	w.terraformrc(config.String())
	if constraint != "" {
		constraint = fmt.Sprintf("\n      version = %q", constraint)
	}
	w.file("work/main.tf", fmt.Sprintf("terraform {\n  required_providers {\n    widget = {\n      source = %q%s\n    }\n  }\n}\n", source, constraint))
	work := filepath.Join(w.home, "work")
	command := exec.CommandContext(w.t.Context(), program, "init", "-no-color", "-input=false", "-backend=false")
	command.Dir = work
	command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "CHECKPOINT_DISABLE=1"}, w.Env()...)
	out, err := command.CombinedOutput()
	if err != nil {
		return "", "", string(out)
	}
	lock, err := os.ReadFile(filepath.Join(work, ".terraform.lock.hcl"))
	if err != nil {
		w.t.Fatal(err)
	}
	match := lockedVersion.FindSubmatch(lock)
	if match == nil {
		w.t.Fatalf("no version in %s", lock)
	}
	version = string(match[1])
	return version, w.installed(filepath.Join(work, ".terraform", "providers", filepath.FromSlash(source), version, own), version), string(out)
}

// installed finds out which of the packages of all hosts was unpacked into dir, and returns the sha256 of its zip.
func (w *world) installed(dir, version string) string {
	w.t.Helper()
	got, err := hashes.Dir(dir)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, host := range []string{acme, "content.example", "pack.example"} {
		v := w.Host(host).Provider("acme/widget").Version(version, nil)
		response, err := w.HTTPClient().Get(v.URL(own))
		if err != nil {
			w.t.Fatal(err)
		}
		data := readAll(w.t, response.Body)
		response.Body.Close()
		path := filepath.Join(w.t.TempDir(), "p.zip")
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			w.t.Fatal(err)
		}
		if h, err := hashes.Zip(path); err == nil && h == got {
			return sum(data)
		}
	}
	w.t.Fatalf("nobody's package is in %s", dir)
	return ""
}
