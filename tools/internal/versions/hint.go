package versions

import "regexp"

// hints are spellings of other version languages, with what to write here. The first that matches is given.
var hints = []struct {
	pattern *regexp.Regexp
	advice  string
}{
	{regexp.MustCompile(`\|\|`), `alternatives cannot be expressed; make one entry for each`},
	{regexp.MustCompile(`(^|[\s,=<>~!])[vV]\d`), `write the number without "v"`},
	{regexp.MustCompile(`[*]|\d\.[xX]`), `write "~> 1.0" for any 1.x, or leave version out for the newest release`},
	{regexp.MustCompile(`\^`), `"^" is not an operator; write "~> 1.2" for at least 1.2 and below 2.0`},
	{regexp.MustCompile(`~([^>]|$)`), `"~" is not an operator; write "~> 1.2.3" for at least 1.2.3 and below 1.3`},
	{regexp.MustCompile(`==`), `write "=" or no operator`},
	{regexp.MustCompile(`=>`), `write ">="`},
	{regexp.MustCompile(`=<`), `write "<="`},
	{regexp.MustCompile(`\d\s+-\s+\d`), `write a range as ">= 1.0, <= 2.0"`},
	{regexp.MustCompile(`\d\s+[<>=!~]`), `put a comma between conditions`},
	{regexp.MustCompile(`^\s*,|,\s*(,|$)`), `remove the comma without a condition beside it`},
	{regexp.MustCompile(`[<>=]([ ]{2,}|[^\S ])`), `put one space or nothing after the operator`},
}

// hint returns "; " and the advice for text, or nothing.
func hint(text string) string {
	for _, h := range hints {
		if h.pattern.MatchString(text) {
			return "; " + h.advice
		}
	}
	return ""
}
