// Package transport sends GET requests to registries and decides what is tried again.
//
// The rules are those of the tools (R-REG-4..6, R-DISC-4..6): a time limit for each attempt, few retries for connection errors and
// 5xx, none for what cannot get better. Three things go beyond them, because one run of tfmirror asks hundreds of questions at once:
//
//   - A host that answers 429 is left alone by every request of the process until its Retry-After is over, not only by the request
//     that was answered.
//   - A request does not use up its retries while the host answers other requests: it only waited for its turn.
//   - The token is dropped at the first redirect that leaves the scheme, host and port, and never sent over plain http except to
//     loopback.
//
// hashicorp/go-retryablehttp supplies the classification of connection errors, which is what both tools use; its loop knows only
// one request at a time, so the loop here is our own.
//
// Errors of this package (Error) say that an answer could not be had. They never speak about the content of an answer, and they
// contain no query, no user information and no header.
package transport
