package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
)

// VersionList is the answer of the versions endpoint.
type VersionList struct {
	Versions []Listed // as listed: unsorted, with repetitions, perhaps unparsable (R-SEL-1)
	Warnings []string // for the user, one line each
}

// Listed is one element of the list. Nothing is decided by Platforms, as in the tools (R-REG table): only messages read it.
type Listed struct {
	Version   string          // as written; of an element without a usable version a piece of its JSON
	Protocols []string        // plugin protocols, empty if not said
	Platforms json.RawMessage // unread; see OfPlatforms
}

// OfPlatforms returns the platforms that the list names for the version. What is no platform is passed over.
func (l Listed) OfPlatforms() []platforms.Platform {
	var elements []json.RawMessage
	if json.Unmarshal(l.Platforms, &elements) != nil {
		return nil
	}
	var list []platforms.Platform
	for _, raw := range elements {
		var element struct {
			OS   string `json:"os"`
			Arch string `json:"arch"`
		}
		if json.Unmarshal(raw, &element) != nil {
			continue
		}
		if p, err := platforms.Parse(element.OS + "_" + element.Arch); err == nil {
			list = append(list, p)
		}
	}
	return list
}

// Texts returns the listed version strings.
func (l *VersionList) Texts() []string {
	texts := make([]string, 0, len(l.Versions))
	for _, listed := range l.Versions {
		texts = append(texts, listed.Version)
	}
	return texts
}

// Versions returns the list of a provider. Errors are *problem.Error, or the cause of ctx's end.
func (c *Client) Versions(ctx context.Context, p addrs.Provider) (*VersionList, error) {
	return c.lists.Do(ctx, p, func(ctx context.Context) (*VersionList, error) {
		a, err := c.get(ctx, p, p.Namespace, p.Type, "versions")
		if err != nil {
			return nil, err
		}
		if a.Status == http.StatusNotFound {
			return nil, unknownProvider(p, a.endpoint)
		}
		list, err := ParseVersions(a.Body)
		if err != nil {
			return nil, problem.Wrap(problem.Response, err, "host %s answers %s with %v", p.DisplayHost(), a.endpoint, err)
		}
		return list, nil
	})
}

// unknownProvider explains a 404 for a whole provider.
func unknownProvider(p addrs.Provider, endpoint string) error {
	return problem.New(problem.NotFound, "the registry does not know %s (404 for %s)%s", p, endpoint, WrongSourceHint(p))
}

// WrongSourceHint says what may be wrong with the source of a provider that a registry does not know, as the end of a sentence. A source
// without a namespace means hashicorp/, which is right for few providers (A18).
func WrongSourceHint(p addrs.Provider) string {
	if p.Namespace == "hashicorp" && isDefaultHost(p.Host) {
		return fmt.Sprintf("; a source without a namespace means hashicorp/: if another publisher makes this provider, write its namespace, "+
			"<namespace>/%s, for example %s/%s", p.Type, p.Type, p.Type)
	}
	return "; check the spelling of the source, and whether the provider is private and needs a token: set " + credentials.HowToSet(p.Host)
}

func isDefaultHost(host string) bool {
	return host == addrs.Terraform.DefaultHost() || host == addrs.OpenTofu.DefaultHost()
}

var errNoObject = problem.New(problem.Response, "JSON that is not an object")

// decodeFirst reads the first JSON value, as the tools do: trailing bytes and the content type do not matter (R-REG-7).
func decodeFirst(body []byte, into any) error {
	return badJSON(body, json.NewDecoder(bytes.NewReader(body)).Decode(into))
}

// badJSON says what is wrong with an answer that a decoder refuses; nil if it does not.
func badJSON(body []byte, err error) error {
	var mistyped *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mistyped) && mistyped.Field != "":
		return problem.New(problem.Response, "JSON whose field %q is a %s", foreign.Short(mistyped.Field, 60), mistyped.Value)
	case errors.As(err, &mistyped):
		return errNoObject
	case len(bytes.TrimSpace(body)) == 0:
		return problem.New(problem.Response, "an empty body; JSON is wanted")
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")):
		return problem.New(problem.Response, "a page of HTML or XML; JSON is wanted. Is there a login page or a proxy in between?")
	default:
		return problem.New(problem.Response, "invalid JSON")
	}
}
