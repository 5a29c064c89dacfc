// Package archive unpacks provider packages, zip files that somebody else made, into a directory of their own.
//
// # What is promised
//
// The target directory appears complete or not at all: everything is unpacked into a staging directory, which is renamed when the last
// file is written. Nothing outside of the staging directory is touched, whatever the names in the zip are: names are checked
// before the first file is written, and files are created through an os.Root, which the operating system confines.
//
// The tree is the one that terraform and tofu make (R-HASH-7), so that its h1: is theirs: link entries become regular files that hold the
// target's path, "./a" is "a", a backslash stays in the name on Unix. It differs in what does not count for h1: modes are normalised
// to 0755 and 0644, nothing is read-only (C18), and the provider executable is executable whatever the zip says.
//
// # What is refused
//
// Names that leave the directory or that mean something else on another system, two entries for one file, a file that is also a directory,
// encrypted and special entries, archives that are damaged, empty, or no zip at all (B40), and archives beyond the limits. On
// systems that fold case, two names that differ in case only are refused as well, because one would overwrite the other.
//
// # What is not promised
//
// Nothing is said about whether the content is good; its hash must have been checked before.
package archive
