package cliconfig

import (
	"github.com/hashicorp/hcl/hcl/ast"
	hcltoken "github.com/hashicorp/hcl/hcl/token"
	"github.com/hashicorp/hcl/json/scanner"
	"github.com/hashicorp/hcl/json/token"
)

// restorePositions gives the keys of a JSON file their positions, which the library's parser drops. It reads the keys in source order a
// second time. The parser keeps that order, and shares a key between the items into which it flattens objects (R-CLI-12). If the two
// readings differ, the rest stays without positions.
func restorePositions(root *ast.ObjectList, text []byte) {
	keys := scanKeys(text)
	seen := map[*ast.ObjectKey]bool{}
	ast.Walk(root, func(node ast.Node) (ast.Node, bool) {
		item, ok := node.(*ast.ObjectItem)
		if !ok {
			return node, true
		}
		for _, key := range item.Keys {
			if seen[key] {
				continue
			}
			seen[key] = true
			if len(keys) == 0 || keys[0].Text != key.Token.Text {
				keys = nil
				return node, true
			}
			key.Token.Pos = hcltoken.Pos{Offset: keys[0].Pos.Offset, Line: keys[0].Pos.Line, Column: keys[0].Pos.Column}
			keys = keys[1:]
		}
		return node, true
	})
}

// scanKeys returns the strings that are followed by a colon.
func scanKeys(text []byte) []token.Token {
	s := scanner.New(text)
	s.Error = func(token.Pos, string) {}
	var keys []token.Token
	for last := (token.Token{}); ; {
		next := s.Scan()
		switch next.Type {
		case token.EOF, token.ILLEGAL:
			return keys
		case token.COLON:
			if last.Type == token.STRING {
				keys = append(keys, last)
			}
		}
		last = next
	}
}
