package discovery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/url"
	"sort"
	"strings"

	"rules_tf_mirror/tools/internal/foreign"
)

// serviceKey is the name of the provider registry protocol in a discovery document (R-DISC-11).
const serviceKey = "providers.v1"

// errNoRegistry: the host is known and offers no provider registry.
var errNoRegistry = errors.New("offers no provider registry")

// Parse reads a discovery document (R-DISC-8, R-DISC-10..12). final is the URL that answered; relative service URLs start there. The
// error continues the sentence "host X …".
func Parse(final *url.URL, contentType string, body []byte) (*url.URL, error) {
	media, _, err := mime.ParseMediaType(contentType)
	switch {
	case contentType == "":
		return nil, errors.New("answers service discovery without a content type; application/json is wanted")
	case err != nil:
		return nil, fmt.Errorf("answers service discovery with the unreadable content type %q; application/json is wanted", foreign.Short(contentType, 60))
	case media != "application/json":
		return nil, fmt.Errorf("answers service discovery with %s instead of application/json; is there a login page or a proxy in between?", foreign.Short(media, 60))
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	var services map[string]json.RawMessage
	if err := decoder.Decode(&services); err != nil {
		return nil, errors.New("answers service discovery with a document that is not one JSON object")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("answers service discovery with more than one JSON object")
	}
	return provider(final, services)
}

// provider picks the provider registry out of the services.
func provider(final *url.URL, services map[string]json.RawMessage) (*url.URL, error) {
	raw, ok := services[serviceKey]
	if !ok {
		var others []string
		for key := range services {
			if strings.HasPrefix(key, "providers.") {
				others = append(others, foreign.Short(key, 60))
			}
		}
		if len(others) == 0 {
			return nil, errNoRegistry
		}
		sort.Strings(others)
		return nil, fmt.Errorf("offers another version of the provider registry protocol (%s); %s is wanted", strings.Join(others, ", "), serviceKey)
	}
	var text *string
	if err := json.Unmarshal(raw, &text); err != nil || text == nil {
		return nil, fmt.Errorf("offers another version of the provider registry protocol: its %s is not a string", serviceKey)
	}
	return serviceURL(final, *text)
}

// serviceURL resolves and checks the URL of a service (R-DISC-12).
func serviceURL(final *url.URL, text string) (*url.URL, error) {
	u, err := final.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("names a %s that is not a URL", serviceKey)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("names a %s with the scheme %q; only http and https are supported", serviceKey, foreign.Short(u.Scheme, 60))
	case u.Host == "":
		return nil, fmt.Errorf("names a %s without a host", serviceKey)
	case u.User != nil:
		return nil, fmt.Errorf("names a %s that contains a user name or password, which is not supported", serviceKey)
	}
	// A query is lost when endpoints are resolved against the base; it may be a secret, so it is dropped here.
	u.Fragment, u.RawFragment, u.RawQuery, u.ForceQuery = "", "", "", false
	return u, nil
}
