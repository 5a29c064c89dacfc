package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"

	"rules_tf_mirror/tools/internal/inputfile"
)

// open opens a zip file and returns its size in bytes. What is no zip is named by what it is (B40), since registries and proxies do
// answer with archives of other kinds and with web pages.
func open(zipPath string) (*zip.ReadCloser, int64, error) {
	f, err := inputfile.Open(zipPath) // nothing but a regular file has an end
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	f.Close()
	if err != nil {
		return nil, 0, err
	}
	if problem, err := directoryProblem(zipPath, info.Size()); err != nil {
		return nil, 0, err
	} else if problem != "" {
		return nil, 0, &Error{Zip: zipPath, Problem: problem}
	}
	reader, err := zip.OpenReader(zipPath)
	if errors.Is(err, zip.ErrInsecurePath) {
		// With GODEBUG=zipinsecurepath=0 the reader is valid all the same; names are judged here, and more strictly.
		return reader, info.Size(), nil
	}
	if err == nil {
		return reader, info.Size(), nil
	}
	if !errors.Is(err, zip.ErrFormat) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	return nil, 0, &Error{Zip: zipPath, Problem: describe(zipPath), Err: err}
}

func directoryProblem(zipPath string, size int64) (string, error) {
	f, err := inputfile.Open(zipPath)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return checkDirectory(f, size)
}

// describe says what a file is that is no readable zip.
func describe(path string) string {
	f, err := inputfile.Open(path)
	if err != nil {
		return "not a zip file"
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	head = head[:n]
	text := bytes.ToLower(bytes.TrimSpace(head))
	switch {
	case n == 0:
		return "the file is empty, wanted a zip file"
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return "the zip file is cut off or damaged: its table of contents at the end cannot be read"
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return "a gzip file (perhaps tar.gz), wanted a zip file: only zip packages are supported (R-DL-6)"
	case bytes.HasPrefix(head, []byte("BZh")), bytes.HasPrefix(head, []byte("\xfd7zXZ")), bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "a bzip2, xz or zstd file, wanted a zip file: only zip packages are supported (R-DL-6)"
	case bytes.HasPrefix(text, []byte("<!doctype")), bytes.HasPrefix(text, []byte("<html")), bytes.HasPrefix(text, []byte("<?xml")):
		return "a web page or XML document, wanted a zip file"
	default:
		return fmt.Sprintf("not a zip file: it begins with %q", head[:min(n, 16)])
	}
}
