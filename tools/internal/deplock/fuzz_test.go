package deplock

import (
	"bytes"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
)

// FuzzParse: no text makes the reader fail otherwise than with an *Error, and what it accepts survives being written and read again.
func FuzzParse(f *testing.F) {
	for _, row := range append(accepted, rejected...) {
		f.Add([]byte(row.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse(FileName, text, addrs.Terraform)
		if err != nil {
			if !isDefect(err) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		written := Format(file.Entries, addrs.Terraform)
		again, err := Parse(FileName, written, addrs.Terraform)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, written)
		}
		if rewritten := Format(again.Entries, addrs.Terraform); !bytes.Equal(rewritten, written) {
			t.Fatalf("from %q\n%s\nbecame\n%s", text, written, rewritten)
		}
		if len(again.Entries) != len(file.Entries) {
			t.Fatalf("%d entries became %d", len(file.Entries), len(again.Entries))
		}
		for i, e := range file.Entries {
			a := again.Entries[i]
			if a.Provider != e.Provider || a.Version != e.Version || a.Constraints != e.Constraints || words(a.Hashes) != words(e.Hashes) {
				t.Fatalf("%+v became %+v", e, a)
			}
		}
	})
}
