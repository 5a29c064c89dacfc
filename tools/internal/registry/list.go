package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/problem"
)

const (
	// maxListBytes bounds a version list; the longest real one has about 1 MiB.
	maxListBytes = 16 << 20
	// maxListed bounds its elements: a megabyte of compressed ones would become gigabytes.
	maxListed = 20_000
	// maxElement is the length in bytes above which an element is no version; real ones have less than 1 KiB.
	maxElement = 64 << 10
	// maxWarnings is the length in bytes above which a registry's warnings are not read.
	maxWarnings = 256 << 10
)

// ParseVersions reads a versions answer, one element at a time. An element that is no object with a version string stays in the list as text
// that no parser accepts, so that it is reported with the unparsable versions and spoils nothing else (A07). The error continues the sentence
// "host X answers U with …".
func ParseVersions(body []byte) (*VersionList, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	list := &VersionList{}
	token, err := decoder.Token()
	switch {
	case err != nil:
		return nil, badJSON(body, err)
	case token == nil: // null is an object without members, for the tools
		return list, nil
	case token != json.Delim('{'):
		return nil, errNoObject
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, badJSON(body, err)
		}
		var value json.RawMessage
		switch text := fmt.Sprint(name); { // a name in any case, as the tools' decoder has it
		case strings.EqualFold(text, "versions"):
			list.Versions, err = listed(decoder)
		case strings.EqualFold(text, "warnings"):
			if err = decoder.Decode(&value); err == nil {
				list.Warnings = warnings(value)
			}
		default:
			err = decoder.Decode(&value)
		}
		if err != nil {
			return nil, listError(body, err)
		}
	}
	_, err = decoder.Token()
	if err != nil {
		return nil, badJSON(body, err)
	}
	return list, nil
}

// listError keeps errors of our own.
func listError(body []byte, err error) error {
	if own, ok := err.(*problem.Error); ok {
		return own
	}
	return badJSON(body, err)
}

// listed reads the array of versions.
func listed(decoder *json.Decoder) ([]Listed, error) {
	token, err := decoder.Token()
	switch {
	case err != nil || token == nil:
		return nil, err
	case token != json.Delim('['):
		return nil, problem.New(problem.Response, `JSON whose field "versions" is no array`)
	}
	var list []Listed
	for decoder.More() {
		if len(list) == maxListed {
			return nil, problem.New(problem.Response, "a list of more than %d versions", maxListed)
		}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return nil, err
		}
		list = append(list, parseListed(raw))
	}
	_, err = decoder.Token()
	return list, err
}

func parseListed(raw json.RawMessage) Listed {
	var element struct {
		Version   *string         `json:"version"`
		Protocols json.RawMessage `json:"protocols"`
		Platforms json.RawMessage `json:"platforms"`
	}
	if len(raw) > maxElement || json.Unmarshal(raw, &element) != nil || element.Version == nil {
		return Listed{Version: foreign.Short(string(raw), 60)}
	}
	listed := Listed{Version: *element.Version, Platforms: element.Platforms}
	if json.Unmarshal(element.Protocols, &listed.Protocols) != nil {
		listed.Protocols = nil
	}
	return listed
}

// warnings reads a registry's words for the user; what is no list of texts is none.
func warnings(raw json.RawMessage) []string {
	if len(raw) > maxWarnings {
		return []string{"the registry's warnings are too long to be repeated"}
	}
	var texts []string
	if json.Unmarshal(raw, &texts) != nil {
		return nil
	}
	shown, more := foreign.Warnings(texts)
	if more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more warnings of the registry", more))
	}
	return shown
}
