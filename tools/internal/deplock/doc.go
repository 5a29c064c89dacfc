// Package deplock reads, merges and writes dependency lock files, .terraform.lock.hcl, of terraform and tofu (R-LOCK).
//
// # Reading
//
// What the tools refuse is refused here, with file and line; what they accept is accepted, however oddly it is written (R-LOCK-6). A
// missing file is an empty one. Expressions are evaluated without variables and functions, so a template of constants is fine.
//
// # Trust
//
// Nothing in the file is signed. A zh: hash says what whoever wrote the file saw in a list of checksums, without saying for which
// platform; an h1: hash says not even that. A file therefore binds a version to a set of packages, not a package to a platform, and an
// entry without a comparable hash binds nothing (R-HASH-9): Entry.ZipHashes and Entry.Binds keep callers from reading more into it.
//
// # Writing
//
// Format writes the bytes that the tool itself would write. Merge decides what those are to say: what is not ours stays.
package deplock
