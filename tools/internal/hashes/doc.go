// Package hashes computes and compares the package hashes of dependency locks.
//
// # Formats
//
// Two schemes are understood, written scheme:value (R-HASH-1).
//
//   - zh: is the lower-case hex SHA-256 of the zip file as downloaded. It can be had only from the archive (R-HASH-2).
//   - h1: is a hash over names and contents of the files, in base64 (R-HASH-3, R-HASH-4). Times, modes and compression do not count.
//
// An h1: can be computed from the archive and from the unpacked directory, and the two may differ (R-HASH-5): in an archive every entry
// counts under its raw name, also directory entries, while a directory knows only its files. The tools record the directory's
// h1: and compare a downloaded archive by the archive's (R-HASH-6), so this package offers both and never takes one for the other.
//
// # Trust
//
// A hash says that content is the same as some other content; whether that other content is good is decided where the recorded
// hash comes from. Verdict has three values for this reason: NoCheck is never an answer to a failed comparison, and callers that need
// a check treat it as a refusal.
package hashes
