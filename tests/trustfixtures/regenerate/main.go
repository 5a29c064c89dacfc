//go:debug rsa1024min=0

// Command regenerate writes the trust fixtures anew, with fresh keys: go run ./tests/trustfixtures/regenerate
//
// It removes fixtures that no case makes any more. Run the tests of tools/internal/signatures and tools/internal/trust afterwards, the latter
// with -update to write the table of defects.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"rules_tf_mirror/tests/trustfixtures"
)

func main() {
	directory := flag.String("dir", "tests/trustfixtures/fixtures", "where the fixtures are written")
	flag.Parse()
	old := must(filepath.Glob(filepath.Join(*directory, "*.json")))
	written := map[string]bool{}
	for _, fixture := range cases() {
		name := filepath.Join(*directory, fixture.Name+".json")
		if written[name] {
			panic("two cases are called " + fixture.Name)
		}
		written[name] = true
		var content bytes.Buffer
		encoder := json.NewEncoder(&content)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		check(encoder.Encode(fixture))
		check(os.WriteFile(name, content.Bytes(), 0o644))
	}
	for _, name := range old {
		if !written[name] {
			check(os.Remove(name))
		}
	}
	fmt.Printf("%d fixtures in %s\n", len(written), *directory)
}

// list returns the usual SHA256SUMS of a version: its packages and its manifest.
func list(providerType, version string) string {
	var lines string
	for _, platform := range trustfixtures.Platforms {
		name := trustfixtures.PackageName(providerType, version, platform)
		lines += trustfixtures.Hash(trustfixtures.File(name)) + "  " + name + "\n"
	}
	name := manifestName(providerType, version)
	return lines + trustfixtures.Hash(trustfixtures.File(name)) + "  " + name + "\n"
}

func manifestName(providerType, version string) string {
	return "terraform-provider-" + providerType + "_" + version + "_manifest.json"
}
