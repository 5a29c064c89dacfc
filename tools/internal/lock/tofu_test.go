package lock_test

import (
	"fmt"
	"path/filepath"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/lock"
)

// C10 at OpenTofu's registry, which tells the h1: of all platforms: what `tofu init` finds there to add, it finds recorded.
func TestTofuRegistryWithHashes(t *testing.T) {
	t.Parallel()
	tofu := testtools.Tofu(t)
	const source = "registry.opentofu.org/acme/told"
	b := newBench(t, "acme/told:1.0.0")
	b.tool = addrs.OpenTofu
	b.list = append(fixture.Platforms("freebsd_amd64"), four...)
	v := b.version(source, "1.0.0")
	b.run(b.withProduct)
	told := map[string]any{}
	sizes := map[string]int64{}
	for _, r := range b.reg.Select(fixture.Filter{Endpoint: fixture.EndpointZip}) {
		sizes[r.Platform] = r.Bytes
	}
	for i, platform := range b.list {
		one := newBench(t, "acme/told:1.0.0")
		one.tool, one.list = addrs.OpenTofu, b.list[i:i+1]
		one.version(source, "1.0.0")
		one.run(one.withProduct)
		told[platform] = map[string]any{"hashes": []string{"zh:" + v.SHA256(platform), one.entry(source).DirHashes()[0].String()}, "package_size": sizes[platform]}
	}
	v.Lie(fixture.Lie{Fields: map[string]any{"packages": told}})
	b.list = four // without freebsd
	remove(t, b.product())
	b.reg.Reset()
	outcome(t, b.run(b.withProduct), lock.Done)
	b.counts("download=1 sums=1 signature=1") // its discovery answer is built in
	written := b.read(b.product())
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "main.tf"), fmt.Sprintf("terraform {\n  required_providers {\n    told = { source = %q, version = \"1.0.0\" }\n  }\n}\n", "acme/told"))
	copied := filepath.Join(dir, ".terraform.lock.hcl")
	for _, args := range [][]string{{"init"}, {"init", "-lockfile=readonly"}} {
		writeFile(t, copied, written)
		tool(t, tofu, dir, b.reg.Env(), args...)
		if got := b.read(copied); got != written {
			t.Errorf("tofu %v makes\n%s\nof\n%s", args, got, written)
		}
	}
}
