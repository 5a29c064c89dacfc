// Package resolve answers a manifest: which version each entry means and where its packages are (design §3.3 `resolve`).
//
// What the request's facts answer is not asked again. All other questions are in flight together: version lists for constrained entries
// and download endpoints for exact ones at once, then the download endpoints of what was selected. The registry client below asks each
// question once, so entries that share a source or a version cost nothing more.
//
// A failure stays with its entry, or with one platform of it (F26). Nothing that failed becomes a fact.
package resolve
