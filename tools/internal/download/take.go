package download

import (
	"errors"
	"io"
	"net/url"
)

// Take stores content that is read from elsewhere than a URL, such as a file of a mirror, and checks its SHA-256 as Get does. name is for
// messages. The error is a *HashError, an *Error, or one of the local disk.
func (c *Client) Take(content io.Reader, name string, request Request) (*File, error) {
	if request.Progress == nil {
		request.Progress = func(int64, int64) {}
	}
	request.URL = &url.URL{Path: name}
	file, err := store(&bodyReader{in: content, total: -1, limit: c.options.MaxBytes, progress: request.Progress, alive: func() {}}, request)
	var (
		mismatch *HashError
		cut      *networkError
		final    *finalError
	)
	switch {
	case errors.As(err, &mismatch):
		mismatch.URL = name
	case errors.As(err, &cut), errors.As(err, &final):
		err = &Error{URL: name, Attempts: 1, Err: err}
	}
	return file, err
}
