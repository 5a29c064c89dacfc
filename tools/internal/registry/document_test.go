package registry_test

import (
	"strings"
	"testing"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
)

// Neither the token nor the tool's version goes to SHA256SUMS and its signature (R-REG-3); each call is one request, and a 404 is an answer.
func TestDocument(t *testing.T) {
	t.Parallel()
	reg, h, p := newRegistry(t)
	v := p.Version("1.4.0", nil)
	h.RequireToken("s3cret").SetZipHost("")
	client := newClient(reg, "TF_TOKEN_r_acme_dev=s3cret")
	pkg, err := client.Download(t.Context(), widget, "1.4.0", platforms.Platform{OS: "linux", Arch: "amd64"})
	if err != nil {
		t.Fatal(err)
	}
	list, err := client.Document(t.Context(), pkg, pkg.SHASumsURL)
	if err != nil {
		t.Fatal(err)
	}
	want, err := v.Sums()
	if err != nil || string(list.Body) != string(want) || list.Missing || !strings.HasPrefix(list.Shown, "https://r.acme.dev/") {
		t.Errorf("document %+v, %v", list, err)
	}
	requests := reg.Select(fixture.Filter{Endpoint: fixture.EndpointSums})
	if len(requests) != 1 || requests[0].HasAuthorization || requests[0].TerraformVersion != "" || requests[0].UserAgent != "Terraform/1.9.5" {
		t.Errorf("requests %+v", requests)
	}
	p.Fail(fixture.EndpointSums, fixture.Fault{Status: 404})
	if list, err = client.Document(t.Context(), pkg, pkg.SHASumsURL); err != nil || !list.Missing || list.Shown == "" {
		t.Errorf("404 gives %+v, %v", list, err)
	}
	if list, err = client.Document(t.Context(), pkg, ""); err != nil || !list.Missing || list.Shown == "" {
		t.Errorf("no reference gives %+v, %v", list, err)
	}
}

// Errors have a kind and no secret: neither a query, nor a path that may be one (design §3.5), nor a password.
func TestDocumentErrors(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("s3cret", 20)
	for name, c := range map[string]struct {
		reference string
		fault     fixture.Fault
		kind      problem.Kind
		want      string
	}{
		"403":            {"/sums?sig=s3cret", fixture.Fault{Status: 403}, problem.Unauthorized, "https://r.acme.dev/sums answers 403 Forbidden"},
		"410":            {"/sums?sig=s3cret", fixture.Fault{Status: 410}, problem.Response, "https://r.acme.dev/sums answers 410 Gone"},
		"500":            {"/sums?sig=s3cret", fixture.Fault{Status: 500}, problem.Network, "https://r.acme.dev/sums"},
		"500, long path": {"/" + long + "/sums", fixture.Fault{Status: 500}, problem.Network, "to https://r.acme.dev/ (tried"},
		"403, archivist": {"/_archivist/s3cret/sums", fixture.Fault{Status: 403}, problem.Unauthorized, "https://r.acme.dev/_archivist/ answers 403"},
		"too long":       {"/sums", fixture.Fault{Body: make([]byte, 5<<20)}, problem.Network, "https://r.acme.dev/sums"},
		"password":       {"https://u:s3cret@r.acme.dev/sums", fixture.Fault{}, problem.Response, "user name or password"},
		"file":           {"file:///s3cret", fixture.Fault{}, problem.Response, `scheme "file"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg, h, _ := newRegistry(t)
			client := newClient(reg)
			pkg, err := client.Download(t.Context(), widget, "1.4.0", platforms.Platform{OS: "linux", Arch: "amd64"})
			if err != nil {
				t.Fatal(err)
			}
			h.Fail("", c.fault)
			_, err = client.Document(t.Context(), pkg, c.reference)
			if err == nil || problem.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("error %v, want %s %q", err, c.kind, c.want)
			}
		})
	}
}

// R-AUTH-26: the registry's own words about hashes are kept as written; what cannot be read is as good as absent.
func TestPackageHashes(t *testing.T) {
	t.Parallel()
	reg, _, p := newRegistry(t)
	for _, c := range []struct {
		packages any
		want     int
	}{
		{nil, 0}, {"none", 0}, {map[string]any{}, 0}, {map[string]any{"linux_amd64": 1}, 0},
		{map[string]any{"linux_amd64": map[string]any{"hashes": []string{"zh:a", "h1:b"}, "package_size": 7}}, 2},
	} {
		p.Version("1.4.0", nil).Lie(fixture.Lie{Fields: map[string]any{"packages": c.packages}})
		pkg, err := newClient(reg).Download(t.Context(), widget, "1.4.0", platforms.Platform{OS: "linux", Arch: "amd64"})
		if err != nil || len(pkg.Hashes["linux_amd64"]) != c.want {
			t.Errorf("%v gives %v, %v", c.packages, pkg, err)
		}
	}
}
