package requirements

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"rules_tf_mirror/tools/internal/addrs"
)

// fileSchema has the blocks that bear upon providers.
var fileSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "terraform"},
	{Type: "required_providers"},
	{Type: "provider", LabelNames: []string{"name"}},
	{Type: "module", LabelNames: []string{"name"}},
	{Type: "resource", LabelNames: []string{"type", "name"}},
	{Type: "data", LabelNames: []string{"type", "name"}},
	{Type: "ephemeral", LabelNames: []string{"type", "name"}},
	{Type: "action", LabelNames: []string{"type", "name"}}, // terraform 1.14
	{Type: "import"},
	{Type: "check", LabelNames: []string{"name"}},
}}

// otherBlocks are the rest of the tools' languages.
var otherBlocks = []string{"variable", "locals", "output", "moved", "removed", "language"}

// terraformSchema and otherSettings are the blocks inside of terraform blocks.
var terraformSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "required_providers"}}}

var otherSettings = []string{"backend", "cloud", "provider_meta", "encryption", "state_store", "required_version", "experiments", "language"}

var (
	providerSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "alias"}, {Name: "version"}}}
	resourceSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "provider"}}}
	importSchema   = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "provider"}, {Name: "to"}}}
	moduleSchema   = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "source"}, {Name: "version"}}}
	checkSchema    = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "data", LabelNames: []string{"type", "name"}}}}
)

// file reads a file's body.
func (d *decoder) file(body hcl.Body) {
	content, rest, diags := body.PartialContent(fileSchema)
	d.diagnostics(diags, body.MissingItemRange().Filename)
	d.warnUnknown(body, rest, fileSchema, otherBlocks, "block")
	for _, block := range content.Blocks {
		switch block.Type {
		case "terraform":
			d.terraform(block)
		case "required_providers":
			d.problem(block.DefRange, "required_providers must be inside of a terraform block")
		case "provider":
			d.provider(block)
		case "module":
			d.module(block)
		case "import":
			d.importBlock(block)
		case "check":
			inner, _, diags := block.Body.PartialContent(checkSchema)
			d.diagnostics(diags, block.DefRange.Filename)
			for _, data := range inner.Blocks {
				d.resource(data)
			}
		default:
			d.resource(block)
		}
	}
}

func (d *decoder) terraform(block *hcl.Block) {
	content, rest, diags := block.Body.PartialContent(terraformSchema)
	d.diagnostics(diags, block.DefRange.Filename)
	d.warnUnknown(block.Body, rest, terraformSchema, otherSettings, "setting in a terraform block")
	for _, required := range content.Blocks {
		d.requiredProviders(required)
	}
}

// warnUnknown warns of what neither tool knows: perhaps a newer one does, perhaps it is a typing error that hides a requirement.
func (d *decoder) warnUnknown(body, rest hcl.Body, schema *hcl.BodySchema, others []string, what string) {
	known := func(name string) bool {
		return name == "//" || slices.Contains(others, name) ||
			slices.ContainsFunc(schema.Blocks, func(b hcl.BlockHeaderSchema) bool { return b.Type == name })
	}
	unknown := func(name string, at hcl.Range) {
		if !known(name) {
			d.warn(at, "%s %q is not known here and is passed over", what, name)
		}
	}
	if native, ok := body.(*hclsyntax.Body); ok {
		for _, block := range native.Blocks {
			unknown(block.Type, block.DefRange())
		}
		for name, attribute := range native.Attributes {
			unknown(name, attribute.NameRange)
		}
		return
	}
	attributes, _ := rest.JustAttributes()
	for name, attribute := range attributes {
		unknown(name, attribute.NameRange)
	}
}

func (d *decoder) provider(block *hcl.Block) {
	name := block.Labels[0]
	if normal, ok := d.normalName(name, "the provider's local name", block.LabelRanges[0]); !ok {
		return
	} else if normal != name {
		d.problem(block.LabelRanges[0], "the name of a provider must be in normal form; write %q instead of %q", normal, name)
		return
	}
	p := &providerBlock{name: name, at: block.DefRange}
	key := name
	content, _, diags := block.Body.PartialContent(providerSchema)
	d.diagnostics(diags, block.DefRange.Filename)
	if attribute := content.Attributes["alias"]; attribute != nil {
		alias, _, ok := d.text(attribute.Expr, "the alias", false)
		if !ok {
			return
		}
		key += "." + alias
	}
	if attribute := content.Attributes["version"]; attribute != nil {
		what := "provider " + name
		text, given, ok := d.text(attribute.Expr, what+": the version", true)
		if !ok || given && !d.checkConstraint(text, what, attribute.Expr.Range()) {
			return
		}
		if given {
			p.version, p.at = text, attribute.Expr.Range()
		}
	}
	base, exists := d.providers[key]
	switch {
	case !exists && (!d.override || key == name):
		d.providers[key] = p
	case !exists:
		d.problem(block.DefRange, "there is no configuration %s to override; only the default configuration of a provider can be new in an override file", key)
	case !d.override:
		d.problem(block.DefRange, "provider %s is configured already, at %s:%d; give one of them another alias", key, base.at.Filename, base.at.Start.Line)
	case p.version != "":
		base.version, base.at = p.version, p.at
	}
}

