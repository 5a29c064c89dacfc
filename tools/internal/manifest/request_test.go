package manifest_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/platforms"
)

const full = `{"schema": 1, "tool": "tofu", "tool_version": "1.9.5",
 "platforms": ["linux_amd64", "darwin_arm64"],
 "providers": [{"source": "hashicorp/random", "version": "~> 3.1.0", "selected": "3.1.3"}, {"source": "a/b"}, {"source": "a/c", "version": ""}],
 "facts": {"resolve/x": {"version": "1.0.0"}},
 "policy": {"signers": {"a/b": ["F00D"]}, "allow_unsigned": ["a/c"], "expired_keys": "refuse", "allow_sha1": ["a/d"]},
 "installation": "config", "sources": [{"kind": "network_mirror", "url": "https://m.example/", "exclude": ["a/b"]}], "hosts": {"acme.dev": {"providers.v1": "https://acme.dev/v1/"}}}`

func decode(text string) (*manifest.Request, error) { return manifest.Decode(strings.NewReader(text)) }

func TestDecode(t *testing.T) {
	t.Parallel()
	r, err := decode(full)
	if err != nil {
		t.Fatal(err)
	}
	if r.Schema != 1 || r.Tool != addrs.OpenTofu || r.ToolVersion != "1.9.5" || r.Installation != "config" {
		t.Errorf("%+v", r)
	}
	if want := []platforms.Platform{{OS: "linux", Arch: "amd64"}, {OS: "darwin", Arch: "arm64"}}; !reflect.DeepEqual(r.PlatformList(), want) {
		t.Errorf("platforms %v, want %v", r.PlatformList(), want)
	}
	if len(r.Providers) != 3 || r.Providers[0].Source != "hashicorp/random" || *r.Providers[0].Version != "~> 3.1.0" || r.Providers[0].Selected != "3.1.3" {
		t.Errorf("providers %+v", r.Providers)
	}
	// Absent means the newest release, the empty text is the entry's own error: they must not be confused.
	if r.Providers[1].Version != nil || r.Providers[2].Version == nil || *r.Providers[2].Version != "" {
		t.Errorf("absent and empty versions: %v, %v", r.Providers[1].Version, r.Providers[2].Version)
	}
	if string(r.Facts["resolve/x"]) != `{"version": "1.0.0"}` || !reflect.DeepEqual(r.Sources, []manifest.Source{{Kind: "network_mirror", URL: "https://m.example/", Exclude: []string{"a/b"}}}) ||
		r.Hosts["acme.dev"].ProvidersV1 != "https://acme.dev/v1/" {
		t.Errorf("parts: %s %+v %+v", r.Facts, r.Sources, r.Hosts)
	}
	want := &manifest.Policy{Signers: map[string][]string{"a/b": {"F00D"}}, AllowUnsigned: []string{"a/c"}, ExpiredKeys: "refuse", AllowSHA1: []string{"a/d"}}
	if !reflect.DeepEqual(r.Policy, want) {
		t.Errorf("policy %+v, want %+v", r.Policy, want)
	}
}

func TestDecodeSmallest(t *testing.T) {
	t.Parallel()
	r, err := decode(`{"schema": 1, "tool": "terraform", "platforms": ["linux_amd64"], "providers": []}`)
	if err != nil {
		t.Fatal(err)
	}
	if r.Policy != nil || r.Facts != nil || r.Installation != "" || r.ToolVersion != "" || len(r.Providers) != 0 {
		t.Errorf("%+v", r)
	}
}

// F26: a defect of one entry is left to that entry.
func TestDecodeLeavesEntriesAlone(t *testing.T) {
	t.Parallel()
	r, err := decode(`{"schema": 1, "tool": "terraform", "platforms": ["linux_amd64"],
		"providers": [{"source": "a//b"}, {"source": ""}, {}, {"source": "a/b", "version": "^1"}]}`)
	if err != nil || len(r.Providers) != 4 {
		t.Errorf("%+v, %v", r, err)
	}
}

