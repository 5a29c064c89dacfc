package requirements

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Limits of what is handed to the HCL library. Files that people or generators write stay far below.
const (
	maxSize     = 16 << 20 // bytes of a file
	maxNesting  = 500      // brackets and templates that are open at once, and operators like "!" in a row
	maxBranches = 20_000   // conditionals and template directives in a file: each may nest in the one before
)

// functionCall is a call of a provider's own function, provider::<name>::<function>.
type functionCall struct {
	provider string
	at       hcl.Range
}

// scanNative looks at the tokens of a text in native syntax. It returns calls of providers' functions, and an error for what would be
// too deep for the HCL library.
func scanNative(text []byte, file string) ([]functionCall, *Problem) {
	tokens, _ := hclsyntax.LexConfig(text, file, hcl.InitialPos) // its problems come again from the parser
	var calls []functionCall
	depth, unary, branches := 0, 0, 0
	for i, token := range tokens {
		switch token.Type {
		case hclsyntax.TokenBang, hclsyntax.TokenMinus:
			unary++
		default:
			unary = 0
		}
		switch token.Type {
		case hclsyntax.TokenOBrack, hclsyntax.TokenOBrace, hclsyntax.TokenOParen, hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc,
			hclsyntax.TokenTemplateInterp:
			depth++
		case hclsyntax.TokenCBrack, hclsyntax.TokenCBrace, hclsyntax.TokenCParen, hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc,
			hclsyntax.TokenTemplateSeqEnd:
			depth--
		case hclsyntax.TokenTemplateControl:
			depth++
			branches++
		case hclsyntax.TokenQuestion:
			branches++
		case hclsyntax.TokenDoubleColon:
			if i > 0 && string(tokens[i-1].Bytes) == "provider" && i+2 < len(tokens) && tokens[i+2].Type == hclsyntax.TokenDoubleColon {
				calls = append(calls, functionCall{string(tokens[i+1].Bytes), tokens[i-1].Range})
			}
		}
		if depth > maxNesting || unary > maxNesting || branches > maxBranches {
			return nil, &Problem{file, token.Range.Start.Line, "the file is too complicated to be read: it nests too deeply"}
		}
	}
	return calls, nil
}

// scanJSON refuses JSON that nests too deeply.
func scanJSON(text []byte, file string) *Problem {
	depth, line := 0, 1
	quoted, escaped := false, false
	for _, c := range text {
		switch {
		case c == '\n':
			line++
			quoted, escaped = false, false // no JSON string has a newline; the parser will say so
		case escaped:
			escaped = false
		case quoted:
			quoted, escaped = c != '"', c == '\\'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return &Problem{file, line, "the file is too complicated to be read: it nests too deeply"}
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// checkSize refuses files that are too large.
func checkSize(size int64, file string) *Problem {
	if size <= maxSize {
		return nil
	}
	return &Problem{File: file, Message: fmt.Sprintf("%d bytes are too many for a configuration file; the limit is %d", size, maxSize)}
}
