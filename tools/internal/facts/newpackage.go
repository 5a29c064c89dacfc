package facts

import (
	"fmt"
	"net/url"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/versions"
)

// NewPackage makes the fact for what a registry answered about one package: an absolute download URL, a file name and a sha256. What may
// not be recorded of the URL is cut off, and the fact is then ephemeral (design §3.5). Errors are *problem.Error of kind response;
// they quote the URL only up to where it may hold a secret.
func NewPackage(p addrs.Provider, v versions.Version, platform platforms.Platform, downloadURL, filename, sha256 string) (Package, error) {
	fail := func(err error) (Package, error) {
		return Package{}, problem.Wrap(problem.Response, err, "%s %s %s: the registry's answer cannot be used: %s", p, v, platform, err)
	}
	recorded, ephemeral, err := recordable(downloadURL)
	if err != nil {
		return fail(err)
	}
	// Registries may write the hash in either case; recorded is lower case.
	fact := Package{DownloadURL: recorded, Filename: filename, SHA256: strings.ToLower(sha256), Ephemeral: ephemeral}
	if err := checkSHA256(fact.SHA256); err != nil {
		return fail(err)
	}
	if err := checkFilename(filename, Key{Provider: p, Version: v, Platform: platform}); err != nil {
		return fail(err)
	}
	return fact, nil
}

// recordable returns the part of a URL that may be written into a lockfile, and whether the rest makes the URL work only now.
func recordable(text string) (string, bool, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", false, fmt.Errorf(`"download_url" is no URL`) // the parser's own text quotes all of it
	}
	if u.User != nil {
		return "", false, errUserinfo
	}
	recorded, ephemeral := foreign.URL(u, nil)
	return recorded, ephemeral, checkURL(recorded)
}

// Withhold returns the fact without what secret tells to be one: an address with a secret in its path is recorded up to there and ephemeral.
// A secret anywhere else is an error, which does not repeat it.
func (p Package) Withhold(secret func(string) bool) (Package, error) {
	if u, err := url.Parse(p.DownloadURL); err == nil && secret(p.DownloadURL) {
		recorded, ephemeral := foreign.URL(u, secret)
		p.DownloadURL, p.Ephemeral = recorded, p.Ephemeral || ephemeral
	}
	for _, field := range []struct{ name, text string }{
		{"download_url", p.DownloadURL}, {"filename", p.Filename}, {"sha256", p.SHA256}, {"mirror", p.Mirror},
	} {
		if secret(field.text) {
			return Package{}, fmt.Errorf("%q holds a secret", field.name)
		}
	}
	return p, nil
}

// checkFilename wants terraform-provider-<type>_[v]<version>_<os>_<arch>.zip with the type, version and platform of the key, so that
// one package's answer cannot stand in for another's (design §3.3).
func checkFilename(name string, k Key) error {
	if name == "" {
		return fmt.Errorf(`"filename" is missing`)
	}
	rest, okPrefix := strings.CutPrefix(name, "terraform-provider-"+k.Provider.Type+"_")
	text, okSuffix := strings.CutSuffix(rest, "_"+k.Platform.String()+".zip")
	if okPrefix && okSuffix {
		if v, err := versions.Parse(strings.TrimPrefix(text, "v")); err == nil && v == k.Version {
			return nil
		}
	}
	return fmt.Errorf(`"filename" is %s, not %q`, foreign.Quote(name, 300), fmt.Sprintf("terraform-provider-%s_%s_%s.zip", k.Provider.Type, k.Version, k.Platform))
}
