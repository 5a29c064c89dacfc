package registry

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Provider is one provider of a host.
type Provider struct {
	host           *Host
	namespace, typ string

	// Guarded by registry.mu.
	versions []*Version
	list     *answer
	warnings []string
	faults   faultSet
	key      *Key
}

// String is host/namespace/type, as in Request.Provider.
func (p *Provider) String() string { return p.host.Name() + "/" + p.namespace + "/" + p.typ }

// Platforms is its arguments, for readable calls of Version.
func Platforms(platforms ...string) []string { return platforms }

// Version is the version of that number, as it stands in the list and in the path of download requests. It is made at the first call;
// later calls add platforms. Packages are the same bytes in every Registry.
func (p *Provider) Version(number string, platforms []string) *Version {
	r := p.host.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	v := p.versionLocked(number)
	if v == nil {
		v = &Version{provider: p, number: number, zips: map[string]*Zip{}, lies: map[string]Lie{}, protocols: []string{"5.0"}}
		p.versions = append(p.versions, v)
	}
	for _, platform := range platforms {
		if v.zips[platform] == nil {
			v.zips[platform] = newZip(v, platform)
			v.platforms = append(v.platforms, platform)
		}
	}
	return v
}

func (p *Provider) versionLocked(number string) *Version {
	for _, v := range p.versions {
		if v.number == number {
			return v
		}
	}
	return nil
}

// ListRaw replaces the body of the version list, for lists that Version cannot make: unparsable and duplicate versions, null.
// An empty text ends it.
func (p *Provider) ListRaw(body string) *Provider {
	p.host.registry.mu.Lock()
	defer p.host.registry.mu.Unlock()
	if p.list = nil; body != "" {
		p.list = newAnswer(http.StatusOK, "application/json", []byte(body))
	}
	return p
}

// Warnings are the registry's warnings in the version list.
func (p *Provider) Warnings(texts ...string) *Provider {
	p.host.registry.mu.Lock()
	defer p.host.registry.mu.Unlock()
	p.warnings = texts
	return p
}

// Key signs and announces all versions that have no keys of their own.
func (p *Provider) Key(k *Key) *Provider {
	p.host.registry.mu.Lock()
	defer p.host.registry.mu.Unlock()
	p.key = k
	return p
}

// Fail is Host.Fail for this provider alone; it comes before the host's faults.
func (p *Provider) Fail(endpoint string, f Fault) *Provider {
	mustEndpoint(endpoint)
	p.host.registry.mu.Lock()
	defer p.host.registry.mu.Unlock()
	p.faults.always[endpoint] = f
	return p
}

// FailNext is Host.FailNext for this provider alone.
func (p *Provider) FailNext(endpoint string, n int, f Fault) *Provider {
	mustEndpoint(endpoint)
	p.host.registry.mu.Lock()
	defer p.host.registry.mu.Unlock()
	p.faults.push(endpoint, n, f)
	return p
}

// Recover forgets all faults of the provider.
func (p *Provider) Recover() *Provider {
	p.host.registry.mu.Lock()
	defer p.host.registry.mu.Unlock()
	p.faults = newFaultSet()
	return p
}

// listAnswer is the version list; registry.mu is held.
func (p *Provider) listAnswerLocked() *answer {
	if p.list != nil {
		return p.list
	}
	type platform struct {
		OS   string `json:"os"`
		Arch string `json:"arch"`
	}
	type listed struct {
		Version   string     `json:"version"`
		Protocols []string   `json:"protocols"`
		Platforms []platform `json:"platforms"`
	}
	body := struct {
		ID       string   `json:"id"`
		Versions []listed `json:"versions"`
		Warnings []string `json:"warnings"`
	}{ID: p.namespace + "/" + p.typ, Versions: []listed{}, Warnings: p.warnings}
	for _, v := range p.versions {
		if v.unlisted {
			continue
		}
		l := listed{Version: v.number, Protocols: v.protocols, Platforms: []platform{}}
		for _, name := range v.platforms {
			os, arch, _ := strings.Cut(name, "_")
			l.Platforms = append(l.Platforms, platform{os, arch})
		}
		body.Versions = append(body.Versions, l)
	}
	return jsonAnswer(body)
}

// jsonAnswer is status 200 with v as JSON.
func jsonAnswer(v any) *answer {
	data, err := json.Marshal(v)
	if err != nil {
		return errorAnswer(http.StatusInternalServerError, err.Error())
	}
	return newAnswer(http.StatusOK, "application/json", data)
}
