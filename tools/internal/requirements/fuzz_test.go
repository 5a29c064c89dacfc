package requirements

import (
	"bytes"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"rules_tf_mirror/tools/internal/addrs"
)

// FuzzModule: no text makes the reader panic, every problem has the file's name, and reading twice gives the same.
func FuzzModule(f *testing.F) {
	for _, c := range slices.Concat(configurations, refused) {
		archive := txtar.Parse([]byte(c.files))
		f.Add([]byte(c.files), false)
		for _, file := range archive.Files {
			f.Add(file.Data, bytes.HasPrefix(bytes.TrimSpace(file.Data), []byte("{")))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, json bool) {
		name := "main.tf"
		if json {
			name = "main.tf.json"
		}
		for _, tool := range []addrs.Tool{addrs.Terraform, addrs.OpenTofu} {
			files := []source{{name, name, text}, {"override.tf", "override.tf", text}}
			m, again := decodeModule(files, tool), decodeModule(files, tool)
			for _, p := range m.report.problems {
				if p.File != "main.tf" && p.File != "main.tf.json" && p.File != "override.tf" {
					t.Fatalf("problem without file: %+v", p)
				}
			}
			if len(m.demands) != len(again.demands) || len(m.calls) != len(again.calls) {
				t.Fatalf("%+v\n%+v", m, again)
			}
			for i, d := range m.demands {
				if d != again.demands[i] {
					t.Fatalf("%+v and %+v", d, again.demands[i])
				}
				if d.text != "" {
					together([]Want{{Text: d.text}})
				}
			}
		}
	})
}

// FuzzFile: what is accepted is written so that it is read again as the same.
func FuzzFile(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(`["a",{"entry":"b"}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := ParseFile(text)
		if err != nil {
			return
		}
		written := file.Format()
		again, err := ParseFile(written)
		if err != nil || len(again.Gathered) != len(file.Gathered) || len(again.Written) != len(file.Written) {
			t.Fatalf("%s became %s: %v", text, written, err)
		}
	})
}

// FuzzInstalled: no record of modules makes the reader panic.
func FuzzInstalled(f *testing.F) {
	f.Add([]byte(`{"Modules":[{"Key":"a","Source":"x/y/z","Version":"1.0","Dir":"d"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		records, err := parseInstalled(text)
		if err != nil {
			return
		}
		for _, r := range records {
			r.stale(call{source: r.Source, version: "~> 1.0"})
		}
	})
}
