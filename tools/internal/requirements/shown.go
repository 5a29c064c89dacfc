package requirements

import (
	"regexp"
	"strings"
)

// sourceStart is how a module's source begins that says how it is fetched, as in git::https://; at least the last part of it is a scheme if the
// text ends with a slash.
var sourceStart = regexp.MustCompile(`^(?:[A-Za-z0-9+.-]+::)*(?:[A-Za-z0-9+.-]+://)?`)

// port is what an authority may have behind a colon without being a password.
var port = regexp.MustCompile(`^[^:@]*(?::[0-9]*)?$`)

// shownSource returns what may be shown of a module's source: passwords are written into git addresses, and tokens into queries. The user of
// git@host:path is no secret and stays.
func shownSource(source string) string {
	if i := strings.IndexAny(source, "?#"); i >= 0 {
		source = source[:i]
	}
	start := sourceStart.FindString(source)
	rest := source[len(start):]
	authority, _, _ := strings.Cut(rest, "/")
	user := strings.LastIndexByte(authority, '@')
	if user < 0 && strings.HasSuffix(start, "://") && !port.MatchString(authority) {
		user = strings.LastIndexByte(rest, '@') // a slash in a password
	}
	if user >= 0 && (strings.HasSuffix(start, "://") || strings.Contains(rest[:user], ":")) {
		rest = rest[user+1:]
	}
	return start + rest
}
