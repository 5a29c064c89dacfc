package requirements

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"

	"rules_tf_mirror/tools/internal/addrs"
)

// demand is what one module says about one provider in one place.
type demand struct {
	provider addrs.Provider
	text     string // the constraint, empty for none
	at       hcl.Range
}

// call is a module block.
type call struct {
	name    string
	source  string    // empty if it is not literal
	version string    // empty if there is none or it is not literal
	at      hcl.Range // of the block
}

// module is what a directory's files say.
type module struct {
	demands []demand
	calls   []call // by name
	report  report
}

// declared is an entry of required_providers. Its provider is zero if it is the one inside the tool, or if the entry is defective.
type declared struct {
	provider addrs.Provider
	text     string
	at       hcl.Range
}

// providerBlock is a provider configuration.
type providerBlock struct {
	name    string
	version string
	at      hcl.Range // of the version if there is one
}

// resource is anything whose type implies a provider: managed and data resources, ephemeral ones, actions.
type resource struct {
	kind, typ string
	reference string // local name of the `provider` argument, if there is one
	at        hcl.Range
}

// target is an import block.
type target struct {
	key       string // of the resource in decoder.resources
	typ       string
	inModule  bool
	reference string
	at        hcl.Range
}

// decoder reads the files of one module.
type decoder struct {
	tool addrs.Tool
	report
	requiredAt *hcl.Range // of the required_providers block
	required   map[string]declared
	providers  map[string]*providerBlock // by name, or name.alias
	resources  map[string]*resource      // by address
	imports    []target
	calls      map[string]*call
	functions  []functionCall
	override   bool // the file being read is merged over the others
}

// decodeModule reads the files of one module, in the order of their names. Problems are in the result.
func decodeModule(files []source, tool addrs.Tool) *module {
	d := &decoder{
		tool: tool, required: map[string]declared{}, providers: map[string]*providerBlock{},
		resources: map[string]*resource{}, calls: map[string]*call{},
	}
	var bodies []hcl.Body
	for _, override := range []bool{false, true} {
		d.override = override
		first := len(bodies)
		for _, file := range files {
			if isOverride(file.name, tool) == override {
				if body := d.parse(file); body != nil {
					bodies = append(bodies, body)
				}
			}
		}
		for _, body := range bodies[first:] {
			d.file(body)
		}
	}
	return d.finish()
}

// parse returns the body of a file, nil if it cannot be read at all.
func (d *decoder) parse(f source) hcl.Body {
	if problem := checkSize(int64(len(f.text)), f.path); problem != nil {
		d.problems = append(d.problems, *problem)
		return nil
	}
	if strings.HasSuffix(f.name, ".json") {
		if problem := scanJSON(f.text, f.path); problem != nil {
			d.problems = append(d.problems, *problem)
			return nil
		}
		file, diags := json.Parse(f.text, f.path)
		if !d.diagnostics(diags, f.path) || file == nil {
			return nil
		}
		return file.Body
	}
	functions, problem := scanNative(f.text, f.path)
	if problem != nil {
		d.problems = append(d.problems, *problem)
		return nil
	}
	d.functions = append(d.functions, functions...)
	file, diags := hclsyntax.ParseConfig(f.text, f.path, hcl.InitialPos)
	if !d.diagnostics(diags, f.path) || file == nil {
		return nil
	}
	return file.Body
}

// finish turns local names into addresses, now that all of required_providers is known.
func (d *decoder) finish() *module {
	m := &module{}
	explicit := map[addrs.Provider]bool{}
	for _, r := range sorted(d.required, func(r declared) hcl.Range { return r.at }) {
		if r.provider != (addrs.Provider{}) {
			explicit[r.provider] = true
			m.demands = append(m.demands, demand(r))
		}
	}
	var implied []demand
	imply := func(name string, at hcl.Range) {
		if p, ok := d.resolve(name, at); ok {
			implied = append(implied, demand{provider: p, at: at})
		}
	}
	for _, p := range d.providers {
		address, ok := d.resolve(p.name, p.at)
		switch {
		case !ok:
		case p.version != "":
			m.demands = append(m.demands, demand{address, p.version, p.at})
		default:
			implied = append(implied, demand{provider: address, at: p.at})
		}
	}
	for _, r := range d.resources {
		imply(cmp.Or(r.reference, impliedName(r.typ)), r.at)
	}
	for _, i := range d.imports {
		if name, ok := d.importName(i); ok {
			imply(name, i.at)
		}
	}
	// What is implied matters only for providers that are not declared, and the first place says enough.
	slices.SortFunc(implied, func(a, b demand) int { return comparePlace(a.at, b.at) })
	for _, one := range implied {
		if !explicit[one.provider] {
			explicit[one.provider] = true
			m.demands = append(m.demands, one)
		}
	}
	slices.SortStableFunc(m.demands, func(a, b demand) int { return comparePlace(a.at, b.at) })
	d.checkFunctions()
	for _, c := range sorted(d.calls, func(c *call) hcl.Range { return c.at }) {
		m.calls = append(m.calls, *c)
	}
	m.report = d.report
	return m
}

// importName returns the local name that an import block asks for. The tools differ: terraform looks at the block only if there is no such
// resource and it is in this module; tofu always does.
func (d *decoder) importName(i target) (string, bool) {
	if d.tool == addrs.Terraform && (i.inModule || d.resources[i.key] != nil) {
		return "", false
	}
	name := cmp.Or(i.reference, impliedName(i.typ))
	return name, name != ""
}

// resolve returns the address of a local name. ok is false for the provider inside the tool, and after a problem.
func (d *decoder) resolve(name string, at hcl.Range) (p addrs.Provider, ok bool) {
	normal, ok := d.normalName(name, "the provider's local name", at)
	if !ok {
		return addrs.Provider{}, false
	}
	if r, ok := d.required[normal]; ok {
		return r.provider, r.provider != (addrs.Provider{})
	}
	p, builtin, err := addrs.Implied(normal, d.tool)
	if err != nil {
		d.problem(at, "%s", err)
		return addrs.Provider{}, false
	}
	return p, !builtin
}

// checkFunctions warns of functions of providers that the module does not require: the tools find functions in no other way.
func (d *decoder) checkFunctions() {
	for _, f := range d.functions {
		if _, ok := d.required[f.provider]; !ok {
			d.warn(f.at, "a function of provider %q is called, but required_providers of this module has no %q; the tools take functions of required providers only",
				f.provider, f.provider)
		}
	}
}

func comparePlace(a, b hcl.Range) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Start.Byte, b.Start.Byte))
}

// sorted returns the values of a map by their places.
func sorted[T any](values map[string]T, place func(T) hcl.Range) []T {
	all := make([]T, 0, len(values))
	for _, v := range values {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b T) int { return comparePlace(place(a), place(b)) })
	return all
}
