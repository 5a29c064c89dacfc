package requirements

import (
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/addrs"
)

const sample = `[
  "acme/hand:1.0.0",
  "acme/another",
  {
    "entry": "hashicorp/aws:>= 4.0.0, < 5.0.0",
    "wanted_by": [
      "a/main.tf: >= 4",
      "module.vpc: main.tf: < 5"
    ]
  }
]
`

// What was written is read, and written again the same: a second run changes nothing.
func TestFormat(t *testing.T) {
	t.Parallel()
	file, err := ParseFile([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, string(file.Format()), sample)
	equal(t, string(new(File).Format()), "[]\n")
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	file, err := ParseFile([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, requires("x/y", "~> 1.0")+"resource \"other_x\" \"y\" {}\n")
	result, err := Gather([]string{dir}, Options{Tool: addrs.Terraform, Base: dir})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, string(file.Update(result).Format()), `[
  "acme/hand:1.0.0",
  "acme/another",
  {
    "entry": "hashicorp/other",
    "wanted_by": [
      "main.tf: any version"
    ]
  },
  {
    "entry": "x/y:~> 1.0",
    "wanted_by": [
      "main.tf: ~> 1.0"
    ]
  }
]
`)
}

func TestLost(t *testing.T) {
	t.Parallel()
	file, err := ParseFile([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	for missing, want := range map[string]int{"module.vpc": 1, "module.vp": 0, "module.vpc.module.x": 0, "prod: module.vpc": 0, "a": 0} {
		if got := file.Lost([]string{missing}); len(got) != want {
			t.Errorf("%s: %v", missing, got)
		}
	}
	equal(t, file.Lost([]string{"module.vpc"}), []string{"module.vpc: main.tf: < 5 (hashicorp/aws:>= 4.0.0, < 5.0.0)"})
}

// A file that is something else is not taken for ours.
func TestParseFileRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``: "", `{}`: "", `null`: "array", `[1]`: "[0]", `["a", null]`: "[1]", `[{"entry": "a", "wanted": []}]`: "[0]", `[{"wanted_by": []}]`: "entry",
		`["a"] x`: "", `[["a"]]`: "[0]", `[{"entry": "a", "entry": "b"}]`: "",
	} {
		if file, err := ParseFile([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", text, file, err)
		}
	}
}
