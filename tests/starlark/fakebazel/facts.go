package fakebazel

import (
	"fmt"

	"go.starlark.net/starlark"
)

// Facts is module_ctx.facts: it offers `in`, `[]` and get, cannot be iterated, and keeps what it was asked for.
type Facts struct {
	Values map[string]any
	Asked  map[string]bool
}

// NewFacts returns facts with the given values.
func NewFacts(values map[string]any) *Facts { return &Facts{Values: values, Asked: map[string]bool{}} }

// Get makes `in` and `[]` work.
func (f *Facts) Get(key starlark.Value) (starlark.Value, bool, error) {
	text, ok := starlark.AsString(key)
	if !ok {
		return nil, false, fmt.Errorf("facts: a key must be a string, got %s", key.Type())
	}
	f.Asked[text] = true
	value, found := f.Values[text]
	if !found {
		return nil, false, nil
	}
	return ToStarlark(value), true, nil
}

// CheckFact returns an error if Bazel would not take a value as a fact, or would not find it up to date afterwards.
func CheckFact(v any) error { return checkFact(v, 0) }

func checkFact(v any, depth int) error {
	if depth > 7 {
		return fmt.Errorf("nested more than seven levels")
	}
	switch v := v.(type) {
	case bool, int, string:
		return nil
	case []any:
		for _, item := range v {
			if err := checkFact(item, depth+1); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		for key, item := range v {
			if item == nil {
				return fmt.Errorf("member %q is None, which Bazel does not write", key)
			}
			if err := checkFact(item, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("a fact cannot be of type %T", v)
}

func (f *Facts) String() string        { return "<facts>" }
func (f *Facts) Type() string          { return "Facts" }
func (f *Facts) Freeze()               {}
func (f *Facts) Truth() starlark.Bool  { return true }
func (f *Facts) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: Facts") }
