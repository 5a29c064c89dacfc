package lock

import (
	"encoding/json"
	"errors"

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
	facts    map[string]json.RawMessage           // the resolve/ and package/ facts that answer its entries now
	packages map[platforms.Platform]facts.Package // of all platforms that are answered
	fresh    map[platforms.Platform]bool          // asked for in this run
	recorded *trust.Verified
	verdict  trust.Verdict
	listed   []hashes.Hash     // zh: of every line that a dependency lock has (R-AUTH-7)
	offered  map[string]string // h1: that the registry tells, by platform (R-AUTH-26)
	computed []hashes.Hash     // h1: for the dependency lock
	byFile   []deplock.Entry   // entries of provider_locks that cover it, as it has no verified fact
	warnings []string
	err      error
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
	if len(fact.ZH) == 0 || fact.Tier == "" {
		return nil, malformed(verifiedKey(rel), errors.New("it has no hash or no tier"))
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
	if (len(fact.Fingerprints) == 0) != (fact.Tier == trust.Unsigned) || fact.Tier == "" {
		return nil, malformed(signerKey(source), errors.New("tier unsigned has no fingerprint, and every other has one"))
	}
	for i, text := range fact.Fingerprints {
		if fingerprint, err := trust.ParseFingerprint(text); err != nil || fingerprint != text {
			return nil, malformed(signerKey(source), errors.New("fingerprints are full and in upper-case hex; one is "+text))
		}
		if i > 0 && fact.Fingerprints[i-1] >= text {
			return nil, malformed(signerKey(source), errors.New("fingerprints are sorted, each once"))
		}
	}
	return &fact, nil
}

func malformed(key string, err error) error {
	return refuse(problem.Response, "the recorded fact %q is malformed: %v. Restore that line of MODULE.bazel.lock from version control; "+
		"without it, whoever signs next is trusted", key, err)
}
