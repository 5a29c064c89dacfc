package sources_test

import (
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/problem"
)

// TestUnusableProxy: Go would go past a proxy whose variable it cannot read. Here every entry fails with the variable's name, before any request
// and before the CLI configuration is read; what facts answer is not affected.
func TestUnusableProxy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ = append(w.environ, "https_proxy=http://user:s3cret@proxy:x")
	response := w.resolve(request("registry.acme.dev/acme/widget:1.2.0"))
	failure := response.Providers[0].Error
	if failure == nil || failure.Kind != problem.Config || !strings.Contains(failure.Message, "the environment variable https_proxy holds no usable URL of a proxy") ||
		strings.Contains(failure.Message, "s3cret") {
		t.Errorf("error %+v, want a config error that names the variable alone", failure)
	}
	if n := len(w.Requests()); n != 0 || w.config != 0 {
		t.Errorf("%d requests, the configuration was read %d times; want none", n, w.config)
	}
}
