// Package lock verifies the versions of a manifest against their publishers' signatures and records what was verified (design §3.3 `lock`).
//
// # What it reads and writes
//
// The manifest says which versions are wanted, the lockfile of Bazel what is known about them. New facts go into the lockfile, surgically
// (package bazellock), and on demand a dependency lock (package deplock) is brought up to date. Both are written after everything was
// decided, each as a whole or not at all, and neither if it says the same already.
//
// # Requests
//
// All sources are under way at once. Of a version whose packages are recorded one download answer is asked for, since it alone names
// keys and documents, and then SHA256SUMS and its signature, once each. No package is fetched, unless the dependency lock lacks
// an h1: that nobody tells.
//
// # Trust
//
// Package trust decides. A version that it refuses, or about which a registry could not be asked, leaves nothing behind: neither facts nor an
// entry of the dependency lock; what was recorded earlier stays as it is. All versions of one source are judged by the signers recorded
// before the run, and all their signers are recorded together.
//
// # Checking
//
// A check computes the same and compares instead of writing. Offline it sees only the facts: then acceptance means that they agree with each
// other, with the manifest and with the built-in policy, not that anybody signed.
package lock
