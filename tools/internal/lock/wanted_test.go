package lock_test

import (
	"slices"
	"testing"

	"rules_tf_mirror/tools/internal/lock"
)

// Reports say who asks for a provider, and errors too (A13): entries that select one version are one row.
func TestWantedBy(t *testing.T) {
	t.Parallel()
	b := newBench(t, widget+":1.4.0", widget+":~> 1.4.0", widget+":9.9.9")
	b.version(widget, "1.4.0")
	b.entries[0].WantedBy = []string{"live/main.tf: 1.4.0", "a/main.tf: 1.4.0"}
	b.entries[1].WantedBy = []string{"a/main.tf: 1.4.0", "b/main.tf: ~> 1.4.0\u009b31m"}
	b.entries[2].WantedBy = []string{"c/main.tf: 9.9.9"}
	report := b.run(nil)
	want := []string{"a/main.tf: 1.4.0", "b/main.tf: ~> 1.4.0 31m", "live/main.tf: 1.4.0"}
	if row := report.Rows[0]; row.Version != "1.4.0" || !slices.Equal(row.WantedBy, want) || row.Error != nil {
		t.Errorf("row %+v, want it wanted by %q", row, want)
	}
	failed := report.Rows[slices.IndexFunc(report.Rows, func(row lock.Row) bool { return row.Error != nil })]
	if !slices.Equal(failed.WantedBy, []string{"c/main.tf: 9.9.9"}) {
		t.Errorf("row %+v", failed)
	}
	b.row(report, slices.IndexFunc(report.Rows, func(row lock.Row) bool { return row.Error != nil }), string(failed.Status), string(failed.Error.Kind),
		"(wanted by c/main.tf: 9.9.9)")
}
