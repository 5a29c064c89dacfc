package facts_test

import (
	"strings"
	"testing"

	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/versions"
)

func version(t testing.TB, text string) versions.Version {
	t.Helper()
	v, err := versions.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Design §3.5: what makes a URL ephemeral, and where the recorded part of it ends.
func TestRecordedURL(t *testing.T) {
	t.Parallel()
	long, short := strings.Repeat("s", 101), strings.Repeat("s", 100)
	for _, test := range []struct {
		name, url, recorded string
		ephemeral           bool
	}{
		{"plain", url, url, false},
		{"port and escape", "http://127.0.0.1:80/a%2Fb/c%20d.zip", "http://127.0.0.1:80/a%2Fb/c%20d.zip", false},
		{"query", url + "?X-Amz-Signature=s3cret", url, true},
		{"empty query", url + "?", url, true},
		{"fragment", url + "#s3cret", url, false},
		{"query and fragment", url + "?a=s3cret#s3cret", url, true},
		{"100 characters", "https://acme.dev/" + short + "/x.zip", "https://acme.dev/" + short + "/x.zip", false},
		{"101 characters", "https://acme.dev/d/" + long + "/x.zip", "https://acme.dev/d/", true},
		{"101 characters last", "https://acme.dev/d/" + long, "https://acme.dev/d/", true},
		{"101 characters first", "https://acme.dev/" + long + "/x.zip", "https://acme.dev/", true},
		{"escaped before a long segment", "https://acme.dev/a%2Fb/" + long, "https://acme.dev/a%2Fb/", true},
		{"archivist", "https://archivist.terraform.io/v1/object/x", "https://archivist.terraform.io/v1/object/", true},
		{"archivist with port", "https://Archivist.Terraform.io:443/v1/x?s3cret", "https://Archivist.Terraform.io:443/", true},
		{"another host's archivist", "https://tfe.acme.dev/_archivist/v1/object/x", "https://tfe.acme.dev/_archivist/v1/object/", true},
		{"not the archivist", "https://acme.dev/my_archivist/x.zip", "https://acme.dev/my_archivist/x.zip", false},
	} {
		got, err := facts.NewPackage(provider(t, "random"), version(t, "3.1.3"), linux, test.url, filename, strings.ToUpper(sum))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		want := facts.Package{DownloadURL: test.recorded, Filename: filename, SHA256: sum, Ephemeral: test.ephemeral}
		if got != want {
			t.Errorf("%s: %+v, want %+v", test.name, got, want)
		}
		if again, err := facts.ParsePackage(packageKey, got.JSON()); err != nil || again != got {
			t.Errorf("%s: the recorded fact is read as %+v, %v", test.name, again, err)
		}
	}
}

func TestUnusableAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, url, filename, sum, reason string }{
		{"userinfo", "https://me:s3cret@acme.dev/x.zip", filename, sum, "user name or password"},
		{"scheme", "ftp://acme.dev/x.zip", filename, sum, `scheme "ftp"`},
		{"file", "file:///etc/passwd", filename, sum, `scheme "file"`},
		{"relative", "x.zip?s3cret", filename, sum, "scheme"},
		{"no URL", "https://acme.dev/%zz?s3cret", filename, sum, "no URL"},
		{"no hash", url, filename, "", "64 lower-case hex digits"},
		{"no file name", url, "", sum, `"filename" is missing`},
		{"another platform", url, "terraform-provider-random_3.1.3_windows_amd64.zip", sum, filename},
		{"another version", url, "terraform-provider-random_3.1.3-rc1_linux_amd64.zip", sum, filename},
		{"path", url, "x/" + filename, sum, filename},
		{"manifest", url, "terraform-provider-random_3.1.3_manifest.json", sum, filename},
	} {
		_, err := facts.NewPackage(provider(t, "random"), version(t, "3.1.3"), linux, test.url, test.filename, test.sum)
		if err == nil {
			t.Errorf("%s: accepted", test.name)
			continue
		}
		for _, part := range []string{test.reason, "registry.terraform.io/hashicorp/random 3.1.3 linux_amd64"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q lacks %q", test.name, err, part)
			}
		}
		if problem.KindOf(err) != problem.Response || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: kind %s, text %q", test.name, problem.KindOf(err), err)
		}
	}
}

// Design §3.3: a "v" before the version, and a version in another spelling, are the entry's own version.
func TestFilenames(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"terraform-provider-random_v3.1.3_linux_amd64.zip":       "3.1.3",
		"terraform-provider-random_3.1_linux_amd64.zip":          "3.1.0",
		"terraform-provider-random_3.1.0-rc.1_linux_amd64.zip":   "3.1.0-rc.1",
		"terraform-provider-random_v3.1.0-v+m_1_linux_amd64.zip": "",
		"terraform-provider-random_vv3.1.3_linux_amd64.zip":      "",
		"terraform-provider-random__linux_amd64.zip":             "",
		"terraform-provider-random_linux_amd64.zip":              "",
		"Terraform-Provider-Random_3.1.3_linux_amd64.zip":        "",
	} {
		want := text
		if want == "" {
			want = "3.1.3"
		}
		_, err := facts.NewPackage(provider(t, "random"), version(t, want), linux, url, name, sum)
		if (err == nil) != (text != "") {
			t.Errorf("%s for version %s: %v", name, want, err)
		}
	}
}
