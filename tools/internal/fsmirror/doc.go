// Package fsmirror reads filesystem mirrors of providers (R-FS): HOST/NAMESPACE/TYPE/terraform-provider-TYPE_VERSION_OS_ARCH.zip (packed) and
// HOST/NAMESPACE/TYPE/VERSION/OS_ARCH/ (unpacked), as terraform and tofu find them.
//
// # What is promised
//
// Scan finds what the tools find: names are normalised (R-FS-2), links are followed at the last level only (R-FS-5), everything else is passed over
// in silence. Nothing below a package is looked at.
//
// # What is recorded
//
// A packed package is recorded as its path below the mirror's root and the sha256 of the zip (design §3.7); the root must be a directory of the
// workspace, because a lockfile is shared. An unpacked package cannot be recorded: it has no zip, so neither a sha256 that Bazel could check nor
// a zh: that a dependency lock could hold. It is refused, not passed over, because the tools would use it. Where a packed and an unpacked
// one of the same version and platform lie side by side, the tools take the unpacked one (R-FS-8) and we take the packed one.
package fsmirror
