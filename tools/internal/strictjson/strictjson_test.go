package strictjson_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/strictjson"
)

type item struct {
	Name string  `json:"name"`
	Note *string `json:"note,omitempty"`
	Size int     `json:"size"`
}

type document struct {
	Schema int                        `json:"schema"`
	Items  []item                     `json:"items"`
	Lists  map[string][]string        `json:"lists"`
	Raw    map[string]json.RawMessage `json:"raw"`
	Sub    *item                      `json:"sub"`
	Flag   bool                       `json:"flag"`
}

func TestUnmarshal(t *testing.T) {
	t.Parallel()
	note := ""
	var got document
	err := strictjson.Unmarshal([]byte(` {"schema": 1, "items": [{"name": "a", "note": ""}, {"name": "b"}], "sub": {"size": 3},
		"lists": {"x": ["1", "2"], "X": []}, "raw": {"k": {"any": [{"thing": null}]}}} `), &got)
	if err != nil {
		t.Fatal(err)
	}
	want := document{
		Schema: 1, Items: []item{{Name: "a", Note: &note}, {Name: "b"}}, Sub: &item{Size: 3},
		Lists: map[string][]string{"x": {"1", "2"}, "X": {}}, Raw: map[string]json.RawMessage{"k": json.RawMessage(`{"any": [{"thing": null}]}`)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// bad documents, with the parts that the error must have: the place, and what is wrong there.
var bad = []struct {
	text  string
	parts []string
}{
	{``, []string{"empty"}},
	{" \n", []string{"empty"}},
	{`{`, []string{"ends inside a value"}},
	{"{\"schema\":\n\n1,}", []string{"line 3"}},
	{`{"schema": 1} x`, []string{"after the JSON value", `"x"`}},
	{`{"schema": 1}{"schema": 1}`, []string{"after the JSON value"}},
	{"{\"schema\": 1, \"items\": [{\"name\": \"\xff\"}]}", []string{"UTF-8"}},
	{`{"shcema": 1}`, []string{"top level", `"shcema"`, "flag, items, lists, raw, schema, sub"}},
	{`{"Schema": 1}`, []string{"top level", `unknown field "Schema"`}},
	{`{"schema": 1, "schema": 1}`, []string{"top level", `"schema" is given twice`}},
	{`{"schema": 1, "sch\u0065ma": 1}`, []string{`"schema" is given twice`}},
	{`{"items": [{"name": "a"}, {"nmae": "b"}]}`, []string{"items[1]", `"nmae"`, "name, note, size"}},
	{`{"items": [{"name": "a", "name": "b"}]}`, []string{"items[0]", "twice"}},
	{`{"sub": {"x": 1}}`, []string{"sub:", `"x"`}},
	{`{"lists": {"a": [], "a": []}}`, []string{"lists:", "twice"}},
	{`{"raw": {"k": {"x": {"y": [0, {"z": 1, "z": 2}]}}}}`, []string{"raw.k.x.y[1]:", `"z"`, "twice"}},
	{`{"raw": {"k": 1, "k": 1}}`, []string{"raw:", "twice"}},
	{`{"schema": "1"}`, []string{"schema", "string", "whole number"}},
	{`{"schema": 1.5}`, []string{"schema", "number 1.5", "whole number"}},
	{`{"items": {"name": "a"}}`, []string{"items", "object", "array"}},
	{`{"items": ["a"]}`, []string{"items", "string", "object"}},
	{`{"lists": {"a": "b"}}`, []string{"lists", "array"}},
	{`{"flag": "yes"}`, []string{"flag", "true or false"}},
	{`{"items": [{"name": "a"}, {"name": 7}]}`, []string{"items[1].name: ", "number 7", "no string"}},
	{`{"items": [{"name": "a"}, {"size": "x"}]}`, []string{"items[1].size: ", "a JSON string", "whole number"}},
	{`{"items": [{"name": "a", "note": null}]}`, []string{"items[0].note: found null", "leave the field out"}},
	{`{"items": [{"name": null}]}`, []string{"items[0].name: found null"}},
	{`{"items": [null]}`, []string{"items[0]: found null", "object"}},
	{`{"items": null}`, []string{"items: found null", "array"}},
	{`{"lists": {"a": [null]}}`, []string{"lists.a[0]: found null", "string"}},
	{`{"sub": null}`, []string{"sub: found null", "object"}},
	{`{"raw": null}`, []string{"raw: found null", "object"}},
	{`{"schema": null}`, []string{"schema: found null"}},
	{`{"schema": 99999999999999999999}`, []string{"schema", "whole number"}},
	{`null`, []string{"top level: found null"}},
	{`[]`, []string{"top level", "array", "object"}},
	{`1`, []string{"top level", "number", "object"}},
}

func TestUnmarshalRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range bad {
		var got document
		err := strictjson.Unmarshal([]byte(test.text), &got)
		if err == nil {
			t.Errorf("%q is read as %+v", test.text, got)
			continue
		}
		for _, part := range test.parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %q lacks %q", test.text, err, part)
			}
		}
	}
}

// FuzzUnmarshal: whatever is accepted is accepted by encoding/json in its own strict mode too, with the same result.
func FuzzUnmarshal(f *testing.F) {
	for _, test := range bad {
		f.Add([]byte(test.text))
	}
	f.Add([]byte(`{"schema": 1, "items": [{"name": "a", "note": null}], "lists": {"x": ["1"]}, "raw": {"k": [{"a": {"b": 1}}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want document
		if strictjson.Unmarshal(data, &got) != nil {
			return
		}
		decoder := json.NewDecoder(strings.NewReader(string(data)))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("%q is accepted, encoding/json says %v", data, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q is read as %+v, by encoding/json as %+v", data, got, want)
		}
	})
}
