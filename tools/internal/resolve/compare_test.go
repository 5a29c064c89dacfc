package resolve_test

import (
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/resolve"
)

// TestSameContent is design §3.1: a recorded sha256 wins, and only another hash, or none, is a change.
func TestSameContent(t *testing.T) {
	t.Parallel()
	p := addrs.Provider{Host: "r.acme.dev", Namespace: "acme", Type: "widget"}
	linux := platforms.Platform{OS: "linux", Arch: "amd64"}
	a, b := strings.Repeat("a", 64), strings.Repeat("b", 64)
	recorded := facts.Package{DownloadURL: "https://h/1.zip", Filename: "f.zip", SHA256: a}
	gone := facts.Package{Unavailable: true}
	for _, test := range []struct {
		name               string
		recorded, answered facts.Package
		parts              []string // nil: no error
	}{
		{"equal", recorded, recorded, nil},
		{"other address", recorded, facts.Package{DownloadURL: "https://h/2.zip", Filename: "g.zip", SHA256: a, Ephemeral: true}, nil},
		{"became available", gone, recorded, nil},
		{"still unavailable", gone, gone, nil},
		{"other hash", recorded, facts.Package{DownloadURL: "https://h/1.zip", SHA256: b},
			[]string{a, b, "r.acme.dev/acme/widget 1.4.0", "linux_amd64", "package/r.acme.dev/acme/widget/1.4.0/linux_amd64"}},
		{"gone", recorded, gone, []string{a, "gone"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := resolve.SameContent(p, "1.4.0", linux, test.recorded, test.answered)
			if test.parts == nil {
				if err != nil {
					t.Errorf("error %v, want none", err)
				}
				return
			}
			if err == nil || problem.KindOf(err) != problem.ContentChanged {
				t.Fatalf("error %v, want content_changed", err)
			}
			for _, part := range test.parts {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("message %q lacks %q", err, part)
				}
			}
		})
	}
}
