package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// words stand in for doc comments that are missing, or that speak to readers of Go: by object, or object and field, or type and value. A test
// fails if one of them is not used any more.
var words = map[string]string{
	"manifest.Request.schema":    "1",
	"manifest.Request.tool":      "whose default registry and rules count",
	"manifest.Request.facts":     "what is recorded, by key; see [facts](#facts)",
	"manifest.Request.policy":    "what the root module says about trust",
	"manifest.Entry.source":      "as written: `[host/]namespace/type`",
	"manifest.Policy.signers":    "fingerprints of the keys that may sign, by source or `host/namespace`",
	"manifest.Source":            "One place to take providers from, like a method of `provider_installation`.",
	"manifest.Source.kind":       "`direct`, `network_mirror`, `filesystem_mirror` or `oci_mirror`; each has its own one of the next three fields",
	"manifest.Response":          "The answer to a request. Every field is written, whatever it holds, but for those that are answers to optional questions.",
	"manifest.Response.schema":   "1",
	"manifest.Response.warnings": "for people, one line each",

	"manifest.Package":              "The answer for one platform.",
	"manifest.Package.error":        "why there is no answer",
	"manifest.Package.unavailable":  "true: the registry has no package for this platform",
	"manifest.Package.download_url": "http or https, without userinfo; of an ephemeral package without what makes it work",
	"manifest.Package.filename":     "`terraform-provider-<type>_[v]<version>_<os>_<arch>.zip`",
	"manifest.Package.ephemeral":    "whether the registry hands out another URL each time",
	"manifest.Error.kind":           "for programs",
	"manifest.Error.message":        "for people: one line that names the entry, what was found and what was wanted",

	"lock --json.schema":      "1",
	"lock --json.providers":   "in the order of the manifest, each version once",
	"lock --json.warnings":    "for people, one line each",
	"lock.Row.status":         "what became of it",
	"fetch --json.schema":     "1",
	"fetch --json.packages":   "in the order of the manifest, each package once",
	"fetch --json.warnings":   "for people, one line each; packages that the registry does not have are among them",
	"fetch.Row.platform":      "`<os>_<arch>`",
	"fetch.Row.status":        "`fetched` (downloaded by this run), `cached` (there already, and whole) or `failed`",
	"gather --json.schema":    "1",
	"gather --json.tool":      "as `--tool` said",
	"gather --json.providers": "one per entry of the file",
	"gather --json.warnings":  "for people, one line each",
	"requirements.Want.file":  "relative to the folder of `--out`, with slashes",
	"hash --json.schema":      "1",
	"hash --json.hashes":      "in the order of the arguments",
	"cli.hashRow.h1":          "of what is unpacked",

	"cli.requirementRow.constraints": "who wants what",

	"facts.Resolve.version":  "canonical",
	"facts.Tool.sha256":      "64 lower-case hex digits",
	"facts.Package.filename": "`terraform-provider-<type>_[v]<version>_<os>_<arch>.zip`",
	"facts.Package": "Where the archive of one platform is and what it hashes to, or that there is none. Of a package in a filesystem mirror only " +
		"`mirror` and `sha256` are set.",
	"facts.Tool.download_url": "of the archive",
	"trust.Verified.tier":     "how much stands behind it",

	"trust.Status":             "What `lock` found out about a version, as its table and its JSON say it.",
	"trust.Status.unsigned":    "accepted without a signature, or not signed and not recorded",
	"trust.Status.refused":     "verification refused it; nothing was recorded",
	"trust.Status.unavailable": "it could not be asked about; nothing was recorded",

	"addrs.Tool.terraform": "HashiCorp's terraform",
	"addrs.Tool.tofu":      "OpenTofu",

	"problem.Kind.checksum":  "other bytes than wanted, a hash that is not the signed one, or bytes that are refused as a package",
	"problem.Kind.signature": "the signature over the list of checksums cannot be accepted",
	"problem.Kind.signer":    "signed by a key that may not sign for this source, or that is not the recorded one",
	"problem.Kind.expired":   "the signature has expired, or the key has and the policy refuses that",
	"problem.Kind.revoked":   "the key is revoked",
	"problem.Kind.unsigned":  "there is no signature where one is wanted",
}

// used are the keys of words that were asked for.
var used = map[string]bool{}

// wordsFor returns what stands in for a doc comment, or the comment itself.
func wordsFor(key, doc string) string {
	if text, ok := words[key]; ok {
		used[key] = true
		return text
	}
	return doc
}

// withoutSubject shortens "Row is the outcome" to "The outcome": the heading says Row already.
func withoutSubject(doc, name string) string {
	rest, ok := strings.CutPrefix(doc, name+" is ")
	if !ok {
		return doc
	}
	first, size := utf8.DecodeRuneInString(rest)
	return string(unicode.ToUpper(first)) + rest[size:]
}
