package requirements

import (
	"cmp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// maxLiteral is how many bytes of an expression are looked at; what is longer is no source and no version.
const maxLiteral = 10_000

// literal evaluates an expression that must not need anything from elsewhere. Only strings, numbers, booleans, conditionals and templates
// of these are evaluated at all: the tools would also compute, which can take any time and which nobody writes here.
func (d *decoder) literal(expr hcl.Expression, what string) (cty.Value, bool) {
	if at := expr.Range(); at.End.Byte-at.Start.Byte > maxLiteral {
		d.problem(at, "%s: this is too long", what)
		return cty.NilVal, false
	}
	if node, native := expr.(hclsyntax.Expression); native {
		refused := ""
		refuse := func(why string) { refused = cmp.Or(refused, why) }
		_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
			switch n := n.(type) {
			case *hclsyntax.LiteralValueExpr:
				if !printable(n.Val) {
					refuse("this number is out of range")
				}
			case *hclsyntax.TemplateExpr, *hclsyntax.TemplateWrapExpr, *hclsyntax.ParenthesesExpr, *hclsyntax.ConditionalExpr,
				*hclsyntax.ObjectConsKeyExpr:
			case *hclsyntax.ScopeTraversalExpr:
				refuse("variables are not allowed here")
			case hclsyntax.Expression:
				refuse("a literal string is needed here, nothing that is computed")
			}
			return nil
		})
		if refused != "" {
			d.problem(expr.Range(), "%s: %s, since providers are installed before anything is evaluated", what, refused)
			return cty.NilVal, false
		}
	}
	value, diags := expr.Value(nil)
	if !d.diagnostics(diags, expr.Range().Filename) {
		return cty.NilVal, false
	}
	if !printable(value) {
		d.problem(expr.Range(), "%s: this number is out of range", what)
		return cty.NilVal, false
	}
	return value, true
}

// printable reports whether a number can be written with some hundred digits.
func printable(value cty.Value) bool {
	if value.IsNull() || !value.IsKnown() || value.Type() != cty.Number {
		return true
	}
	number := value.AsBigFloat()
	exponent := number.MantExp(nil)
	return !number.IsInf() && exponent > -256 && exponent < 256
}

// text evaluates an expression to a string. With number, numbers and booleans are converted and null is the empty string with given = false, as
// the tools do for versions outside of objects; else only a string will do.
func (d *decoder) text(expr hcl.Expression, what string, number bool) (text string, given, ok bool) {
	value, ok := d.literal(expr, what)
	if !ok {
		return "", false, false
	}
	if number {
		converted, err := convert.Convert(value, cty.String)
		if err == nil && converted.IsNull() {
			return "", false, true
		}
		if err == nil {
			value = converted
		}
	}
	if value.Type() != cty.String || value.IsNull() || !value.IsKnown() {
		d.problem(expr.Range(), "%s must be a string", what)
		return "", false, false
	}
	return value.AsString(), true, true
}

// nativeExpression returns the expression that a string holds where the tools want a reference: in JSON, where it has to be a string, and
// in quotes, as terraform 0.11 wanted it.
func nativeExpression(expr hcl.Expression) (hclsyntax.Expression, bool) {
	node, native := expr.(hclsyntax.Expression)
	if template, quoted := expr.(*hclsyntax.TemplateExpr); native && !(quoted && template.IsStringLiteral()) {
		return node, true
	}
	if !native && !json.IsJSONExpression(expr) {
		return nil, false
	}
	value, diags := expr.Value(nil)
	if diags.HasErrors() || value.IsNull() || !value.IsKnown() || value.Type() != cty.String {
		return nil, false
	}
	text := []byte(value.AsString())
	if _, tooDeep := scanNative(text, ""); tooDeep != nil || len(text) > maxLiteral {
		return nil, false
	}
	parsed, diags := hclsyntax.ParseExpression(text, expr.Range().Filename, expr.Range().Start)
	return parsed, !diags.HasErrors()
}

// reference returns the names of a reference without its indexes: module.a["x"].aws_instance.b is four names. Indexes may be computed.
func reference(expr hcl.Expression) (names []string, indexed, ok bool) {
	node, ok := nativeExpression(expr)
	if !ok {
		return nil, false, false
	}
	var parts []hcl.Traversal // last first
	for steps := 0; ; steps++ {
		switch n := node.(type) {
		case *hclsyntax.IndexExpr:
			indexed = true
			node = n.Collection
			continue
		case *hclsyntax.RelativeTraversalExpr:
			parts = append(parts, n.Traversal)
			node = n.Source
			continue
		case *hclsyntax.ScopeTraversalExpr:
			parts = append(parts, n.Traversal)
		default:
			return nil, false, false
		}
		break
	}
	for i := len(parts) - 1; i >= 0; i-- {
		for _, step := range parts[i] {
			switch step := step.(type) {
			case hcl.TraverseRoot:
				names = append(names, step.Name)
			case hcl.TraverseAttr:
				names = append(names, step.Name)
			case hcl.TraverseIndex:
				indexed = true
			default:
				return nil, false, false
			}
		}
	}
	return names, indexed, len(names) > 0
}

// resourceType returns the type in the address of a resource such as module.a[0].aws_instance.b, and whether the address is in a called
// module.
func resourceType(names []string) (name string, inModule bool) {
	for len(names) > 2 && names[0] == "module" {
		names, inModule = names[2:], true
	}
	if len(names) > 1 && names[0] == "data" {
		names = names[1:]
	}
	if len(names) < 2 {
		return "", inModule
	}
	return names[0], inModule
}

// impliedName returns the local name of the provider that a resource type implies: the text before its first "_" (R-ADDR-20).
func impliedName(resourceType string) string {
	name, _, _ := strings.Cut(resourceType, "_")
	return name
}
