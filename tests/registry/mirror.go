package registry

import (
	"net/http"
	"strings"
)

// Mirror is a network mirror (R-NET) on a host: it serves what other hosts of this Registry have, whether those are up or down.
type Mirror struct {
	host      *Host
	prefix    string
	providers []*Provider

	// Guarded by registry.mu.
	raw      map[string]*answer // by path below prefix
	hidden   map[string]bool    // versions that the index does not list
	hashes   func(v *Version, platform string) []string
	location func(v *Version, platform string) string
	as       string // host that the providers are served under; empty: their own
}

// Mirror serves providers of any hosts below the path, which begins and ends with a slash.
func (h *Host) Mirror(path string, providers ...*Provider) *Mirror {
	m := &Mirror{host: h, prefix: path, providers: providers, raw: map[string]*answer{}, hidden: map[string]bool{}}
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	h.mirrors = append(h.mirrors, m)
	return m
}

// MirrorAs is Mirror for providers that stand in for those of another host: they are served under its name.
func (h *Host) MirrorAs(path, host string, providers ...*Provider) *Mirror {
	m := h.Mirror(path, providers...)
	return m.set(func() { m.as = host })
}

// URL is the base URL.
func (m *Mirror) URL() string { return "https://" + m.host.Name() + m.prefix }

func (m *Mirror) set(change func()) *Mirror {
	m.host.registry.mu.Lock()
	defer m.host.registry.mu.Unlock()
	change()
	return m
}

// Answer replaces what is served at a path below the mirror's own, such as registry.acme.dev/acme/widget/index.json.
func (m *Mirror) Answer(path string, status int, contentType, body string) *Mirror {
	return m.set(func() { m.raw[path] = newAnswer(status, contentType, []byte(body)) })
}

// HideFromIndex leaves a version out of every index, as a stale index does (B38).
func (m *Mirror) HideFromIndex(version string) *Mirror {
	return m.set(func() { m.hidden[version] = true })
}

// Hashes sets what archives are said to hash to; without it that is the true zh:.
func (m *Mirror) Hashes(f func(v *Version, platform string) []string) *Mirror {
	return m.set(func() { m.hashes = f })
}

// Location sets the url of archives; without it that is root-relative, on the mirror's own host.
func (m *Mirror) Location(f func(v *Version, platform string) string) *Mirror {
	return m.set(func() { m.location = f })
}

// Path is where every host serves a package.
func (v *Version) Path(platform string) string { return v.path(v.Filename(platform)) }

// routeLocked finds out what a path means; registry.mu is held.
func (m *Mirror) routeLocked(path string) (route, bool) {
	rest, ok := strings.CutPrefix(path, m.prefix)
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != 4 || !strings.HasSuffix(rest, ".json") {
		return route{}, false
	}
	to := route{endpoint: EndpointArchives, mirror: m, namespace: parts[1], typ: parts[2], version: strings.TrimSuffix(parts[3], ".json")}
	if parts[3] == "index.json" {
		to.endpoint, to.version = EndpointIndex, ""
	}
	for _, p := range m.providers {
		host := p.host.name
		if m.as != "" {
			host = m.as
		}
		if host == parts[0] && p.namespace == to.namespace && p.typ == to.typ {
			to.provider, to.owner = p, p.host
		}
	}
	if raw := m.raw[rest]; raw != nil {
		to.raw = raw
	}
	return to, true
}

// answer is the good answer.
func (m *Mirror) answer(to route) *answer {
	if to.raw != nil {
		return to.raw
	}
	if to.provider == nil {
		return errorAnswer(http.StatusNotFound, "Not Found")
	}
	r := m.host.registry
	r.mu.Lock()
	v, hidden, hashes, location := to.provider.versionLocked(to.version), m.hidden, m.hashes, m.location
	versions := map[string]struct{}{}
	for _, listed := range to.provider.versions {
		if !hidden[listed.number] {
			versions[listed.number] = struct{}{}
		}
	}
	r.mu.Unlock()
	if to.endpoint == EndpointIndex {
		return jsonAnswer(map[string]any{"versions": versions})
	}
	if v == nil {
		return errorAnswer(http.StatusNotFound, "Not Found")
	}
	archives := map[string]any{}
	for _, platform := range v.platformNames() {
		entry := map[string]any{"url": v.Path(platform), "hashes": []string{"zh:" + v.SHA256(platform)}}
		if hashes != nil {
			entry["hashes"] = hashes(v, platform)
		}
		if location != nil {
			entry["url"] = location(v, platform)
		}
		archives[platform] = entry
	}
	return jsonAnswer(map[string]any{"archives": archives})
}
