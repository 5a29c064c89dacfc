package netmirror

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"slices"

	"rules_tf_mirror/tools/internal/foreign"
)

// Archive is one entry of a version document.
type Archive struct {
	URL    string   // as written: absolute, root-relative or relative
	Hashes []string // as written, scheme:value
}

// errOtherProtocol marks answers of the provider registry protocol (B24).
var errOtherProtocol = errors.New("an answer of the provider registry protocol, not of the network mirror protocol")

// ParseIndex reads an index document: the keys of `versions`, sorted, perhaps unparsable (R-NET-9). The error continues the sentence "answers U
// with …".
func ParseIndex(contentType string, body []byte) ([]string, error) {
	var document struct {
		Versions map[string]json.RawMessage `json:"versions"`
	}
	if err := decode(contentType, body, &document); err != nil {
		return nil, err
	}
	list := make([]string, 0, len(document.Versions))
	for text := range document.Versions {
		list = append(list, text)
	}
	slices.Sort(list)
	return list, nil
}

// ParseArchives reads a version document: archives by platform (R-NET-10). An entry that is null is kept as nil, because it is an error only
// for who wants that platform (R-NET-11). A document without archives, or with null, has none: nil. The error continues the sentence "answers U with …".
func ParseArchives(contentType string, body []byte) (map[string]*Archive, error) {
	var document struct {
		Archives map[string]*struct {
			URL    string   `json:"url"`
			Hashes []string `json:"hashes"`
		} `json:"archives"`
	}
	if err := decode(contentType, body, &document); err != nil {
		return nil, err
	}
	if document.Archives == nil {
		return nil, nil
	}
	archives := make(map[string]*Archive, len(document.Archives))
	for platform, entry := range document.Archives {
		archives[platform] = nil
		if entry != nil {
			archives[platform] = &Archive{URL: entry.URL, Hashes: entry.Hashes}
		}
	}
	return archives, nil
}

// decode checks the content type (R-NET-7) and reads the first JSON value, as the tools do.
func decode(contentType string, body []byte, into any) error {
	media, _, err := mime.ParseMediaType(contentType)
	switch {
	case contentType == "":
		return errors.New("no content type; application/json is wanted")
	case err != nil || media != "application/json":
		return fmt.Errorf("the content type %q instead of application/json; is it a network mirror, or is there a login page in between?", foreign.Short(contentType, 60))
	}
	err = json.NewDecoder(bytes.NewReader(body)).Decode(into)
	var mistyped *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mistyped) && mistyped.Field == "versions" && mistyped.Value == "array":
		return errOtherProtocol
	case errors.As(err, &mistyped) && mistyped.Field != "":
		return fmt.Errorf("JSON whose field %q is a %s", foreign.Short(mistyped.Field, 60), mistyped.Value)
	case errors.As(err, &mistyped):
		return errors.New("JSON that is not an object")
	case len(bytes.TrimSpace(body)) == 0:
		return errors.New("an empty body; JSON is wanted")
	default:
		return errors.New("invalid JSON")
	}
}
