// Package registry asks provider registries (`providers.v1`, R-REG): which versions a provider has, and where the package of one
// version and platform is.
//
// Answers are foreign bytes. ParseVersions and ParseDownload read them without any I/O, are as lenient as the tools where that does no
// harm (R-REG-7) and check everything that later code relies on (R-REG-8, design §3.3 filename, §3.5 download URLs). Whether the content
// of a package is to be trusted is not decided here.
package registry
