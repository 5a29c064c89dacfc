package requirements

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/versions"
)

// TestAgainstTerraform holds every configuration against `terraform providers`: the same sources with the same constraints, and refused
// exactly if terraform refuses.
func TestAgainstTerraform(t *testing.T) {
	t.Parallel()
	against(t, testtools.Terraform(t), addrs.Terraform)
}

// TestAgainstTofu does the same with tofu.
func TestAgainstTofu(t *testing.T) {
	t.Parallel()
	against(t, testtools.Tofu(t), addrs.OpenTofu)
}

func against(t *testing.T, tool string, name addrs.Tool) {
	for _, c := range slices.Concat(configurations, refused) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, c.files)
			ours, err := Gather([]string{dir}, Options{Tool: name, Base: dir})
			commands := []string{"providers"}
			if strings.Contains(c.files, "module ") { // the tools want local modules recorded too
				commands = []string{"get", "providers"}
			}
			theirs, output, ok := ask(t, tool, dir, commands)
			switch {
			case ok != (err == nil):
				t.Fatalf("tool accepts: %v; our error: %v\n%s", ok, err, output)
			case !ok:
				if c.fails == "" {
					t.Fatalf("refused: %v\n%s", err, output)
				}
				return
			case c.fails != "":
				t.Fatalf("accepted, but the case says %q\n%s", c.fails, output)
			}
			got := map[string]string{}
			for _, r := range ours.Requirements {
				got[r.Provider.String()] = r.Constraint.Canonical()
			}
			if !maps.Equal(got, theirs) {
				t.Errorf("got  %v\nwant %v\n%s", got, theirs, output)
			}
		})
	}
}

var providerLine = regexp.MustCompile(`provider\[([^\]]*)\] ?(.*)$`)

// ask returns what the tool requires, by source; the built-in provider, which needs no package, is left out.
func ask(t *testing.T, tool, dir string, commands []string) (required map[string]string, output string, ok bool) {
	t.Helper()
	for _, command := range commands {
		cmd := exec.Command(tool, command, "-no-color")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE="+os.DevNull, "TF_IN_AUTOMATION=1")
		text, err := cmd.CombinedOutput()
		output += string(text)
		if err != nil {
			return nil, output, false
		}
	}
	texts := map[string][]string{}
	for line := range strings.Lines(output) {
		if match := providerLine.FindStringSubmatch(strings.TrimSpace(line)); match != nil && match[1] != builtIn {
			texts[match[1]] = append(texts[match[1]], match[2])
		}
	}
	required = map[string]string{}
	for source, all := range texts {
		all = slices.DeleteFunc(all, func(text string) bool { return text == "" })
		required[source] = ""
		if len(all) > 0 {
			c, err := versions.ParseConstraint(strings.Join(all, ", "))
			if err != nil {
				t.Fatal(err)
			}
			required[source] = c.Canonical()
		}
	}
	return required, output, true
}

// TestConfigurations shows the errors of the table, which the tools word otherwise.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(configurations, refused) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, c.files)
			_, err := Gather([]string{dir}, Options{Tool: addrs.Terraform, Base: dir})
			switch {
			case c.fails == "" && err != nil:
				t.Error(err)
			case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
				t.Errorf("error %v\nwant %s", err, c.fails)
			}
		})
	}
}
