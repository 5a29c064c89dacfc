package netmirror

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
)

// measure downloads an archive to a temporary file and returns its sha256, after one of the listed hashes matched (R-NET-13); an empty list
// means that there is nothing to compare with (R-NET-14).
func (c *Client) measure(ctx context.Context, location registry.Location, listed []hashes.Hash) (string, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	dir, err := os.MkdirTemp("", "tfmirror-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	target, err := url.Parse(location.Reveal())
	if err != nil {
		return "", errors.New("its url is not valid")
	}
	file, err := c.options.Download.Measure(ctx, download.Request{URL: target, Dir: dir})
	if err != nil {
		return "", c.downloadError(ctx, location, err)
	}
	if len(listed) == 0 {
		return file.SHA256, nil
	}
	computed := []hashes.Hash{hashes.FromSHA256(file.SHA256)}
	h1, err := hashes.Zip(file.Path)
	if err == nil {
		computed = append(computed, h1)
	}
	if hashes.Compare(listed, computed) == hashes.Match {
		return file.SHA256, nil
	}
	if err != nil {
		return "", errors.New("it is not a zip file")
	}
	return "", fmt.Errorf("the archive has the hashes %s and %s, and the document lists neither", computed[0], h1)
}

// downloadError gives a failed download its kind.
func (c *Client) downloadError(ctx context.Context, location registry.Location, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var refused *download.StatusError
	kind := problem.Network
	if errors.As(err, &refused) {
		kind = problem.Response
		if refused.Status == 401 || refused.Status == 403 {
			kind = problem.Unauthorized
		}
		return problem.Wrap(kind, err, "%s lists no sha256, and its archive at %s cannot be had to compute it: %d is answered", c, location, refused.Status)
	}
	var network *download.Error
	if errors.As(err, &network) {
		return problem.Wrap(kind, err, "%s lists no sha256, and its archive at %s cannot be had to compute it: %v", c, location, network.Err)
	}
	return problem.Wrap(kind, err, "%s lists no sha256, and its archive at %s cannot be stored to compute it: %v", c, location, err)
}
