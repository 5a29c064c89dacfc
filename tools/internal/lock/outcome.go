package lock

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/deplock"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/strictjson"
	"rules_tf_mirror/tools/internal/trust"
)

// outcome is what was found out about a release. It is written by one goroutine and read after all have ended.
type outcome struct {
	facts       map[string]json.RawMessage           // the resolve/ and package/ facts that answer its entries now
	packages    map[platforms.Platform]facts.Package // of all platforms that are answered
	fresh       map[platforms.Platform]bool          // asked for in this run
	recorded    *trust.Verified
	input       trust.Input // what verdict was decided by
	verdict     trust.Verdict
	listed      []hashes.Hash        // zh: of every line that a dependency lock has (R-AUTH-7)
	offered     map[string]string    // h1: that the registry tells, by platform (R-AUTH-26)
	computed    []hashes.Hash        // h1: for the dependency lock
	proved      map[hashes.Hash]bool // h1: of packages that were looked at in this run, of whatever platform
	bound       map[string]string    // sha256 by platform of every package that its list has
	byFile      []deplock.Entry      // entries of provider_locks that cover it, as it has no verified fact
	warnings    []string
	differences []Difference // of the lockfile, for a check
	err         error
}

// sums returns the sha256 of each platform that has a package.
func (o *outcome) sums() map[string]string {
	found := map[string]string{}
	for platform, p := range o.packages {
		if !p.Unavailable {
			found[platform.String()] = p.SHA256
		}
	}
	return found
}

// verifiedKey is the key of a version's verified/ fact.
func verifiedKey(rel *release) string {
	return "verified/" + rel.provider.String() + "/" + rel.version.String()
}

// signerKey is the key of a source's signer/ fact.
func signerKey(source string) string { return "signer/" + source }

// readVerified returns the recorded fact of a version, nil if there is none. A fact that cannot be read is refused: who drops it silently
// trusts anew.
func (r *run) readVerified(rel *release) (*trust.Verified, error) {
	raw, ok := r.facts[verifiedKey(rel)]
	if !ok {
		return nil, nil
	}
	var fact trust.Verified
	if err := strictjson.Unmarshal(raw, &fact); err != nil {
		return nil, malformed(verifiedKey(rel), err)
	}
	if defect := fact.Defect(); defect != "" {
		return nil, malformed(verifiedKey(rel), errors.New(defect))
	}
	return &fact, nil
}

// readSigner returns the recorded signers of a source, nil if there are none.
func (r *run) readSigner(source string) (*trust.Signer, error) {
	raw, ok := r.facts[signerKey(source)]
	if !ok {
		return nil, nil
	}
	var fact trust.Signer
	if err := strictjson.Unmarshal(raw, &fact); err != nil {
		return nil, malformed(signerKey(source), err)
	}
	if defect := fact.Defect(); defect != "" {
		return nil, malformed(signerKey(source), errors.New(defect))
	}
	return &fact, nil
}

// recordedSigner returns the recorded signers of a source: those of its signer fact, else of its verified facts, of any version.
func (r *run) recordedSigner(source string) (*trust.Signer, error) {
	fact, err := r.readSigner(source)
	if err != nil || fact != nil {
		return fact, err
	}
	var verified []trust.Verified
	for _, key := range slices.Sorted(maps.Keys(r.facts)) {
		var version trust.Verified
		if strings.HasPrefix(key, "verified/"+source+"/") && strictjson.Unmarshal(r.facts[key], &version) == nil {
			verified = append(verified, version) // one of the manifest that cannot be read is that version's error
		}
	}
	return trust.RecordedSigner(nil, verified), nil
}

func malformed(key string, err error) error {
	return refuse(problem.Response, "the recorded fact %q is malformed: %v. Restore that line of MODULE.bazel.lock from version control; "+
		"without it, whoever signs next is trusted", key, err)
}
