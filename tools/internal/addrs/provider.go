package addrs

import (
	"strings"

	"github.com/opentofu/svchost"
)

// defaultNamespace is the namespace of an address of one part, in both tools (R-ADDR-2).
const defaultNamespace = "hashicorp"

// Provider is the normalised address of one provider. Values made by Parse are equal exactly if they name the same provider, so the
// type can be a map key. The zero value names no provider.
type Provider struct {
	Host      string // comparison form: lower case, punycode, ":port" unless it is 443 (R-ADDR-13)
	Namespace string // normalised Unicode
	Type      string // normalised Unicode
}

// String returns host/namespace/type, always with the host, in Unicode: the form of fact keys, of "source" in JSON, of lock file
// labels and of directories (table in the spec's §1.3). For ASCII hosts it is what a tag of the extension says.
func (p Provider) String() string {
	if p == (Provider{}) {
		return ""
	}
	return p.DisplayHost() + "/" + p.Namespace + "/" + p.Type
}

// DisplayHost returns the host with its port in Unicode, for people and for paths; URLs take Host.
func (p Provider) DisplayHost() string {
	// The method of svchost.Hostname panics on a host that no parser has seen; this function returns such a host as it is.
	return svchost.ForDisplay(p.Host)
}

// Less reports whether p sorts before q: by host in comparison form, then namespace, then type, in byte order (R-ADDR-14).
func (p Provider) Less(q Provider) bool {
	if c := strings.Compare(p.Host, q.Host); c != 0 {
		return c < 0
	}
	if c := strings.Compare(p.Namespace, q.Namespace); c != 0 {
		return c < 0
	}
	return p.Type < q.Type
}
