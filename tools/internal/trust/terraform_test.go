package trust

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rules_tf_mirror/tests/testtools"
	"rules_tf_mirror/tests/trustfixtures"
)

// The real terraform has, on every fixture, the outcome that the table of defects says. Where it differs from ours, the fixture says why.
func TestTerraformOnFixtures(t *testing.T) {
	t.Parallel()
	terraform := testtools.Terraform(t)
	server := httptest.NewTLSServer(fixtureRegistry())
	t.Cleanup(server.Close)
	certificate := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(certificate, block, 0o600); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(server.URL, "https://")
	t.Run("fixtures", func(t *testing.T) {
		for _, fixture := range trustfixtures.All() {
			t.Run(fixture.Name, func(t *testing.T) {
				t.Parallel()
				output, got := initWith(t, terraform, certificate, host+"/"+fixture.Name+"/"+trustfixtures.Type)
				t.Log(output)
				if got != fixture.Terraform {
					t.Errorf("terraform: %s, want %s\n%s", got, fixture.Terraform, output)
				}
			})
		}
	})
}

// initWith runs `terraform init` in a fresh directory for one provider.
func initWith(t *testing.T, terraform, certificate, source string) (output, outcome string) {
	t.Helper()
	directory := t.TempDir()
	config := "terraform {\n  required_providers {\n    widget = { source = \"" + source + "\" }\n  }\n}\n"
	if err := os.WriteFile(filepath.Join(directory, "main.tf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cliConfig := filepath.Join(directory, "cli.tfrc")
	if err := os.WriteFile(cliConfig, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), terraform, "init", "-no-color", "-input=false", "-backend=false")
	command.Dir = directory
	command.Env = []string{"HOME=" + directory, "TF_CLI_CONFIG_FILE=" + cliConfig, "SSL_CERT_FILE=" + certificate, "CHECKPOINT_DISABLE=1",
		"NO_PROXY=*", "TMPDIR=" + directory, "TF_PLUGIN_CACHE_DIR="}
	content, err := command.CombinedOutput()
	output = string(content)
	_, statErr := os.Stat(filepath.Join(directory, ".terraform", "providers", source, trustfixtures.Version))
	installed := statErr == nil
	switch {
	case strings.Contains(output, "TERRAFORM CRASH") || strings.Contains(output, "panic:"):
		return output, trustfixtures.Crash
	case err == nil && installed:
		return output, trustfixtures.Accepted
	case err != nil && strings.Contains(output, "not a valid zip file"):
		return output, trustfixtures.NotAZip
	case err != nil && !installed && strings.Contains(output, "Failed to install provider"):
		return output, trustfixtures.Refused
	default:
		return output, "unclear"
	}
}

// fixtureRegistry serves every fixture as the provider <fixture>/widget.
func fixtureRegistry() http.Handler {
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, value any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(value) // a client that went away is of no interest
	}
	mux.HandleFunc("GET /.well-known/terraform.json", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]string{"providers.v1": "/v1/providers/"})
	})
	for _, fixture := range trustfixtures.All() {
		base := "/v1/providers/" + fixture.Name + "/" + trustfixtures.Type
		mux.HandleFunc("GET "+base+"/versions", func(w http.ResponseWriter, _ *http.Request) {
			answer(w, map[string]any{"versions": []any{map[string]any{"version": trustfixtures.Version, "protocols": []string{"5.0"}}}})
		})
		mux.HandleFunc("GET "+base+"/"+trustfixtures.Version+"/download/{os}/{arch}", func(w http.ResponseWriter, r *http.Request) {
			filename, hash := fixture.Answer(r.PathValue("os") + "_" + r.PathValue("arch"))
			files := "/files/" + fixture.Name + "/"
			download := map[string]any{
				"protocols": []string{"5.0"}, "os": r.PathValue("os"), "arch": r.PathValue("arch"), "filename": filename, "shasum": hash,
				"download_url": files + r.PathValue("os") + "_" + r.PathValue("arch") + ".zip", "shasums_url": files + "SHA256SUMS", "shasums_signature_url": files + "SHA256SUMS.sig",
			}
			if fixture.Keys != nil {
				download["signing_keys"] = map[string]any{"gpg_public_keys": fixture.Keys}
			}
			answer(w, download)
		})
		mux.HandleFunc("GET /files/"+fixture.Name+"/{file}", func(w http.ResponseWriter, r *http.Request) {
			content := []byte(nil)
			switch file := r.PathValue("file"); {
			case file == "SHA256SUMS" && fixture.Sums != nil:
				content = []byte(*fixture.Sums)
			case file == "SHA256SUMS.sig":
				content = fixture.Signature
			case strings.HasSuffix(file, ".zip"):
				content = fixture.Served(strings.TrimSuffix(file, ".zip"))
			default:
				http.NotFound(w, r)
				return
			}
			if content == nil {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write(content)
		})
	}
	return mux
}
