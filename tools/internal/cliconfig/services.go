package cliconfig

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"

	svchost "github.com/hashicorp/terraform-svchost"

	"rules_tf_mirror/tools/internal/discovery"
	"rules_tf_mirror/tools/internal/problem"
)

// Host is a `host` block: what the host offers, in place of its discovery document.
type Host struct {
	Services map[string]any // as written, by service key
	Position Position
}

// ServiceURL returns the base URL of the provider registry that a `host` block gives to a host in comparison form. configured is false
// where no block is there and discovery is to be asked. A block that names no usable providers.v1 leaves the host without a registry, as a
// discovery document with the same content would (R-DISC-11, R-DISC-12, R-DISC-16): an error of kind config with file and line.
func (c *Config) ServiceURL(host string) (base *url.URL, configured bool, err error) {
	block, ok := c.Hosts[host]
	if !ok {
		return nil, false, nil
	}
	services := block.Services
	if services == nil {
		services = map[string]any{}
	}
	document, err := json.Marshal(services)
	if err == nil {
		final := &url.URL{Scheme: "https", Host: host, Path: "/.well-known/terraform.json"}
		if base, err = discovery.Parse(final, "application/json", document); err == nil {
			return base, true, nil
		}
	}
	return nil, true, problem.Wrap(problem.Config, err, `host %s, by the host block at %s, %v: name a providers.v1 there, such as `+
		`services = { "providers.v1" = "https://%s/v1/providers/" }, or remove the block`,
		svchost.Hostname(host).ForDisplay(), block.Position, err, host)
}

// ServiceURLs are the usable host blocks, for discovery.Options.
func (c *Config) ServiceURLs() map[string]*url.URL {
	urls := map[string]*url.URL{}
	for host := range c.Hosts {
		if base, _, err := c.ServiceURL(host); err == nil {
			urls[host] = base
		}
	}
	return urls
}

// checkHosts makes a host block without a usable registry a defect that concerns this host alone.
func (l *loader) checkHosts() {
	for _, host := range slices.Sorted(maps.Keys(l.Hosts)) {
		if _, _, err := l.ServiceURL(host); err != nil {
			l.fail(Problem{Position: l.Hosts[host].Position, Block: BlockHost, Host: host, Message: err.Error()})
		}
	}
}
