package requirements

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/versions"
)

// decoded returns the problems of one file.
func decoded(name, text string) string {
	m := decodeModule([]source{{name, name, []byte(text)}}, addrs.Terraform)
	return (&Error{m.report.problems}).Error()
}

// What would exhaust the stack of the HCL library, or compute for hours, is refused with the place.
func TestLimits(t *testing.T) {
	t.Parallel()
	const many = 100_000
	for _, c := range []struct{ name, file, text, want string }{
		{"brackets", "a.tf", "locals {\n a = " + strings.Repeat("[", many), "a.tf:2: the file is too complicated"},
		{"parentheses", "a.tf", "locals {\n a = " + strings.Repeat("(", many), "a.tf:2: the file is too complicated"},
		{"blocks", "a.tf", strings.Repeat("a {\n", many), "a.tf:501: the file is too complicated"},
		{"templates", "a.tf", "locals {\n a = " + strings.Repeat("\"${", many), "a.tf:2: the file is too complicated"},
		{"not", "a.tf", "locals {\n a = " + strings.Repeat("!", many), "a.tf:2: the file is too complicated"},
		{"minus", "a.tf", "locals {\n a = " + strings.Repeat("-", many), "a.tf:2: the file is too complicated"},
		{"conditionals", "a.tf", "locals {\n a = " + strings.Repeat("b ? c : ", many), "a.tf:2: the file is too complicated"},
		{"directives", "a.tf", "locals {\n a = \"" + strings.Repeat("%{ if b }", many), "a.tf:2: the file is too complicated"},
		{"JSON", "a.tf.json", "\n" + strings.Repeat("[", many), "a.tf.json:2: the file is too complicated"},
		{"JSON strings do not count", "a.tf.json", `{"locals": {"a": "` + strings.Repeat(`[\"`, many) + `"}}`, ""},
		{"size", "a.tf", strings.Repeat("\n", maxSize+1), "a.tf: 16777217 bytes are too many"},
		{"sums are not computed", "a.tf", "terraform {\n required_providers {\n  a = 1" + strings.Repeat(" + 1", 100) + "\n }\n}", "a.tf:3: required_providers: a: a literal string is needed here"},
		{"long sums are not looked at", "a.tf", "terraform {\n required_providers {\n  a = 1" + strings.Repeat(" + 1", many) + "\n }\n}", "a.tf:3: required_providers: a: this is too long"},
		{"loops are not run", "a.tf", "terraform {\n required_providers {\n  a = [for x in [1, 2] : x]\n }\n}", "a.tf:3: required_providers: a: a literal string is needed here"},
		{"large number", "a.tf", "terraform {\n required_providers {\n  a = 1e300000\n }\n}", "a.tf:3: required_providers: a: this number is out of range"},
		{"small number in a template", "a.tf", "terraform {\n required_providers {\n  a = \"${1e-300000}\"\n }\n}", "a.tf:3: required_providers: a: this number is out of range"},
		{"large number in JSON", "a.tf.json", `{"terraform": {"required_providers": {"a": 1e999999999}}}`, "a.tf.json:1: required_providers: a: this number is out of range"},
		{"deep reference in a string", "a.tf.json", `{"resource": {"a_b": {"c": {"provider": "` + strings.Repeat("(", 2000) + `"}}}}`, "a.tf.json:1: the provider must be a local name"},
		{"long sum outside", "a.tf", "locals {\n a = 1" + strings.Repeat(" + 1", many) + "\n}", ""},
		{"long chain", "a.tf", "import {\n id = 1\n to = a" + strings.Repeat("[b]", many) + "\n}", "a.tf:3: this is no address of a resource"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := decoded(c.file, c.text)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %.300s\nwant %s", got, c.want)
			}
		})
	}
}

// satisfiable agrees with trying all versions of a small grid, on constraints whose numbers stay well inside of it.
func TestSatisfiable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"~> 4.0, ~> 5.0": false, "~> 4.0, >= 4.9": true, "> 1.0.0, < 1.0.1": false, "> 1.0.0, <= 1.0.1, != 1.0.1": false,
		">= 1.0.0, < 1.0.3, != 1.0.0, != 1.0.1": true, "1.2.3, 1.2.4": false, "1.2.3, = 1.2.3": true, "1.0.0-a": true, "1.0.0-a, >= 1.0.0-a": true,
		">= 1.0.0-a, < 1.0.0": false, "1.0.0+a": true, "1.0.0+a, 1.0.0": false, "0.0.0": false, "< 0.0.1": false, "< 0.0.2": true, "!= 1.0.0": true,
		"~> 1.2.3, != 1.2.3, != 1.2.4": true, "> 9223372036854775807.9223372036854775807": true, ">= 9223372036854775807.0.0": true, "< 0.0.1, 0.0.0-a": true,
	} {
		c, err := versions.ParseConstraint(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := satisfiable(c); got != want {
			t.Errorf("satisfiable(%q) = %v", text, got)
		}
	}
	var grid []versions.Version
	for i := range 7 * 7 * 12 {
		v, err := versions.Parse(fmt.Sprintf("%d.%d.%d", i%7, i/7%7, i/49))
		if err != nil {
			t.Fatal(err)
		}
		grid = append(grid, v)
	}
	random := rand.New(rand.NewPCG(1, 2))
	outcomes := map[bool]int{}
	for range 3000 {
		var terms []string
		for range 1 + random.IntN(5) {
			operator := []string{"", "!= ", "> ", ">= ", "< ", "<= ", "~> "}[random.IntN(7)]
			version := fmt.Sprintf("%d.%d.%d", random.IntN(3), random.IntN(3), random.IntN(3))
			terms = append(terms, operator+version[:[]int{1, 3, 5, 5}[random.IntN(4)]])
		}
		text := strings.Join(terms, ", ")
		c, err := versions.ParseConstraint(text)
		if err != nil {
			t.Fatal(err)
		}
		want := false
		for _, v := range grid {
			want = want || c.Allows(v)
		}
		if outcomes[want]++; satisfiable(c) != want {
			t.Errorf("satisfiable(%q) = %v", text, !want)
		}
	}
	if outcomes[true] < 100 || outcomes[false] < 100 {
		t.Errorf("too few of a kind: %v", outcomes)
	}
}
