// Package bazellock reads and edits the facts of one module extension in MODULE.bazel.lock.
//
// # Format
//
// The file is a JSON object that Bazel writes with Gson: two spaces of indentation, one element or member a line, "{}" and "[]" for what is
// empty, a final newline. Its members come in this order:
//
//	lockFileVersion registryFileHashes selectedYankedVersions moduleExtensions facts factsVersions
//
// The last two are missing before Bazel 8.5 and, for factsVersions, before 8.8 and 9.2. "facts" has a member for each extension that
// returned any; its name is <label of the .bzl file>%<name of the extension>, where a label of the root module is written without "@@".
// Members are sorted by repository, package, file and extension name; facts below that by name, in the order of their UTF-8 bytes.
//
// In strings only the quotation mark, the backslash, characters below U+0020, U+2028 and U+2029 are escaped: \b \f \n \r \t, else \u and
// four lower-case hex digits. So < > & ' = and everything beyond ASCII stand as they are. All of this was measured with a real Bazel
// (testdata/measured.lock is what it wrote), and bazel_test.go asks the Bazel at hand again.
//
// # Editing
//
// An edit touches the bytes of one member of "facts" and nothing else, so that other tools' entries, line ends, a byte order mark and a
// missing final newline stay as they are. Bazel reads the file when a command begins and writes it when what it then has differs from what
// it read; the comparison is by value. So after an edit in Bazel's own form the next command leaves the file as it is.
//
// # Limits
//
// Facts with numbers that are not integers, or with null, are refused: Bazel's spelling of the former depends on its Java, and
// the latter it drops. So are values nested deeper than Bazel allows (maxDepth). Nobody can lock out Bazel itself: Save
// compares the file with what was read at the last moment, and no edit should be made while a Bazel command runs in the workspace.
package bazellock