// resource reads a resource, data, ephemeral or action block.
func (d *decoder) resource(block *hcl.Block) {
	r := &resource{kind: block.Type, typ: block.Labels[0], at: block.DefRange}
	content, _, diags := block.Body.PartialContent(resourceSchema)
	d.diagnostics(diags, block.DefRange.Filename)
	if !hclsyntax.ValidIdentifier(r.typ) {
		d.problem(block.LabelRanges[0], "%q is no type of a resource", r.typ)
		return
	}
	if attribute := content.Attributes["provider"]; attribute != nil {
		var ok bool
		if r.reference, ok = d.providerReference(attribute.Expr); !ok {
			return
		}
	}
	key := r.kind + " " + r.typ + "." + block.Labels[1]
	base, exists := d.resources[key]
	switch {
	case !d.override && exists:
		d.problem(block.DefRange, "%s is declared already, at %s:%d; give one of them another name", key, base.at.Filename, base.at.Start.Line)
	case !d.override:
		d.resources[key] = r
	case !exists:
		d.problem(block.DefRange, "there is no %s to override", key)
	case r.reference != "":
		base.reference, base.at = r.reference, r.at
	}
}

// providerReference reads the `provider` argument and returns the local name in it.
func (d *decoder) providerReference(expr hcl.Expression) (string, bool) {
	names, indexed, ok := reference(expr)
	if !ok || len(names) > 2 || indexed && (d.tool != addrs.OpenTofu || len(names) < 2) {
		d.problem(expr.Range(), "the provider must be a local name, or a name with an alias such as aws.east")
		return "", false
	}
	if normal, ok := d.normalName(names[0], "the provider's local name", expr.Range()); !ok {
		return "", false
	} else if normal != names[0] {
		d.problem(expr.Range(), "the name of a provider must be in normal form; write %q instead of %q", normal, names[0])
		return "", false
	}
	return names[0], true
}

func (d *decoder) importBlock(block *hcl.Block) {
	if d.override {
		d.problem(block.DefRange, "import blocks cannot be in override files")
		return
	}
	content, _, diags := block.Body.PartialContent(importSchema)
	d.diagnostics(diags, block.DefRange.Filename)
	to := content.Attributes["to"]
	if to == nil {
		d.problem(block.DefRange, "an import block needs the argument to")
		return
	}
	names, _, ok := reference(to.Expr)
	t := target{at: block.DefRange}
	t.typ, t.inModule = resourceType(names)
	if !ok || t.typ == "" {
		d.problem(to.Expr.Range(), "this is no address of a resource such as aws_instance.a")
		return
	}
	t.key = "resource " + t.typ + "." + names[len(names)-1]
	if attribute := content.Attributes["provider"]; attribute != nil {
		if t.reference, ok = d.providerReference(attribute.Expr); !ok {
			return
		}
	}
	d.imports = append(d.imports, t)
}

// module reads a call. A source or version that is not literal is left empty: newer tools evaluate it, and record the outcome.
func (d *decoder) module(block *hcl.Block) {
	c := &call{name: block.Labels[0], at: block.DefRange}
	content, _, diags := block.Body.PartialContent(moduleSchema)
	d.diagnostics(diags, block.DefRange.Filename)
	if !hclsyntax.ValidIdentifier(c.name) {
		d.problem(block.LabelRanges[0], "%q is no name for a module", c.name)
		return
	}
	base, exists := d.calls[c.name]
	if !d.override && exists {
		d.problem(block.DefRange, "module %q is called already, at %s:%d; give one of them another name", c.name, base.at.Filename, base.at.Start.Line)
		return
	}
	if d.override {
		if !exists {
			d.problem(block.DefRange, "there is no module %q to override", c.name)
			return
		}
		c = base
	} else {
		d.calls[c.name] = c
	}
	source := content.Attributes["source"]
	if source == nil && !d.override {
		d.problem(block.DefRange, "module %q has no source", c.name)
	}
	if source != nil {
		c.source = quietText(source.Expr)
	}
	if version := content.Attributes["version"]; version != nil {
		c.version = quietText(version.Expr)
	}
}

// quietText returns the string that an expression is, and nothing if it is no literal string.
func quietText(expr hcl.Expression) string {
	var quiet decoder
	text, _, _ := quiet.text(expr, "", false)
	return text
}
