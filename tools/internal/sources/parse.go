package sources

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	svchost "github.com/hashicorp/terraform-svchost"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/cliconfig"
	"rules_tf_mirror/tools/internal/discovery"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/ocimirror"
	"rules_tf_mirror/tools/internal/transport"
)

// The values of a request's `installation`.
const (
	installDirect = "direct"
	installConfig = "config"
)

// plan is what a request says about sources, checked.
type plan struct {
	config   bool               // the CLI configuration decides
	methods  []cliconfig.Method // if it does not
	services map[string]*url.URL
	withheld map[string]string // hosts whose token is not for their service URL, and why
}

// Check refuses requests whose `installation`, `sources` or `hosts` cannot be followed. Errors name the place and what to write.
func Check(request *manifest.Request) error {
	_, err := read(request)
	return err
}

func read(request *manifest.Request) (*plan, error) {
	p := &plan{methods: []cliconfig.Method{{Kind: cliconfig.Direct}}}
	switch request.Installation {
	case "", installDirect:
	case installConfig:
		if len(request.Sources) > 0 {
			return nil, errors.New(`"sources" names the places to take providers from, and "installation": "config" takes them from the CLI configuration; leave one of them out`)
		}
		p.config, p.methods = true, nil
	default:
		return nil, fmt.Errorf(`"installation" is %q; write "direct" or "config", or leave it out`, request.Installation)
	}
	if len(request.Sources) > 0 {
		p.methods = nil
		for i, source := range request.Sources {
			m, err := method(source, request.Tool)
			if err != nil {
				return nil, fmt.Errorf("sources[%d]: %w", i, err)
			}
			p.methods = append(p.methods, m)
		}
	}
	return p, p.hosts(request.Hosts)
}

// method reads one source.
func method(s manifest.Source, tool addrs.Tool) (cliconfig.Method, error) {
	m := cliconfig.Method{Kind: cliconfig.Kind(s.Kind), Path: s.Path, RepositoryTemplate: s.RepositoryTemplate}
	given := map[string]string{"url": s.URL, "path": s.Path, "repository_template": s.RepositoryTemplate}
	var own string
	switch m.Kind {
	case cliconfig.Direct:
	case cliconfig.NetworkMirror:
		own = "url"
	case cliconfig.FilesystemMirror:
		own = "path"
	case cliconfig.OCIMirror:
		own = "repository_template"
		if tool != addrs.OpenTofu {
			return m, fmt.Errorf(`%s knows no "oci_mirror", which is tofu's alone; use "network_mirror" or "filesystem_mirror"`, tool)
		}
	case "":
		return m, errors.New(`the field "kind" is missing; write "direct", "network_mirror", "filesystem_mirror" or "oci_mirror"`)
	default:
		return m, fmt.Errorf(`"kind" is %q; write "direct", "network_mirror", "filesystem_mirror" or "oci_mirror"`, s.Kind)
	}
	for _, field := range slices.Sorted(maps.Keys(given)) {
		switch {
		case field == own && given[field] == "" && field != "url":
			return m, fmt.Errorf(`%q needs the field %q`, s.Kind, field)
		case field != own && given[field] != "":
			return m, fmt.Errorf(`%q has no field %q; remove it`, s.Kind, field)
		}
	}
	var err error
	if m.Kind == cliconfig.NetworkMirror {
		if m.URL, err = cliconfig.ParseMirrorURL(s.URL); err != nil {
			return m, err
		}
	}
	if m.Include, err = patterns("include", s.Include, tool); err != nil {
		return m, err
	}
	if m.Exclude, err = patterns("exclude", s.Exclude, tool); err != nil {
		return m, err
	}
	if m.Kind == cliconfig.OCIMirror {
		if _, err := ocimirror.ParseTemplate(s.RepositoryTemplate, m.Include); err != nil {
			return m, fmt.Errorf(`"repository_template": %w`, err)
		}
	}
	return m, nil
}

func patterns(field string, texts []string, tool addrs.Tool) ([]cliconfig.Pattern, error) {
	var list []cliconfig.Pattern
	for _, text := range texts {
		pattern, err := cliconfig.ParsePattern(text, tool)
		if err != nil {
			return nil, fmt.Errorf("%q pattern %q: %w", field, text, err)
		}
		list = append(list, pattern)
	}
	return list, nil
}

// hosts reads the service URLs. A URL that a tag names gets the token of its host only if it is on that host: else whoever edits the tag could
// have the token sent anywhere (design §3.1).
func (p *plan) hosts(hosts map[string]manifest.Host) error {
	p.services, p.withheld = map[string]*url.URL{}, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(hosts)) {
		host, err := svchost.ForComparison(name)
		if err != nil {
			return fmt.Errorf(`hosts: %q is not a valid host name; write it as in a source, without https:// and without a path`, name)
		}
		if _, twice := p.services[string(host)]; twice {
			return fmt.Errorf(`hosts: %q is named twice, in two spellings; remove one`, name)
		}
		base, err := serviceURL(string(host), hosts[name].ProvidersV1)
		if err != nil {
			return fmt.Errorf(`hosts: host %q %w; write for example "providers.v1": "https://%s/v1/providers/"`, name, err, name)
		}
		p.services[string(host)] = base
		if !transport.SameOrigin(base, &url.URL{Scheme: "https", Host: string(host)}) {
			p.withheld[string(host)] = fmt.Sprintf("the token of host %s is not sent to %s, because a service URL that a tag names gets it only on the host itself: "+
				"write a host block into the CLI configuration instead, or name a URL on %s", host.ForDisplay(), base.Host, host.ForDisplay())
		}
	}
	return nil
}

// serviceURL reads one URL as a discovery document's. It must be absolute: nothing says what it would be relative to.
func serviceURL(host, text string) (*url.URL, error) {
	if text == "" {
		return nil, errors.New(`has no "providers.v1"`)
	}
	if u, err := url.Parse(text); err != nil || !u.IsAbs() || strings.TrimSpace(text) != text {
		return nil, fmt.Errorf(`has the "providers.v1" %q, which is no absolute URL`, text)
	}
	document := fmt.Sprintf(`{"providers.v1": %q}`, text)
	return discovery.Parse(&url.URL{Scheme: "https", Host: host}, "application/json", []byte(document))
}
