package registry

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/transport"
)

// defaultVersions are releases of the tools whose names are sent when the request does not say which is used. Registries may hide
// providers from old releases (A19), so these are recent ones; nothing else depends on them.
var defaultVersions = map[addrs.Tool]string{
	addrs.Terraform: "1.15.0",
	addrs.OpenTofu:  "1.12.6",
}

// DefaultToolVersion returns the version sent to registries when the manifest names none.
func DefaultToolVersion(tool addrs.Tool) string { return defaultVersions[tool] }

// Header returns the fields of requests to registries and mirrors (R-REG-2, R-NET-3). An empty version means DefaultToolVersion.
func Header(tool addrs.Tool, version string, getenv func(string) string) http.Header {
	if version == "" {
		version = DefaultToolVersion(tool)
	}
	return http.Header{
		"User-Agent":          {userAgent(tool, version, getenv)},
		"X-Terraform-Version": {version}, // of OpenTofu too (R-REG-2); registries choose answers by it (A19)
	}
}

// Policy returns how patiently registries and mirrors are asked (R-REG-4, R-REG-5, R-NET-6).
func Policy(getenv func(string) string) transport.Policy {
	return transport.Policy{
		Timeout:    time.Duration(positive(getenv, "TF_REGISTRY_CLIENT_TIMEOUT", 10)) * time.Second,
		Retries:    positive(getenv, "TF_REGISTRY_DISCOVERY_RETRY", 1),
		MinBackoff: time.Second,
		MaxBackoff: 30 * time.Second,
		Redirects:  10,
		MaxBytes:   maxAnswerBytes,
	}
}

// userAgent is that of versions and download requests (R-REG-2): the version without its prerelease.
func userAgent(tool addrs.Tool, version string, getenv func(string) string) string {
	base, _, _ := strings.Cut(version, "-")
	base, _, _ = strings.Cut(base, "+")
	product := "Terraform/"
	if tool == addrs.OpenTofu {
		product = "OpenTofu/"
	}
	return product + base + appended(getenv)
}

// discoveryUserAgent is that of service discovery (R-DISC-2), which differs.
func discoveryUserAgent(tool addrs.Tool, version string, getenv func(string) string) string {
	if tool == addrs.OpenTofu {
		return "OpenTofu/" + version + appended(getenv)
	}
	return "HashiCorp Terraform/" + version + " (+https://www.terraform.io)" + appended(getenv)
}

// appended returns the user's own addition, without characters that no header may have.
func appended(getenv func(string) string) string {
	text := strings.TrimSpace(foreign.Line(getenv("TF_APPEND_USER_AGENT")))
	if text == "" {
		return ""
	}
	return " " + text
}

// most bounds settings: as seconds it is 68 years, which still are a time.Duration.
const most = math.MaxInt32

// positive reads a setting that counts only if it is a positive integer (R-REG-4).
func positive(getenv func(string) string, name string, otherwise int) int {
	if n, err := strconv.Atoi(getenv(name)); err == nil && n > 0 {
		return min(n, most)
	}
	return otherwise
}
