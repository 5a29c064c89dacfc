package versions

import (
	"fmt"
	"strconv"
	"strings"

	"rules_tf_mirror/tools/internal/foreign"
)

// checkNumbers returns an error if a number in text, a version or a list of constraints, does not fit 64 bits: go-versions panics on
// such a number (R-VER-5). It looks at every run of digits that the library could take for one of the three numbers, and at none
// inside a prerelease or metadata, where any length is fine (R-VER-10).
func checkNumbers(text string) error {
	for _, term := range strings.Split(text, ",") {
		start := strings.IndexAny(term, "0123456789")
		if start < 0 {
			continue
		}
		numbers := term[start:]
		if end := strings.IndexAny(numbers, "-+"); end >= 0 {
			numbers = numbers[:end]
		}
		for _, run := range strings.FieldsFunc(numbers, func(r rune) bool { return r < '0' || r > '9' }) {
			if _, err := strconv.ParseUint(run, 10, 64); err != nil {
				return fmt.Errorf("the number %s is too large", foreign.Short(run, 30))
			}
		}
	}
	return nil
}
