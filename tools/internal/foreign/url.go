package foreign

import (
	"net/url"
	"strings"
)

// longSegment is the length in bytes above which a path segment is taken for a signature.
const longSegment = 100

// archivist is the object storage of HCP Terraform, on a host of its own or below /_archivist/ of a Terraform Enterprise. The part of a path
// behind it is signed: who has it may read the object.
const (
	archivistHost    = "archivist.terraform.io"
	archivistSegment = "_archivist"
	archivistObjects = "v1/object/"
)

// URL returns the part of a URL that may be recorded and shown, and whether what is left out makes the URL one that works only for a time
// (design §3.5): a query, a path segment of more than 100 bytes, the object in HCP Terraform's storage. secret, which may be nil, tells whether
// an unescaped segment holds a secret; the part ends before such a segment too. User information and fragment are always left out.
func URL(u *url.URL, secret func(string) bool) (shown string, ephemeral bool) {
	part := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, Opaque: u.Opaque}
	ephemeral = u.RawQuery != "" || u.ForceQuery
	escaped := u.EscapedPath()
	if end := capability(u, escaped, secret); end < len(escaped) {
		ephemeral = true
		part.RawPath = escaped[:end]
		part.Path, _ = url.PathUnescape(escaped[:end]) // EscapedPath is valid, and it was cut at a slash
	}
	if strings.EqualFold(u.Hostname(), archivistHost) {
		ephemeral = true
	}
	return part.String(), ephemeral
}

// capability returns where in an escaped path the part begins that may be a secret; the length of the path if there is none.
func capability(u *url.URL, escaped string, secret func(string) bool) int {
	if strings.EqualFold(u.Hostname(), archivistHost) {
		return objects(escaped, min(1, len(escaped)))
	}
	start := 0
	for start <= len(escaped) {
		end := len(escaped)
		if slash := strings.IndexByte(escaped[start:], '/'); slash >= 0 {
			end = start + slash
		}
		segment, err := url.PathUnescape(escaped[start:end])
		switch {
		case err != nil, end-start > longSegment, secret != nil && secret(segment):
			return start
		case segment == archivistSegment && end+1 < len(escaped):
			return objects(escaped, end+1)
		}
		start = end + 1
	}
	return len(escaped)
}

// objects moves an end behind the part that all objects have in common.
func objects(escaped string, end int) int {
	if strings.HasPrefix(escaped[end:], archivistObjects) {
		return end + len(archivistObjects)
	}
	return end
}
