// Package resolve answers a manifest: which version each entry means and where its packages are (design §3.3 `resolve`).
//
// What the request's facts answer is not asked again. All other questions are in flight together: version lists for constrained entries
// and download endpoints for exact ones at once, then the download endpoints of what was selected. The registry client below asks each
// question once, so entries that share a source or a version cost nothing more.
//
// So c constrained sources and q exact or selected versions on p platforms cost c + p·q requests, beside one discovery for each host that is no
// default host. Only failures cost more, each at most once per source: if no wanted platform of an exact version has a package, its version list
// (it tells whether provider, version or platform is missing); if a default host does not know a hashicorp/ provider, one list that names its
// successor (R-ADDR-23); if all packages speak another plugin protocol, the version list (R-REG-14).
//
// A failure stays with its entry, or with one platform of it (F26). Nothing that failed becomes a fact.
package resolve
