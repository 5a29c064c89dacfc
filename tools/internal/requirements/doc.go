// Package requirements finds out which providers Terraform and OpenTofu configurations ask for, as `terraform providers` does: the
// required_providers of a root module and of all modules that it calls, versions in provider blocks, and what resources imply (R-ADDR-20,
// R-ADDR-21, R-CON-7). Who wants what is kept. It also reads and writes the mirror_json file that the Bazel extension takes (file.go), so
// that nobody writes a constraint twice.
//
// Nothing is evaluated and nothing is downloaded. Modules with local sources are read where they are; others where the tool has installed
// them according to modules/modules.json in TF_DATA_DIR or in .terraform of the root module, and if it has not, a warning names the call. Test files
// (*.tftest.hcl, *.tofutest.hcl) are not read.
//
// What the tools refuse is an error here if it bears upon providers, with file and line; all such errors are collected. Other defects of a
// configuration are the tools' concern and pass. Where the tools disagree, the rules are those of the tool that was named; two rules
// are stricter than theirs: sources and versions must be literal strings (no arithmetic), and constraints of one root module that no
// version can meet are an error here and not only when somebody runs init.
//
// The configuration may be hostile: size, nesting and the number of modules are bounded before the HCL library, which calls itself as
// deep as expressions nest, gets to see a file.
package requirements
