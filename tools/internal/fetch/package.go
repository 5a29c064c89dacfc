package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"

	"rules_tf_mirror/tools/internal/archive"
	"rules_tf_mirror/tools/internal/download"
	"rules_tf_mirror/tools/internal/facts"
	"rules_tf_mirror/tools/internal/manifest"
	"rules_tf_mirror/tools/internal/problem"
	"rules_tf_mirror/tools/internal/registry"
	"rules_tf_mirror/tools/internal/resolve"
	"rules_tf_mirror/tools/internal/terminal"
)

// fetch brings one package to the sink and fills its row.
func (r *run) fetch(ctx context.Context, p Package, row *Row, item *terminal.Item) {
	stored, found, err := r.Sink.Have(ctx, p)
	status := Cached
	if err == nil && !found {
		status = Fetched
		stored, err = r.bring(ctx, p, item)
	}
	if err != nil {
		row.Error = manifest.ErrorOf(describe(p, err))
		return
	}
	row.Status, row.Path, row.Bytes, row.Error = status, stored.Path, stored.Bytes, nil
}

func (r *run) bring(ctx context.Context, p Package, item *terminal.Item) (Stored, error) {
	file, err := r.download(ctx, p, item)
	if err != nil {
		return Stored{}, err
	}
	stored, err := r.Sink.Put(ctx, p, file)
	if err != nil {
		_ = os.Remove(file.Path) // if the sink has not done so
	}
	return stored, err
}

// download finds an address that works now, and fetches.
func (r *run) download(ctx context.Context, p Package, item *terminal.Item) (*download.File, error) {
	address, shown := p.address, ""
	if p.ephemeral || p.mirrored {
		answer, err := r.ask(ctx, r.first, p)
		switch {
		case err != nil:
			return nil, err
		case answer.Content != nil:
			return r.take(ctx, p, answer, item)
		}
		address, shown = answer.Location.Reveal(), answer.Fact.DownloadURL
	}
	file, err := r.get(ctx, p, address, shown, item)
	var refused *download.StatusError
	if !errors.As(err, &refused) || !refused.Stale() {
		return file, err
	}
	// B04, B05: the address may be used up. One question to the registry, then the result counts.
	answer, askErr := r.ask(ctx, r.second(), p)
	switch {
	case askErr != nil && problem.KindOf(askErr) == problem.ContentChanged:
		return nil, askErr
	case askErr != nil:
		return nil, problem.Wrap(problem.KindOf(askErr), askErr, "%v; asking the registry for a new address failed: %v", err, askErr)
	case answer.Content != nil:
		return r.take(ctx, p, answer, item)
	case answer.Location.Reveal() == address:
		return nil, problem.Wrap(statusKind(refused), err, "%v; asked again, the registry names the same address", err)
	}
	return r.get(ctx, p, answer.Location.Reveal(), answer.Fact.DownloadURL, item)
}

// ask returns what the registry answers now, if it still names the same content.
func (r *run) ask(ctx context.Context, from resolve.Registry, p Package) (*registry.Package, error) {
	recorded := facts.Package{SHA256: p.SHA256}
	answer, err := from.Download(ctx, p.Provider, p.Version, p.Platform)
	if problem.KindOf(err) == problem.Platform && err != nil {
		return nil, resolve.SameContent(p.Provider, p.Version, p.Platform, recorded, facts.Package{Unavailable: true})
	}
	if err != nil {
		return nil, err
	}
	if err := resolve.SameContent(p.Provider, p.Version, p.Platform, recorded, answer.Fact); err != nil {
		return nil, err
	}
	return answer, nil
}

// get requests an address, which may be a secret beyond the part that is shown.
func (r *run) get(ctx context.Context, p Package, address, shown string, item *terminal.Item) (*download.File, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, problem.New(problem.Response, "the download address is not a URL")
	}
	return r.Download.Get(ctx, download.Request{URL: u, Shown: shown, SHA256: p.SHA256, Dir: r.Sink.WorkDir(), Progress: item.Update})
}

// describe gives an error its kind, and puts the package's name before it.
func describe(p Package, err error) error {
	var (
		known    *problem.Error
		mismatch *download.HashError
		refused  *download.StatusError
		network  *download.Error
		content  *archive.Error
	)
	switch {
	case errors.As(err, &known) && known.Kind == problem.ContentChanged:
		return known // names the package itself
	case errors.As(err, &known):
		return problem.Wrap(known.Kind, err, "%s: %v", p, err)
	case errors.Is(err, context.Canceled):
		return problem.Wrap(problem.Canceled, err, "%s: stopped", p)
	case errors.As(err, &mismatch):
		return problem.Wrap(Checksum, err, "%s: %v. Nothing of it was kept. If a later run finds the same, tell the publisher: the registry and the "+
			"download do not agree", p, err)
	case errors.As(err, &refused):
		return problem.Wrap(statusKind(refused), err, "%s: %v", p, err)
	case errors.As(err, &network):
		return problem.Wrap(problem.Network, err, "%s: %v", p, err)
	case errors.As(err, &content):
		reason := *content
		reason.Zip = "sha256 " + p.SHA256 // the file's own name says nothing, and the file is gone
		return problem.Wrap(Checksum, err, "%s: %v. The publisher must repair it", p, &reason)
	default:
		return problem.Wrap(Local, err, "%s: %v", p, err)
	}
}

func statusKind(e *download.StatusError) problem.Kind {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return problem.Unauthorized
	case http.StatusNotFound, http.StatusGone:
		return problem.NotFound
	default:
		return problem.Network
	}
}
