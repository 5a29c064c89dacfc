// Package fetch brings packages to disk: into a Bazel repository cache, or as an unpacked filesystem mirror (design §3.3 `fetch`).
//
// It resolves what the request's facts do not answer, then downloads the packages of all platforms in parallel. Every package is
// checked against its recorded sha256, or the registry's where none is recorded. No signature is looked at: that is what `lock` is for.
//
// An address may be used up (design §3.5). An ephemeral one is never requested as recorded: the registry is asked, if it was not in this
// run. An address that answers 403, 404 or 410 has the registry asked once more (B04, B05). Either way the registry must name the
// same content; other content is content_changed and nothing is downloaded.
//
// One package's failure does not spoil the others. What failed leaves nothing behind, neither in the cache nor in the mirror.
package fetch
