// Package ocimirror reads providers from repositories of OCI registries, as OpenTofu's oci_mirror does (R-NET-18).
//
// A template makes the repository's address of the provider's. Versions are its tags, "_" standing for "+". A tag names an index manifest, which
// names one image manifest for each platform, whose one layer of media type archive/zip is the package; its digest is the zh: hash.
//
// There are no signatures: the digests bind the package to the tag, and the tag is the registry's word. A blob needs the registry's own way to
// authenticate, which Bazel's downloader does not know, so packages from here are always recorded as ephemeral (design §3.7): their address is for
// people, and whoever misses the package in a cache asks this package again.
//
// Credentials are those of container tools: $XDG_RUNTIME_DIR/containers/auth.json, containers/auth.json in the user's configuration directory, and
// docker's config.json, in this order. OpenTofu's own oci_credentials blocks are not read.
package ocimirror
