package cliconfig

import (
	"os"

	"github.com/hashicorp/hcl/hcl/ast"

	"rules_tf_mirror/tools/internal/addrs"
)

// PluginCache is where the tools keep packages for all working directories.
type PluginCache struct {
	Dir string // empty: none
	// Origin is the file and line, or the variable, that named Dir.
	Origin string
	// MayBreakLockFile is plugin_cache_may_break_dependency_lock_file.
	MayBreakLockFile bool
}

// RegistryProtocols are OpenTofu's settings for requests to registries (R-CLI-27), nil where not set. The variables
// TF_REGISTRY_DISCOVERY_RETRY and TF_REGISTRY_CLIENT_TIMEOUT win over them; that is the caller's affair.
type RegistryProtocols struct {
	RetryCount     *int
	TimeoutSeconds *int
}

// setting takes over a setting that does not decide who is asked; a defect is a warning. Unknown ones are ignored (R-CLI-6).
func (f *file) setting(name string, item *ast.ObjectItem) {
	var out struct {
		Dir      string `hcl:"plugin_cache_dir"`
		MayBreak bool   `hcl:"plugin_cache_may_break_dependency_lock_file"`
		Protocol struct {
			Retries *int `hcl:"retry_count"`
			Timeout *int `hcl:"request_timeout_seconds"`
		} `hcl:"registry_protocols"`
	}
	block := BlockPluginCache
	switch name {
	case "plugin_cache_dir", "plugin_cache_may_break_dependency_lock_file":
	case "registry_protocols":
		if f.Tool != addrs.OpenTofu {
			return
		}
		block = BlockRegistryProtocols
	default:
		return
	}
	if decode(&out, item) != nil {
		f.warn(Problem{Position: f.at(item), Block: block, Message: name + " has a value of the wrong type and does not count"})
		return
	}
	if out.Dir != "" && f.PluginCache.Dir == "" { // the first counts (R-CLI-7); variables are expanded (R-CLI-8)
		f.PluginCache.Dir, f.PluginCache.Origin = os.Expand(out.Dir, f.system.env), f.at(item).String()
	}
	f.PluginCache.MayBreakLockFile = f.PluginCache.MayBreakLockFile || out.MayBreak
	if out.Protocol.Retries != nil {
		f.RegistryProtocols.RetryCount = out.Protocol.Retries
	}
	if out.Protocol.Timeout != nil {
		f.RegistryProtocols.TimeoutSeconds = out.Protocol.Timeout
	}
}

// environment takes over the variables that beat the files (R-CLI-8), and looks at the result.
func (l *loader) environment() {
	const name, mayBreak = "TF_PLUGIN_CACHE_DIR", "TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE"
	if dir := l.system.env(name); dir != "" {
		l.PluginCache.Dir, l.PluginCache.Origin = dir, name
	}
	if value := l.system.env(mayBreak); value != "" && value != "0" {
		l.PluginCache.MayBreakLockFile = true
	}
	if dir := l.PluginCache.Dir; dir != "" && !l.system.isDir(dir) { // R-CLI-10
		l.warn(Problem{Block: BlockPluginCache, Message: "the plugin cache " + dir + ", named by " + l.PluginCache.Origin +
			", is not an existing directory: create it"})
	}
}
