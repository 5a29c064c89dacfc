package ocimirror

import (
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	orasregistry "oras.land/oras-go/v2/registry"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/cliconfig"
)

// Template makes repository addresses.
type Template struct{ expression hclsyntax.Expression }

// maxTemplate bounds the text in bytes: the parser recurses.
const maxTemplate = 4 << 10

// ParseTemplate reads a repository_template. Each of hostname, namespace and type must be used, unless all include patterns together name exactly
// one: else two providers would share a repository. Errors say what to write.
func ParseTemplate(text string, include []cliconfig.Pattern) (*Template, error) {
	if text == "" || len(text) > maxTemplate {
		return nil, fmt.Errorf("it has %d bytes; write for example \"registry.example.com/${hostname}/${namespace}/${type}\"", len(text))
	}
	expression, diags := hclsyntax.ParseTemplate([]byte(text), "repository_template", hcl.InitialPos)
	if diags.HasErrors() {
		return nil, fmt.Errorf("%q is no template: %s", text, diags[0].Detail)
	}
	used := map[string]bool{}
	for _, traversal := range expression.Variables() {
		name := traversal.RootName()
		if name != "hostname" && name != "namespace" && name != "type" {
			return nil, fmt.Errorf("%q uses ${%s}; only ${hostname}, ${namespace} and ${type} are known", text, name)
		}
		used[name] = true
	}
	pinned := map[string]map[string]bool{"hostname": {}, "namespace": {}, "type": {}}
	for _, pattern := range include {
		host, namespace, typ := pattern.Pins()
		for name, value := range map[string]string{"hostname": host, "namespace": namespace, "type": typ} {
			if value != "" {
				pinned[name][value] = true
			}
		}
	}
	for _, name := range []string{"hostname", "namespace", "type"} {
		if !used[name] && len(pinned[name]) != 1 {
			return nil, fmt.Errorf("%q does not use ${%s}, so that different providers would share a repository: add it, or name exactly one in \"include\"", text, name)
		}
	}
	t := &Template{expression}
	if _, err := t.Repository(addrs.Provider{Host: "example.com", Namespace: "namespace", Type: "type"}); err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return t, nil
}

// Repository returns the repository of a provider. The host stands in it as people write it.
func (t *Template) Repository(p addrs.Provider) (orasregistry.Reference, error) {
	value, diags := t.expression.Value(&hcl.EvalContext{Variables: map[string]cty.Value{
		"hostname":  cty.StringVal(p.DisplayHost()),
		"namespace": cty.StringVal(p.Namespace),
		"type":      cty.StringVal(p.Type),
	}})
	if diags.HasErrors() {
		return orasregistry.Reference{}, errors.New(diags[0].Detail)
	}
	text, err := convert.Convert(value, cty.String)
	if err != nil || text.IsNull() || !text.IsKnown() {
		return orasregistry.Reference{}, errors.New("it makes no text")
	}
	reference, err := orasregistry.ParseReference(text.AsString())
	if err != nil || reference.Reference != "" {
		return orasregistry.Reference{}, fmt.Errorf("it makes %q for %s, which is no address of a repository: a host, a slash and a name without tag are wanted", text.AsString(), p)
	}
	return reference, nil
}
