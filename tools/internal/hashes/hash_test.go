package hashes

import "testing"

// R-HASH-1.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Hash{
		"h1:abc=":  {"h1", "abc="},
		"zh:00ff":  {"zh", "00ff"},
		"h9:a:b:c": {"h9", "a:b:c"},
		"h1:":      {"h1", ""},
		" h1:x":    {" h1", "x"},
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %#v, %v, want %#v", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("String() = %q, want %q", got.String(), text)
		}
	}
	for _, text := range []string{"", ":", ":x", "abc"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", text, got)
		}
	}
}

// R-HASH-8 to R-HASH-12.
func TestCompare(t *testing.T) {
	t.Parallel()
	h1, zh := Hash{"h1", "own"}, Hash{"zh", "own"}
	otherH1, otherZH := Hash{"h1", "other"}, Hash{"zh", "other"}
	unknown := Hash{"h2", "own"}
	archive, dir := []Hash{h1, zh}, []Hash{h1}
	for name, test := range map[string]struct {
		recorded, computed []Hash
		want               Verdict
	}{
		"nothing recorded (R-HASH-9)":                {nil, archive, NoCheck},
		"only unknown schemes (R-HASH-9)":            {[]Hash{unknown}, archive, NoCheck},
		"unknown scheme is never matched (R-HASH-8)": {[]Hash{unknown}, []Hash{unknown}, NoCheck},
		"one of many suffices (R-HASH-8)":            {[]Hash{otherH1, otherZH, zh}, archive, Match},
		"order does not count (R-HASH-11)":           {[]Hash{zh, otherH1}, archive, Match},
		"h1 alone":                                   {[]Hash{h1}, archive, Match},
		"only zh on an archive (R-HASH-10)":          {[]Hash{zh}, archive, Match},
		"only foreign zh on an archive (R-HASH-10)":  {[]Hash{otherZH}, archive, Mismatch},
		"unknown beside a mismatch":                  {[]Hash{unknown, otherH1}, archive, Mismatch},
		"only zh on a directory (R-HASH-12)":         {[]Hash{zh, otherZH}, dir, NoCheck},
		"foreign h1 on a directory (R-HASH-12)":      {[]Hash{zh, otherH1}, dir, Mismatch},
		"h1 on a directory (R-HASH-12)":              {[]Hash{otherH1, h1}, dir, Match},
		"upper-case zh never matches (R-HASH-2)":     {[]Hash{{"zh", "OWN"}}, archive, Mismatch},
	} {
		if got := Compare(test.recorded, test.computed); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

func TestVerdictNames(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[Verdict]string{NoCheck: "no check", Match: "match", Mismatch: "mismatch"} {
		if verdict.String() != want {
			t.Errorf("got %q, want %q", verdict, want)
		}
	}
}
