package cliconfig_test

import (
	"context"
	"testing"
	"time"

	fixture "rules_tf_mirror/tests/registry"
	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/transport"
)

// TestWithRegistryClient: our own requests follow a host block without discovery and carry the block's token to the service's host
// (R-DISC-16, R-CRED-15, B20, B43).
func TestWithRegistryClient(t *testing.T) {
	t.Parallel()
	reg := fixture.Start(t)
	reg.Host("a.example").ServeAt("api.example", "/tf/").Provider("acme/widget").Version("1.0.0", fixture.Platforms("linux_amd64"))
	reg.Host("api.example").RequireToken("s3cret")
	c := load("credentials \"a.example\" {\n token = \"s3cret\"\n}\nhost \"a.example\" {\n services = {\n \"providers.v1\" = \"https://api.example/tf/\"\n }\n}\n")
	client := registry.New(registry.Options{
		Transport: transport.New(transport.Options{
			RoundTripper: reg.HTTPClient().Transport,
			Sleep:        func(context.Context, time.Duration) error { return nil },
		}),
		Credentials: c.CredentialsSource(),
		Services:    c.ServiceURLs(),
		Tool:        addrs.Terraform,
		Getenv:      func(string) string { return "" },
	})
	list, err := client.Versions(context.Background(), mustProvider(t, "a.example/acme/widget", addrs.Terraform))
	if err != nil || list == nil {
		t.Fatalf("Versions = %v, %v", list, err)
	}
	requests := reg.Select(fixture.Filter{NotEndpoint: fixture.EndpointConnect})
	if len(requests) != 1 || requests[0].Host != "api.example" || requests[0].Endpoint != fixture.EndpointVersions || !requests[0].AuthorizationOK {
		t.Errorf("requests %+v, want one for the list, with the token", requests)
	}
}
