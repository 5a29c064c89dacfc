package workspace

import (
	"strings"
	"testing"
)

func TestPublicHosts(t *testing.T) {
	t.Setenv("GOPROXY", "https://modules.example.com/path,https://other.example.com|direct")
	t.Setenv("GOSUMDB", "sum.example.com+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8")
	got := "," + PublicHosts() + ","
	for _, want := range []string{"bcr.bazel.build", "modules.example.com", "other.example.com", "sum.example.com"} {
		if !strings.Contains(got, ","+want+",") {
			t.Errorf("PublicHosts() = %s, want %s in it", got, want)
		}
	}
	if strings.Contains(got, "direct") {
		t.Errorf("PublicHosts() = %s, want no words that are no hosts", got)
	}
}
