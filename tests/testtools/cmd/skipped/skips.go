package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"sort"
	"strings"
)

// event is the part of a `go test -json` line (cmd/test2json) that is used here.
type event struct {
	Action, Package, Test, Output string
}

// Where the test framework says t.Skip was called: "    file_test.go:12: the reason".
var reasonLine = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)`)

// skips returns a text "package.Test: reason" for every skipped test, sorted. Tests skipped for one and the same reason in one package
// share a text.
func skips(r io.Reader) ([]string, error) {
	reasons := map[string]string{}    // by package and test
	names := map[[2]string][]string{} // tests by package and reason
	for decoder := json.NewDecoder(r); ; {
		var e event
		err := decoder.Decode(&e)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		id := e.Package + "." + e.Test
		switch {
		case e.Test == "":
		case e.Action == "output":
			if match := reasonLine.FindStringSubmatch(e.Output); match != nil {
				reasons[id] = strings.TrimSpace(match[1])
			}
		case e.Action == "skip":
			key := [2]string{path.Base(e.Package), reasons[id]}
			names[key] = append(names[key], e.Test)
		}
	}
	var texts []string
	for key, tests := range names {
		sort.Strings(tests)
		texts = append(texts, fmt.Sprintf("%s.%s: %s", key[0], strings.Join(tests, ","), key[1]))
	}
	sort.Strings(texts)
	return texts, nil
}
