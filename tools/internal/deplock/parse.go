package deplock

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/versions"
)

var fileSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "provider", LabelNames: []string{"source address"}},
	{Type: "module", LabelNames: []string{"path"}}, // reserved by the tools
}}

var providerSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{
	{Name: "version", Required: true}, {Name: "constraints"}, {Name: "hashes"},
}}

// Limits of what is handed to the HCL library, whose parser and evaluator call themselves as deep as expressions nest. A lock file with
// a thousand providers stays far below.
const (
	maxSize    = 4 << 20 // bytes
	maxNesting = 100     // brackets and templates that are open at once
	maxOdd     = 1000    // tokens that no tool writes into a lock file: operators, indexes, numbers, parts of templates
)

// parser collects the problems of one file.
type parser struct {
	path     string
	tool     addrs.Tool
	problems []Problem
}

// Parse reads text, the content of the file at path, by the rules of the tool: R-LOCK-6, row by row. All defects are reported at once, as
// an *Error.
func Parse(path string, text []byte, tool addrs.Tool) (*File, error) {
	p := &parser{path: path, tool: tool}
	f := &File{Path: path, Text: text}
	if p.checkLimits(text) {
		syntax, diags := hclsyntax.ParseConfig(text, path, hcl.InitialPos)
		p.diagnostics(diags)
		if syntax != nil {
			p.body(f, syntax.Body)
		}
	}
	if len(p.problems) > 0 {
		slices.SortStableFunc(p.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
		return nil, &Error{p.problems}
	}
	sortEntries(f.Entries)
	return f, nil
}

// checkLimits refuses what would be too deep for the HCL library.
func (p *parser) checkLimits(text []byte) bool {
	if len(text) > maxSize {
		p.problem(hcl.Range{Start: hcl.InitialPos}, "%d bytes are too many for a lock file; the limit is %d", len(text), maxSize)
		return false
	}
	tokens, _ := hclsyntax.LexConfig(text, p.path, hcl.InitialPos) // its problems come again from the parser
	depth, odd := 0, 0
	var before hclsyntax.TokenType
	for _, token := range tokens {
		switch token.Type {
		case hclsyntax.TokenOBrack:
			depth++
			if before != hclsyntax.TokenEqual {
				odd++ // an index, or a list in a list
			}
		case hclsyntax.TokenOBrace, hclsyntax.TokenOQuote:
			depth++
		case hclsyntax.TokenCBrack, hclsyntax.TokenCBrace, hclsyntax.TokenCQuote:
			depth--
		case hclsyntax.TokenOParen, hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			depth++
			odd++
		case hclsyntax.TokenCParen, hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
			depth--
		case hclsyntax.TokenIdent, hclsyntax.TokenEqual, hclsyntax.TokenComma, hclsyntax.TokenQuotedLit, hclsyntax.TokenNewline, hclsyntax.TokenComment:
		default:
			odd++
		}
		if depth > maxNesting || odd > maxOdd {
			p.problem(token.Range, "too complicated for a lock file")
			return false
		}
		before = token.Type
	}
	return true
}

func (p *parser) problem(at hcl.Range, format string, args ...any) {
	p.problems = append(p.problems, Problem{p.path, at.Start.Line, fmt.Sprintf(format, args...)})
}

// diagnostics takes over what the HCL library complains of, and reports whether that was nothing.
func (p *parser) diagnostics(diags hcl.Diagnostics) bool {
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		at := hcl.Range{Start: hcl.InitialPos}
		if d.Subject != nil {
			at = *d.Subject
		}
		p.problem(at, "%s: %s", d.Summary, strings.ReplaceAll(d.Detail, "\n", " "))
	}
	return !diags.HasErrors()
}

func (p *parser) body(f *File, body hcl.Body) {
	content, diags := body.Content(fileSchema)
	p.diagnostics(diags)
	seen := map[addrs.Provider]int{}
	for _, block := range content.Blocks {
		if block.Type == "module" {
			if len(f.Warnings) == 0 { // one is enough, as in the tools
				f.Warnings = append(f.Warnings, fmt.Sprintf("%s:%d: module blocks are reserved for later versions of the tools; "+
					"they lock nothing, and writing the file drops them", p.path, block.DefRange.Start.Line))
			}
			continue
		}
		provider, ok := p.provider(block)
		if !ok {
			continue
		}
		if line, twice := seen[provider]; twice {
			p.problem(block.DefRange, "%s is locked twice, first in line %d; keep one of the two blocks", provider, line)
			continue
		}
		seen[provider] = block.DefRange.Start.Line
		f.Entries = append(f.Entries, p.entry(provider, block))
	}
}

