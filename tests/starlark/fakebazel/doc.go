// Package fakebazel runs the module's .bzl files without Bazel, in the Starlark interpreter of go.starlark.net.
//
// It has what those files use of Bazel and nothing more, and is stricter than lenient: an attribute that a repository rule does not
// declare, a dict with None among the facts or a call of a name it does not know is an error, as it is in Bazel. Where Bazel offers
// less than one would think (facts cannot be listed, `read` of a missing file fails), so does the fake. What only real Bazel can show
// is shown in tests/e2e.
package fakebazel
