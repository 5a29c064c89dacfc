package download

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"github.com/bgentry/go-netrc/netrc"

	"rules_tf_mirror/tools/internal/transport"
)

// login is one netrc entry; the zero login means none.
type login struct{ user, password string }

// findLogin looks for the archive host in the netrc file: $NETRC, else .netrc (_netrc on Windows) in the home directory. Entries are matched
// against the host including its port, and a default entry matches every host (R-CRED-18). No file means no login; one that cannot be
// read is an error, since going on would fail later and less clearly.
func findLogin(u *url.URL, getenv func(string) string) (login, error) {
	if u.User != nil || !transport.SendsToken(u) {
		return login{}, nil
	}
	path := netrcFile(runtime.GOOS, getenv)
	if path == "" {
		return login{}, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && info.IsDir()) {
		return login{}, nil
	}
	if err != nil {
		return login{}, fmt.Errorf("netrc file: %w", err)
	}
	file, err := netrc.ParseFile(path)
	if err != nil {
		// The parser's text may quote a part of the file, which holds passwords.
		return login{}, fmt.Errorf("the netrc file %s cannot be parsed; correct it, or set NETRC to another file", path)
	}
	machine := file.FindMachine(u.Host)
	if machine == nil {
		return login{}, nil
	}
	return login{user: machine.Login, password: machine.Password}, nil
}

// netrcFile is where the netrc file of a system is, empty where nobody says.
func netrcFile(goos string, getenv func(string) string) string {
	if path := getenv("NETRC"); path != "" {
		return path
	}
	home, name := getenv("HOME"), ".netrc"
	if goos == "windows" {
		home, name = getenv("USERPROFILE"), "_netrc"
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, name)
}
