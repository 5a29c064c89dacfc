// Package explain finds what the author of a manifest may have meant when something in it was not found. It only compares what is known
// already; who asks a registry for more, and when, is the business of package resolve.
//
// Every result is deterministic: candidates come in any order and are chosen by distance, then by the order of addresses (R-ADDR-14).
package explain
