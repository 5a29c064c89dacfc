package fakebazel

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// Struct is converted to a Starlark struct.
type Struct map[string]any

// ToStarlark converts nil, booleans, integers, strings, slices, maps and Struct; Starlark values stay as they are. Other types panic.
func ToStarlark(v any) starlark.Value {
	switch v := v.(type) {
	case nil:
		return starlark.None
	case starlark.Value:
		return v
	case bool:
		return starlark.Bool(v)
	case int:
		return starlark.MakeInt(v)
	case float64: // of encoding/json
		return starlark.MakeInt(int(v))
	case string:
		return starlark.String(v)
	case []string:
		return list(v)
	case []any:
		return list(v)
	case map[string]any:
		dict := new(starlark.Dict)
		for _, key := range sortedKeys(v) {
			_ = dict.SetKey(starlark.String(key), ToStarlark(v[key])) // cannot fail: the dict is neither frozen nor iterated
		}
		return dict
	case Struct:
		fields := starlark.StringDict{}
		for name, value := range v {
			fields[name] = ToStarlark(value)
		}
		return starlarkstruct.FromStringDict(starlarkstruct.Default, fields)
	}
	panic(fmt.Sprintf("ToStarlark: %T", v))
}

func list[T any](items []T) *starlark.List {
	values := make([]starlark.Value, len(items))
	for n, item := range items {
		values[n] = ToStarlark(item)
	}
	return starlark.NewList(values)
}

// ToGo is the reverse of ToStarlark: dicts become map[string]any, structs Struct, lists and tuples []any. Other values stay as they are.
func ToGo(v starlark.Value) any {
	switch v := v.(type) {
	case starlark.NoneType:
		return nil
	case starlark.Bool:
		return bool(v)
	case starlark.Int:
		n, _ := v.Int64()
		return int(n)
	case starlark.String:
		return string(v)
	case starlark.Tuple:
		return sequence(v)
	case *starlark.List:
		return sequence(v)
	case *starlark.Dict:
		m := map[string]any{}
		for _, item := range v.Items() {
			key, ok := item[0].(starlark.String)
			if !ok {
				key = starlark.String(item[0].String())
			}
			m[string(key)] = ToGo(item[1])
		}
		return m
	case *starlarkstruct.Struct:
		s := Struct{}
		for _, name := range v.AttrNames() {
			field, _ := v.Attr(name) // the name is one of its own
			s[name] = ToGo(field)
		}
		return s
	}
	return v
}

func sequence(v starlark.Indexable) []any {
	items := make([]any, v.Len())
	for n := range items {
		items[n] = ToGo(v.Index(n))
	}
	return items
}
