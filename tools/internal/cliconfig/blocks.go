package cliconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/hcl/ast"
	svchost "github.com/hashicorp/terraform-svchost"

	"rules_tf_mirror/tools/internal/credentials"
)

// credentials takes over a `credentials` block (R-CRED-5). In one file, blocks of the same host add up, as the tools' decoder does it; a
// later file replaces the host's entry as a whole (R-CRED-6).
func (f *file) credentials(item *ast.ObjectItem) {
	var out struct {
		Blocks map[string]map[string]any `hcl:"credentials"`
	}
	if decode(&out, item) != nil || out.Blocks == nil {
		f.fail(Problem{Position: f.at(item), Block: BlockCredentials,
			Message: `a credentials block must have the form credentials "host" { token = "…" }`})
		return
	}
	for _, name := range slices.Sorted(maps.Keys(out.Blocks)) {
		settings := out.Blocks[name]
		at := Position{f.path, labelLine(item, name)}
		host, ok := f.comparison(name, BlockCredentials, at)
		if !ok {
			continue
		}
		token, isString := settings["token"].(string)
		if _, set := settings["token"]; set && !isString {
			f.warn(Problem{Position: at, Block: BlockCredentials, Host: host,
				Message: "the token is not a string and does not count (R-CRED-5): write it in quotes"})
		}
		if !isString && f.tokens[host] {
			continue
		}
		f.tokens[host] = isString
		f.Credentials[host] = credentials.NewToken(token, "the credentials block at "+at.String())
	}
}

// host takes over a `host` block (R-DISC-16); services.go judges what it names.
func (f *file) host(item *ast.ObjectItem) {
	var out struct {
		Blocks map[string]struct {
			Services map[string]any `hcl:"services"`
		} `hcl:"host"`
	}
	if decode(&out, item) != nil || out.Blocks == nil {
		f.fail(Problem{Position: f.at(item), Block: BlockHost,
			Message: `a host block must have the form host "name" { services = { "providers.v1" = "https://…/" } }`})
		return
	}
	for _, name := range slices.Sorted(maps.Keys(out.Blocks)) {
		settings := out.Blocks[name]
		at := Position{f.path, labelLine(item, name)}
		if host, ok := f.comparison(name, BlockHost, at); ok {
			f.Hosts[host] = Host{Services: settings.Services, Position: at}
		}
	}
}

// credentialsHelper takes over a `credentials_helper` block (R-CRED-10); helper.go looks for the program.
func (f *file) credentialsHelper(item *ast.ObjectItem) {
	var out struct {
		Blocks map[string]struct {
			Args []string `hcl:"args"`
		} `hcl:"credentials_helper"`
	}
	if decode(&out, item) != nil || out.Blocks == nil {
		f.fail(Problem{Position: f.at(item), Block: BlockCredentialsHelper,
			Message: `a credentials_helper block must have the form credentials_helper "name" { args = ["…"] }`})
		return
	}
	for _, name := range slices.Sorted(maps.Keys(out.Blocks)) {
		settings := out.Blocks[name]
		f.helper(&Helper{Name: name, Args: settings.Args, Position: Position{f.path, labelLine(item, name)}})
	}
}

// comparison is the form of a host under which it is looked up; an invalid name is a defect, for whoever meant something by it asks the
// registry in vain without.
func (f *file) comparison(name string, block Block, at Position) (string, bool) {
	host, err := svchost.ForComparison(name)
	if err != nil {
		hint := "write it as in a source address, without https:// and without a path"
		if strings.HasPrefix(name, "xn--") || strings.Contains(name, ".xn--") {
			hint = "write it in Unicode, not in punycode"
		}
		f.fail(Problem{Position: at, Block: block, Message: fmt.Sprintf("%q is not a valid host name: %s", name, hint)})
		return "", false
	}
	return string(host), true
}

// labelLine is the line of a block's label, in whichever of the shapes that the decoder accepts it was written.
func labelLine(item *ast.ObjectItem, label string) int {
	if len(item.Keys) > 1 {
		return item.Keys[1].Pos().Line
	}
	if object, ok := item.Val.(*ast.ObjectType); ok {
		for _, inner := range object.List.Items {
			if len(inner.Keys) > 0 && keyText(inner.Keys[0]) == label {
				return inner.Pos().Line
			}
		}
	}
	return item.Pos().Line
}
