package facts

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"

	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/strictjson"
	"rules_tf_mirror/tools/internal/versions"
)

// ParseResolve reads the value recorded under key. The version must be canonical, since it goes into file names and URLs as it stands,
// and the constraint in the key must admit it. Errors are *problem.Error of kind response that name the key and the repair.
func ParseResolve(key string, value json.RawMessage) (Resolve, error) {
	var r Resolve
	if err := strictjson.Unmarshal(value, &r); err != nil {
		return Resolve{}, malformed(key, err)
	}
	k, err := parseKeyOf(KindResolve, key)
	if err != nil {
		return Resolve{}, err
	}
	if err := checkVersion(r.Version, k.Constraint); err != nil {
		return Resolve{}, malformed(key, err)
	}
	return r, nil
}

// ParsePackage reads the value recorded under key, like ParseResolve. The file name must be that of the key's own package.
func ParsePackage(key string, value json.RawMessage) (Package, error) {
	var p Package
	if err := strictjson.Unmarshal(value, &p); err != nil {
		return Package{}, malformed(key, err)
	}
	k, err := parseKeyOf(KindPackage, key)
	if err != nil {
		return Package{}, err
	}
	if err := p.check(k); err != nil {
		return Package{}, malformed(key, err)
	}
	return p, nil
}

// ParseTool reads the value recorded under key, like ParseResolve.
func ParseTool(key string, value json.RawMessage) (Tool, error) {
	var t Tool
	if err := strictjson.Unmarshal(value, &t); err != nil {
		return Tool{}, malformed(key, err)
	}
	if _, err := parseKeyOf(KindTool, key); err != nil {
		return Tool{}, err
	}
	if err := checkURL(t.DownloadURL); err != nil {
		return Tool{}, malformed(key, err)
	}
	if err := checkSHA256(t.SHA256); err != nil {
		return Tool{}, malformed(key, err)
	}
	return t, nil
}

// malformed makes the error for a recorded fact that cannot be used. Deleting it is safe: it is asked for again.
func malformed(key string, err error) error {
	return problem.Wrap(problem.Response, err,
		"the recorded fact %q is malformed: %s; delete this fact from MODULE.bazel.lock and run `bazel mod deps`", key, err)
}

// parseKeyOf reads a key that must be of one kind.
func parseKeyOf(want Kind, key string) (Key, error) {
	k, err := ParseKey(key)
	if err == nil && k.Kind != want {
		err = malformed(key, fmt.Errorf("the value is that of a %s/ fact", want))
	}
	return k, err
}

func (p Package) check(k Key) error {
	if p.Unavailable {
		if p != (Package{Unavailable: true}) {
			return fmt.Errorf(`"unavailable" excludes every other field`)
		}
		return nil
	}
	if p.Mirror != "" {
		if p != (Package{Mirror: p.Mirror, SHA256: p.SHA256}) {
			return fmt.Errorf(`"mirror" excludes every other field but "sha256"`)
		}
		if err := checkMirror(p.Mirror, k); err != nil {
			return err
		}
		return checkSHA256(p.SHA256)
	}
	if err := checkURL(p.DownloadURL); err != nil {
		return err
	}
	if err := checkFilename(p.Filename, k); err != nil {
		return err
	}
	return checkSHA256(p.SHA256)
}

var sha256Pattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

func checkSHA256(text string) error {
	if !sha256Pattern.MatchString(text) {
		return fmt.Errorf(`"sha256" is %s, not 64 lower-case hex digits`, foreign.Quote(text, 80))
	}
	return nil
}

var errUserinfo = errors.New(`"download_url" has a user name or password in it`)

// checkURL accepts what may stand in a lockfile: an address without secrets (design §3.1, §3.5).
func checkURL(text string) error {
	if text == "" {
		return fmt.Errorf(`"download_url" is missing`)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return fmt.Errorf(`"download_url" is no URL`)
	case u.User != nil:
		return errUserinfo
	case u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf(`"download_url" has the scheme %q, not https or http`, foreign.Short(u.Scheme, 20))
	case u.Host == "":
		return fmt.Errorf(`"download_url" has no host`)
	case u.RawQuery != "" || u.ForceQuery:
		return fmt.Errorf(`"download_url" has a query`)
	case u.Fragment != "":
		return fmt.Errorf(`"download_url" has a fragment`)
	}
	return nil
}

func checkVersion(text string, c versions.Constraint) error {
	if text == "" {
		return fmt.Errorf(`"version" is missing`)
	}
	v, err := versions.Parse(text)
	switch {
	case err != nil:
		return err
	case v.IsUnspecified():
		return fmt.Errorf(`"version" is 0.0.0, which no tool selects`)
	case v.String() != text:
		return fmt.Errorf(`"version" is %q, which is written %q`, text, v)
	case !c.Allows(v):
		return fmt.Errorf(`"version" is %q, which the constraint of its key does not admit`, text)
	}
	return nil
}
