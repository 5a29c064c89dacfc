// Package foreign makes text from outside fit to leave the process: for a terminal, a log, or a message in JSON.
//
// Registries, certificates, archives and lockfiles hold text that others wrote. Whatever of it gets into a message passes through here, so
// that nobody can steer a terminal, forge a line of a log, or fill a screen. What may be secret in a URL is left out by URL, what was sent as a
// token by Secrets.
package foreign

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxMessage and tail are the number of characters of the longest message, and of its end, which says what to do.
	maxMessage = 2000
	tail       = 600
	// maxWarnings is the number of warnings that are repeated of one answer.
	maxWarnings = 5
	// maxWarning is the number of characters of one of them.
	maxWarning = 400
)

// Line returns text as one line: printable characters (unicode.IsPrint) stay, and each other one becomes a space, control characters,
// directional marks and bytes that are no UTF-8 among them.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(text, " "))
}

// Lines is Line for each line of a text: line breaks stay. For text whose lines are our own.
func Lines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Line(line)
	}
	return strings.Join(lines, "\n")
}

// Short is Line of at most limit characters; "…" marks what was cut off.
func Short(text string, limit int) string {
	// A character has at most four bytes, so what is cut here could not stay anyway.
	cut := len(text) > 4*limit+4
	if cut {
		text = text[:4*limit+4]
	}
	runes := []rune(Line(text))
	if cut || len(runes) > limit {
		return string(runes[:min(limit, len(runes))]) + "…"
	}
	return string(runes)
}

// Quote returns text between quotation marks, what is not printable escaped as in Go; "…" behind them marks that it was cut to limit bytes or a
// little less. For places where it matters what exactly was written.
func Quote(text string, limit int) string {
	if len(text) <= limit {
		return strconv.Quote(text)
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return strconv.Quote(text[:limit]) + "…"
}

// Message is Line of at most 2000 characters. Of a longer text the middle is left out, because the end says what to do.
func Message(text string) string {
	runes := []rune(Line(text))
	if len(runes) <= maxMessage {
		return string(runes)
	}
	return string(runes[:maxMessage-tail]) + " … " + string(runes[len(runes)-tail:])
}

// Warnings returns what is repeated of the warnings in one answer: a few, each short, and how many more there were.
func Warnings(texts []string) (shown []string, more int) {
	for _, text := range texts {
		text = strings.TrimSpace(Short(text, maxWarning))
		switch {
		case text == "":
		case len(shown) == maxWarnings:
			more++
		default:
			shown = append(shown, text)
		}
	}
	return shown, more
}
