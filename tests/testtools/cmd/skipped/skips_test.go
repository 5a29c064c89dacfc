package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSkips(t *testing.T) {
	const events = `
{"Action":"run","Package":"m/tests/e2e","Test":"TestTofu"}
{"Action":"output","Package":"m/tests/e2e","Test":"TestTofu","Output":"    e2e_test.go:12: TOFU names no tofu binary\n"}
{"Action":"skip","Package":"m/tests/e2e","Test":"TestTofu"}
{"Action":"output","Package":"m/tests/e2e","Test":"TestB","Output":"    e2e_test.go:40: TOFU names no tofu binary\n"}
{"Action":"skip","Package":"m/tests/e2e","Test":"TestB"}
{"Action":"output","Package":"m/tests/e2e","Test":"TestOK","Output":"    e2e_test.go:12: only a note\n"}
{"Action":"pass","Package":"m/tests/e2e","Test":"TestOK"}
{"Action":"skip","Package":"m/none"}
`
	got, err := skips(strings.NewReader(events))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"e2e.TestB,TestTofu: TOFU names no tofu binary"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("skips (-want +got):\n%s", diff)
	}
	if _, err := skips(strings.NewReader("ok  \tm\t0.1s\n")); err == nil {
		t.Error("text that is no JSON was accepted")
	}
}
