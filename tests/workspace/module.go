package workspace

import (
	"fmt"
	"strings"
)

// Module is the text of a MODULE.bazel that uses this module through local_path_override.
type Module struct {
	Source   string   // folder of rules_tf_mirror's sources
	Mirror   []string // entries of the tag's `mirror`
	Attrs    []string // more attributes of the tag, `name = value`
	Deps     []string // more lines, after the extension's
	Register bool     // register_toolchains("@tf_toolchains//:all")
}

// String returns the text.
func (m Module) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, `module(name = "example")

bazel_dep(name = "rules_tf_mirror", version = "0.1.0")
local_path_override(
    module_name = "rules_tf_mirror",
    path = %q,
)

tf = use_extension("@rules_tf_mirror//tf:extensions.bzl", "tf_repositories")
tf.download(
`, m.Source)
	for _, attr := range m.Attrs {
		fmt.Fprintf(&b, "    %s,\n", attr)
	}
	if len(m.Mirror) > 0 {
		b.WriteString("    mirror = [\n")
		for _, entry := range m.Mirror {
			fmt.Fprintf(&b, "        %q,\n", entry)
		}
		b.WriteString("    ],\n")
	}
	b.WriteString(")\nuse_repo(tf, \"tf_toolchains\")\n")
	if m.Register {
		b.WriteString("\nregister_toolchains(\"@tf_toolchains//:all\")\n")
	}
	for _, line := range m.Deps {
		b.WriteString(line + "\n")
	}
	return b.String()
}
