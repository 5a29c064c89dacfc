package lock

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/bazellock"
	"rules_tf_mirror/tools/internal/deplock"
	"rules_tf_mirror/tools/internal/filelock"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/platforms"
	"rules_tf_mirror/tools/internal/terminal"
	"rules_tf_mirror/tools/internal/trust"
	"rules_tf_mirror/tools/internal/wholefile"
)

// run is the state of one Run.
type run struct {
	Options
	policy    trust.Policy
	platforms []platforms.Platform
	registry  Registry
	locks     *deplock.Set  // of provider_locks
	product   *deplock.File // the dependency lock as it is, nil if none is wanted
	hasFacts  bool          // the Bazel that wrote the lockfile knows facts
	facts     map[string]json.RawMessage
	entries   []*entry
	sources   []*source
	warnings  []string
	report    *Report
}

// Run locks, or checks. The error is an *InputError or the cause of ctx's end; what goes wrong with one provider is in the report.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	r := &run{Options: o, report: &Report{}, platforms: o.Request.PlatformList()}
	release, err := r.acquire(ctx)
	if err != nil {
		return nil, asInput(ctx, err)
	}
	defer release()
	if err := r.prepare(); err != nil {
		return nil, asInput(ctx, err)
	}
	if r.Offline {
		r.offline()
	} else if err := r.ask(ctx); err != nil {
		return nil, err
	}
	merged, err := r.dependencyLock(ctx)
	if err != nil {
		return nil, asInput(ctx, err)
	}
	if err := r.finish(merged); err != nil {
		return nil, asInput(ctx, err)
	}
	return r.report, nil
}

// acquire takes the locks of the files that this run writes, for as long as it takes: another run's answers would be judged by the same
// old record.
func (r *run) acquire(ctx context.Context) (release func(), err error) {
	var held []*filelock.Lock
	release = func() {
		for _, l := range held {
			_ = l.Release() // it ends with the process at the latest
		}
	}
	if r.Check != Write {
		return release, nil
	}
	for _, path := range []string{r.Lockfile, r.DependencyLock} {
		if path == "" {
			continue
		}
		l, err := filelock.Acquire(ctx, r.LockDir, path, r.notify(path))
		if err != nil {
			release()
			return nil, err
		}
		held = append(held, l)
		// Now, and not after everything was verified and half of it written.
		if err := wholefile.Writable(path); err != nil {
			release()
			return nil, err
		}
	}
	return release, nil
}

// prepare reads all files and the manifest's entries.
func (r *run) prepare() error {
	var err error
	if r.policy, err = readPolicy(r.Request); err != nil {
		return err
	}
	if r.locks, err = deplock.ReadAll(r.otherLocks(), r.Request.Tool); err != nil {
		return err
	}
	if r.DependencyLock != "" {
		if r.product, err = deplock.Read(r.DependencyLock, r.Request.Tool); err != nil {
			return err
		}
	}
	if err := r.readFacts(); err != nil {
		return err
	}
	if err := r.plan(); err != nil {
		return err
	}
	return r.checkChoices()
}

// otherLocks are the files of provider_locks without the one that this run writes, which is held against the signed list anyhow.
func (r *run) otherLocks() []string {
	product, err := os.Stat(r.DependencyLock)
	if err != nil || r.Check != Write {
		return r.ProviderLocks
	}
	return slices.DeleteFunc(slices.Clone(r.ProviderLocks), func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && os.SameFile(info, product)
	})
}

func readPolicy(request *manifest.Request) (trust.Policy, error) {
	text := trust.PolicyText{}
	if p := request.Policy; p != nil {
		text = trust.PolicyText{
			Signers: p.Signers, AllowUnsigned: p.AllowUnsigned, ExpiredKeys: p.ExpiredKeys, AllowSHA1: p.AllowSHA1,
			AllowChanged: p.AllowChanged, AllowChecksum: p.AllowChecksum, Strict: p.Strict,
		}
	}
	policy, err := trust.ParsePolicy(text, request.Tool)
	if err != nil {
		return policy, fmt.Errorf("policy: %w", err)
	}
	return policy, nil
}

