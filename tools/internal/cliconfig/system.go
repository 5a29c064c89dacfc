package cliconfig

import (
	"io/fs"
	"os"
	"os/user"
	"runtime"
	"strings"
)

// Files is the part of the file system that Load reads. Errors must satisfy errors.Is(err, fs.ErrNotExist) where nothing is there.
type Files interface {
	// ReadFile need not return more of a file than a CLI configuration may have.
	ReadFile(path string) ([]byte, error)
	// ReadDir returns the entries sorted by name, in byte order.
	ReadDir(path string) ([]fs.DirEntry, error)
	Stat(path string) (fs.FileInfo, error)
}

// System is the machine as the tools see it.
type System struct {
	GOOS, GOARCH string
	Environ      []string // NAME=value, as os.Environ; of duplicates the last counts
	Home         string   // the account's home directory, for where HOME is not set (R-CLI-1); may be empty
	Files        Files
}

// ThisSystem is the machine that we run on, with the given environment.
func ThisSystem(environ []string) System {
	s := System{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Environ: environ, Files: osFiles{}}
	if account, err := user.Current(); err == nil {
		s.Home = account.HomeDir
	}
	return s
}

// osFiles is the real file system.
type osFiles struct{}

func (osFiles) ReadFile(path string) ([]byte, error)       { return readFile(path, pipeWait) }
func (osFiles) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }
func (osFiles) Stat(path string) (fs.FileInfo, error)      { return os.Stat(path) }

// lookup returns a variable. Names of variables have no case on Windows.
func (s System) lookup(name string) (value string, ok bool) {
	for _, pair := range s.Environ {
		key, v, _ := strings.Cut(pair, "=")
		if key == name || s.GOOS == "windows" && strings.EqualFold(key, name) {
			value, ok = v, true
		}
	}
	return value, ok
}

// env returns a variable's value, empty where it is not set.
func (s System) env(name string) string {
	value, _ := s.lookup(name)
	return value
}

// join puts path elements together with the separator of the system, which need not be the one we run on.
func (s System) join(elements ...string) string {
	separator := "/"
	if s.GOOS == "windows" {
		separator = `\`
	}
	joined := strings.TrimRight(elements[0], separator)
	for _, element := range elements[1:] {
		joined += separator + element
	}
	return joined
}

// isDir tells whether a directory is there.
func (s System) isDir(path string) bool {
	info, err := s.Files.Stat(path)
	return err == nil && info.IsDir()
}

// exists tells whether anything is there that can be looked at.
func (s System) exists(path string) bool {
	_, err := s.Files.Stat(path)
	return err == nil
}
