package deplock

import "strings"

// row is one lock file of the table R-LOCK-6: what it holds, and what is to become of it. The real terraform is asked about each of them.
type row struct {
	name string
	text string
	want string // part of the error, "" if the file is fine
	line int    // of the error
}

// block is an entry of registry.acme.dev/acme/widget with the lines given as its body.
func block(lines ...string) string {
	return "provider \"registry.acme.dev/acme/widget\" {\n  " + strings.Join(lines, "\n  ") + "\n}\n"
}

const v100 = `version = "1.0.0"`

// rejected are the rows that end in an error.
var rejected = []row{
	{"syntax: no closing brace", "provider \"registry.acme.dev/acme/widget\" {\n  version = \"1.0.0\"\n", "Unclosed configuration block", 1},
	{"syntax: text", "this is no HCL\n", "Invalid block definition", 1},
	{"syntax: string over two lines", "provider \"registry.acme.dev/acme/widget\" {\n  version = \"1.0\n.0\"\n}\n", "Invalid multi-line string", 2},
	{"syntax: JSON", "{\"provider\": {}}\n", "Argument or block definition required", 1},
	{"syntax: merge conflict", "<<<<<<< HEAD\n" + block(v100), "Argument or block definition required", 1},
	{"label: not an address", strings.Replace(block(v100), "registry.acme.dev/acme/widget", "a/b/c/d", 1), "has 4 parts", 1},
	{"label: bad character", strings.Replace(block(v100), "widget", "wid_get", 1), "cannot have this provider", 1},
	{"label: empty", "provider \"\" {\n  version = \"1.0.0\"\n}\n", "cannot have this provider", 1},
	{"label: terraform- prefix", strings.Replace(block(v100), "widget", "terraform-provider-widget", 1), "must not begin with", 1},
	{"label: legacy", "provider \"registry.terraform.io/-/widget\" {\n  version = \"1.0.0\"\n}\n", "legacy", 1},
	{"label: built-in", "provider \"terraform.io/builtin/terraform\" {\n  version = \"1.0.0\"\n}\n", "built into terraform", 1},
	{"label: two parts", "\nprovider \"acme/widget\" {\n  version = \"1.0.0\"\n}\n", `must be written in full, as "registry.terraform.io/acme/widget"`, 2},
	{"label: one part", "provider \"widget\" {\n  version = \"1.0.0\"\n}\n", `as "registry.terraform.io/hashicorp/widget"`, 1},
	{"label: bare word", "provider widget {\n  version = \"1.0.0\"\n}\n", `as "registry.terraform.io/hashicorp/widget"`, 1},
	{"label: upper case", strings.Replace(block(v100), "acme/widget", "Acme/widget", 1), `as "registry.acme.dev/acme/widget"`, 1},
	{"label: host in upper case", strings.Replace(block(v100), "registry.acme", "Registry.acme", 1), `as "registry.acme.dev/acme/widget"`, 1},
	{"label: punycode", strings.Replace(block(v100), "registry.acme.dev", "xn--bcher-kva.example", 1), "cannot have this provider", 1},
	{"label: upper-case punycode", strings.Replace(block(v100), "registry.acme.dev", "XN--BCHER-KVA.example", 1), `as "bücher.example/acme/widget"`, 1},
	{"label: :443", strings.Replace(block(v100), ".dev", ".dev:443", 1), `as "registry.acme.dev/acme/widget"`, 1},
	{"label: port with a zero", strings.Replace(block(v100), ".dev", ".dev:08443", 1), `as "registry.acme.dev:8443/acme/widget"`, 1},
	{"label: missing", "provider {\n  version = \"1.0.0\"\n}\n", "Missing source address for provider", 1},
	{"label: two", strings.Replace(block(v100), "widget\" {", "widget\" \"more\" {", 1), "Extraneous label", 1},
	{"label: template", strings.Replace(block(v100), "widget", "${\"widget\"}", 1), "Invalid string literal", 1},
	{"two blocks for one provider", block(v100) + "\n" + block(v100), "locked twice, first in line 1", 5},
	{"unknown block", "\n\nresource \"a\" \"b\" {\n}\n", "Unsupported block type", 3},
	{"unknown top-level attribute", block(v100) + "x = 1\n", "Unsupported argument", 4},
	{"unknown attribute", block(v100, `h1 = "x"`), "Unsupported argument", 3},
	{"unknown block in the block", block(v100, "hashes {", "}"), "Unsupported block type", 3},
	{"attribute twice", block(v100, v100), "Attribute redefined", 3},
	{"module without a label", "module {\n}\n", "Missing path for module", 1},
	{"version: missing", block(`hashes = ["h1:a"]`), "Missing required argument", 1},
	{"version: null", block("version = null"), "null value is not allowed", 2},
	{"version: number", block("version = 1"), `version "1" must be written as "1.0.0"`, 2},
	{"version: bool", block("version = true"), `version "true"`, 2},
	{"version: list", block(`version = ["1.0.0"]`), "Unsuitable value type", 2},
	{"version: text", block(`version = "newest"`), `version "newest"`, 2},
	{"version: empty", block(`version = ""`), `version ""`, 2},
	{"version: one number", block(`version = "1"`), `must be written as "1.0.0"`, 2},
	{"version: two numbers", block(`version = "1.0"`), `must be written as "1.0.0"`, 2},
	{"version: v", block(`version = "v1.0.0"`), `version "v1.0.0"`, 2},
	{"version: leading zero", block(`version = "1.02.0"`), `version "1.02.0"`, 2},
	{"version: space", block(`version = " 1.0.0"`), `version " 1.0.0"`, 2},
	{"version: constraint", block(`version = "~> 1.0"`), `version "~> 1.0"`, 2},
	{"version: variable", block("version = var.version"), "Variables not allowed", 2},
	{"version: function", block(`version = upper("1.0.0")`), "Function calls not allowed", 2},
	{"constraints: null", block(v100, "constraints = null"), "null value is not allowed", 3},
	{"constraints: number", block(v100, "constraints = 1"), `must be written as "1.0.0"`, 3},
	{"constraints: unparsable", block(v100, `constraints = "newest"`), `version constraint "newest"`, 3},
	{"constraints: spacing", block(v100, `constraints = ">=1.0.0"`), `must be written as ">= 1.0.0"`, 3},
	{"constraints: order", block(v100, `constraints = "< 2.0.0, >= 1.0.0"`), `must be written as ">= 1.0.0, < 2.0.0"`, 3},
	{"constraints: partial version (A16)", block(v100, `constraints = "< 4.21"`), `must be written as "< 4.21.0"`, 3},
	{"constraints: equals sign", block(v100, `constraints = "= 1.0.0"`), `must be written as "1.0.0"`, 3},
	{"constraints: repetition", block(v100, `constraints = "1.0.0, 1.0.0"`), `must be written as "1.0.0"`, 3},
	{"constraints: ~> of one number", block(v100, `constraints = "~> 1"`), `must be written as "~> 1.0"`, 3},
	{"constraints: blank", block(v100, `constraints = " "`), `must be written as ""`, 3},
	{"hashes: null", block(v100, "hashes = null"), "A static list expression is required", 3},
	{"hashes: string", block(v100, `hashes = "h1:a"`), "A static list expression is required", 3},
	{"hashes: for expression", block(v100, `hashes = [for x in ["h1:a"] : x]`), "A static list expression is required", 3},
	{"hashes: empty list", block(v100, "hashes = []"), "the list of hashes is empty", 3},
	{"hashes: no scheme", block(v100, "hashes = [", `"h1:a",`, `"abcdef",`, "]"), `package hash "abcdef" has no scheme`, 5},
	{"hashes: empty scheme", block(v100, `hashes = [":a"]`), `package hash ":a" has no scheme`, 3},
	{"hashes: empty text", block(v100, `hashes = [""]`), `package hash "" has no scheme`, 3},
	{"hashes: number", block(v100, "hashes = [1]"), `package hash "1" has no scheme`, 3},
	{"hashes: null in the list", block(v100, "hashes = [null]"), "null value is not allowed", 3},
	{"hashes: list in the list", block(v100, `hashes = [["h1:a"]]`), "Unsuitable value type", 3},
}

