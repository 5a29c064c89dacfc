package bazellock

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// ID names a module extension. IDs are equal exactly if they name the same extension of the same repository.
type ID struct {
	Repo    string // canonical name of the repository, "" for the root module's
	Package string // package of the .bzl file, "" for the top
	File    string // name of the .bzl file in its package
	Name    string // name of the extension in it
	Usage   string // for an isolated usage: what follows a second "%", else ""
}

var idPattern = regexp.MustCompile(`^(?:@@([^/@%:]*))?//([^%:]*):([^%:]+)%([^%]+)(?:%([^%]+))?$`)

// ParseID reads what a rule passes as str(Label("//tf:extensions.bzl")) + "%name", or a name of a member of "facts".
func ParseID(text string) (ID, error) {
	m := idPattern.FindStringSubmatch(text)
	if m == nil {
		return ID{}, fmt.Errorf("extension id %q is not @@<repository>//<package>:<file>.bzl%%<extension>", text)
	}
	return ID{Repo: m[1], Package: m[2], File: m[3], Name: m[4], Usage: m[5]}, nil
}

// String returns the id with its leading "@@", as str(Label) gives it.
func (id ID) String() string { return "@@" + id.Repo + id.rest() }

// key returns the member's name as Bazel writes it: without "@@" for the root module.
func (id ID) key() string {
	if id.Repo == "" {
		return id.rest()
	}
	return id.String()
}

func (id ID) rest() string {
	text := "//" + id.Package + ":" + id.File + "%" + id.Name
	if id.Usage != "" {
		text += "%" + id.Usage
	}
	return text
}

// compare orders ids as Bazel orders members: part by part, not as texts (//a:x comes before //a-b:x).
func compare(a, b ID) int {
	return cmp.Or(
		strings.Compare(a.Repo, b.Repo),
		strings.Compare(a.Package, b.Package),
		strings.Compare(a.File, b.File),
		strings.Compare(a.Name, b.Name),
		strings.Compare(a.Usage, b.Usage),
	)
}

// respelled reports whether other is id under the repository name of another Bazel: name~ and name~1.0 were written up to Bazel 7, name+ and
// name+1.0 since 8. Names of repositories that extensions made (name++extension+repo) are none.
func (id ID) respelled(other ID) bool {
	same := id.Package == other.Package && id.File == other.File && id.Name == other.Name && id.Usage == other.Usage
	module, ok := moduleName(id.Repo)
	otherModule, otherOK := moduleName(other.Repo)
	return same && ok && otherOK && id.Repo != other.Repo && module == otherModule
}

var moduleRepo = regexp.MustCompile(`^([^~+]+)[~+][^~+]*$`)

// moduleName returns the module whose own repository has the canonical name repo.
func moduleName(repo string) (string, bool) {
	m := moduleRepo.FindStringSubmatch(repo)
	if m == nil {
		return "", false
	}
	return m[1], true
}
