package deplock

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"rules_tf_mirror/tools/internal/addrs"
)

// Format returns the file that the tool would write for these entries, byte for byte (R-LOCK-2..5). The order of entries and of hashes does
// not matter. No entries give the two lines of the header.
func Format(entries []Entry, tool addrs.Tool) []byte {
	sorted := slices.Clone(entries)
	sortEntries(sorted)
	var out strings.Builder
	out.WriteString("# This file is maintained automatically by \"" + string(tool) + " init\".\n")
	out.WriteString("# Manual edits may be lost in future updates.\n")
	for _, e := range sorted {
		out.WriteString("\nprovider " + quote(e.Provider.String()) + " {\n")
		if e.Constraints == "" {
			out.WriteString("  version = " + quote(e.Version.String()) + "\n")
		} else {
			out.WriteString("  version     = " + quote(e.Version.String()) + "\n")
			out.WriteString("  constraints = " + quote(e.Constraints) + "\n")
		}
		if all := normalize(e.Hashes); len(all) > 0 {
			out.WriteString("  hashes = [\n")
			for _, h := range all {
				out.WriteString("    " + quote(h.String()) + ",\n")
			}
			out.WriteString("  ]\n")
		}
		out.WriteString("}\n")
	}
	return []byte(out.String())
}

// quote writes a string as the tools do, with the library that they use: hashes of unknown schemes may hold anything.
func quote(text string) string {
	return string(hclwrite.TokensForValue(cty.StringVal(text)).Bytes())
}
