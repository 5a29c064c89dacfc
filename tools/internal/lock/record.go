package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"rules_tf_mirror/tools/internal/bazellock"
	"rules_tf_mirror/tools/internal/facts"
)

// edits says what is to be recorded: a value by key, nil to delete.
type edits map[string]json.RawMessage

// collect returns the facts that verification gives now, for everything that was accepted.
func (r *run) collect() edits {
	out := edits{}
	for _, s := range r.sources {
		for _, rel := range s.releases {
			if rel.err != nil {
				continue
			}
			for key, raw := range rel.facts {
				out[key] = raw
			}
			out[verifiedKey(rel)] = nil
			if rel.verdict.Fact != nil {
				out[verifiedKey(rel)] = encode(rel.verdict.Fact)
			}
			for _, e := range rel.entries {
				out[e.retryKey()] = nil
			}
			if s.upgrade {
				r.dropOld(out, s, rel)
			}
		}
		if signers := r.remember(s); signers != nil {
			r.forgotten(s, signers)
			out[signerKey(s.provider.String())] = encode(signers)
		}
	}
	return out
}

// dropOld deletes the facts of the versions that a release replaces, as the extension would: nothing asks for them any more.
func (r *run) dropOld(out edits, s *source, rel *release) {
	for _, e := range rel.entries {
		if e.recorded == "" || e.recorded == rel.version.String() || r.used(s, e.recorded) {
			continue
		}
		out["verified/"+s.provider.String()+"/"+e.recorded] = nil
		for key := range r.facts {
			if strings.HasPrefix(key, "package/"+s.provider.String()+"/"+e.recorded+"/") {
				out[key] = nil
			}
		}
	}
}

// used reports whether an entry of the source has the version after this run: answered, or, where that failed, as recorded.
func (r *run) used(s *source, version string) bool {
	answered := map[*entry]string{}
	for _, rel := range s.releases {
		for _, e := range rel.entries {
			if rel.err == nil {
				answered[e] = rel.version.String()
			}
		}
	}
	for _, e := range s.entries {
		if v, ok := answered[e]; ok && v == version || !ok && e.recorded == version {
			return true
		}
	}
	return false
}

// encode writes a fact. Its types are plain, so that it cannot fail.
func encode(v any) json.RawMessage {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(buffer.Bytes())
}

// save writes the edits into the lockfile and reports whether it wrote. Facts that were judged and that somebody has changed since are an
// error: they would have been judged otherwise.
func (r *run) save(changes edits) (bool, error) {
	return bazellock.Edit(r.Lockfile, r.Extension, func(now map[string]json.RawMessage) (map[string]json.RawMessage, error) {
		for key := range r.judged(changes) {
			if !same(now[key], r.facts[key]) {
				return nil, errors.New(r.Lockfile + ": the fact " + key + " was changed while its provider was verified; run this again")
			}
		}
		for key, raw := range changes {
			switch {
			case raw == nil:
				delete(now, key)
			case !same(now[key], raw):
				now[key] = raw
			}
		}
		return now, nil
	})
}

// judged returns the keys that the decisions depended on.
func (r *run) judged(changes edits) map[string]bool {
	keys := map[string]bool{}
	for key := range changes {
		keys[key] = true
	}
	for _, s := range r.sources {
		keys[signerKey(s.provider.String())] = true
		for _, rel := range s.releases {
			keys[verifiedKey(rel)] = true
			for _, platform := range r.platforms {
				keys[facts.PackageKey(rel.provider, rel.version.String(), platform)] = true
			}
		}
	}
	return keys
}

// same compares two facts by value; nil is no fact.
func same(a, b json.RawMessage) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
