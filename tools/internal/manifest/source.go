package manifest

// Source is one place to take providers from, like a method of provider_installation (R-CLI-13). package sources checks it.
//
//	{"kind": "direct"}
//	{"kind": "network_mirror", "url": "https://mirror.example.com/providers/"}
//	{"kind": "filesystem_mirror", "path": "/workspace/third_party/providers"}
//	{"kind": "oci_mirror", "repository_template": "registry.example.com/${hostname}/${namespace}/${type}"}
//
// each with optional "include" and "exclude".
type Source struct {
	Kind               string   `json:"kind"`
	URL                string   `json:"url,omitempty"`                 // network_mirror: https; a slash at its end may be left out
	Path               string   `json:"path,omitempty"`                // filesystem_mirror: directory of packed packages
	RepositoryTemplate string   `json:"repository_template,omitempty"` // oci_mirror: HCL template (R-NET-18); tofu only
	Include            []string `json:"include,omitempty"`             // patterns (R-CLI-14, R-CLI-15); none: every provider
	Exclude            []string `json:"exclude,omitempty"`             // patterns; they win over Include
}

// Host is what a host offers, in place of its discovery document.
type Host struct {
	// ProvidersV1 is the base URL of the host's provider registry. It gets the host's token only if it is on that host (design §3.1).
	ProvidersV1 string `json:"providers.v1"`
}
