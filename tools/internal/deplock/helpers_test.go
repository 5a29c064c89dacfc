package deplock

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/versions"
)

func provider(t testing.TB, source string) addrs.Provider {
	t.Helper()
	p, err := addrs.Parse(source, addrs.Terraform)
	mustDo(t, err)
	return p
}

func version(t testing.TB, text string) versions.Version {
	t.Helper()
	v, err := versions.Parse(text)
	mustDo(t, err)
	return v
}

func constraint(t testing.TB, text string) versions.Constraint {
	t.Helper()
	if text == "" {
		return versions.Any
	}
	c, err := versions.ParseConstraint(text)
	mustDo(t, err)
	return c
}

func hashList(t testing.TB, texts ...string) []hashes.Hash {
	t.Helper()
	var list []hashes.Hash
	for _, text := range texts {
		h, err := hashes.Parse(text)
		mustDo(t, err)
		list = append(list, h)
	}
	return list
}

// words joins hashes for comparing and printing.
func words(list []hashes.Hash) string {
	var texts []string
	for _, h := range list {
		texts = append(texts, h.String())
	}
	return strings.Join(texts, " ")
}

func mustParse(t testing.TB, text string) *File {
	t.Helper()
	f, err := Parse(FileName, []byte(text), addrs.Terraform)
	mustDo(t, err)
	return f
}

func writeFile(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	mustDo(t, os.MkdirAll(filepath.Dir(path), 0o755))
	mustDo(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	mustDo(t, err)
	return string(text)
}

func mustDo(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// isDefect reports whether err says that a file is not a valid lock file, as opposed to one that could not be read.
func isDefect(err error) bool {
	var defect *Error
	return errors.As(err, &defect)
}
