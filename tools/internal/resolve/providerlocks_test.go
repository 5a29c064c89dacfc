package resolve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/resolve"
)

// lockBlock is the block of one provider, as terraform writes it.
func lockBlock(source, version string, hashes ...string) string {
	text := "provider \"" + source + "\" {\n  version = \"" + version + "\"\n"
	if len(hashes) > 0 {
		text += "  hashes = [\n    \"" + strings.Join(hashes, "\",\n    \"") + "\",\n  ]\n"
	}
	return text + "}\n"
}

func writeLock(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func zh(digit string) string { return "zh:" + strings.Repeat(digit, 64) }

const randomSource = tfHost + "/hashicorp/random"

// Several files for several versions, and a version without hashes: everything is told, nothing judged.
func TestProviderLocks(t *testing.T) {
	t.Parallel()
	one := writeLock(t, "one.hcl", lockBlock(randomSource, "3.1.3", zh("a"), zh("b"), "h1:MmTQZZwwh2gDy23kbp4CCfyb+gXd5IDC3PV/EGprFg0=")+
		lockBlock("registry.acme.dev/acme/widget", "1.4.0", zh("c")))
	two := writeLock(t, "two.hcl", "# a comment\r\n"+strings.ReplaceAll(lockBlock(randomSource, "3.3.2", zh("d")), "\n", "\r\n"))
	three := writeLock(t, "three.hcl", lockBlock(randomSource, "3.1.3"))
	response := &manifest.Response{Warnings: []string{"before"}}
	resolve.AddProviderLocks(&manifest.Request{Tool: addrs.Terraform, ProviderLocks: []string{one, two, three}}, response)
	want := &manifest.ProviderLocks{
		Entries: map[string][]manifest.LockedVersion{
			randomSource + "/3.1.3": {
				{Path: one, Line: 1, Hashes: []string{"h1:MmTQZZwwh2gDy23kbp4CCfyb+gXd5IDC3PV/EGprFg0=", zh("a"), zh("b")}},
				{Path: three, Line: 1, Hashes: []string{}},
			},
			randomSource + "/3.3.2":               {{Path: two, Line: 2, Hashes: []string{zh("d")}}},
			"registry.acme.dev/acme/widget/1.4.0": {{Path: one, Line: 9, Hashes: []string{zh("c")}}},
		},
		Problems: []string{},
	}
	if diff := cmp.Diff(want, response.ProviderLocks); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"before"}, response.Warnings); diff != "" {
		t.Errorf("warnings:\n%s", diff)
	}
}

// A20: what is locked for the other tool's registry is said to lock nothing.
func TestProviderLocksOfTheOtherTool(t *testing.T) {
	t.Parallel()
	path := writeLock(t, "x.hcl", lockBlock(randomSource, "3.1.3", zh("a")))
	response := &manifest.Response{}
	resolve.AddProviderLocks(&manifest.Request{Tool: addrs.OpenTofu, ProviderLocks: []string{path}}, response)
	if len(response.Warnings) != 1 || !strings.Contains(response.Warnings[0], path+":1: "+randomSource+" is locked for another registry") {
		t.Errorf("warnings %q", response.Warnings)
	}
	if len(response.ProviderLocks.Entries) != 1 {
		t.Errorf("entries %v", response.ProviderLocks.Entries)
	}
}

func TestProviderLocksProblems(t *testing.T) {
	t.Parallel()
	good := writeLock(t, "good.hcl", lockBlock(randomSource, "3.1.3", zh("a")))
	merged := writeLock(t, "merged.hcl", "<<<<<<< ours\n"+lockBlock(randomSource, "3.1.3", zh("a")))
	missing := filepath.Join(t.TempDir(), "missing.hcl")
	response := &manifest.Response{}
	resolve.AddProviderLocks(&manifest.Request{Tool: addrs.Terraform, ProviderLocks: []string{good, merged, missing}}, response)
	answer := response.ProviderLocks
	if len(answer.Entries) != 0 || len(answer.Problems) != 2 {
		t.Fatalf("got %+v", answer)
	}
	for n, want := range []string{merged + ":1: ", missing + ": there is no such dependency lock file"} {
		if !strings.HasPrefix(answer.Problems[n], want) {
			t.Errorf("problem %q, want %q", answer.Problems[n], want)
		}
	}
	if text := encode(t, response); !strings.Contains(text, `"provider_locks": {`) || !strings.Contains(text, `"entries": {}`) {
		t.Errorf("response:\n%s", text)
	}
}

// A file that cannot be read is a problem on its own too: what it would have locked is not known.
func TestBrokenProviderLock(t *testing.T) {
	t.Parallel()
	good := writeLock(t, "good.hcl", lockBlock(randomSource, "3.1.3", zh("a")))
	merged := writeLock(t, "merged.hcl", "<<<<<<< ours\n"+lockBlock(randomSource, "3.1.3", zh("a")))
	response := &manifest.Response{}
	resolve.AddProviderLocks(&manifest.Request{Tool: addrs.Terraform, ProviderLocks: []string{good, merged}}, response)
	if answer := response.ProviderLocks; len(answer.Entries) != 0 || len(answer.Problems) != 1 || !strings.HasPrefix(answer.Problems[0], merged+":1: ") {
		t.Errorf("got %+v", answer)
	}
}

// Nothing is said to a request that names no file: a response without the field is what it was before there was one.
func TestNoProviderLocks(t *testing.T) {
	t.Parallel()
	response := &manifest.Response{}
	resolve.AddProviderLocks(&manifest.Request{Tool: addrs.Terraform}, response)
	if text := encode(t, response); response.ProviderLocks != nil || strings.Contains(text, "provider_locks") {
		t.Errorf("response:\n%s", text)
	}
}
