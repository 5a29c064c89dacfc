package fetch

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"rules_tf_mirror/tools/internal/addrs"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/resolve"
	"rules_tf_mirror/tools/internal/terminal"
)

// DefaultJobs is the number of packages under way at once.
const DefaultJobs = 8

// Options say what to fetch and with what.
type Options struct {
	Request *manifest.Request // one that resolve.Check accepts
	// Registry makes a client. Clients ask each question once, so a second one is made when an answer is used up.
	Registry func() resolve.Registry
	Download *download.Client
	Sink     Sink
	Jobs     int                                // packages under way at once; 0: DefaultJobs
	Progress func(items int) *terminal.Progress // nil: none
}

// run is the state of one Run.
type run struct {
	Options
	first  resolve.Registry        // the client that resolved
	second func() resolve.Registry // the client to ask again
}

// Run fetches all packages of a request. The error is the cause of ctx's end; everything else that goes wrong is in the report.
func Run(ctx context.Context, o Options) (*Report, error) {
	r := &run{Options: o, first: o.Registry(), second: sync.OnceValue(o.Registry)}
	response, err := resolve.Run(ctx, r.first, o.Request)
	if err != nil {
		return nil, err
	}
	plan := r.plan(response)
	var progress *terminal.Progress
	if o.Progress != nil {
		progress = o.Progress(len(plan.jobs))
		defer progress.Close()
	}
	jobs := o.Jobs
	if jobs <= 0 {
		jobs = DefaultJobs
	}
	var group errgroup.Group
	group.SetLimit(jobs)
	for _, j := range plan.jobs {
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			item := progress.Start(j.pkg.String())
			row := &plan.report.Rows[j.row]
			r.fetch(ctx, j.pkg, row, item)
			item.Done(row.Status)
			return nil
		})
	}
	_ = group.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return plan.report, nil
}

// plan is a report whose rows wait for their jobs.
type plan struct {
	report *Report
	jobs   []job
	seen   map[string]bool // packages and failures that have a row or a warning
}

type job struct {
	pkg Package
	row int // index in the report
}

func (r *run) plan(response *manifest.Response) *plan {
	p := &plan{report: &Report{Warnings: response.Warnings}, seen: map[string]bool{}}
	for _, entry := range response.Providers {
		r.planEntry(p, entry)
	}
	return p
}

func (r *run) planEntry(p *plan, entry manifest.Provider) {
	failure := entry.Error
	if failure == nil && allUnavailable(entry) {
		failure = &manifest.Error{Kind: problem.Platform, Message: fmt.Sprintf("%s %s has no package for any of the platforms asked for",
			entry.Source, entry.Version)}
	}
	provider, err := addrs.Parse(entry.Source, r.Request.Tool)
	if err != nil && failure == nil {
		failure = manifest.ErrorOf(err)
	}
	for _, platform := range r.Request.PlatformList() {
		row := Row{Source: entry.Source, Version: entry.Version, Platform: platform.String(), Status: Failed, Error: failure}
		key := row.Source + " " + row.Version + " " + row.Platform
		if failure != nil {
			key += " " + failure.Message // two constraints of one provider may fail differently
		}
		if p.seen[key] {
			continue
		}
		p.seen[key] = true
		if failure != nil {
			p.report.Rows = append(p.report.Rows, row)
			continue
		}
		found := entry.Packages[platform.String()]
		switch {
		case found.Error != nil:
			row.Error = found.Error
		case found.Unavailable:
			p.report.Warnings = append(p.report.Warnings, fmt.Sprintf("%s: the registry has no such package", key))
			continue
		default:
			row.SHA256 = found.SHA256
			p.jobs = append(p.jobs, job{row: len(p.report.Rows), pkg: Package{Provider: provider, Version: entry.Version, Platform: platform,
				SHA256: found.SHA256, address: found.DownloadURL, ephemeral: found.Ephemeral, mirrored: found.Mirror != ""}})
		}
		p.report.Rows = append(p.report.Rows, row)
	}
}

func allUnavailable(entry manifest.Provider) bool {
	for _, p := range entry.Packages {
		if !p.Unavailable {
			return false
		}
	}
	return len(entry.Packages) > 0
}