// readFacts reads what the lockfile records for the extension.
func (r *run) readFacts() error {
	file, err := bazellock.Open(r.Lockfile)
	if err != nil {
		return err
	}
	recorded, _, found, err := file.Facts(r.Extension)
	if err != nil {
		return err
	}
	r.hasFacts = file.HasFacts()
	r.facts = recorded
	others := strings.Join(file.OtherSpellings(r.Extension), ", ")
	switch {
	case !r.hasFacts && r.DependencyLock == "":
		return fmt.Errorf("%s has no facts at all: the Bazel that wrote it knows none (8.5 and 9.0 are the first that do). "+
			"Upgrade Bazel, or have a dependency lock written with --dependency-lock .terraform.lock.hcl", r.Lockfile)
	case !r.hasFacts && r.Offline:
		return fmt.Errorf("%s has no facts at all: the Bazel that wrote it knows none, so that offline there is nothing to compare with", r.Lockfile)
	case !r.hasFacts:
		r.warnings = append(r.warnings, fmt.Sprintf("%s has no facts at all: the Bazel that wrote it knows none, so only the dependency lock is written", r.Lockfile))
	case !found && others != "":
		return fmt.Errorf("%s has no facts of %s; it has those of %s, the name under another Bazel version, which start anew after an upgrade: "+
			"run bazel mod deps, then this again", r.Lockfile, r.Extension, others)
	case !found && len(r.Request.Providers) > 0:
		return fmt.Errorf("%s has no facts of %s: the extension was not evaluated yet, or its name is another. "+
			"Run bazel mod deps, or bazel build @tf_toolchains//:manifest.json, then this again", r.Lockfile, r.Extension)
	case others != "":
		r.warnings = append(r.warnings, fmt.Sprintf("%s has facts of %s too, the name under another Bazel version; they do not count, and Bazel drops them", r.Lockfile, others))
	}
	if r.facts == nil {
		r.facts = map[string]json.RawMessage{}
	}
	return nil
}

// ask verifies online.
func (r *run) ask(ctx context.Context) error {
	r.registry = r.Registry()
	var progress *terminal.Progress
	if r.Progress != nil && len(r.sources) > 0 {
		progress = r.Progress(r.items())
		defer progress.Close()
	}
	if err := r.online(ctx, progress); err != nil {
		return err
	}
	for _, s := range r.sources {
		for _, rel := range s.releases {
			if rel.err == nil {
				rel.err = r.applyFiles(rel)
			}
		}
	}
	return nil
}

// items is the number of lines of progress: different versions as far as they are known.
func (r *run) items() int {
	seen := map[string]bool{}
	for _, s := range r.sources {
		for _, e := range s.entries {
			version := e.selected
			if version == "" || s.upgrade {
				version = e.recorded
			}
			if version == "" || s.upgrade && !e.exact {
				version = "?" + e.text
			}
			seen[s.provider.String()+" "+version] = true
		}
	}
	return len(seen)
}

// finish compares or writes, and completes the report.
func (r *run) finish(merged *deplock.Merged) error {
	now := r.collect()
	r.rows()
	r.gather()
	r.upgraded()
	if r.Check != Write {
		r.compareAll(now, merged)
		return nil
	}
	if r.hasFacts {
		changed, err := r.save(now)
		if err != nil {
			return err
		}
		if changed {
			r.report.Written = append(r.report.Written, r.Lockfile)
		}
	}
	if merged != nil {
		changed, err := merged.Save(r.product, r.Request.Tool)
		if err != nil {
			return err
		}
		if changed {
			r.report.Written = append(r.report.Written, r.DependencyLock)
		}
	}
	return nil
}

// compareAll notes everything in which the files are not as they should be.
func (r *run) compareAll(now edits, merged *deplock.Merged) {
	for _, e := range r.entries {
		if e.stale {
			r.differ(r.Lockfile, e.resolveKey(), e.disagreement())
		}
	}
	for _, s := range r.sources {
		for _, rel := range s.releases {
			if rel.err == nil {
				r.checkAddresses(rel)
				r.missed(rel)
				for _, d := range rel.differences {
					d.File = r.Lockfile
					r.report.Differences = append(r.report.Differences, d)
				}
			}
		}
	}
	if !r.Offline && r.hasFacts {
		r.compare(now)
	}
	r.compareProduct(merged)
}
