package bazellock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// member is one name and value of a JSON object, as offsets into the text.
type member struct {
	name       string // unquoted
	start      int    // of the opening quotation mark of the name
	valueStart int
	valueEnd   int // one past the value
}

// scanner walks over text that is known to be valid JSON.
type scanner struct {
	path string
	text []byte
}

var byteOrderMark = []byte("\ufeff")

// newScanner checks that text is one JSON value in UTF-8. A byte order mark before it is let pass, as Bazel does.
func newScanner(path string, text []byte) (*scanner, error) {
	s := &scanner{path, text}
	if err := s.checkConflict(); err != nil {
		return nil, err
	}
	if !utf8.Valid(text) {
		return nil, s.errorAt(firstInvalid(text), "the text is not UTF-8")
	}
	body := bytes.TrimPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, s.errorAt(0, "the file is empty; delete it, and the next Bazel command makes a new one")
	}
	var value json.RawMessage
	err := json.Unmarshal(body, &value)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset := len(text) - len(body) + int(syntax.Offset)
		return nil, s.errorAt(min(max(offset-1, 0), len(text)), "not valid JSON: %v", err)
	}
	return s, err
}

// checkConflict refuses a file with unresolved merge conflicts. No line of valid JSON begins like this.
func (s *scanner) checkConflict() error {
	for offset := 0; offset < len(s.text); {
		line := s.text[offset:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		for _, marker := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if bytes.HasPrefix(line, []byte(marker)) {
				return s.errorAt(offset, "unresolved merge conflict (%s): take either side with git checkout --ours or --theirs, "+
					"then run a Bazel command and the lock target again", marker)
			}
		}
		offset += len(line)
	}
	return nil
}

func (s *scanner) errorAt(offset int, format string, args ...any) error {
	return &ParseError{s.path, 1 + bytes.Count(s.text[:offset], []byte("\n")), fmt.Sprintf(format, args...)}
}

// object returns the members of the object that begins at offset pos, and the offset after it. A name that occurs twice, there or in
// any object below, is an error: readers differ in which value they take.
func (s *scanner) object(pos int) ([]member, int, error) {
	var members []member
	seen := map[string]int{}
	pos = s.space(pos + 1)
	for s.text[pos] != '}' {
		m := member{start: pos}
		end := s.stringEnd(pos)
		if err := json.Unmarshal(s.text[pos:end], &m.name); err != nil {
			return nil, 0, s.errorAt(pos, "%v", err)
		}
		if first, ok := seen[m.name]; ok {
			return nil, 0, s.errorAt(pos, "the name %q is given twice, first in line %d", m.name, 1+bytes.Count(s.text[:first], []byte("\n")))
		}
		seen[m.name] = pos
		m.valueStart = s.space(s.space(end) + 1)
		var err error
		if m.valueEnd, err = s.value(m.valueStart); err != nil {
			return nil, 0, err
		}
		members = append(members, m)
		pos = s.space(m.valueEnd)
		if s.text[pos] == ',' {
			pos = s.space(pos + 1)
		}
	}
	return members, pos + 1, nil
}

// value returns the offset after the value at pos.
func (s *scanner) value(pos int) (int, error) {
	switch s.text[pos] {
	case '{':
		_, end, err := s.object(pos)
		return end, err
	case '[':
		pos = s.space(pos + 1)
		for s.text[pos] != ']' {
			end, err := s.value(pos)
			if err != nil {
				return 0, err
			}
			pos = s.space(end)
			if s.text[pos] == ',' {
				pos = s.space(pos + 1)
			}
		}
		return pos + 1, nil
	case '"':
		return s.stringEnd(pos), nil
	}
	for pos < len(s.text) && !bytes.ContainsRune([]byte(" \t\r\n,]}"), rune(s.text[pos])) {
		pos++
	}
	return pos, nil
}

// space returns the offset of the first character at or after pos that is no white space.
func (s *scanner) space(pos int) int {
	for pos < len(s.text) && bytes.IndexByte([]byte(" \t\r\n"), s.text[pos]) >= 0 {
		pos++
	}
	return pos
}

// stringEnd returns the offset after the string whose opening quotation mark is at pos.
func (s *scanner) stringEnd(pos int) int {
	for pos++; s.text[pos] != '"'; pos++ {
		if s.text[pos] == '\\' {
			pos++
		}
	}
	return pos + 1
}

// firstInvalid returns the offset of the first byte that is not UTF-8.
func firstInvalid(text []byte) int {
	offset := 0
	for offset < len(text) {
		r, size := utf8.DecodeRune(text[offset:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		offset += size
	}
	return offset
}
