// Package netmirror asks network mirrors of providers (R-NET): <base><host>/<namespace>/<type>/index.json for versions and …/<version>.json
// for the archives of one version, which answers for all platforms at once.
//
// A mirror is not the provider's registry: there is no signed list, and what it says about content is its own word (R-NET-14). So a package
// from here is as good as the mirror, and no better; what that is worth is decided elsewhere.
//
// # What is promised
//
// ParseIndex and ParseArchives read foreign bytes without any I/O. No request goes to the provider's own host. The token of the mirror's host
// goes to that host only (R-CRED-16), and no token goes to an archive. Each document is asked for once per Client. An exact version does not
// need the index (B38).
//
// Bazel needs the sha256 of every package. Where a document has none (only h1:, or no hash at all), the archive is downloaded once, checked
// against the h1: of the document if there is one, and hashed.
package netmirror
