package cliconfig

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// ParseMirrorURL reads the base address of a network mirror (R-NET-1). Stray blanks and invisible characters, which make odd 404s of every
// request (B25), are refused with the exact text quoted; the tools take them. The error says what to write.
func ParseMirrorURL(text string) (*url.URL, error) {
	const want = `it needs an https address with a host, such as url = "https://mirror.example.com/providers/"`
	if text == "" {
		return nil, errors.New(want)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return nil, fmt.Errorf("the url %+q holds a blank or an invisible character; remove it", text)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s; the url found is not valid", want) // the parser's text would repeat a password
	case u.Scheme != "https", u.Hostname() == "":
		return nil, fmt.Errorf("%s; the url found has the scheme %q and the host %q", want, u.Scheme, u.Host)
	case u.User != nil:
		return nil, fmt.Errorf("the url has a user name or password in it; write a credentials block for host %s instead", u.Host)
	case u.RawQuery != "", u.ForceQuery, u.Fragment != "":
		return nil, fmt.Errorf("the url has a query or a fragment, which would be lost in every request; %s", want)
	}
	return u, nil
}
