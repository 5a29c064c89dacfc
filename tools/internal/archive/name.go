package archive

import (
	"fmt"
	"path"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxName is the length in bytes of a path on macOS. It also bounds what a hostile zip with deep folders costs.
const maxName = 1024

// cleanName checks the raw name of an entry and returns the slash-separated path below the target, "." for the target itself.
// The second result is what is wrong with the name, or "".
//
// The checks are the same on every host where a name means different things on different hosts, apart from characters that only
// Windows cannot store; those are refused there alone, since a package for Linux may have them.
func cleanName(raw string, windows bool) (string, string) {
	switch {
	case raw == "":
		return "", "the name is empty"
	case len(raw) > maxName:
		return "", fmt.Sprintf("the name has %d bytes, at most %d are a path", len(raw), maxName)
	case strings.ContainsFunc(raw, func(r rune) bool { return r < 0x20 || r == 0x7f }):
		// With a line break the package could not be hashed (R-HASH-4); the others are for terminals.
		return "", "the name has a control character, such as a line break"
	case strings.HasPrefix(raw, "/"):
		return "", "the name is absolute, wanted one relative to the package"
	case hasDrive(raw):
		return "", "the name begins with a drive letter, wanted one relative to the package"
	case hasDotDot(raw):
		return "", `the name has ".." as an element and could leave the package`
	}
	clean := path.Clean(raw)
	if windows {
		if problem := windowsProblem(clean); problem != "" {
			return "", problem
		}
	}
	return clean, ""
}

func hasDrive(name string) bool {
	if len(name) < 2 || name[1] != ':' {
		return false
	}
	letter := name[0] | 0x20
	return letter >= 'a' && letter <= 'z'
}

// hasDotDot takes both slashes as separators on every host, as the tools do (R-HASH-7).
func hasDotDot(name string) bool {
	for _, element := range strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '\\' }) {
		if element == ".." {
			return true
		}
	}
	return false
}

// windowsProblem says why a cleaned path cannot be stored on Windows under just this name, or "".
func windowsProblem(clean string) string {
	if clean == "." {
		return ""
	}
	for _, element := range strings.Split(clean, "/") {
		for _, r := range element {
			if r < 0x20 || strings.ContainsRune(`<>:"|?*\`, r) {
				return "the name has a character that Windows does not allow in file names"
			}
		}
		if strings.HasSuffix(element, ".") || strings.HasSuffix(element, " ") {
			return "an element of the name ends with a dot or a space, which Windows drops"
		}
		stem, _, _ := strings.Cut(element, ".")
		stem = strings.ToUpper(strings.TrimRight(stem, " "))
		switch stem {
		case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
			return "an element of the name is a device on Windows"
		}
		if device := strings.TrimRight(stem, "0123456789¹²³"); len(stem) > len(device) && (device == "COM" || device == "LPT") {
			return "an element of the name is a device on Windows"
		}
	}
	return ""
}

// foldName returns a form that is equal for names which a case-folding file system takes for the same. Apple's also ignores how accents
// are composed.
func foldName(name string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(name))) }
