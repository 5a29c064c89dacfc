package resolve_test

import (
	"encoding/json"
	"fmt"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/manifest"
)

// TestCountsAndFacts: c constrained sources and p versions on q platforms take c lists and p·q downloads, and with the facts of the
// answer nothing at all.
func TestCountsAndFacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	random := w.Host(tfHost).Provider("hashicorp/random")
	for _, v := range []string{"3.1.0", "3.1.3", "3.3.2"} {
		random.Version(v, fourPlatforms)
	}
	widget := w.Host("registry.acme.dev").Provider("acme/widget").Version("1.4.0", fourPlatforms)
	q := request(fourPlatforms, "hashicorp/random:~> 3.1.0", "hashicorp/random:3.3.2", "registry.acme.dev/acme/widget:1.4.0", "hashicorp/random")

	cold := w.resolve(q)
	w.wantCounts(1, 1, 12)
	for i, want := range []string{"3.1.3", "3.3.2", "1.4.0", "3.3.2"} {
		if got := cold.Providers[i]; got.Version != want || got.Error != nil || len(got.Packages) != 4 {
			t.Errorf("provider %d: %+v, want version %s on 4 platforms", i, got, want)
		}
	}
	want := manifest.Package{DownloadURL: widget.URL("linux_arm64"), Filename: widget.Filename("linux_arm64"), SHA256: widget.SHA256("linux_arm64")}
	if diff := cmp.Diff(want, cold.Providers[2].Packages["linux_arm64"]); diff != "" {
		t.Errorf("package (-want +got):\n%s", diff)
	}
	wantKeys := []string{}
	for _, v := range []string{tfHost + "/hashicorp/random/3.1.3", tfHost + "/hashicorp/random/3.3.2", "registry.acme.dev/acme/widget/1.4.0"} {
		for _, p := range []string{"darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64"} {
			wantKeys = append(wantKeys, "package/"+v+"/"+p)
		}
	}
	wantKeys = append(wantKeys, "resolve/"+tfHost+"/hashicorp/random/latest", "resolve/"+tfHost+"/hashicorp/random/~> 3.1.0")
	sort.Strings(wantKeys)
	if diff := cmp.Diff(wantKeys, factKeys(cold)); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}

	w.Reset()
	q.Facts = cold.Facts
	warm := w.resolve(q)
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests although facts answer everything", n)
	}
	if diff := cmp.Diff(encode(t, cold), encode(t, warm)); diff != "" {
		t.Errorf("the warm answer differs (-cold +warm):\n%s", diff)
	}
}

// TestForeignFactsAreDropped: facts of other entries, versions and tools do not come back; tool/ facts of this manifest do.
func TestForeignFactsAreDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Host(tfHost).Provider("hashicorp/random").Version("3.3.2", fourPlatforms)
	one := registry.Platforms("linux_amd64")
	q := request(one, "hashicorp/random:3.3.2")
	tool := `{"download_url":"https://releases.example/t.zip","sha256":"` + fmt.Sprintf("%064d", 1) + `"}`
	q.Facts = map[string]json.RawMessage{
		"resolve/" + tfHost + "/hashicorp/random/~> 3.0":                 json.RawMessage(`{"version":"3.3.2"}`),
		"package/" + tfHost + "/hashicorp/random/3.3.1/linux_amd64":      json.RawMessage(`{"unavailable":true}`),
		"package/" + tfHost + "/hashicorp/random/3.3.2/solaris_amd64":    json.RawMessage(`{"unavailable":true}`),
		"tool/terraform/1.9.5/linux_amd64":                               json.RawMessage(tool),
		"tool/terraform/1.9.6/linux_amd64":                               json.RawMessage(tool),
		"tool/tofu/1.9.5/linux_amd64":                                    json.RawMessage(tool),
		"verified/" + tfHost + "/hashicorp/random/3.3.2":                 json.RawMessage(`{}`),
		"something that an older release wrote and nobody knows anymore": json.RawMessage(`7`),
	}
	want := []string{"package/" + tfHost + "/hashicorp/random/3.3.2/linux_amd64", "tool/terraform/1.9.5/linux_amd64"}
	if diff := cmp.Diff(want, factKeys(w.resolve(q))); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

// TestEqualQuestionsAreAskedOnce: repeated entries, spellings of one exact version and a constraint that selects it share requests.
func TestEqualQuestionsAreAskedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Host("registry.acme.dev").Provider("acme/widget").Version("1.2.0", fourPlatforms)
	source := "registry.acme.dev/acme/widget:"
	response := w.resolve(request(fourPlatforms, source+"1.2", source+"1.2.0", source+"= 1.2.0", source+"~> 1.0", source+" ~> 1.0 ", source+"~> 1.0"))
	w.wantCounts(1, 1, 4)
	if n := len(response.Providers); n != 6 {
		t.Errorf("%d provider rows, want 6", n)
	}
	for _, p := range response.Providers {
		if p.Version != "1.2.0" || len(p.Packages) != 4 {
			t.Errorf("row %+v, want version 1.2.0 on 4 platforms", p)
		}
	}
	if diff := cmp.Diff(response.Providers[3], response.Providers[5]); diff != "" {
		t.Errorf("equal entries have different rows:\n%s", diff)
	}
	if _, ok := response.Facts["resolve/registry.acme.dev/acme/widget/1.2"]; ok {
		t.Error("an exact version has a resolve fact")
	}
}

// TestEverythingInFlight: the lists of constrained entries and the downloads of exact ones are one round, the other downloads the next.
// A client that asks one thing after the other hangs here.
func TestEverythingInFlight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	host := w.Host(tfHost)
	var entries []string
	for i := range 8 {
		p := host.Provider(fmt.Sprintf("acme/p%d", i))
		p.Version("1.0.0", fourPlatforms)
		constraint := "1.0.0"
		if i < 4 {
			constraint = "~> 1.0"
		}
		entries = append(entries, fmt.Sprintf("acme/p%d:%s", i, constraint))
	}
	host.Gather(registry.EndpointVersions, 4).Gather(registry.EndpointDownload, 16)
	response := w.resolve(request(fourPlatforms, entries...))
	w.wantCounts(0, 4, 32)
	for _, r := range w.Select(registry.Filter{NotEndpoint: registry.EndpointConnect}) {
		if r.Proto != "HTTP/2.0" {
			t.Errorf("%s %s over %s, want HTTP/2", r.Method, r.Path, r.Proto)
		}
		if r.TerraformVersion != "1.9.5" || r.UserAgent != "Terraform/1.9.5" || r.Method != "GET" {
			t.Errorf("%s %s: X-Terraform-Version %q, User-Agent %q", r.Method, r.Path, r.TerraformVersion, r.UserAgent)
		}
	}
	if n := w.Counts()[registry.EndpointConnect]; n != 1 {
		t.Errorf("%d connections for one host, want 1", n)
	}
	if len(response.Warnings) != 0 {
		t.Errorf("warnings %q", response.Warnings)
	}
}
