package lock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/hashes"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/sums"
	"rules_tf_mirror/tools/internal/trust"
)

// decide judges a release by what the registry answers now.
func (r *run) decide(ctx context.Context, rel *release, signer *trust.Signer) error {
	var err error
	if rel.recorded, err = r.readVerified(rel); err != nil {
		return err
	}
	if err := r.sameContent(rel); err != nil {
		return err
	}
	answer, err := r.answer(ctx, rel)
	if err != nil {
		return err
	}
	keys, err := readKeys(answer.SigningKeys)
	if err != nil {
		return problem.Wrap(problem.Response, err, "%s: the registry answers %v", rel, err)
	}
	list, signature, err := r.documents(ctx, rel, answer)
	if err != nil {
		return err
	}
	rel.input = trust.Input{
		Source: rel.provider, Tool: r.Request.Tool, Version: rel.version.String(), Packages: rel.sums(), Keys: keys,
		Sums: list, Signature: signature, Mirror: answer.Mirror, Recorded: signer, Fact: rel.recorded, Policy: r.policy, Now: r.Now(), Context: ctx,
	}
	if err := rel.judge(); err != nil {
		return err
	}
	rel.list(list.Bytes)
	if r.Request.Tool == addrs.OpenTofu { // terraform's registries know no such field, so a private one must not decide with it
		rel.offer(answer.Hashes)
	}
	return nil
}

// answer returns one download answer of the release: one that this run has already, else that of the first platform with a package.
func (r *run) answer(ctx context.Context, rel *release) (*registry.Package, error) {
	known := r.available(rel)
	if len(known) == 0 {
		return nil, problem.New(problem.Platform, "%s: the registry has no package of it for any configured platform", rel)
	}
	slices.SortStableFunc(known, func(a, b platforms.Platform) int { return rank(rel.fresh[a]) - rank(rel.fresh[b]) })
	answer, err := r.askNow(ctx, rel, known[0])
	if err != nil {
		return nil, err
	}
	if answer.Mirror != "" { // without a signed list the mirror's word on each platform is all that there is to compare
		for _, platform := range known[1:] {
			if _, err := r.askNow(ctx, rel, platform); err != nil {
				return nil, err
			}
		}
	}
	return answer, nil
}

// askNow asks for the package of a platform and compares it with what is recorded, if that was not asked for in this run.
func (r *run) askNow(ctx context.Context, rel *release, platform platforms.Platform) (*registry.Package, error) {
	answer, err := r.registry.Download(ctx, rel.provider, rel.version.String(), platform)
	found := facts.Package{Unavailable: true}
	switch {
	case err == nil:
		found = answer.Fact
	case problem.KindOf(err) != problem.Platform:
		return nil, problem.Wrap(problem.KindOf(err), err, "%s: %v", rel, err)
	}
	recorded := rel.packages[platform]
	if changed := r.changed(rel, map[platforms.Platform][2]facts.Package{platform: {recorded, found}}); changed != nil {
		return nil, changed
	}
	if err == nil && !rel.fresh[platform] && answer.Mirror == "" {
		rel.moved(platform, recorded, found)
	}
	return answer, err
}

// rank sorts what is true first.
func rank(b bool) int {
	if b {
		return 0
	}
	return 1
}

// documents fetches SHA256SUMS and its signature at the same time.
func (r *run) documents(ctx context.Context, rel *release, answer *registry.Package) (list, signature trust.Document, err error) {
	var group sync.WaitGroup
	var failed [2]error
	fetch := func(name, reference string, into *trust.Document, failure *error) {
		group.Go(func() {
			document, err := r.registry.Document(ctx, answer, reference)
			if err != nil {
				*failure = problem.Wrap(problem.KindOf(err), err, "%s: %s cannot be had: %v%s", rel, name, err, stays(rel))
				return
			}
			*into = trust.Document{Bytes: document.Body, Missing: document.Missing, URL: document.Shown}
		})
	}
	fetch("SHA256SUMS", answer.SHASumsURL, &list, &failed[0])
	fetch("the signature of SHA256SUMS", answer.SHASumsSignatureURL, &signature, &failed[1])
	group.Wait()
	for _, err := range failed {
		if err != nil {
			return list, signature, err
		}
	}
	return list, signature, nil
}

// stays says that a failure takes nothing away (B32).
func stays(rel *release) string {
	if rel.recorded == nil {
		return ""
	}
	return "; what is recorded of an earlier verification stays and goes on to count"
}

// readKeys reads signing_keys. Missing, null and empty lists are no keys (B14); an element that is null is a defect (R-REG-9).
func readKeys(raw json.RawMessage) ([]trust.KeyEntry, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var object struct {
		Keys []*struct {
			ASCIIArmor     string `json:"ascii_armor"`
			TrustSignature string `json:"trust_signature"`
		} `json:"gpg_public_keys"`
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, errors.New("signing_keys of another form than an object with gpg_public_keys")
	}
	var keys []trust.KeyEntry
	for i, key := range object.Keys {
		if key == nil {
			return nil, fmt.Errorf("signing_keys in which gpg_public_keys[%d] is null", i)
		}
		keys = append(keys, trust.KeyEntry{ASCIIArmor: key.ASCIIArmor, TrustSignature: key.TrustSignature})
	}
	return keys, nil
}

// list notes the hashes for a dependency lock: those of the verified list; of an unsigned version what the registry says, as tofu does
// (R-AUTH-25).
func (rel *release) list(document []byte) {
	all := map[string]bool{}
	rel.bound = rel.sums()
	if fact := rel.verdict.Fact; fact != nil {
		rel.bound = fact.ZH
		for _, hash := range fact.ZH {
			all[hash] = true
		}
		for _, hash := range fact.Other {
			all[hash] = true
		}
	} else {
		parsed := sums.Parse(document)
		for _, hash := range parsed.Terraform().Hashes {
			all[hash] = true
		}
		if told, err := parsed.Release(rel.provider.Type, rel.version.String()); err == nil {
			rel.bound = told.ZH
		}
		for _, hash := range rel.sums() {
			all[hash] = true
		}
	}
	for _, hash := range slices.Sorted(maps.Keys(all)) {
		rel.listed = append(rel.listed, hashes.FromSHA256(hash))
	}
}

// offer notes the h1: hashes that the registry tells for platforms whose zh: it tells rightly, configured or not: at its own registry tofu
// records them all (R-AUTH-26), and would add what is missing.
func (rel *release) offer(told map[string][]string) {
	rel.offered = map[string]string{}
	for platform, sum := range rel.bound {
		var dir []string
		right := false
		for _, text := range told[platform] {
			h, err := hashes.Parse(text)
			switch {
			case err == nil && h.Scheme == hashes.SchemeDir:
				dir = append(dir, h.Value)
			case err == nil && h.Scheme == hashes.SchemeZip:
				right = h.Value == sum
			}
		}
		if right && len(dir) == 1 {
			rel.offered[platform] = dir[0]
		}
	}
}
