package cliconfig

import (
	"fmt"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/credentials"
	"rules_tf_mirror/tools/internal/problem"
)

// Config is what the files and variables of one tool say together.
type Config struct {
	Tool  addrs.Tool
	Files []string // the files that were read, in order

	// Hosts are the `host` blocks by host in comparison form (R-DISC-16).
	Hosts map[string]Host
	// Credentials are the `credentials` blocks by host in comparison form. A block without a token has an empty one (R-CRED-5).
	Credentials map[string]credentials.Token
	// Helper is the credentials helper, nil where none is configured.
	Helper *Helper
	// HelperDirs are the directories that may hold helper programs, in order (R-CRED-10).
	HelperDirs []string

	// Installation is the provider_installation block, nil where there is none and the implied sources count (R-CLI-18).
	Installation *Installation
	// ImpliedMirrors are the existing directories of R-CLI-19, in order. They count only where Installation is nil.
	ImpliedMirrors []string

	PluginCache       PluginCache
	RegistryProtocols RegistryProtocols

	Errors   []Problem // see Err
	Warnings []Problem

	system System
}

// Position is a place in a file. Line counts from 1; 0 is not known.
type Position struct {
	File string
	Line int
}

// String returns file:line, or the file alone.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Block names what a Problem is a defect of.
type Block string

// The blocks and settings that can have defects.
const (
	BlockFile                 Block = "file" // a whole file: unreadable, or not HCL 1 or JSON
	BlockCredentials          Block = "credentials"
	BlockHost                 Block = "host"
	BlockCredentialsHelper    Block = "credentials_helper"
	BlockProviderInstallation Block = "provider_installation"
	BlockPluginCache          Block = "plugin_cache_dir"
	BlockRegistryProtocols    Block = "registry_protocols"
)

// Problem is one defect.
type Problem struct {
	Position Position // zero for defects of a variable
	Block    Block
	Host     string // comparison form; set where the defect concerns this host alone
	Message  string // what is wrong and how to repair it; never a text of the file that could be a secret
}

// String returns position and message.
func (p Problem) String() string {
	if p.Position == (Position{}) {
		return p.Message
	}
	return p.Position.String() + ": " + p.Message
}

// Err returns the defects that forbid to ask host (comparison form), as one *problem.Error of kind config, or nil. Those of
// provider_installation count only if the caller means to follow that block.
func (c *Config) Err(host string, installation bool) error {
	var messages []string
	for _, p := range c.Errors {
		if p.Host != "" && p.Host != host || p.Block == BlockProviderInstallation && !installation {
			continue
		}
		messages = append(messages, p.String())
	}
	if len(messages) == 0 {
		return nil
	}
	return problem.New(problem.Config, "the CLI configuration of %s has a defect, and going on could ask the wrong place: %s",
		c.Tool, strings.Join(messages, "; "))
}
