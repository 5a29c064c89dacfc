package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostile answers every request with an error whose text steers a terminal, as a certificate for such names makes crypto/x509 do.
type hostile struct{}

const evil = "x509: certificate is valid for a\x1b]0;owned\x07\x1b[2J.example, b\u202ec\u009b31m.example\nINFO: all is well"

func (hostile) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New(evil) }

func runWith(t *testing.T, transport http.RoundTripper, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	code = Run(context.Background(), Env{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errOut, RoundTripper: transport,
		Environ: []string{"HOME=" + t.TempDir(), "TF_REGISTRY_DISCOVERY_RETRY=0"}})
	return code, out.String(), errOut.String()
}

// plain fails if text holds anything but printable characters and line breaks of our own.
func plain(t *testing.T, what, text string) {
	t.Helper()
	for _, r := range text {
		if !unicode.IsPrint(r) && r != '\n' {
			t.Errorf("%s holds %U: %q", what, r, text)
			return
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "INFO:") {
			t.Errorf("%s has a forged line: %q", what, text)
		}
	}
}

// strings of a JSON text, unescaped: what a caller that prints a message would print.
func jsonStrings(t *testing.T, text string) (all []string) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := token.(string); ok {
			all = append(all, s)
		}
	}
}

const oneWidget = `{"schema": 1, "tool": "terraform", "platforms": ["linux_amd64"], "providers": [{"source": "registry.acme.dev/acme/widget", "version": "1.4.0"}]}`

// Whatever the network says, nothing that steers a terminal gets out: not in the response, not in the report, not on stderr.
func TestForeignText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	request := put(t, oneWidget, dir, "request.json")
	lockfile := put(t, "{\n  \"lockFileVersion\": 24,\n  \"registryFileHashes\": {},\n  \"selectedYankedVersions\": {},\n  \"moduleExtensions\": {}\n}\n", dir, "MODULE.bazel.lock")
	for name, args := range map[string][]string{
		"resolve":      {"resolve", "--request", request, "--response", "-"},
		"fetch":        {"fetch", "--request", request, "--mirror", filepath.Join(dir, "mirror")},
		"fetch, json":  {"fetch", "--request", request, "--mirror", filepath.Join(dir, "mirror"), "--json"},
		"lock":         {"lock", "--manifest", request, "--lockfile", lockfile, "--extension", "@@rules_tf_mirror+//tf:extensions.bzl%tf_repositories"},
		"lock, json":   {"lock", "--manifest", request, "--lockfile", lockfile, "--extension", "@@rules_tf_mirror+//tf:extensions.bzl%tf_repositories", "--json"},
		"unknown flag": {"resolve", "--" + evil},
		"a file":       {"hash", filepath.Join(dir, "esc\x1b[31m.zip")},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := runWith(t, hostile{}, args...)
			if code == 0 && name != "resolve" {
				t.Errorf("exit code 0")
			}
			plain(t, "stderr", stderr)
			if strings.HasPrefix(stdout, "{") {
				said := jsonStrings(t, stdout)
				if !strings.Contains(strings.Join(said, "\n"), "certificate is valid for a ]0;owned") {
					t.Errorf("the reason is not told: %s", stdout)
				}
				for _, s := range said {
					plain(t, "a string of the output", s)
				}
			} else {
				plain(t, "stdout", stdout)
			}
		})
	}
}

// One path that cannot be hashed does not keep the others from being printed, and each says what to do.
func TestHashContinues(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, "no zip", dir, "text.zip")
	put(t, "x", dir, "package", "terraform-provider-x")
	odd := put(t, "x", dir, "esc\x1b[31m", "terraform-provider-x")
	code, stdout, stderr := runWith(t, nil, "hash", filepath.Join(dir, "missing.zip"), filepath.Join(dir, "package"), filepath.Join(dir, "text.zip"), filepath.Dir(odd))
	if code != CodeUsage || strings.Count(stdout, "h1:") != 2 {
		t.Errorf("exit code %d, stdout %q", code, stdout)
	}
	for _, want := range []string{"missing.zip cannot be hashed", "check the spelling", "text.zip cannot be hashed", "no zip file"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr %q lacks %q", stderr, want)
		}
	}
	plain(t, "stdout", stdout)
	plain(t, "stderr", stderr)
	if code, stdout, _ := runWith(t, nil, "hash", "--json", filepath.Join(dir, "missing.zip"), filepath.Dir(odd)); code != CodeUsage ||
		!strings.Contains(stdout, `esc\u001b[31m"`) {
		t.Errorf("exit code %d, --json must tell the exact path: %s", code, stdout)
	}
}

// An open file is written to, never replaced: the response reaches who redirected standard output.
func TestResponseToStdout(t *testing.T) {
	t.Parallel()
	request := put(t, oneWidget, t.TempDir(), "request.json")
	if code, stdout, stderr := runWith(t, hostile{}, "resolve", "--request", request, "--response", "/dev/stdout"); code != 0 || !strings.HasPrefix(stdout, "{") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	for _, name := range []string{"/dev/stderr", "/dev/fd/1", "/proc/self/fd/1", "/dev/null"} {
		if _, err := os.Stat(name); err != nil {
			continue // no such names on this system
		}
		before, _ := os.Lstat(name)
		code, _, stderr := runWith(t, hostile{}, "resolve", "--request", request, "--response", name)
		after, err := os.Lstat(name)
		if code != CodeUsage || !strings.Contains(stderr, "cannot be written") || err != nil || before.Mode() != after.Mode() {
			t.Errorf("%s: exit code %d, stderr %q, %v", name, code, stderr, err)
		}
	}
}
