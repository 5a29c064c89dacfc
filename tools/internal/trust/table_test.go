package trust

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rules_tf_mirror/tests/trustfixtures"
)

var update = flag.Bool("update", false, "write testdata/defects.md")

// The documentation's table of defects says what TestFixtures and TestTerraformOnFixtures prove.
func TestTableOfDefects(t *testing.T) {
	t.Parallel()
	const name = "testdata/defects.md"
	got := table()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("run: go test ./tools/internal/trust -run TestTableOfDefects -update\n(-want +got)\n%s", diff)
	}
}

func table() string {
	var text strings.Builder
	agree := 0
	for _, fixture := range trustfixtures.All() {
		if fixture.Ours == fixture.Terraform {
			agree++
		}
	}
	fmt.Fprintf(&text, "Of %d releases, this module and terraform 1.11.4 agree on %d; for the others the last column says why they differ.\n\n",
		len(trustfixtures.All()), agree)
	text.WriteString("| Release | What is special | Ours | terraform 1.11.4 | Why they differ | Rules |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, fixture := range trustfixtures.All() {
		ours := fixture.Ours
		switch {
		case fixture.Kind != "":
			ours += ": `" + fixture.Kind + "`"
		case fixture.Warns != "":
			ours += " with a warning"
		}
		fmt.Fprintf(&text, "| `%s` | %s | %s | %s | %s | %s |\n", fixture.Name, fixture.About, ours, fixture.Terraform, fixture.Why, fixture.Rules)
	}
	return text.String()
}

// A difference without a reason is not on purpose.
func TestDifferencesHaveReasons(t *testing.T) {
	t.Parallel()
	for _, fixture := range trustfixtures.All() {
		if (fixture.Ours != fixture.Terraform) != (fixture.Why != "") && fixture.Terraform != trustfixtures.Crash {
			t.Errorf("%s: ours %s, terraform %s, why %q", fixture.Name, fixture.Ours, fixture.Terraform, fixture.Why)
		}
	}
}
