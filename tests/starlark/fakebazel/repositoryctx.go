package fakebazel

import (
	"fmt"
	"path"
	"strings"

	"go.starlark.net/starlark"
)

// Download is one call of repository_ctx.download.
type Download struct {
	URLs   []string
	Output string
	SHA256 string
	Kwargs []string // names of all arguments
}

// RepositoryContext is repository_ctx.
type RepositoryContext struct {
	Context
	Downloads []Download
	// Serve plays the downloader: whether a download succeeds. nil: none does.
	Serve func(d Download) bool
	// Zips holds by name of the archive what is in it: file names and contents.
	Zips map[string]map[string]string
	// Archives holds by name of the archive its bytes, where Zips is not enough.
	Archives map[string]string
	// Which holds the programs on PATH.
	Which map[string]string
}

// NewRepositoryContext returns a context for the fetch of a repository. Attributes that are not given have their default.
func NewRepositoryContext(r Repository, host Host, environ map[string]any) *RepositoryContext {
	c := &RepositoryContext{Zips: map[string]map[string]string{}, Archives: map[string]string{}, Which: map[string]string{}}
	c.Files = Files{}
	c.Dir = "/output_base/external/" + r.Name
	c.Labels = map[string]string{}
	c.addCommon()
	attrs := Struct{"name": r.Name}
	for name, attribute := range r.Rule.Attrs {
		attrs[name] = attribute.Zero()
	}
	for name, value := range r.Attrs {
		attrs[name] = value
	}
	c.attrs["attr"] = ToStarlark(attrs)
	if environ == nil {
		environ = map[string]any{}
	}
	c.attrs["os"] = ToStarlark(Struct{"name": host.Name, "arch": host.Arch, "environ": environ})
	c.attrs["workspace_root"] = filePath{c.Files, "/ws"}
	c.method("download", c.download)
	c.method("download_and_extract", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var url starlark.Value
		var d Download
		var prefix string
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "url", &url, "output", &d.Output, "sha256", &d.SHA256, "stripPrefix?", &prefix); err != nil {
			return nil, err
		}
		d.URLs = texts(url)
		c.Downloads = append(c.Downloads, d)
		for name, content := range c.Zips[path.Base(d.URLs[0])] {
			c.Files[path.Join(c.Dir, d.Output, strings.TrimPrefix(name, prefix))] = content
		}
		return ToStarlark(Struct{"success": true}), nil
	})
	c.method("extract", c.extract)
	c.method("delete", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var p starlark.Value
		if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &p); err != nil {
			return nil, err
		}
		name, err := c.abs(p)
		c.Files.remove(name)
		return starlark.Bool(true), err
	})
	c.method("symlink", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var target, link string
		if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &target, &link); err != nil {
			return nil, err
		}
		c.Files[path.Join(c.Dir, link)] = c.Files[path.Join(c.Dir, target)]
		return starlark.None, nil
	})
	c.method("which", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var program string
		if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &program); err != nil {
			return nil, err
		}
		if found, ok := c.Which[program]; ok {
			return filePath{c.Files, found}, nil
		}
		return starlark.None, nil
	})
	c.method("repo_metadata", func(_ *starlark.Thread, _ *starlark.Builtin, _ starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return kwargs[0][1], nil
	})
	return c
}

// WithoutRepoMetadata makes the context that of a Bazel before 8.3.
func (c *RepositoryContext) WithoutRepoMetadata() { delete(c.attrs, "repo_metadata") }

func (c *RepositoryContext) download(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var url, auth starlark.Value
	var d Download
	var allowFail bool
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "url", &url, "output", &d.Output, "sha256", &d.SHA256, "allow_fail?", &allowFail,
		"auth?", &auth); err != nil {
		return nil, err
	}
	for _, pair := range kwargs {
		d.Kwargs = append(d.Kwargs, string(pair[0].(starlark.String)))
	}
	d.URLs = texts(url)
	c.Downloads = append(c.Downloads, d)
	success := c.Serve != nil && c.Serve(d)
	if success {
		content, err := zipOf(c.Zips[d.Output])
		if raw, ok := c.Archives[d.Output]; ok {
			content = raw
		}
		if err != nil {
			return nil, err
		}
		c.Files[path.Join(c.Dir, d.Output)] = content
	}
	if !success && !allowFail {
		return nil, fmt.Errorf("download failed: %s", strings.Join(d.URLs, " "))
	}
	return ToStarlark(Struct{"success": success}), nil
}

// texts is a string, or a list of them, as a slice.
func texts(v starlark.Value) []string {
	if text, ok := starlark.AsString(v); ok {
		return []string{text}
	}
	result := []string{}
	for _, item := range ToGo(v).([]any) {
		result = append(result, item.(string))
	}
	return result
}
