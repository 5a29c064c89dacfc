package registry

import (
	"context"
	"net/http"

	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/transport"
)

// maxDocumentBytes bounds SHA256SUMS and its signature; the longest real list has some ten KiB.
const maxDocumentBytes = 4 << 20

// Document is SHA256SUMS or its signature.
type Document struct {
	Body    []byte
	Missing bool   // answered 404, or not named by the download answer
	Shown   string // the address without what may be a secret, or why there is none; for messages
}

// Document fetches what a download answer refers to. Neither a token nor the tool's version is sent (R-REG-3). Errors are *problem.Error, or
// the cause of ctx's end; they name the address, the caller says which document it is. Each call is a request.
func (c *Client) Document(ctx context.Context, pkg *Package, reference string) (Document, error) {
	if reference == "" {
		return Document{Missing: true, Shown: "the download answer names none"}, nil
	}
	location, err := pkg.Resolve(reference)
	if err != nil {
		return Document{}, problem.Wrap(problem.Response, err, "the download answer has an address %v", err)
	}
	shown := transport.Redacted(location.url)
	policy := c.policy
	policy.MaxBytes = maxDocumentBytes
	header := http.Header{"User-Agent": c.header["User-Agent"]}
	response, err := c.transport.Get(ctx, transport.Request{URL: location.url, Header: header, Policy: policy})
	switch {
	case err != nil && ctx.Err() != nil:
		return Document{}, context.Cause(ctx)
	case err != nil:
		return Document{}, problem.Wrap(problem.Network, err, "%v", err)
	}
	switch response.Status {
	case http.StatusOK:
		return Document{Body: response.Body, Shown: shown}, nil
	case http.StatusNotFound:
		return Document{Missing: true, Shown: shown}, nil
	case http.StatusUnauthorized, http.StatusForbidden:
		return Document{}, problem.New(problem.Unauthorized, "%s answers %s; no token is sent there, by terraform and tofu neither", shown, transport.StatusText(response.Status))
	default:
		return Document{}, problem.New(problem.Response, "%s answers %s; 200 is wanted", shown, transport.StatusText(response.Status))
	}
}
