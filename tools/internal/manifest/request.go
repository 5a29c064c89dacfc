// Package manifest defines the request and the response of `tfmirror resolve` (design §3.3). `lock` and `fetch` read the same request.
package manifest

import (
	"encoding/json"

	"rules_tf_mirror/tools/internal/addrs"
)

// Schema is the version of both formats. New optional fields do not change it.
const Schema = 1

// Request says which providers are wanted, for which platforms, and what is known already.
type Request struct {
	Schema      int                        `json:"schema"`
	Tool        addrs.Tool                 `json:"tool"`
	ToolVersion string                     `json:"tool_version,omitempty"` // empty: not said
	Platforms   []string                   `json:"platforms"`              // <os>_<arch>, at least one, each once
	Providers   []Entry                    `json:"providers"`              // in the order of the answer
	Facts       map[string]json.RawMessage `json:"facts,omitempty"`        // as recorded; not checked by Decode
	Policy      *Policy                    `json:"policy,omitempty"`
	// Installation is "direct" (also when empty) or "config": whether the CLI configuration's provider_installation counts. Credentials, host
	// blocks and the credentials helper of that configuration count in either case.
	Installation string `json:"installation,omitempty"`
	// Sources are the places to take providers from, in order; none: the origin registries. They exclude Installation "config".
	Sources []Source `json:"sources,omitempty"`
	// Hosts replace service discovery by host, as host blocks of the CLI configuration do, and win over those (B10, B20).
	Hosts map[string]Host `json:"hosts,omitempty"`
	// ProviderLocks are paths of dependency locks: for resolve, files whose entries the answer is to hold; in a manifest for lock, files that
	// cover versions without a verified fact, relative to the folder of the lockfile.
	ProviderLocks []string `json:"provider_locks,omitempty"`
}

// Entry is one line of the manifest. The same source may be wanted under several constraints.
type Entry struct {
	Source   string  `json:"source"`             // as written; addrs.Parse reads it
	Version  *string `json:"version,omitempty"`  // constraint as written; nil: the newest release; empty: an error of the entry
	Selected string  `json:"selected,omitempty"` // the version that the extension chose, for lock
	// WantedBy says who asks for the entry, as gather found out ("modules/vpc/main.tf: ~> 3.1"); for messages and reports of lock.
	WantedBy []string `json:"wanted_by,omitempty"`
}

// Policy is what the root module says about trust (design §3.7).
type Policy struct {
	Signers       map[string][]string `json:"signers,omitempty"`        // source or host/namespace -> fingerprints
	AllowUnsigned []string            `json:"allow_unsigned,omitempty"` // sources
	ExpiredKeys   string              `json:"expired_keys,omitempty"`   // accept, signed-before or refuse; empty: accept
	AllowSHA1     []string            `json:"allow_sha1,omitempty"`     // sources
	AllowChanged  []string            `json:"allow_changed,omitempty"`  // source:version, a release whose changed content is accepted
	AllowChecksum []string            `json:"allow_checksum,omitempty"` // sources for which a mirror's word is enough under strict
	Strict        bool                `json:"strict,omitempty"`         // provider_locks_strict: unverified versions are refused unless allowed
}
