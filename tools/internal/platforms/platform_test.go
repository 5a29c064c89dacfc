package platforms_test

import (
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"linux_amd64", "darwin_arm64", "windows_386", "freebsd_arm", "linux_s390x", "plan9_riscv64"} {
		p, err := platforms.Parse(text)
		if err != nil || p.String() != text {
			t.Errorf("Parse(%q) = %v, %v", text, p, err)
		}
	}
	if p, _ := platforms.Parse("linux_arm64"); p != (platforms.Platform{OS: "linux", Arch: "arm64"}) {
		t.Errorf("linux_arm64 is read as %#v", p)
	}
}

// The tools take odd parts too (R-FS-4); a platform here becomes a file name, a repository name and a label.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "_", "linux", "linux_", "_amd64", "linux_amd64_v1", "linux-amd64", "Linux_amd64", "linux_AMD64", "linux_amd64 ", "linux_amd64\n",
		"../_x", "linux_ａmd64",
	} {
		p, err := platforms.Parse(text)
		if err == nil {
			t.Errorf("Parse(%q) = %v, want an error", text, p)
			continue
		}
		if problem.KindOf(err) != problem.Platform || !strings.Contains(err.Error(), "linux_amd64") {
			t.Errorf("Parse(%q): %v of kind %s; want kind platform and an example", text, err, problem.KindOf(err))
		}
	}
}
