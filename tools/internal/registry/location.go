package registry

import (
	"errors"
	"fmt"
	"net/url"

	"rules_tf_mirror/tools/internal/foreign"
)

// Location is a URL of a registry's answer. It may be a secret that works once or for minutes (design §3.5), so it shows only its host.
type Location struct{ url *url.URL }

// Reveal returns the whole URL, only to request it. It must not get into a fact, a log, an error or an argument of a process.
func (l Location) Reveal() string {
	if l.url == nil {
		return ""
	}
	return l.url.String()
}

// String returns what may be shown: scheme and host.
func (l Location) String() string {
	if l.url == nil {
		return ""
	}
	return l.url.Scheme + "://" + l.url.Host + "/…"
}

// Format shows what String shows under every verb.
func (l Location) Format(state fmt.State, _ rune) { fmt.Fprint(state, l.String()) }

// Locate makes a Location of a reference in an answer whose final URL is base. Errors continue a sentence such as "a url …" and contain no part
// of the reference.
func Locate(base *url.URL, reference string) (Location, error) { return locate(base, reference) }

// locate resolves a reference of an answer whose final URL is base. Errors continue the sentence "a download_url …" and contain no part
// of the reference.
func locate(base *url.URL, reference string) (Location, error) {
	if reference == "" {
		return Location{}, errors.New("that is missing or empty")
	}
	u, err := base.Parse(reference)
	switch {
	case err != nil:
		return Location{}, errors.New("that is not a URL")
	case u.User != nil:
		return Location{}, errors.New("that contains a user name or password, which is refused: a lockfile is no place for secrets")
	case u.Scheme != "http" && u.Scheme != "https":
		return Location{}, fmt.Errorf("with the scheme %q; only http and https are supported", foreign.Short(u.Scheme, 20))
	case u.Host == "":
		return Location{}, errors.New("without a host")
	}
	u.Fragment, u.RawFragment = "", "" // never sent (R-DL-5)
	return Location{url: u}, nil
}
