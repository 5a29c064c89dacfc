package registry

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// longSegment is the number of characters from which on a path segment is taken for a capability (design §3.5).
const longSegment = 100

// Location is where something can be downloaded now. The whole URL may be a secret that works once or for minutes.
type Location struct {
	Recorded  string // what may be recorded and shown: scheme, host and path up to the secret part
	Ephemeral bool   // Recorded is not the whole URL, or the URL is known to expire
	secret    string
}

// Reveal returns the whole URL, only to request it. It must not get into a fact, a log, an error or an argument of a process.
func (l Location) Reveal() string { return l.secret }

// String returns what may be shown.
func (l Location) String() string { return l.Recorded }

// GoString returns what may be shown.
func (l Location) GoString() string { return fmt.Sprintf("registry.Location{%q}", l.Recorded) }

// locate resolves a reference of an answer and decides what may be recorded of it. Errors continue the sentence "a download_url …" and
// contain no part of the reference.
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
		return Location{}, fmt.Errorf("with the scheme %q; only http and https are supported", shorten(u.Scheme, 20))
	case u.Host == "":
		return Location{}, errors.New("without a host")
	}
	u.Fragment, u.RawFragment = "", "" // never sent (R-DL-5)
	path := u.EscapedPath()
	if strings.Contains(u.Path, archivistPath) && !strings.Contains(path, archivistPath) {
		path = (&url.URL{Path: u.Path}).EscapedPath() // an odd escaping must not hide the mark
	}
	end := secretStart(u.Hostname(), path)
	l := Location{secret: u.String()}
	l.Ephemeral = end < len(path) || u.RawQuery != "" || u.ForceQuery || isArchivist(u.Hostname(), path)
	l.Recorded = u.Scheme + "://" + u.Host + path[:end]
	return l, nil
}

// secretStart returns the position in an escaped path where a capability begins, or the path's length.
func secretStart(host, path string) int {
	end := len(path)
	if isArchivist(host, path) {
		// An archivist path is …/v1/object/<capability>; an unknown form is cut at the first segment that could be one.
		from := 0
		if i := strings.Index(path, archivistPath); i >= 0 {
			from = i + len(archivistPath)
		} else if strings.HasPrefix(path, "/") {
			from = 1
		}
		if i := strings.Index(path[from:], "object/"); i >= 0 {
			from += i + len("object/")
		}
		end = from
	}
	start := 0
	for _, segment := range strings.SplitAfter(path, "/") {
		if len(strings.TrimSuffix(segment, "/")) > longSegment {
			return min(end, start)
		}
		start += len(segment)
	}
	return end
}

const archivistPath = "/_archivist/"

// isArchivist tells whether a URL is of HCP Terraform's object store, whose paths are capabilities.
func isArchivist(host, path string) bool {
	return strings.EqualFold(strings.TrimSuffix(host, "."), "archivist.terraform.io") || strings.Contains(path, archivistPath)
}
