package explain

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"

	"rules_tf_mirror/tools/internal/addrs"
)

// longestCompared is the number of bytes above which a name is compared with no other: comparing takes time by the square of it.
const longestCompared = 100

// distance is the number of characters to insert, delete or replace until a is b. ok is false if that is more than a slip of the finger in
// a name of this length: one in up to five characters, two in up to eleven, three in longer ones, none in less than three.
func distance(a, b string) (n int, ok bool) {
	if a == b {
		return 0, true
	}
	if len(a) > longestCompared || len(b) > longestCompared {
		return 0, false
	}
	limit := 3
	switch length := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b)); {
	case length < 3:
		limit = 0
	case length <= 5:
		limit = 1
	case length <= 11:
		limit = 2
	}
	n = levenshtein.Distance(a, b, nil)
	if swapped(a, b) {
		n = 1 // two characters in the wrong order are one slip, which the library counts twice
	}
	return n, n <= limit
}

// swapped tells whether a is b with two neighbours exchanged.
func swapped(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) != len(y) {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:])
}

// SameType returns the one of the other providers of a manifest with the type of p: the first choice for who wrote a wrong namespace or host
// (R-ADDR-23). Of several, one with the same namespace or host is preferred.
func SameType(p addrs.Provider, others []addrs.Provider) (addrs.Provider, bool) {
	return nearest(others, func(q addrs.Provider) (int, bool) {
		cost := 0
		if q.Namespace != p.Namespace {
			cost += 2
		}
		if q.Host != p.Host {
			cost++
		}
		return cost, q.Type == p.Type && q != p
	})
}

// NearSource returns the one of the other providers on the same host whose namespace and type p misspells: a slip of the finger does not change
// the host, and who follows a suggestion should not get to another publisher by it.
func NearSource(p addrs.Provider, others []addrs.Provider) (addrs.Provider, bool) {
	return nearest(others, func(q addrs.Provider) (int, bool) {
		namespace, near1 := distance(p.Namespace, q.Namespace)
		typ, near2 := distance(p.Type, q.Type)
		return namespace + typ, q.Host == p.Host && near1 && near2 && namespace+typ > 0
	})
}

// nearest returns the candidate of least cost, of several the first by address.
func nearest(others []addrs.Provider, cost func(addrs.Provider) (int, bool)) (best addrs.Provider, found bool) {
	least := 0
	for _, q := range others {
		switch n, ok := cost(q); {
		case !ok:
		case !found, n < least, n == least && q.Less(best):
			best, least, found = q, n, true
		}
	}
	return best, found
}

// NearHost returns the one of the hosts, in comparison form, that a host misspells. A port that was left out or added counts as a slip too.
func NearHost(host string, others []string) (string, bool) {
	best, least := "", -1
	for _, other := range slices.Sorted(slices.Values(others)) {
		n, ok := distance(host, other)
		if name, _, _ := strings.Cut(other, ":"); !ok && withoutPort(host) == name {
			n, ok = 1, true
		}
		if ok && n > 0 && (least < 0 || n < least) {
			best, least = other, n
		}
	}
	return best, least > 0
}

func withoutPort(host string) string {
	name, _, _ := strings.Cut(host, ":")
	return name
}