// accepted are the rows that are fine. The wanted text is the entry's constraints and hashes.
var accepted = []row{
	{"empty file", "", "", 0},
	{"only comments", "# a\n// b\n/* c */\n", "", 0},
	{"only the version", block(v100), "1.0.0 |  | ", 0},
	{"everything", block(v100, `constraints = ">= 1.0.0, < 2.0.0"`, `hashes = ["h1:a", "zh:b"]`), "1.0.0 | >= 1.0.0, < 2.0.0 | h1:a zh:b", 0},
	{"empty constraints", block(v100, `constraints = ""`), "1.0.0 |  | ", 0},
	{"exact constraint", block(v100, `constraints = "1.0.0"`), "1.0.0 | 1.0.0 | ", 0},
	{"prerelease and metadata", block(`version = "1.0.0-rc.1+build.5"`, `constraints = "1.0.0-rc.1+build.5"`), "1.0.0-rc.1+build.5 | 1.0.0-rc.1+build.5 | ", 0},
	{"0.0.0", block(`version = "0.0.0"`), "0.0.0 |  | ", 0},
	{"unsorted and repeated hashes", block(v100, `hashes = ["zh:b", "h1:a", "zh:b", "h1:A"]`), "1.0.0 |  | h1:A h1:a zh:b", 0},
	{"unknown schemes", block(v100, `hashes = ["blake3:x", "h9:", "a:b:c"]`), "1.0.0 |  | a:b:c blake3:x h9:", 0},
	{"CRLF", strings.ReplaceAll(block(v100, `hashes = [`, `"h1:a",`, `]`), "\n", "\r\n"), "1.0.0 |  | h1:a", 0},
	{"byte order mark", "\ufeff" + block(v100), "1.0.0 |  | ", 0},
	{"no final newline", strings.TrimSuffix(block(v100), "\n"), "1.0.0 |  | ", 0},
	{"comments everywhere", "# head\nprovider \"registry.acme.dev/acme/widget\" { // block\n  version = /* v */ \"1.0.0\" # end\n  hashes = [ # list\n    \"h1:a\", // first\n    # \"h1:b\",\n  ]\n}\n", "1.0.0 |  | h1:a", 0},
	{"odd spacing and order", "provider\t\"registry.acme.dev/acme/widget\"{\nhashes=[\"h1:a\",\n\n\"h1:b\"]\nversion=\"1.0.0\"\n}", "1.0.0 |  | h1:a h1:b", 0},
	{"one line", "provider \"registry.acme.dev/acme/widget\" { version = \"1.0.0\" }\n", "1.0.0 |  | ", 0},
	{"template of a constant", block(`version = "${"1.0.0"}"`), "1.0.0 |  | ", 0},
	{"template of a number", block(`version = "${1}.0.${0}"`, `hashes = ["h${1}:a"]`), "1.0.0 |  | h1:a", 0},
	{"conditional", block(`version = true ? "1.0.0" : "2.0.0"`), "1.0.0 |  | ", 0},
	{"escapes", strings.Replace(block(`version = "\u0031.0.0"`, `hashes = ["h1:\u0061"]`), "widget", `widge\u0074`, 1), "1.0.0 |  | h1:a", 0},
	{"module block", "module \"a\" {\n  anything = 1\n}\nmodule \"b\" {\n}\n" + block(v100), "1.0.0 |  | ", 0},
	{"host with a port", strings.Replace(block(v100), ".dev", ".dev:8443", 1), "1.0.0 |  | ", 0},
	{"Unicode host", strings.Replace(block(v100), "registry.acme.dev", "bücher.example", 1), "1.0.0 |  | ", 0},
}