// provider reads the label of a block, which must be the address in full, as addrs.Provider.String prints it.
func (p *parser) provider(block *hcl.Block) (addrs.Provider, bool) {
	label := block.Labels[0]
	provider, err := addrs.Parse(label, p.tool)
	switch {
	case err != nil:
		p.problem(block.LabelRanges[0], "a lock file cannot have this provider: %s", err)
		return addrs.Provider{}, false
	case provider.String() != label:
		p.problem(block.LabelRanges[0], "provider %q must be written in full, as %q", label, provider.String())
		return addrs.Provider{}, false
	}
	return provider, true
}

func (p *parser) entry(provider addrs.Provider, block *hcl.Block) Entry {
	e := Entry{Provider: provider, Path: p.path, Line: block.DefRange.Start.Line}
	content, diags := block.Body.Content(providerSchema)
	p.diagnostics(diags)
	if attr := content.Attributes["version"]; attr != nil {
		e.Version = p.version(provider, attr.Expr)
	}
	if attr := content.Attributes["constraints"]; attr != nil {
		e.Constraints = p.constraints(provider, attr.Expr)
	}
	if attr := content.Attributes["hashes"]; attr != nil {
		e.Hashes = p.hashes(provider, attr.Expr)
	}
	return e
}

// text evaluates an expression, without variables, to a string. Numbers and booleans are converted as in the tools, where no such text
// then passes for a version, a constraint or a hash.
func (p *parser) text(expr hcl.Expression) (string, bool) {
	var text string
	ok := p.diagnostics(gohcl.DecodeExpression(expr, nil, &text))
	return text, ok
}

func (p *parser) version(provider addrs.Provider, expr hcl.Expression) versions.Version {
	text, ok := p.text(expr)
	if !ok {
		return versions.Version{}
	}
	v, err := versions.Parse(text)
	switch {
	case err != nil:
		p.problem(expr.Range(), "%s: %s", provider, err)
	case v.String() != text:
		p.problem(expr.Range(), "%s: version %q must be written as %q", provider, text, v)
	}
	return v
}

func (p *parser) constraints(provider addrs.Provider, expr hcl.Expression) string {
	text, ok := p.text(expr)
	if !ok || text == "" {
		return ""
	}
	canonical := ""
	if strings.TrimSpace(text) != "" {
		c, err := versions.ParseConstraint(text)
		if err != nil {
			p.problem(expr.Range(), "%s: %s", provider, err)
			return ""
		}
		canonical = c.Canonical()
	}
	if canonical != text {
		p.problem(expr.Range(), "%s: constraints %q must be written as %q", provider, text, canonical)
	}
	return text
}

func (p *parser) hashes(provider addrs.Provider, expr hcl.Expression) []hashes.Hash {
	elements, diags := hcl.ExprList(expr)
	if !p.diagnostics(diags) {
		return nil
	}
	if len(elements) == 0 {
		p.problem(expr.Range(), "%s: the list of hashes is empty; leave hashes out, or write one", provider)
	}
	var found []hashes.Hash
	for _, element := range elements {
		text, ok := p.text(element)
		if !ok {
			continue
		}
		h, err := hashes.Parse(text)
		if err != nil {
			p.problem(element.Range(), "%s: %s", provider, err)
			continue
		}
		found = append(found, h)
	}
	return normalize(found)
}

// normalize sorts hashes by their text and drops repetitions (R-LOCK-4).
func normalize(all []hashes.Hash) []hashes.Hash {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b hashes.Hash) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(sorted)
}

func sortEntries(entries []Entry) {
	slices.SortFunc(entries, func(a, b Entry) int {
		switch {
		case a.Provider.Less(b.Provider):
			return -1
		case b.Provider.Less(a.Provider):
			return 1
		}
		return 0
	})
}
