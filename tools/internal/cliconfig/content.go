package cliconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl"
	"github.com/hashicorp/hcl/hcl/ast"
	hclparser "github.com/hashicorp/hcl/hcl/parser"
)

// maxDepth bounds the nesting of a file: the parser recurses, and a stack that overflows cannot be caught.
const maxDepth = 200

// content takes over what one file says. A file with a syntax error says nothing (R-CLI-9).
func (l *loader) content(path string, text []byte) {
	root, line, err := parse(text)
	if err != nil {
		l.fail(Problem{Position: Position{path, line}, Block: BlockFile, Message: err.Error()})
		return
	}
	f := &file{loader: l, path: path, json: isJSON(text), tokens: map[string]bool{}}
	for _, item := range root.Items {
		if len(item.Keys) == 0 {
			continue
		}
		// The decoder of HCL 1 finds settings without regard to case; provider_installation is found without it, exactly.
		switch name := keyText(item.Keys[0]); {
		case strings.EqualFold(name, "credentials"):
			f.credentials(item)
		case strings.EqualFold(name, "host"):
			f.host(item)
		case strings.EqualFold(name, "credentials_helper"):
			f.credentialsHelper(item)
		case name == "provider_installation":
			f.installation(item)
		case strings.EqualFold(name, "provider_installation"):
			l.warn(Problem{Position: f.at(item), Block: BlockProviderInstallation,
				Message: fmt.Sprintf("%s is ignored: write provider_installation in lower case", name)})
		default:
			f.setting(strings.ToLower(name), item)
		}
	}
}

// file is one file while it is read.
type file struct {
	*loader
	path   string
	json   bool
	tokens map[string]bool // hosts with a credentials block in this file; true if it had a token
}

// at is the position of an item.
func (f *file) at(item *ast.ObjectItem) Position { return Position{f.path, item.Pos().Line} }

// parse reads HCL 1 or JSON. Errors never quote the text, which may be a token; line is 0 where it is not known.
func parse(text []byte) (root *ast.ObjectList, line int, err error) {
	defer func() {
		if recover() != nil { // the library panics on some malformed literals
			root, err = nil, errors.New("the file is not valid: a string or number in it is malformed")
		}
	}()
	if line := tooDeep(text); line > 0 {
		return nil, line, fmt.Errorf("the file nests more than %d levels of brackets", maxDepth)
	}
	parsed, err := hcl.ParseBytes(text)
	if err != nil {
		syntax := "HCL 1"
		if isJSON(text) {
			syntax = "JSON"
		}
		return nil, errorLine(text, err), fmt.Errorf("syntax error: the file is not valid %s (its text is not shown, because it may hold a token), and nothing in it counts", syntax)
	}
	root, ok := parsed.Node.(*ast.ObjectList)
	if !ok {
		return nil, 0, errors.New("the file holds no settings")
	}
	if isJSON(text) {
		restorePositions(root, text)
	}
	return root, 0, nil
}

// isJSON recognises JSON as the tools do, by the first character (R-CLI-6).
func isJSON(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{"))
}

// errorLine is the line of a syntax error.
func errorLine(text []byte, err error) int {
	var position *hclparser.PosError
	if errors.As(err, &position) && position.Pos.Line > 0 {
		return position.Pos.Line
	}
	var syntax *json.SyntaxError
	if isJSON(text) && errors.As(json.Unmarshal(text, new(any)), &syntax) {
		return 1 + bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n"))
	}
	return 0
}

// tooDeep returns the line where brackets nest too deeply, or 0. Brackets in strings and comments count too: no real file comes near.
func tooDeep(text []byte) int {
	depth, line := 0, 1
	for _, b := range text {
		switch b {
		case '{', '[':
			if depth++; depth > maxDepth {
				return line
			}
		case '}', ']':
			depth = max(0, depth-1)
		case '\n':
			line++
		}
	}
	return 0
}

// keyText is a key without quotes.
func keyText(key *ast.ObjectKey) string {
	text, _ := key.Token.Value().(string)
	return text
}

// decode is the library's decoder, whose conversions are the tools'. Its errors may quote the file; callers say only that it failed.
func decode(out any, items ...*ast.ObjectItem) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("malformed literal")
		}
	}()
	return hcl.DecodeObject(out, &ast.ObjectList{Items: items})
}
