package explain

import (
	"bytes"
	"encoding/json"
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
)

// HasSuccessor tells whether the tools ask a registry under which namespace it knows a provider that it does not know under this one: only of
// their default host and of the namespace that a source without one means (R-ADDR-23).
func HasSuccessor(p addrs.Provider, tool addrs.Tool) bool {
	return p.Host == tool.DefaultHost() && p.Namespace == "hashicorp"
}

// Legacy returns the address whose version list names the successor of p.
func Legacy(p addrs.Provider) addrs.Provider {
	return addrs.Provider{Host: p.Host, Namespace: "-", Type: p.Type}
}

// Successor reads that list: `moved_to` wins over `id`, both are "namespace/type", and the type must be the same (R-ADDR-23). Anything else is
// no suggestion: the answer is foreign text, and only an address that the tool accepts gets into a message.
func Successor(body []byte, p addrs.Provider, tool addrs.Tool) (addrs.Provider, bool) {
	var document struct {
		ID      *string `json:"id"`
		MovedTo *string `json:"moved_to"`
	}
	if json.NewDecoder(bytes.NewReader(body)).Decode(&document) != nil {
		return addrs.Provider{}, false
	}
	text := document.MovedTo
	if text == nil || *text == "" {
		text = document.ID
	}
	if text == nil || strings.Count(*text, "/") != 1 || len(*text) > longestCompared {
		return addrs.Provider{}, false
	}
	q, err := addrs.Parse(p.DisplayHost()+"/"+*text, tool)
	if err != nil || q.Type != p.Type || q == p {
		return addrs.Provider{}, false
	}
	return q, true
}
