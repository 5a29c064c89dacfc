package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rules_tf_mirror/tests/trustfixtures"
)

// The committed fixtures are those that the cases make, apart from keys and what they sign. Not parallel: it sets an environment variable.
func TestFixturesAreCurrent(t *testing.T) {
	t.Setenv("GODEBUG", "rsa1024min=0") // for the short keys, as main's go:debug line
	made := map[string]trustfixtures.Fixture{}
	for _, fixture := range cases() {
		if _, twice := made[fixture.Name]; twice {
			t.Errorf("two cases are called %s", fixture.Name)
		}
		made[fixture.Name] = fixture
	}
	committed := map[string]trustfixtures.Fixture{}
	for _, fixture := range trustfixtures.All() {
		committed[fixture.Name] = fixture
	}
	ignore := cmpopts.IgnoreFields(trustfixtures.Fixture{}, "Keys", "Signature")
	if diff := cmp.Diff(made, committed, ignore); diff != "" {
		t.Errorf("run: go run ./tests/trustfixtures/regenerate\n(-made +committed)\n%s", diff)
	}
	for name, fixture := range made {
		if len(fixture.Keys) != len(committed[name].Keys) || (fixture.Signature == nil) != (committed[name].Signature == nil) {
			t.Errorf("%s: keys or signature are stale; run: go run ./tests/trustfixtures/regenerate", name)
		}
	}
}
