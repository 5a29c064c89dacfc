package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/strictjson"
)

// maxBytes limits what is read: a thousand packages with their facts need less than one MiB.
const maxBytes = 64 << 20

// Decode reads a request. It is strict (see strictjson), and checks schema, tool and platforms; what is wrong with a single entry is not
// its concern, because that must not spoil the others (F26). Errors are wrong input: exit code 2.
func Decode(r io.Reader) (*Request, error) {
	data, err := read(r)
	if err != nil {
		return nil, err
	}
	// Another schema may have any fields, so that its number must be looked at before the fields are.
	if err := checkSchema(data); err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	var request Request
	if err := strictjson.Unmarshal(data, &request); err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	if err := request.check(); err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	return &request, nil
}

func read(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	if len(data) > maxBytes {
		return nil, fmt.Errorf("the request is longer than %d MiB", maxBytes>>20)
	}
	return data, nil
}

func checkSchema(data []byte) error {
	var object map[string]json.RawMessage
	if err := strictjson.Unmarshal(data, &object); err != nil {
		return err
	}
	raw, ok := object["schema"]
	if !ok {
		return fmt.Errorf(`the field "schema" is missing; write "schema": %d`, Schema)
	}
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return fmt.Errorf(`"schema" is %s, not a number; write "schema": %d`, raw, Schema)
	}
	if string(raw) != strconv.Itoa(Schema) {
		return fmt.Errorf("schema %s is not known to this tfmirror, which reads schema %d; use the tfmirror that belongs to the rules that wrote this file", raw, Schema)
	}
	return nil
}

func (r *Request) check() error {
	if r.Tool == "" {
		return errors.New(`the field "tool" is missing; write "tool": "terraform" or "tool": "tofu"`)
	}
	if _, err := addrs.ParseTool(string(r.Tool)); err != nil {
		return err
	}
	if len(r.Platforms) == 0 {
		return errors.New(`no platform is named; write for example "platforms": ["linux_amd64"]`)
	}
	if r.Policy != nil {
		switch keys := r.Policy.ExpiredKeys; keys {
		case "", "accept", "signed-before", "refuse":
		default:
			return fmt.Errorf("policy.expired_keys: found %s; write accept, signed-before or refuse", foreign.Quote(keys, 40))
		}
	}
	seen := map[string]bool{}
	for i, text := range r.Platforms {
		if _, err := platforms.Parse(text); err != nil {
			return fmt.Errorf("platforms[%d]: %w", i, err)
		}
		if seen[text] {
			return fmt.Errorf("platforms[%d]: %q is named twice; remove one", i, text)
		}
		seen[text] = true
	}
	if r.Providers == nil {
		return errors.New(`the field "providers" is missing; an empty array is fine`)
	}
	return nil
}

// PlatformList returns the platforms of a request that Decode has checked, in its order.
func (r *Request) PlatformList() []platforms.Platform {
	list := make([]platforms.Platform, 0, len(r.Platforms))
	for _, text := range r.Platforms {
		if p, err := platforms.Parse(text); err == nil {
			list = append(list, p)
		}
	}
	return list
}
