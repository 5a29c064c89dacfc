package resolve

import (
	"fmt"
	"net/url"

	goversion "github.com/hashicorp/go-version"

	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/sources"
)

// Check refuses requests that this version cannot answer as a whole: wrong input, exit code 2.
func Check(request *manifest.Request) error {
	if err := sources.Check(request); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	// The version becomes part of header fields.
	if v := request.ToolVersion; v != "" {
		if _, err := goversion.NewSemver(v); err != nil || url.PathEscape(v) != v || v[0] == 'v' {
			return fmt.Errorf(`request: "tool_version" is %q, not a version such as "1.9.5"`, v)
		}
	}
	return nil
}
