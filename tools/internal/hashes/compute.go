package hashes

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"golang.org/x/mod/sumdb/dirhash"

	"rules_tf_mirror/tools/internal/inputfile"
)

// Zip returns the h1: hash of the package zip at path. Every entry counts under its raw name (R-HASH-5). A name with a newline is an
// error (R-HASH-4), as is a file that is not a zip.
func Zip(path string) (Hash, error) {
	f, err := inputfile.Open(path) // nothing but a regular file has an end
	if err != nil {
		return Hash{}, err
	}
	f.Close()
	h1, err := dirhash.HashZip(path, dirhash.Hash1)
	switch {
	case errors.Is(err, zip.ErrFormat):
		return Hash{}, fmt.Errorf("%s is not a complete zip file: %w", path, err)
	case err != nil:
		return Hash{}, fmt.Errorf("h1: hash of %s: %w", path, err)
	}
	return Parse(h1)
}

// Dir returns the h1: hash of an unpacked package directory. Only regular files count, and symbolic links to such; a link to a directory
// and a broken link are errors. The directory itself may be a link (R-HASH-5).
func Dir(dir string) (Hash, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Hash{}, fmt.Errorf("h1: hash of %s: %w", dir, err)
	}
	names, err := dirhash.DirFiles(root, "")
	if err != nil {
		return Hash{}, fmt.Errorf("h1: hash of %s: %w", dir, err)
	}
	h1, err := dirhash.Hash1(names, func(name string) (io.ReadCloser, error) {
		return inputfile.Open(filepath.Join(root, filepath.FromSlash(name)))
	})
	if err != nil {
		return Hash{}, fmt.Errorf("h1: hash of %s: %w", dir, err)
	}
	return Parse(h1)
}

// ZipFile returns the zh: hash of the file at path (R-HASH-2). The content is not looked at: any file has one.
func ZipFile(path string) (Hash, error) {
	sum, err := FileSHA256(path)
	if err != nil {
		return Hash{}, err
	}
	return FromSHA256(sum), nil
}

// FromSHA256 returns the zh: hash for a SHA-256 in lower-case hex, the form that facts hold (design §3.1).
func FromSHA256(hexSum string) Hash { return Hash{Scheme: SchemeZip, Value: hexSum} }

// FileSHA256 returns the SHA-256 of the file at path in lower-case hex.
func FileSHA256(path string) (string, error) {
	f, err := inputfile.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
