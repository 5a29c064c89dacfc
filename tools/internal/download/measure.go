package download

import "context"

// Measure fetches a file whose SHA-256 nobody knows yet, and returns what it is. It says nothing about whether the content is right: who calls
// this must compare the file with something else, or say that nothing vouches for it. Errors are those of Get but for *HashError.
func (c *Client) Measure(ctx context.Context, request Request) (*File, error) {
	request.SHA256, request.measure = "", true
	return c.Get(ctx, request)
}
