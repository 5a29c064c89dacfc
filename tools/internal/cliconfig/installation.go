package cliconfig

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/hcl/ast"

	"rules_tf_mirror/tools/internal/addrs"
)

// jsonForm is what to write in JSON, where HCL 1 flattens nested objects out of recognition (R-CLI-12).
const jsonForm = `write each method as an array of objects, such as {"provider_installation": {"direct": [{}]}}`

// installation takes over a provider_installation block (R-CLI-11, R-CLI-12). The first one counts.
func (f *file) installation(item *ast.ObjectItem) {
	at := f.at(item)
	bad := func(format string, args ...any) {
		f.fail(Problem{Position: at, Block: BlockProviderInstallation, Message: fmt.Sprintf(format, args...)})
	}
	body, isObject := item.Val.(*ast.ObjectType)
	switch {
	case f.json && !isObject:
		bad("provider_installation must be an object: %s", jsonForm)
		return
	case !f.json && (item.Assign.IsValid() || !isObject):
		bad("provider_installation is a block: write provider_installation { … }, without an equals sign")
		return
	}
	flattened := f.json && len(item.Keys) > 1
	switch {
	case flattened:
		bad("the methods of provider_installation are read as nothing, and no source is left: %s", jsonForm)
	case len(item.Keys) > 1:
		bad("provider_installation must have no label: remove %q", keyText(item.Keys[1]))
	}
	block := &Installation{Position: at, DevOverrides: map[addrs.Provider]string{}}
	if !flattened {
		for _, inner := range body.List.Items {
			f.method(block, inner)
		}
	}
	switch {
	case f.Installation == nil:
		f.Installation = block
	case !flattened:
		bad("only one provider_installation block may be there, and %s has another: remove one of them", f.Installation.Position)
	}
}

// methodBody is what the methods can say, together.
type methodBody struct {
	Path     string   `hcl:"path"`
	URL      string   `hcl:"url"`
	Template string   `hcl:"repository_template"`
	Include  []string `hcl:"include"`
	Exclude  []string `hcl:"exclude"`
	Retries  *int     `hcl:"download_retry_count"`
	TrustAll bool     `hcl:"trust_all_hashes"`
}

// settings are the names that a method knows, beside include and exclude.
var settings = map[Kind][]string{
	Direct:           {"download_retry_count"},
	FilesystemMirror: {"path"},
	NetworkMirror:    {"url", "download_retry_count", "trust_all_hashes"},
	OCIMirror:        {"repository_template"},
}

// tofuOnly are settings that terraform ignores.
var tofuOnly = []string{"download_retry_count", "trust_all_hashes"}

// method takes over one method. With a defect it is left out, as in the tools (R-CLI-17).
func (f *file) method(block *Installation, item *ast.ObjectItem) {
	if len(item.Keys) == 0 {
		return
	}
	at, name := f.at(item), keyText(item.Keys[0])
	bad := func(format string, args ...any) {
		f.fail(Problem{Position: at, Block: BlockProviderInstallation, Message: name + ": " + fmt.Sprintf(format, args...)})
	}
	body, isObject := item.Val.(*ast.ObjectType)
	switch {
	case f.json && !isObject:
		bad("%s", jsonForm)
		return
	case !f.json && (item.Assign.IsValid() || !isObject):
		bad("a method is a block: write %s { … }, without an equals sign", name)
		return
	case len(item.Keys) > 1: // reported, and used all the same (R-CLI-11)
		bad("a method must have no label: remove %q", keyText(item.Keys[1]))
	}
	kind := Kind(name)
	switch {
	case name == "dev_overrides":
		f.devOverrides(block, at, body)
		return
	case settings[kind] == nil || kind == OCIMirror && f.Tool != addrs.OpenTofu:
		bad("%s has no such installation method", f.Tool)
		return
	}
	var out methodBody
	known, unknown := f.known(kind, body)
	for _, setting := range unknown {
		f.warn(Problem{Position: f.at(setting), Block: BlockProviderInstallation,
			Message: fmt.Sprintf("%s: %s ignores the setting %q", name, f.Tool, keyText(setting.Keys[0]))})
	}
	if decode(&out, known...) != nil {
		bad("a setting has a value of the wrong type; include and exclude are lists of strings")
		return
	}
	m := Method{Kind: kind, Path: out.Path, RepositoryTemplate: out.Template, DownloadRetryCount: out.Retries, TrustAllHashes: out.TrustAll, Position: at}
	good := f.require(&m, out, bad)
	var ok bool
	if m.Include, ok = f.patterns("include", out.Include, bad); !ok {
		good = false
	}
	if m.Exclude, ok = f.patterns("exclude", out.Exclude, bad); !ok {
		good = false
	}
	if good {
		block.Methods = append(block.Methods, m)
	}
}

// known splits the settings of a method into those that count and those that do not.
func (f *file) known(kind Kind, body *ast.ObjectType) (known, unknown []*ast.ObjectItem) {
	names := []string{"include", "exclude"}
	for _, name := range settings[kind] {
		if f.Tool == addrs.OpenTofu || !slices.Contains(tofuOnly, name) {
			names = append(names, name)
		}
	}
	for _, item := range body.List.Items {
		switch {
		case len(item.Keys) == 0:
		case slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, keyText(item.Keys[0])) }):
			known = append(known, item)
		default:
			unknown = append(unknown, item)
		}
	}
	return known, unknown
}

// require checks the setting without which a method is none.
func (f *file) require(m *Method, out methodBody, bad func(string, ...any)) bool {
	switch {
	case m.Kind == FilesystemMirror && out.Path == "":
		bad(`it needs the directory: path = "…"`)
	case m.Kind == OCIMirror && out.Template == "":
		bad(`it needs the repositories: repository_template = "…"`)
	case m.Kind == NetworkMirror:
		u, err := ParseMirrorURL(out.URL)
		if err != nil {
			bad("%v", err)
			return false
		}
		m.URL = u
		return true
	default:
		return true
	}
	return false
}

// patterns reads include or exclude.
func (f *file) patterns(setting string, texts []string, bad func(string, ...any)) ([]Pattern, bool) {
	good := true
	var patterns []Pattern
	for _, text := range texts {
		pattern, err := ParsePattern(text, f.Tool)
		if err != nil {
			bad("%s pattern %q: %v", setting, text, err)
			good = false
		}
		patterns = append(patterns, pattern)
	}
	return patterns, good
}

// devOverrides takes over a dev_overrides block. We only report it, so defects are warnings.
func (f *file) devOverrides(block *Installation, at Position, body *ast.ObjectType) {
	odd := func(format string, args ...any) {
		f.warn(Problem{Position: at, Block: BlockProviderInstallation, Message: "dev_overrides: " + fmt.Sprintf(format, args...)})
	}
	if len(block.Methods) > 0 {
		odd("it does not count behind other methods: move it to the front")
		return
	}
	for _, item := range body.List.Items {
		var out map[string]string
		if decode(&out, item) != nil {
			odd(`an entry must have the form "namespace/type" = "directory"`)
			continue
		}
		for source, dir := range out {
			p, err := addrs.Parse(source, f.Tool)
			if err != nil {
				odd("%v", err)
				continue
			}
			if f.Tool == addrs.Terraform { // since 1.9
				dir = os.Expand(dir, func(name string) string {
					value, ok := f.system.lookup(name)
					if !ok {
						odd("the directory of %s names the variable %s, which is not set", source, name)
					}
					return value
				})
			}
			block.DevOverrides[p] = filepath.Clean(dir)
		}
	}
}
