package cliconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/credentials"
)

// maxBytes is the size up to which a file is believed to be a CLI configuration.
const maxBytes = 1 << 20

// Load reads the CLI configuration of a tool. It always returns a Config, with what could be read; see Config.Errors.
func Load(tool addrs.Tool, system System) *Config {
	c := &Config{
		Tool:           tool,
		Hosts:          map[string]Host{},
		Credentials:    map[string]credentials.Token{},
		HelperDirs:     system.helperDirs(tool),
		ImpliedMirrors: system.impliedDirs(tool),
		system:         system,
	}
	l := &loader{Config: c}
	if path, variable := system.override(); path != "" {
		l.overridden(path, variable)
	} else {
		if path := system.mainFile(tool); path != "" {
			l.file(path, true)
		}
		l.directory(system.configDir(tool))
	}
	l.checkHosts()
	l.environment()
	l.findHelper()
	return c
}

// loader fills a Config, file by file in the tools' order, so that "later wins" is an assignment.
type loader struct {
	*Config
	helpers []*Helper // by name, as found
}

// overridden reads the file that a variable names; then the configuration directory does not count (R-CLI-5).
func (l *loader) overridden(path, variable string) {
	if _, err := l.system.Files.Stat(path); errors.Is(err, fs.ErrNotExist) {
		l.warn(Problem{Block: BlockFile, Message: fmt.Sprintf("%s names %s, which does not exist: correct or unset the variable", variable, path)})
		return
	}
	l.file(path, false)
}

// directory reads the *.tfrc and *.tfrc.json files of the configuration directory (R-CLI-3).
func (l *loader) directory(dir string) {
	if dir == "" || !l.system.isDir(dir) {
		return
	}
	entries, err := l.system.Files.ReadDir(dir)
	if err != nil {
		l.fail(Problem{Position: Position{File: dir}, Block: BlockFile, Message: "the directory cannot be read (" + reason(err) + "): make it readable"})
		return
	}
	for _, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, ".tfrc") || strings.HasSuffix(name, ".tfrc.json") {
			l.file(l.system.join(dir, name), false)
		}
	}
}

// file reads one file. A missing one is normal only for the main file.
func (l *loader) file(path string, mayBeMissing bool) {
	text, err := l.system.Files.ReadFile(path)
	switch {
	case mayBeMissing && errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		l.fail(Problem{Position: Position{File: path}, Block: BlockFile, Message: "the file cannot be read (" + reason(err) + "): make it readable or remove it"})
		return
	case len(text) > maxBytes:
		l.fail(Problem{Position: Position{File: path}, Block: BlockFile, Message: fmt.Sprintf("the file has more than %d bytes, which no CLI configuration needs: is it another file?", maxBytes)})
		return
	}
	l.Files = append(l.Files, path)
	l.content(path, text)
}

// reason is the cause of a file error without the path, which the message names already.
func reason(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}

func (l *loader) fail(p Problem) { l.Errors = append(l.Errors, p) }

func (l *loader) warn(p Problem) { l.Warnings = append(l.Warnings, p) }
