package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"rules_tf_mirror/tools/internal/foreign"
)

// Table is rows of cells in aligned columns. The zero value is empty.
type Table struct {
	header []string
	right  []bool // per column
	rows   [][]string
}

// NewTable returns a table with these column titles. A title that begins with ">" makes its column right-aligned, without the sign.
func NewTable(titles ...string) *Table {
	t := &Table{}
	for _, title := range titles {
		text, right := strings.CutPrefix(title, ">")
		t.header = append(t.header, text)
		t.right = append(t.right, right)
	}
	return t
}

// Add appends a row; missing cells are empty, and cells beyond the titles are dropped.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(t.header))
	for i := range row {
		if i < len(cells) {
			row[i] = foreign.Line(cells[i])
		}
	}
	t.rows = append(t.rows, row)
}

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Write writes titles and rows, columns two spaces apart, without spaces at the end of a line. A table without rows writes nothing.
func (t *Table) Write(w io.Writer) error {
	if len(t.rows) == 0 {
		return nil
	}
	widths := make([]int, len(t.header))
	lines := append([][]string{t.header}, t.rows...)
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		var b strings.Builder
		for i, cell := range line {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.right[i] {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}
