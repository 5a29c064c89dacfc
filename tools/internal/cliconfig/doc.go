// Package cliconfig reads the CLI configuration of terraform and tofu: ~/.terraformrc and its relatives (R-CLI).
//
// The syntax is HCL 1 or JSON, told apart by content (R-CLI-6). Load reads everything that counts for one tool on one system and merges it
// as that tool does. It asks nobody: no network, no child process, no clock; files and variables come in through System, so that every
// system's rules can be tested on any other.
//
// Both tools print an error for a defect and go on with the rest (R-CLI-9). This package goes on too, but keeps what is wrong in two heaps:
// Errors are defects of what decides who is asked, and with which token (credentials, host, credentials_helper, provider_installation, and
// files that cannot be read at all); who goes on in spite of them asks the wrong place. Warnings are all the rest.
//
// No message shows the text of a file: it may hold a token.
package cliconfig
