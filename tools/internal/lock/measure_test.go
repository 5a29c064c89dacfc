package lock_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tools/internal/lock"
)

// Eleven providers on four platforms, beside `terraform providers lock` for the same at the same registry: ours fetches lists and
// signatures, theirs every package. The packages are of one MiB here; the numbers of requests do not depend on that.
func TestElevenProviders(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.want(b.many(11)...)
	for i := range 11 {
		b.version(fmt.Sprintf("%s/acme/p%02d", host, i), "1.0.0").EachZip(func(z *fixture.Zip) { z.Size(1 << 20) })
	}
	b.resolved()
	outcome(t, b.run(nil), lock.Done)
	b.counts("discovery=1 download=11 sums=11 signature=11")
	requests, bytes := b.traffic()
	if requests != 34 || bytes > 100<<10 {
		t.Errorf("%d requests, %d bytes", requests, bytes)
	}
	t.Logf("lock, packages recorded: %d requests, %d bytes", requests, bytes)

	b.reg.Reset()
	b.writeFacts(map[string]string{"retry/" + widget + "/none": `{"turn": 0}`})
	b.run(nil)
	b.counts("discovery=1 versions=11 download=44 sums=11 signature=11")
	requests, bytes = b.traffic()
	t.Logf("lock, nothing recorded: %d requests, %d bytes", requests, bytes)

	b.reg.Reset()
	b.run(b.withProduct)
	b.counts("discovery=1 download=11 sums=11 signature=11 zip=44")
	requests, bytes = b.traffic()
	t.Logf("lock with a new dependency lock: %d requests, %d bytes", requests, bytes)
	b.reg.Reset()
	b.run(b.withProduct)
	b.counts("discovery=1 download=11 sums=11 signature=11")
	ours := b.read(b.product())

	terraform := testtools.Terraform(t)
	dir := t.TempDir()
	var config strings.Builder
	config.WriteString("terraform {\n  required_providers {\n")
	for i := range 11 {
		fmt.Fprintf(&config, "    p%02d = { source = \"%s/acme/p%02d\", version = \"~> 1.0\" }\n", i, host, i)
	}
	config.WriteString("  }\n}\n")
	writeFile(t, filepath.Join(dir, "main.tf"), config.String())
	args := []string{"providers", "lock"}
	for _, p := range four {
		args = append(args, "-platform="+p)
	}
	b.reg.Reset()
	tool(t, terraform, dir, b.reg.Env(), args...)
	theirs, theirBytes := b.traffic()
	t.Logf("terraform providers lock: %d requests, %d bytes: %v", theirs, theirBytes, b.reg.Counts())
	if got := b.read(filepath.Join(dir, ".terraform.lock.hcl")); got != ours {
		t.Errorf("terraform locks\n%s\nwe\n%s", got, ours)
	}
	if theirs < 4*requestsOf(b, fixture.EndpointSums) {
		t.Errorf("terraform made only %d requests", theirs)
	}
}

// traffic is the number of requests and the bytes of their answers since the last Reset, connections aside.
func (b *bench) traffic() (requests int, bytes int64) {
	for _, r := range b.reg.Select(fixture.Filter{NotEndpoint: fixture.EndpointConnect}) {
		requests++
		bytes += r.Bytes
	}
	return requests, bytes
}

func requestsOf(b *bench, endpoint string) int {
	return b.reg.Count(fixture.Filter{Endpoint: endpoint})
}
