// Package download streams one package into a file and checks its SHA-256 while it arrives.
//
// Registries answer with an address of the package, usually on another host. This hop differs from those to a registry (package
// transport): bodies are large, so they go to disk and never into memory, and the registry's token is not sent, whatever host the
// address is on (F14, B02, R-DL-3). A netrc entry serves private archive hosts, as it does for terraform from 1.11 on and for Bazel (R-CRED-18);
// it is not sent over plain http except to this machine, and a redirect to another scheme, host or port drops it (F16).
//
// # What is promised
//
// A file is returned only if its SHA-256 is the wanted one; after any error there is no file. The hash is over the zip, after a
// Content-Encoding of the transfer was undone (B21). Only GET is sent (B03). Redirects are followed to any host; their targets, which may carry
// signatures, appear in no error and no header (B05, B06).
//
// Failed connections, cut-off bodies, 429 and 5xx are tried again, wrong bytes never: a server that answers differently each time must be seen (C06).
package download
