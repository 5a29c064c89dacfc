package fetch

import (
	"context"

	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/terminal"
)

// take stores a package whose source reads it itself: a file of a mirror, or a blob of an OCI registry.
func (r *run) take(ctx context.Context, p Package, answer *registry.Package, item *terminal.Item) (*download.File, error) {
	content, err := answer.Content(ctx)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	return r.Download.Take(content, answer.Mirror, download.Request{SHA256: p.SHA256, Dir: r.Sink.WorkDir(), Progress: item.Update})
}
