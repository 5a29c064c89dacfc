package manifest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/problem"
)

var response = manifest.Response{
	Facts: map[string]json.RawMessage{
		"resolve/registry.terraform.io/hashicorp/random/~> 3.1.0": json.RawMessage(`{"version":"3.1.3"}`),
		"package/registry.terraform.io/hashicorp/random/3.1.3/x":  json.RawMessage(`{"unavailable":true}`),
	},
	Providers: []manifest.Provider{
		{
			Source: "registry.terraform.io/hashicorp/random", Constraint: "~> 3.1.0", Version: "3.1.3",
			Packages: map[string]manifest.Package{
				"linux_amd64":   {DownloadURL: "https://acme.dev/a&b.zip", Filename: "f.zip", SHA256: "00"},
				"windows_arm64": {Unavailable: true},
				"darwin_arm64":  {Error: &manifest.Error{Kind: problem.Network, Message: "no <answer>"}},
			},
		},
		{Source: "a//b", Error: &manifest.Error{Kind: problem.Address, Message: "bad"}},
	},
}

// wantResponse is the contract of design §3.3 to the letter: what is null, what is absent, what is empty.
const wantResponse = `{
  "schema": 1,
  "facts": {
    "package/registry.terraform.io/hashicorp/random/3.1.3/x": {
      "unavailable": true
    },
    "resolve/registry.terraform.io/hashicorp/random/~> 3.1.0": {
      "version": "3.1.3"
    }
  },
  "providers": [
    {
      "source": "registry.terraform.io/hashicorp/random",
      "constraint": "~> 3.1.0",
      "version": "3.1.3",
      "packages": {
        "darwin_arm64": {
          "error": {
            "kind": "network",
            "message": "no <answer>"
          }
        },
        "linux_amd64": {
          "download_url": "https://acme.dev/a&b.zip",
          "filename": "f.zip",
          "sha256": "00",
          "ephemeral": false
        },
        "windows_arm64": {
          "unavailable": true
        }
      },
      "error": null
    },
    {
      "source": "a//b",
      "constraint": "",
      "version": "",
      "packages": {},
      "error": {
        "kind": "address",
        "message": "bad"
      }
    }
  ],
  "warnings": []
}
`

func encode(t *testing.T, r manifest.Response) string {
	t.Helper()
	var buffer bytes.Buffer
	if err := r.Encode(&buffer); err != nil {
		t.Fatal(err)
	}
	return buffer.String()
}

func TestEncode(t *testing.T) {
	t.Parallel()
	for range 3 {
		if got := encode(t, response); got != wantResponse {
			t.Fatalf("got %s\nwant %s", got, wantResponse)
		}
	}
	if response.Schema != 0 || response.Warnings != nil || response.Providers[1].Packages != nil {
		t.Error("Encode changed the response")
	}
}

func TestEncodeEmpty(t *testing.T) {
	t.Parallel()
	want := "{\n  \"schema\": 1,\n  \"facts\": {},\n  \"providers\": [],\n  \"warnings\": []\n}\n"
	if got := encode(t, manifest.Response{}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEncodeErrors(t *testing.T) {
	t.Parallel()
	broken := manifest.Response{Facts: map[string]json.RawMessage{"k": json.RawMessage(`{`)}}
	if err := broken.Encode(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "writing the response") {
		t.Errorf("%v, want an error", err)
	}
}

func TestErrorOf(t *testing.T) {
	t.Parallel()
	if e := manifest.ErrorOf(nil); e != nil {
		t.Errorf("nil becomes %+v", e)
	}
	err := fmt.Errorf("entry 1: %w", problem.New(problem.NotFound, "no such provider"))
	if e := manifest.ErrorOf(err); e.Kind != problem.NotFound || e.Message != "entry 1: no such provider" {
		t.Errorf("%+v", e)
	}
}
