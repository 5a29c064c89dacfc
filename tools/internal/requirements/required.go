package requirements

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	otaddr "github.com/opentofu/registry-address/v2"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/versions"
)

// builtIn is the address of the provider inside the tools, which needs no package.
const builtIn = "terraform.io/builtin/terraform"

// requiredProviders reads a required_providers block. One module has one such block, except that override files replace single entries.
func (d *decoder) requiredProviders(block *hcl.Block) {
	if !d.override {
		if d.requiredAt != nil {
			d.problem(block.DefRange, "this module has required_providers already, at %s:%d; put all entries into one block",
				d.requiredAt.Filename, d.requiredAt.Start.Line)
			return
		}
		d.requiredAt = &block.DefRange
	}
	attributes, diags := block.Body.JustAttributes()
	if !d.diagnostics(diags, block.DefRange.Filename) {
		return
	}
	for name, attribute := range attributes {
		d.required[name] = d.entry(name, attribute)
	}
}

// entry reads one entry: an object, or a bare constraint as before terraform 0.13. After a problem its provider is zero, so that the same
// name causes no second one.
func (d *decoder) entry(name string, attribute *hcl.Attribute) declared {
	r := declared{at: attribute.NameRange}
	what := "required_providers: " + name
	pairs, diags := hcl.ExprMap(attribute.Expr)
	if diags.HasErrors() {
		d.legacyEntry(&r, name, what, attribute.Expr)
		return r
	}
	if normal, ok := d.normalName(name, "the local name", attribute.NameRange); !ok {
		return declared{at: r.at}
	} else if normal != name {
		d.problem(attribute.NameRange, "%s: a local name must be in normal form; write %q", what, normal)
		return declared{at: r.at}
	}
	address, good := name, true
	for _, pair := range pairs {
		good = d.member(&r, name, what, pair, &address) && good
	}
	if !good {
		return declared{at: r.at}
	}
	if strings.EqualFold(address, builtIn) || address == name && name == "terraform" && !hasSource(pairs) {
		return declared{at: r.at}
	}
	provider, err := addrs.Parse(address, d.tool)
	if err != nil {
		d.problem(attribute.NameRange, "%s: %s", what, err)
		return declared{at: r.at}
	}
	r.provider = provider
	return r
}

// hasSource reports whether an object names a source: `source = "terraform"` is another provider than none (R-ADDR-3).
func hasSource(pairs []hcl.KeyValuePair) bool {
	for _, pair := range pairs {
		if key, diags := pair.Key.Value(nil); !diags.HasErrors() && key.Type().FriendlyName() == "string" && key.AsString() == "source" {
			return true
		}
	}
	return false
}

// legacyEntry reads `aws = "~> 3.0"`, where the name is the type (R-ADDR-21).
func (d *decoder) legacyEntry(r *declared, name, what string, expr hcl.Expression) {
	_, diags := hcl.ExprList(expr)
	wrong := !diags.HasErrors()
	if !wrong {
		value, ok := d.literal(expr, what)
		if !ok {
			return
		}
		wrong = value.IsNull() || !value.Type().IsPrimitiveType()
	}
	if wrong {
		d.problem(expr.Range(), `%s must be an object such as { source = "hashicorp/random", version = "~> 3.1" }`, what)
		return
	}
	text, _, ok := d.text(expr, what, true)
	if !ok || !d.checkConstraint(text, what, expr.Range()) {
		return
	}
	provider, builtin, err := addrs.Implied(name, d.tool)
	if err != nil {
		d.problem(r.at, "%s: %s", what, err)
		return
	}
	if !builtin {
		r.provider, r.text, r.at = provider, text, expr.Range()
	}
}

// member reads one member of an entry's object.
func (d *decoder) member(r *declared, name, what string, pair hcl.KeyValuePair, address *string) bool {
	key, _, ok := d.text(pair.Key, what, false)
	if !ok {
		return false
	}
	switch key {
	case "source":
		*address, _, ok = d.text(pair.Value, what+": the source", false)
		if ok && *address == "" {
			d.problem(pair.Value.Range(), "%s: the source is empty", what)
		}
		return ok && *address != ""
	case "version":
		text, _, ok := d.text(pair.Value, what+": the version", false)
		if !ok || !d.checkConstraint(text, what, pair.Value.Range()) {
			return false
		}
		r.text, r.at = text, pair.Value.Range()
		return true
	case "configuration_aliases":
		return d.aliases(name, what, pair.Value)
	}
	d.problem(pair.Key.Range(), "%s: %q is not known; an entry has source, version and configuration_aliases, and everything else belongs into a provider block", what, key)
	return false
}

func (d *decoder) aliases(name, what string, expr hcl.Expression) bool {
	elements, diags := hcl.ExprList(expr)
	if diags.HasErrors() {
		d.problem(expr.Range(), "%s: configuration_aliases must be a list such as [%s.east]", what, name)
		return false
	}
	for _, element := range elements {
		names, indexed, ok := reference(element)
		if !ok || indexed || len(names) > 2 || names[0] != name {
			d.problem(element.Range(), "%s: an element of configuration_aliases must be like %s.east, with the entry's own name", what, name)
			return false
		}
	}
	return true
}

// checkConstraint reports a text that is no constraint (R-CON-1).
func (d *decoder) checkConstraint(text, what string, at hcl.Range) bool {
	if _, err := versions.ParseConstraint(text); err != nil {
		d.problem(at, "%s: %s", what, err)
		return false
	}
	return true
}

// normalName returns a local name in normal form (R-ADDR-5).
func (d *decoder) normalName(name, what string, at hcl.Range) (string, bool) {
	normal, err := otaddr.ParseProviderPart(name)
	if err != nil {
		d.problem(at, "%s %q is not valid: %s", what, name, err)
		return "", false
	}
	return normal, true
}
