// Package strictjson reads JSON that people write by hand, where a misspelt field must not pass silently.
//
// Unlike encoding/json alone it refuses unknown fields, field names in another case, two values for one name in an object, null, text after
// the value and invalid UTF-8, and every error names the place as a path such as providers[2].version.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"rules_tf_mirror/tools/internal/foreign"
)

// Unmarshal reads data into v, a pointer. The type may consist of structs with json tags, maps with string keys, slices, pointers,
// basic types and json.RawMessage; below the latter, and below `any`, only repeated names are refused. A null is no way to leave something
// out: encoding/json would take it for the zero value, so that a caller's mistake would mean something.
func Unmarshal(data []byte, v any) error {
	if !utf8.Valid(data) {
		return errors.New("the text is not UTF-8")
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("the text is empty; a JSON object was expected")
	}
	if err := checkOneValue(data); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := walk(decoder, reflect.TypeOf(v), ""); err != nil {
		return err
	}
	err := json.Unmarshal(data, v)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) { // a number that does not fit; walk has found everything else
		return fmt.Errorf("%s: found a JSON %s, which is no %s", place(mismatch.Field), mismatch.Value, kindName(mismatch.Type))
	}
	return err
}

// checkType refuses a value whose first token does not begin what type t is read from.
func checkType(token json.Token, t reflect.Type, path string) error {
	if t == nil || t.Kind() == reflect.Interface {
		return nil
	}
	if token == nil {
		return fmt.Errorf("%s: found null; leave the field out, or write a JSON %s", place(path), kindName(t))
	}
	found, fits := "", false
	switch value := token.(type) {
	case json.Delim:
		found, fits = "array", t.Kind() == reflect.Slice
		if value == '{' {
			found, fits = "object", t.Kind() == reflect.Struct || t.Kind() == reflect.Map
		}
	case string:
		found, fits = "string", t.Kind() == reflect.String
	case bool:
		found, fits = "bool", t.Kind() == reflect.Bool
	case json.Number:
		_, err := value.Int64()
		found, fits = "number "+value.String(), err == nil && kindName(t) == "whole number"
	}
	if fits {
		return nil
	}
	return fmt.Errorf("%s: found a JSON %.40s, which is no %s", place(path), found, kindName(t))
}

// checkOneValue refuses syntax errors, with their position, and anything after the first value.
func checkOneValue(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	var value json.RawMessage
	err := decoder.Decode(&value)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("invalid JSON at line %d: %w", 1+bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n")), err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("invalid JSON: the text ends inside a value")
	case err != nil:
		return err
	}
	if rest := bytes.TrimSpace(data[decoder.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("there is text after the JSON value, beginning with %.20q", rest)
	}
	return nil
}

// rawMessage is opaque: what it holds is checked by whoever reads it.
var rawMessage = reflect.TypeFor[json.RawMessage]()

// walk consumes one value that is to be read into type t (nil: any) and checks the names in its objects.
func walk(decoder *json.Decoder, t reflect.Type, path string) error {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == rawMessage {
		t = nil
	}
	token, err := decoder.Token()
	if err == nil {
		err = checkType(token, t, path)
	}
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return walkObject(decoder, t, path)
	case json.Delim('['):
		var elem reflect.Type
		if t != nil && t.Kind() == reflect.Slice {
			elem = t.Elem()
		}
		for i := 0; decoder.More(); i++ {
			if err := walk(decoder, elem, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		_, err = decoder.Token()
	}
	return err
}

// walkObject consumes the rest of an object after its opening brace.
func walkObject(decoder *json.Decoder, t reflect.Type, path string) error {
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		name := token.(string) // the syntax was checked: a name stands here
		if seen[name] {
			return fmt.Errorf("%s: the field %s is given twice; keep one of them", place(path), foreign.Quote(name, maxName))
		}
		seen[name] = true
		elem, known := field(t, name)
		if !known {
			return fmt.Errorf("%s: unknown field %s; known fields: %s", place(path), foreign.Quote(name, maxName), strings.Join(fieldNames(t), ", "))
		}
		if err := walk(decoder, elem, join(path, name)); err != nil {
			return err
		}
	}
	_, err := decoder.Token()
	return err
}

// field returns the type of the named member of t, and whether t may have it.
func field(t reflect.Type, name string) (reflect.Type, bool) {
	switch {
	case t == nil:
		return nil, true
	case t.Kind() == reflect.Map:
		return t.Elem(), true
	case t.Kind() != reflect.Struct:
		return nil, true // the wrong type of value, which json.Unmarshal reports
	}
	for i := range t.NumField() {
		if tagName(t.Field(i)) == name {
			return t.Field(i).Type, true
		}
	}
	return nil, false
}

func fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		names = append(names, tagName(t.Field(i)))
	}
	slices.Sort(names)
	return names
}

func tagName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// maxName and maxPath are the number of characters of a name and of a path that errors repeat.
const (
	maxName = 60
	maxPath = 300
)

func place(path string) string {
	if path == "" {
		return "top level"
	}
	return foreign.Short(path, maxPath)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// kindName says in JSON's words what a Go type wants.
func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice:
		return "array"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "string"
	default:
		return "whole number"
	}
}
