package resolve

import (
	"fmt"
	"net/url"

	goversion "github.com/hashicorp/go-version"

	"rules_tf_mirror/tools/internal/manifest"
)

// Check refuses requests that this version cannot answer as a whole: wrong input, exit code 2.
func Check(request *manifest.Request) error {
	switch request.Installation {
	case "", "direct":
	case "config":
		return fmt.Errorf(`request: "installation": "config" is not supported by this version of tfmirror; write "direct" or leave it out`)
	default:
		return fmt.Errorf(`request: "installation" is %q; write "direct" or leave it out`, request.Installation)
	}
	if len(request.Sources) > 0 {
		return fmt.Errorf(`request: "sources" is not supported by this version of tfmirror; leave it out to ask the registries`)
	}
	if len(request.Hosts) > 0 {
		return fmt.Errorf(`request: "hosts" is not supported by this version of tfmirror; leave it out to use service discovery`)
	}
	// The version becomes part of header fields.
	if v := request.ToolVersion; v != "" {
		if _, err := goversion.NewSemver(v); err != nil || url.PathEscape(v) != v || v[0] == 'v' {
			return fmt.Errorf(`request: "tool_version" is %q, not a version such as "1.9.5"`, v)
		}
	}
	return nil
}
