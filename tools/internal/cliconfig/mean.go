package cliconfig

import (
	"strings"
	"unicode"

	svchost "github.com/hashicorp/terraform-svchost"
)

// mayMean tells whether somebody may have written an invalid host name and meant a host (comparison form): one contains the other, as far as letters
// and digits go. That catches schemes, paths, patterns such as *.acme.dev, blanks, and underscores for dots.
func mayMean(name, host string) bool {
	written := bare(name)
	for _, form := range []string{host, svchost.Hostname(host).ForDisplay()} {
		form, _, _ = strings.Cut(form, ":")
		if meant := bare(form); strings.Contains(written, meant) || strings.Contains(meant, written) {
			return true
		}
	}
	return false
}

// bare leaves letters and digits, in lower case.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