// badRequests have one defect each; the error has all the parts.
var badRequests = []struct {
	name, text string
	parts      []string
}{
	{"empty", ``, []string{"empty"}},
	{"version null", `{"schema": 1, "tool": "terraform", "platforms": ["linux_amd64"], "providers": [{"source": "a/a"}, {"source": "a/b", "version": null}]}`,
		[]string{"providers[1].version", "null", "leave the field out"}},
	{"version number", `{"schema": 1, "tool": "terraform", "platforms": ["linux_amd64"], "providers": [{"source": "a/a"}, {"source": "a/b", "version": 3.1}]}`,
		[]string{"providers[1].version", "number 3.1", "string"}},
	{"entry null", `{"schema": 1, "tool": "terraform", "platforms": ["linux_amd64"], "providers": [null]}`, []string{"providers[0]", "null"}},
	{"providers null", `{"schema": 1, "tool": "terraform", "platforms": ["linux_amd64"], "providers": null}`, []string{"providers", "null", "array"}},
	{"expired keys", `{"schema": 1, "tool": "terraform", "platforms": ["linux_amd64"], "providers": [], "policy": {"expired_keys": "bogus"}}`,
		[]string{"policy.expired_keys", `"bogus"`, "accept, signed-before or refuse"}},
	{"array", `[]`, []string{"array"}},
	{"trailing data", full + "{}", []string{"after the JSON value"}},
	{"no schema", `{"tool": "terraform"}`, []string{`"schema" is missing`, `write "schema": 1`}},
	{"schema of another kind", `{"schema": "1"}`, []string{`"1"`, `write "schema": 1`}},
	{"schema null", `{"schema": null}`, []string{"null", `write "schema": 1`}},
	{"fraction", `{"schema": 1.5}`, []string{"schema 1.5", "reads schema 1"}},
	{"newer schema, with its own fields", `{"schema": 2, "providers": {"new": "shape"}, "future": true}`, []string{"schema 2", "reads schema 1"}},
	{"schema twice", `{"schema": 1, "schema": 2}`, []string{`"schema"`, "twice"}},
	{"no tool", `{"schema": 1, "platforms": ["linux_amd64"], "providers": []}`, []string{`"tool" is missing`, `"tool": "terraform"`}},
	{"unknown tool", strings.Replace(full, `"tofu"`, `"opentofu"`, 1), []string{`"opentofu"`, `"tofu"`}},
	{"no platforms", `{"schema": 1, "tool": "tofu", "providers": []}`, []string{"no platform", `"platforms": ["linux_amd64"]`}},
	{"bad platform", strings.Replace(full, "darwin_arm64", "darwin-arm64", 1), []string{"platforms[1]", `"darwin-arm64"`}},
	{"platform twice", strings.Replace(full, "darwin_arm64", "linux_amd64", 1), []string{"platforms[1]", `"linux_amd64" is named twice`}},
	{"no providers", `{"schema": 1, "tool": "tofu", "platforms": ["linux_amd64"]}`, []string{`"providers" is missing`}},
	{"unknown field", strings.Replace(full, "installation", "instalation", 1), []string{"top level", `"instalation"`, "installation"}},
	{"unknown field of an entry", strings.Replace(full, `"selected"`, `"verison"`, 1), []string{"providers[0]", `"verison"`, "version"}},
	{"unknown field of the policy", strings.Replace(full, `"allow_sha1"`, `"allow_md5"`, 1), []string{"policy", `"allow_md5"`}},
	{"entry field twice", strings.Replace(full, `"selected"`, `"version"`, 1), []string{"providers[0]", `"version" is given twice`}},
	{"fact twice", strings.Replace(full, `{"resolve/x":`, `{"resolve/x": {}, "resolve/x":`, 1), []string{"facts", `"resolve/x" is given twice`}},
	{"version of another kind", strings.Replace(full, `"~> 3.1.0"`, `3.1`, 1), []string{"providers", "version", "number"}},
	{"providers of another kind", `{"schema": 1, "tool": "tofu", "platforms": ["linux_amd64"], "providers": {"a/b": "1"}}`, []string{"providers", "object", "array"}},
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range badRequests {
		r, err := decode(test.text)
		if err == nil {
			t.Errorf("%s: %+v", test.name, r)
			continue
		}
		for _, part := range test.parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q lacks %q", test.name, err, part)
			}
		}
	}
}

func TestDecodeReadErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	if _, err := manifest.Decode(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("%v, want the reader's error", err)
	}
	if _, err := manifest.Decode(io.LimitReader(spaces{}, 65<<20)); err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("%v, want a limit", err)
	}
}

// spaces is an endless reader.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// FuzzDecode: nothing crashes, and what is accepted has the properties that callers rely on.
func FuzzDecode(f *testing.F) {
	f.Add(full)
	for _, test := range badRequests {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := decode(text)
		if err != nil {
			return
		}
		if _, err := addrs.ParseTool(string(r.Tool)); err != nil || r.Schema != manifest.Schema || r.Providers == nil {
			t.Fatalf("%q is read as %+v", text, r)
		}
		if list := r.PlatformList(); len(list) == 0 || len(list) != len(r.Platforms) {
			t.Fatalf("%q has the platforms %v", text, list)
		}
	})
}
