package cliconfig

import (
	"fmt"
	"strings"

	goversion "github.com/hashicorp/go-version"

	"rules_tf_mirror/tools/internal/credentials"
)

// Helper is the `credentials_helper` block.
type Helper struct {
	Name     string
	Args     []string // may hold secrets; not for messages
	Position Position
	// Program is the path of the program, empty where it was not found; the tools then go on without (R-CRED-10).
	Program string
}

// helper takes over a helper. One name may be said again by a later file, which then counts; two names are a defect (R-CLI-7).
func (l *loader) helper(h *Helper) {
	for i, known := range l.helpers {
		if known.Name == h.Name {
			l.helpers[i] = h
			return
		}
	}
	l.helpers = append(l.helpers, h)
	if len(l.helpers) > 1 {
		l.fail(Problem{Position: h.Position, Block: BlockCredentialsHelper,
			Message: fmt.Sprintf("only one credentials_helper may be configured, and %s has another: remove one of them", l.helpers[0].Position)})
	}
}

// findHelper looks for the program of the first helper.
func (l *loader) findHelper() {
	if len(l.helpers) == 0 {
		return
	}
	l.Helper = l.helpers[0]
	if l.Helper.Program = l.system.findHelper(l.HelperDirs, l.Helper.Name); l.Helper.Program == "" {
		message := fmt.Sprintf("the credentials helper %q is not installed, and requests go out without its tokens: put terraform-credentials-%s into %s",
			l.Helper.Name, l.Helper.Name, strings.Join(l.HelperDirs, " or "))
		if lower := strings.ToLower(l.Helper.Name); lower != l.Helper.Name {
			message = fmt.Sprintf("the credentials helper %q is never found, because names of programs are compared in lower case: write %q", l.Helper.Name, lower)
		}
		l.warn(Problem{Position: l.Helper.Position, Block: BlockCredentialsHelper, Message: message})
	}
}

// helperPrefix begins the file names of helpers.
const helperPrefix = "terraform-credentials-"

// findHelper returns the newest program of that name. A name without a version is version 0.0.0; of equal ones the first directory counts.
func (s System) findHelper(dirs []string, name string) string {
	var best *goversion.Version
	program := ""
	for _, dir := range dirs {
		entries, err := s.Files.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			found, version := helperName(entry.Name())
			if found != name || version == nil || best != nil && !version.GreaterThan(best) {
				continue
			}
			path := s.join(dir, entry.Name())
			if info, err := s.Files.Stat(path); err != nil || info.IsDir() {
				continue
			}
			best, program = version, path
		}
	}
	return program
}

// helperName splits a file name into the helper's name, in lower case, and its version; nil if it is no helper's. What follows "_x" in
// the version is the protocol, which auto-installed plugins once had.
func helperName(file string) (name string, version *goversion.Version) {
	if !strings.HasPrefix(file, helperPrefix) {
		return "", nil
	}
	rest := strings.TrimSuffix(strings.ToLower(file[len(helperPrefix):]), ".exe")
	name, text, versioned := strings.Cut(rest, "_v")
	if !versioned {
		text = "0.0.0"
	}
	text, _, _ = strings.Cut(text, "_x")
	version, err := goversion.NewVersion(text)
	if err != nil {
		return "", nil
	}
	return name, version
}

// CredentialsSource returns the tokens of this configuration in the tools' precedence: variables, blocks, helper (R-CRED-1). It runs the
// helper at most once per host.
func (c *Config) CredentialsSource() credentials.Source {
	sources := credentials.Chain{credentials.FromEnviron(c.system.Environ), credentials.NewBlocks(c.Credentials)}
	if c.Helper != nil && c.Helper.Program == "" {
		sources = append(sources, credentials.Absent(fmt.Sprintf("the credentials helper %q of %s is not installed: put terraform-credentials-%s into %s",
			c.Helper.Name, c.Helper.Position, strings.ToLower(c.Helper.Name), strings.Join(c.HelperDirs, " or "))))
	}
	if c.Helper != nil && c.Helper.Program != "" {
		sources = append(sources, credentials.NewHelper(credentials.HelperOptions{
			Name: c.Helper.Name, Program: c.Helper.Program, Args: c.Helper.Args, Environ: c.system.Environ,
		}))
	}
	return credentials.Hinted(credentials.Sendable(sources), c.system.Environ)
}
