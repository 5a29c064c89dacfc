package fakebazel

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// zipOf returns the bytes of a zip with these files.
func zipOf(files map[string]string) (string, error) {
	var buffer bytes.Buffer
	w := zip.NewWriter(&buffer)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate}
		header.SetMode(0o644)
		entry, err := w.CreateHeader(header)
		if err == nil {
			_, err = io.WriteString(entry, files[name])
		}
		if err != nil {
			return "", err
		}
	}
	err := w.Close()
	return buffer.String(), err
}

// extract is that of Bazel as far as it is kind: it makes no link, which a package must not become, and no file outside.
func (c *RepositoryContext) extract(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var archive, output string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "archive", &archive, "output?", &output); err != nil {
		return nil, err
	}
	content := c.Files[path.Join(c.Dir, archive)]
	r, err := zip.NewReader(strings.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("extract: %w", err)
	}
	root := path.Join(c.Dir, output)
	for _, entry := range r.File {
		const linkBits = 0xa000
		name := path.Join(root, entry.Name)
		if entry.ExternalAttrs>>16&linkBits == linkBits || !strings.HasPrefix(name, root+"/") {
			return nil, fmt.Errorf("extract: %q is a link or lies outside", entry.Name)
		}
		if strings.HasSuffix(entry.Name, "/") {
			continue
		}
		f, err := entry.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(f)
		if err != nil {
			return nil, err
		}
		c.Files[name] = string(data)
	}
	return starlark.None, nil
}
