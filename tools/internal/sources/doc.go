// Package sources decides where providers come from: the origin registries, or the mirrors that a request or the CLI configuration names.
//
// A request says it in one of three ways. Nothing, or "installation": "direct": the origin registries alone; the CLI configuration's
// provider_installation does not count, so that a build does not depend on a developer's home by surprise. "sources": the places in that list.
// "installation": "config": what the CLI configuration says, implied mirrors included (R-CLI-11..20).
//
// In every case the CLI configuration's credentials, host blocks and credentials helper count, and it is read only when a question is asked that
// no fact answers. Its defects then stop the questions that they concern.
//
// Several places combine as in the tools: a constraint chooses from the union of what all places list (R-CLI-21, R-CLI-22), and the package is
// taken from the first place in order that has it (R-CLI-23). A provider whose places are all mirrors causes no request to its own host (B17, B19).
package sources
