package resolve

import (
	"errors"

	"rules_tf_mirror/tools/internal/deplock"
	"rules_tf_mirror/tools/internal/manifest"
)

// AddProviderLocks puts into the response what the request's dependency locks say, all of it: the caller knows which versions it needs it
// for. A file that is missing or that the tool would refuse makes all of them unusable, as Problems says: what it would have locked is not
// known. That is no failure of the request, since the caller may be about to write that very file. Entries that lock nothing for this tool
// are warnings (A20).
func AddProviderLocks(request *manifest.Request, response *manifest.Response) {
	if len(request.ProviderLocks) == 0 {
		return
	}
	answer := &manifest.ProviderLocks{Entries: map[string][]manifest.LockedVersion{}, Problems: []string{}}
	response.ProviderLocks = answer
	set, err := deplock.ReadAll(request.ProviderLocks, request.Tool)
	for _, broken := range set.Broken {
		answer.Problems = append(answer.Problems, messages(broken.Err)...)
	}
	if err != nil {
		answer.Problems = append(answer.Problems, messages(err)...)
	}
	if len(answer.Problems) > 0 {
		return
	}
	response.Warnings = append(response.Warnings, set.Warnings(request.Tool)...)
	for _, entry := range set.All() {
		key := entry.Provider.String() + "/" + entry.Version.String()
		locked := manifest.LockedVersion{Path: entry.Path, Line: entry.Line, Hashes: []string{}}
		for _, hash := range entry.Hashes {
			locked.Hashes = append(locked.Hashes, hash.String())
		}
		answer.Entries[key] = append(answer.Entries[key], locked)
	}
}

// messages returns the texts of errors that were joined, in order.
func messages(err error) []string {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return []string{err.Error()}
	}
	var texts []string
	for _, part := range joined.Unwrap() {
		texts = append(texts, messages(part)...)
	}
	return texts
}
